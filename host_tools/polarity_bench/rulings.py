"""The books' rulings against the engine's: the same, in the same order, for the same reasons."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from polarity_host.simulation.twin.truth import Record
from polarity_host.wire.lines import REOPENING

from .matching import Match

NEAR_US = 5_000_000  # further apart in time, two rulings of the same words are not the same one
NEIGHBOURS = 3  # faults of one movement may be ruled in any order: how far apart they may stand

Key: TypeAlias = tuple[str, str, str]  # code, player, why
Owed: TypeAlias = tuple[str, list[int]]  # player, pieces


@dataclass
class Compared:
    """`pairs` (expected, given, what is wrong in words); `missing` and `invented` rulings."""

    pairs: list[tuple[Record, Record, list[str]]] = field(default_factory=list)
    missing: list[Record] = field(default_factory=list)
    invented: list[Record] = field(default_factory=list)

    @property
    def wrong(self) -> int:
        """How many rulings are missing, invented or not as expected."""
        bad = sum(bool(words) for *_, words in self.pairs)
        return bad + len(self.missing) + len(self.invented)


def standing(rulings: Iterable[Record], facts: Iterable[Record]) -> list[Record]:
    """The rulings that hold at the end, of all that were told: those that a correction or a fact
    that came late has made void are left out, and so is the word about it. What holds instead
    counts from when its fact happened. `facts` are those that it goes by. (PROTOCOL.md.)"""
    happened_us = {fact["n"]: fact["t_us"] for fact in facts}
    left: list[Record] = []
    corrected_us = -1  # rulings that are told again have the time of the correction
    for ruling in rulings:
        if ruling["code"] in REOPENING:
            left = [told for told in left if max(told["facts"], default=0) < ruling["facts"][0]]
            corrected_us = ruling["t_us"]
        elif ruling["code"] != "adjusted":
            known = [happened_us[n] for n in ruling["facts"] if n in happened_us]
            again = known and ruling["t_us"] == corrected_us
            left.append({**ruling, "t_us": max(known)} if again else ruling)
    return left


def compare_rulings(expected: Sequence[Record], given: Sequence[Record], match: Match) -> Compared:
    """Compare two lists of rulings; `match` (matching.Match) knows which piece is which."""
    compared = Compared()
    together = _aligned(expected, given, match)
    swapped = _swapped(expected, given, together)
    for i, ruling in enumerate(expected):
        if i in together:
            words = _differences(ruling, given[together[i]], match, exact=i not in swapped)
            compared.pairs.append((ruling, given[together[i]], words))
        else:
            compared.missing.append(ruling)
    paired = set(together.values())
    compared.invented += [r for j, r in enumerate(given) if j not in paired]
    return compared


def _aligned(expected: Sequence[Record], given: Sequence[Record], match: Match) -> dict[int, int]:
    """As many pairs (place in `expected`, place in `given`) of the same ruling at about the same
    time as can be made without changing the order of either; of such, those of the same pieces."""
    most = [[(0, 0)] * (len(given) + 1) for _ in range(len(expected) + 1)]
    for i in reversed(range(len(expected))):
        for j in reversed(range(len(given))):
            most[i][j] = max(most[i + 1][j], most[i][j + 1])
            if _same(expected[i], given[j]):
                pairs, alike = most[i + 1][j + 1]
                alike += match.same_pieces(expected[i]["pieces"], given[j]["pieces"])
                most[i][j] = max(most[i][j], (1 + pairs, alike))
    together, i, j = {}, 0, 0
    while i < len(expected) and j < len(given):
        if most[i][j] == most[i + 1][j]:
            i += 1
        elif most[i][j] == most[i][j + 1]:
            j += 1
        else:
            together[i] = j
            i, j = i + 1, j + 1
    return together


def _same(expected: Record, given: Record) -> bool:
    near = abs(expected["t_us"] - given["t_us"]) <= NEAR_US
    return near and _key(expected) == _key(given)


def _key(ruling: Record) -> Key:
    return ruling["code"], ruling["player"], ruling["why"]


def _swapped(
    expected: Sequence[Record], given: Sequence[Record], together: dict[int, int]
) -> set[int]:
    """Pair up rulings that stand in another order among their neighbours; returns those whose
    surroundings differ, so that what is owed and in reserve after them may differ too."""
    swapped: set[int] = set()
    paired = set(together.values())
    for i, ruling in enumerate(expected):
        if i in together:
            continue
        before = max((k for k in together if k < i), default=None)
        near = together[before] if before is not None else 0
        for j in range(max(0, near - NEIGHBOURS), min(len(given), near + NEIGHBOURS + 1)):
            if j not in paired and _same(ruling, given[j]):
                together[i] = j
                paired.add(j)
                swapped |= {i - 1, i, i + 1}
                break
    return swapped


def _differences(expected: Record, given: Record, match: Match, exact: bool) -> list[str]:
    """Where the engine's ruling differs, in words. `exact`: what is owed and in reserve counts."""
    wrong = []
    if not match.same_pieces(expected["pieces"], given["pieces"]):
        wrong.append(f"pieces {given['pieces']}")
    if exact:
        if not _same_owed(expected["owed"], given["owed"], match):
            wrong.append(f"owed {given['owed']}")
        if expected["reserve"] != given["reserve"]:
            wrong.append(f"reserve {given['reserve']}")
    if expected.get("score", []) != given.get("score", []):
        wrong.append(f"score {given.get('score')}")
    return wrong


def _same_owed(expected: Iterable[Owed], given: Iterable[Owed], match: Match) -> bool:
    left = list(given)
    for player, ids in expected:
        same = [o for o in left if o[0] == player and match.same_pieces(ids, o[1])]
        if not same:
            return False
        left.remove(same[0])
    return not left
