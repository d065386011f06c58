"""A mat as scenarios describe it: what happens goes to a referee, rulings come back in words."""

import re
from collections.abc import Callable, Sequence

from polarity.facts import Fact
from polarity.rules.declarations import parse
from polarity.rules.referee import Referee
from polarity.rules.ruling import Ruling
from polarity_bench.scenario_words import PieceIds, arrange, fact_of

NAMES = {1: "white", -1: "black", 0: "nobody"}
STEP_MS = 2000


class Table:
    """A mat by the rules of an edition, a referee, and the names that a scenario gives to pieces.

    `given`: the lines that describe the position at the start. Every fact goes to `handle`, which
    is the referee's unless somebody replaces it. ValueError for a line that makes no sense.
    """

    def __init__(self, edition: str, given: Sequence[str]) -> None:
        self.ids = PieceIds()
        self.referee = Referee(edition)
        self.handle: Callable[[Fact], list[Ruling]] = self.referee.handle_fact
        self.t_ms = 0
        self.seq = 0
        self.numbers: dict[str, int] = {}  # of the lines so far
        for line in given:
            arrange(line, self.referee.position, self.ids)
        self.referee.continue_from(self.referee.position)

    def happen(self, text: str) -> list[Ruling]:
        """One line of what happens: the rulings that the referee gives for it."""
        line = text.removeprefix("ill ")  # the sensors are
        ill, line = line != text, line.removeprefix("meanwhile ")  # in the moment of the one before
        earlier = re.match(r"(\d+) ms before, ", line)  # reported late
        if earlier:
            line = line[earlier.end() :]
        elif line == text.removeprefix("ill "):
            self.t_ms += STEP_MS
        t_ms = self.t_ms - int(earlier.group(1)) if earlier else self.t_ms
        fact = fact_of(line, t_ms, self.referee.position, self.ids)
        if ill:
            fact.suspect()
        fact.sent_as(self._number(text))
        return self.handle(fact)

    def declare(self, text: str) -> list[Ruling] | str:
        """Players declare something, and quote what happened: the rulings, or the refusal."""
        self.t_ms += STEP_MS
        quoted = re.search(r'"(.*)"', text)
        words = text.replace(quoted.group(), str(self.numbers[quoted.group(1)])) if quoted else text
        kind, *rest = words.split()
        declaration = parse(kind, rest, self.t_ms)
        if declaration is None:
            raise ValueError(f"players do not declare {text!r}")
        declaration.sent_as(self._number(text))
        rulings = list(self.referee.handle_declaration(declaration))
        return self.referee.refusal or rulings

    def _number(self, text: str) -> int:
        """The number of this line, the next one."""
        self.seq += 1
        self.numbers[text] = self.seq
        return self.seq

    def owed(self, owed: Sequence[tuple[int, Sequence[int]]]) -> str:
        """What is to be captured, in the scenario's words."""
        if not owed:
            return "nothing"
        return ", ".join(f"{NAMES[p]} {' '.join(self.ids.names(ids))}" for p, ids in owed)

    def described(self, ruling: Ruling, clauses: Sequence[str]) -> list[str]:
        """The ruling in the scenario's words, with those clauses that the scenario names."""
        words = [ruling.code, NAMES[ruling.player]]
        if ruling.why:
            words.append(ruling.why)
        after, evidence = ruling.after, ruling.evidence
        values = {
            "pieces": " ".join(self.ids.names(evidence.pieces)),
            "returns": ", ".join(f"{NAMES[p]} {n}" for p, n in ruling.returns) or "nothing",
            "owed": self.owed(after.owed),
            "reserve": _spaced(after.reserve),
            "score": _spaced(after.score),
            "turn": str(after.turn),
            "facts": _spaced(evidence.facts),
            "seat": str(ruling.seat),
        }
        if ruling.returns and "returns" not in clauses:
            clauses = [*clauses, "returns"]  # discs never change hands without a word
        return [" ".join(words), *(f"{key} {values[key]}" for key in clauses)]

    def check(self, line: str) -> str:
        """The state that a closing line describes, in its own words."""
        key, _, text = line.partition(":")
        position = self.referee.position
        match key:
            case "reserve":
                return _spaced(position.reserves)
            case "owed":
                return self.owed(position.owed())
            case "score":
                return _spaced(position.score())
            case "turn":
                return f"{position.turn} {NAMES[position.active]}"
            case "cube":
                return f"{position.cube} {NAMES[position.cube_owner]}"
            case "surplus":
                return str(position.surplus)
            case "outcome":
                why, winner, *_ = position.outcome or ("", 0)
                return f"{why} {NAMES[winner]}" if why else "none"
        name = text.split()[0]
        piece = position.pieces.get(self.ids.of(name))
        if piece is None:
            return f"{name} gone"
        return f"{name} {NAMES[piece.face]} {piece.kind} {piece.discs}"


def _spaced(numbers: Sequence[int]) -> str:
    return " ".join(str(number) for number in numbers)
