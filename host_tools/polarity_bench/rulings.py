"""The books' rulings against the engine's: the same, in the same order, for the same reasons."""

from dataclasses import dataclass, field
from difflib import SequenceMatcher

NEIGHBOURS = 3  # faults of one movement may be ruled in any order: how far apart they may stand


@dataclass
class Compared:
    """`pairs` (expected, said, what is wrong in words); `missing` and `invented` rulings."""

    pairs: list = field(default_factory=list)
    missing: list = field(default_factory=list)
    invented: list = field(default_factory=list)

    @property
    def wrong(self):
        """How many rulings are missing, invented or not as expected."""
        bad = sum(bool(words) for *_, words in self.pairs)
        return bad + len(self.missing) + len(self.invented)


def compare_rulings(expected, said, match):
    """Compare two lists of rulings; `match` (matching.Match) knows which piece is which."""
    compared = Compared()
    mine, theirs = [_key(r) for r in expected], [_key(r) for r in said]
    blocks = SequenceMatcher(None, mine, theirs, autojunk=False).get_matching_blocks()
    together = {b.a + i: b.b + i for b in blocks for i in range(b.size)}
    swapped = _swapped(mine, theirs, together)
    for i, ruling in enumerate(expected):
        if i in together:
            words = _differences(ruling, said[together[i]], match, exact=i not in swapped)
            compared.pairs.append((ruling, said[together[i]], words))
        else:
            compared.missing.append(ruling)
    heard = set(together.values())
    compared.invented = [r for j, r in enumerate(said) if j not in heard]
    return compared


def _key(ruling):
    return ruling["code"], ruling["player"], ruling["why"]


def _swapped(mine, theirs, together):
    """Pair up rulings that stand in another order among their neighbours; returns those whose
    surroundings differ, so that what is owed and in reserve after them may differ too."""
    swapped = set()
    heard = set(together.values())
    for i, key in enumerate(mine):
        if i in together:
            continue
        before = max((k for k in together if k < i), default=None)
        near = together[before] if before is not None else 0
        for j in range(max(0, near - NEIGHBOURS), min(len(theirs), near + NEIGHBOURS + 1)):
            if j not in heard and theirs[j] == key:
                together[i] = j
                heard.add(j)
                swapped |= {i - 1, i, i + 1}
                break
    return swapped


def _differences(expected, said, match, exact):
    """What the engine's ruling says otherwise, in words. `exact`: what is left after it counts."""
    wrong = []
    if not match.same_pieces(expected["pieces"], said["pieces"]):
        wrong.append(f"pieces {said['pieces']}")
    if exact:
        if not _same_owed(expected["owed"], said["owed"], match):
            wrong.append(f"owed {said['owed']}")
        if expected["reserve"] != said["reserve"]:
            wrong.append(f"reserve {said['reserve']}")
    if expected.get("score", []) != said.get("score", []):
        wrong.append(f"score {said.get('score')}")
    return wrong


def _same_owed(expected, said, match):
    left = list(said)
    for player, ids in expected:
        same = [o for o in left if o[0] == player and match.same_pieces(ids, o[1])]
        if not same:
            return False
        left.remove(same[0])
    return not left
