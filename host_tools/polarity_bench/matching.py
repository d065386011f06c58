"""Truth against the engine's messages: which facts are the same, and which pieces.

A truth fact and an engine's fact are the same happening if kind, time and place agree and their
pieces are the same ones: a truth id goes with one engine id for as long as the piece lives.
"""

import math
from collections.abc import Container, Iterable, Sequence
from dataclasses import dataclass, field

import numpy as np
from scipy.optimize import linear_sum_assignment

from polarity_host.simulation.twin.truth import Record

# Of an engine's fact against the physical event: a disc may lie still before the hand lets go.
EARLY_US, LATE_US = -500_000, 1_200_000
# How far off a fact's place may be, in mm: things at rest, and things in the air.
NEAR_MM = {"hand_in": 80.0, "hand_out": 80.0, "snapped": 40.0, "left_circle": 30.0}
REST_MM = 12.0
FAR = 1.5  # times as far off, and it is another happening
MEANING_MM = 17.0  # shifts below this change nothing
SHIFT_ERROR_MM = 10.0
NEEDED = (
    "hand_in", "hand_out", "placed", "lifted", "snapped", "fell", "flipped", "shifted", "contact",
    "parted", "left_circle", "touched_red", "red_off",
)  # fmt: skip
ALL_KINDS = (*NEEDED, "rolled", "jolt")  # everything that sensors can show


@dataclass
class Pair:
    """A truth fact and the engine's fact of it; `wrong`: what the engine got wrong, in words."""

    truth: Record
    reported: Record
    wrong: list[str] = field(default_factory=list)


@dataclass
class Match:
    """The result of comparing facts. `missed` truth facts, `invented` facts of the engine; both
    sides' `unneeded` facts count neither way; `ids`: truth id -> engine ids, the latest last."""

    pairs: list[Pair] = field(default_factory=list)
    missed: list[Record] = field(default_factory=list)
    invented: list[Record] = field(default_factory=list)
    unneeded: list[Record] = field(default_factory=list)
    ids: dict[int, list[int]] = field(default_factory=dict)

    def same(self, truth_id: int, engine_id: int) -> bool:
        """Whether the engine's id was ever that of the truth's piece."""
        return engine_id in self.ids.get(truth_id, ())

    def same_pieces(self, truth_ids: Iterable[int], engine_ids: Iterable[int]) -> bool:
        """Whether two lists of ids name the same pieces, in any order."""
        names, pieces = list(engine_ids), list(truth_ids)
        if not names or len(names) != len(pieces):
            return not (names or pieces)
        # Several pieces may have had one name, as a merged tower has: one way to pair them must do.
        named = np.array([[int(self.same(piece, name)) for name in names] for piece in pieces])
        return bool(named[linear_sum_assignment(named, maximize=True)].all())


def needed(fact: Record, truth: Sequence[Record], kinds: Container[str] = NEEDED) -> bool:
    """Whether this truth fact, of one of the `kinds`, must be reported."""
    if fact["f"] not in kinds:
        return False
    if fact["f"] == "shifted":
        return fact["d_mm"] >= MEANING_MM and not _beside_contact(fact, truth)
    return True


def _beside_contact(fact: Record, truth: Sequence[Record]) -> bool:
    """A disc that jumps against another shifts on the way: the contact is enough."""
    return any(
        other["f"] in ("contact", "touched_red") and abs(other["t_us"] - fact["t_us"]) < 100_000
        for other in truth
        if fact["piece"] in (other["piece"], *other["others"])
    )


def match_facts(
    truth: Sequence[Record], reported: Sequence[Record], kinds: Container[str] = NEEDED
) -> Match:
    """Compare the facts of a game. `truth`: truth records, `reported`: the engine's. -> Match

    What is not of these `kinds`, or too small to mean anything, counts neither way.
    """
    match = Match()
    facts = [record for record in truth if record["k"] == "fact"]
    left = list(reported)
    for fact in facts:
        best = min(
            ((_cost(fact, other, match), i) for i, other in enumerate(left)), default=(math.inf, 0)
        )
        if best[0] == math.inf:
            (match.missed if needed(fact, facts, kinds) else match.unneeded).append(fact)
            continue
        other = left.pop(best[1])
        pair = Pair(fact, other, _differences(fact, other, match))
        _identify(fact, other, match)
        match.pairs.append(pair)
    for other in left:
        spare = other["f"] not in kinds or _small(other)
        (match.unneeded if spare else match.invented).append(other)
    return match


def _small(other: Record) -> bool:
    return other["f"] == "shifted" and other["d"] < 100 * MEANING_MM


def _cost(fact: Record, other: Record, match: Match) -> float:
    """How badly the engine's fact suits the truth's; infinite if it is another happening."""
    if fact["f"] != other["f"]:
        return math.inf
    late = other["t_us"] - fact["t_us"]
    if not EARLY_US <= late <= LATE_US:
        return math.inf
    off = place_error_mm(fact, other)
    if off > FAR * NEAR_MM.get(fact["f"], REST_MM):
        return math.inf
    if fact["f"] == "shifted" and abs(fact["d_mm"] - other["d"] / 100) > 2 * SHIFT_ERROR_MM:
        return math.inf
    known = match.ids.get(fact["piece"])
    stranger = known is not None and other["piece"] != known[-1]
    # two discs may snap to the same hand a few mm and some 40 ms apart
    other_snap = fact["f"] == "snapped" and fact["discs"] != other["discs"]
    return off / 10 + abs(late) / 3e5 + (5.0 if stranger else 0.0) + (1.0 if other_snap else 0.0)


def place_error_mm(fact: Record, other: Record) -> float:
    """Distance between the two facts' places; 0 where the engine gives none."""
    if fact["f"] in ("contact", "parted", "touched_red", "red_off", "jolt"):
        return 0.0
    if other["x"] == other["y"] == 0 and fact["f"] in ("lifted", "snapped", "hand_out"):
        return 0.0
    return math.hypot(other["x"] / 100 - fact["x_mm"], other["y"] / 100 - fact["y_mm"])


def _differences(fact: Record, other: Record, match: Match) -> list[str]:
    """Where the engine's fact differs from the truth's, in words."""
    wrong = []
    off = place_error_mm(fact, other)
    if off > NEAR_MM.get(fact["f"], REST_MM):
        wrong.append(f"{off:.0f} mm off")
    kind = fact["f"]
    if kind in ("hand_in", "hand_out", "placed", "lifted", "fell", "flipped", "left_circle"):
        if fact["face"] != other["face"] and fact["shape"] != "red":
            wrong.append(f"face {other['face'] or '?'}")
    if kind in ("hand_in", "hand_out", "placed", "lifted", "snapped", "contact"):
        if fact["discs"] != other["discs"]:
            wrong.append(f"{other['discs']} discs")
    if kind == "placed" and fact["shape"] != other["shape"]:
        wrong.append(f"shape {other['shape']}")
    if kind == "contact" and (fact["shape"] == "stack") != (other["shape"] == "stack"):
        wrong.append(f"shape {other['shape']}")
    if kind == "shifted" and abs(fact["d_mm"] - other["d"] / 100) > SHIFT_ERROR_MM:
        wrong.append(f"by {other['d'] / 100:.0f} mm")
    if kind in ("contact", "snapped", "parted"):
        if not match.same_pieces(fact["others"], other["others"]):
            wrong.append("other pieces")
    if kind == "lifted" and len(fact["others"]) != len(other["others"]):
        wrong.append("other part left")
    known = match.ids.get(fact["piece"])
    if kind not in ("contact", "parted", "red_off") and known and other["piece"] != known[-1]:
        wrong.append("another piece")
    return wrong


def _identify(fact: Record, other: Record, match: Match) -> None:
    """Learn from a matched pair which piece is which."""
    if fact["f"] == "contact" and fact["shape"] != "stack":
        return
    if fact["piece"] and other["piece"]:
        known = match.ids.setdefault(fact["piece"], [])
        if other["piece"] in known:
            known.remove(other["piece"])
        known.append(other["piece"])
