"""Players at the table who answer what the mat asks: what truly happened, and how many discs lie in
the trays. They speak once, ANSWER_US after it asked, and count when no hand is over the mat.
"""

import math
from collections.abc import Iterator
from typing import TypeAlias

from polarity_host.simulation.twin.truth import Record

from .matching import EARLY_US, LATE_US, NEAR_MM

ANSWER_US = 2_000_000
QUIET_US = 1_000_000
NEAR_ENOUGH_MM = 40.0
QUIET_AFTER = ("foundation", "leaner_placed", "try_again", "fault", "captured", "capture_failed")
CHANGES_NOTHING = ("rolled", "shifted")
ASKED = ("contact",)  # reasons of a fact `unsure` that name what may have happened

Question: TypeAlias = tuple[int, Record]
"""When to answer, and the fact that is in doubt."""


class Answers:
    """What players say to the mat during a game whose `truth` grows."""

    def __init__(self, truth: list[Record]):
        self._truth = truth
        self._questions: list[Question] = []
        self._known: set[int] = set()  # the numbers of the facts that were in doubt
        self._count_us = -1  # when to count, or -1

    @property
    def due(self) -> bool:
        """Whether the mat waits for something that they have not said yet."""
        return self._count_us >= 0 or bool(self._questions)

    def heard(self, ruling: Record, facts: list[Record]) -> None:
        """The mat ruled; what it asks matters. `facts`: those that it told, the latest last."""
        if ruling["code"] != "unsure":
            return
        self._count_us = ruling["sent_us"] + ANSWER_US
        numbers = ruling["facts"]
        about = next((fact for fact in reversed(facts) if fact["n"] in numbers), None)
        if about and about["n"] not in self._known:  # asked again, it is the same question
            self._known.add(about["n"])
            self._questions.append((ruling["sent_us"] + ANSWER_US, about))

    def said(self, t_us: int, shown: list[int]) -> Iterator[str]:
        """The commands that they give now. `shown`: the reserves as the mat shows them."""
        due = [fact for at, fact in self._questions if at <= t_us]
        self._questions = [(at, fact) for at, fact in self._questions if at > t_us]
        for fact in due:
            verdict = self._verdict(fact)
            if verdict:
                yield f"answer {fact['n']} {verdict}"
        counted = self._counted(t_us) if 0 <= self._count_us <= t_us else None
        if counted is None:
            return
        self._count_us = -1
        sides = "wb" if len(counted) == 2 else range(1, len(counted) + 1)
        for side, discs, seen in zip(sides, counted, shown, strict=True):
            if discs != seen:
                yield f"reserve {discs} {side}"

    def _verdict(self, fact: Record) -> str:
        """What players answer about this fact, "" where they would not know what is meant."""
        unsure = fact["f"] == "unsure"
        kind = fact["why"] if unsure else fact["f"]
        if (unsure and kind not in ASKED) or (kind == "jolt" and self._happened(fact, kind)):
            return ""
        same = self._happened(fact, kind)
        if fact["f"] in ("hand_in", "hand_out", "lifted", "placed") and not fact["face"]:
            return same["face"] if same else "no"
        return "yes" if same else "no"

    def _happened(self, fact: Record, kind: str) -> Record | None:
        """What happened of that kind at that time and place."""
        near = NEAR_MM.get(kind, NEAR_ENOUGH_MM)
        for true in reversed(self._truth):
            if true["t_us"] < fact["t_us"] - LATE_US:
                return None
            if true["k"] != "fact" or true["f"] != kind or true["t_us"] > fact["t_us"] - EARLY_US:
                continue
            mm = true["x_mm"] - fact["x"] / 100, true["y_mm"] - fact["y"] / 100
            if kind == "jolt" or math.hypot(*mm) <= near:
                return true
        return None

    def _counted(self, t_us: int) -> list[int] | None:
        """How many discs lie in the trays, while nothing has happened for a moment, else None."""
        for record in reversed(self._truth):
            if record["t_us"] > t_us - QUIET_US:
                return None
            if record["k"] == "ruling":
                return record["reserve"] if record["code"] in QUIET_AFTER else None
            if record["k"] == "fact" and record["f"] not in CHANGES_NOTHING:
                return None
        return None
