"""A recount: the mat lies still, and what lies there is not what the rulings led to. What has
happened was too fast, or reported by sensors that were not believed; from now on the position is
what lies there.

All discs are known to be somewhere, so what lies bounds the reserves: what is there besides comes
from the reserve of the player whose turn it is, and what is missing goes there.
"""

from polarity.facts import LEANER, STACK, UNSURE, Fact
from polarity.rules import faults, turn
from polarity.rules.pieces import FLIP, Group, kind_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from polarity.rules.pieces import Piece
    from polarity.rules.position import Position
    from polarity.rules.referee import Referee

    Row = list  # id, shape, face, discs, x, y, tilt, whether it lies outside: of a piece at rest


def differences(rows: "list[Row]", position: "Position", t_ms: int) -> "list[Fact]":
    """What must be reported for the position to be as the pieces lie, all of them at rest: facts
    `unsure` of the reason "count", which `recount` takes."""
    lying = {row[0]: row for row in rows}
    missing = [p for i, p in position.pieces.items() if i not in lying and not p.outside]
    changed = []
    for ident, shape, face, discs, _, _, _, outside in rows:
        piece = position.pieces.get(ident)
        if piece is None:
            # what a fault has just sent to a reserve may still lie there
            if not outside and not (position.faulted and ident in position.gone):
                changed.append(lying[ident])
        elif piece.discs != discs or (piece.face != face and discs == 1):
            changed.append(lying[ident])
        elif (piece.kind == LEANER) != (shape == LEANER) and not piece.outside:
            changed.append(lying[ident])
    return told(changed, missing, t_ms)


def told(changed: "list[Row]", missing: "list[Piece]", t_ms: int) -> "list[Fact]":
    """The facts that these lie there, and the missing pieces nowhere: each is taken for a part of
    the nearest tower of those, if there is one."""
    facts = []
    parts: "dict[int, list[int]]" = {}
    for piece in missing:
        towers = [
            ((row[4] - piece.x_cmm) ** 2 + (row[5] - piece.y_cmm) ** 2, row[0])
            for row in changed
            if row[3] > 1
        ]
        parts.setdefault(min(towers)[1] if towers else 0, []).append(piece.id)
    for ident, shape, face, discs, x, y, tilt, _ in changed:
        others = tuple(sorted(parts.get(ident, []) + [ident]))
        fact = Fact(UNSURE, t_ms, ident, others, face, discs, x, y, tilt, 0, shape, "count", 99)
        facts.append(fact)
    if 0 in parts:
        gone = tuple(sorted(parts[0]))
        facts.append(Fact(UNSURE, t_ms, gone[0], gone, 0, 0, why="count", confidence=99))
    return facts


def recount(ref: "Referee", fact: "Fact") -> None:
    """The fact's piece lies as it says, and `others` are no pieces any more: they are part of it,
    or, where it has no disc, gone."""
    position = ref.position
    piece = position.pieces.get(fact.piece)
    if piece and fact.discs == piece.discs:
        lies_otherwise(ref, piece, fact)
        return
    sources = [i for i in fact.others if i in position.pieces or i in position.carried]
    if not ref.verdict:
        ref.unsure(fact.why, fact, sources or (fact.piece,))
    groups = [g for g in position.groups if [i for i in g.ids if i in sources]]
    if not fact.discs:
        position.refund(position.active, sum([collected(ref, ident) for ident in sources]))
        return
    before = sum([collected(ref, ident) for ident in sources if ident != fact.piece or not piece])
    if piece:
        before += piece.discs
    else:
        piece = position.put(fact.piece, fact.face, 1, kind_of(fact.shape, 1), fact.x, fact.y)
    missing = fact.discs - before
    if missing > 0:
        position.spend(position.active, missing)
    else:
        position.refund(position.active, -missing)
    piece.face, piece.discs = fact.face, fact.discs
    piece.kind = kind_of(fact.shape, fact.discs)
    faults.rest(piece, fact)
    if fact.discs > 1:
        grown(ref, piece, fact, groups, len(sources) > 1 or missing > 0)


def collected(ref: "Referee", ident: int) -> int:
    """Takes what this id names out of the position: a piece, or a body in a hand. Returns how many
    discs no reserve counts then."""
    position = ref.position
    if ident in position.pieces:
        return position.take(ident).discs
    body = position.carried[ident]
    position.let_go(body)
    return 0 if body.owner else body.discs


def lies_otherwise(ref: "Referee", piece: "Piece", fact: "Fact") -> None:
    """It is as many discs, but leaned, or showed the other face."""
    if piece.kind == LEANER and fact.shape != LEANER:
        faults.fell(ref, fact)
    else:
        turn.placed_again(ref, piece, fact)


def grown(
    ref: "Referee", piece: "Piece", fact: "Fact", groups: "list[Group]", joined: bool
) -> None:
    """A tower has come to be. What was to be captured has been set down, or still is: it may be
    declared captured where it stands. What was not has snapped together: a fault."""
    position = ref.position
    owed = [group for group in groups if group.shape != FLIP]
    for group in groups:
        if group in position.groups:
            position.groups.remove(group)
    if owed:
        piece.caught = True
        owed[0].put_down(piece.id)
        position.groups.append(owed[0])
    elif joined and position.group_of(piece.id) is None:
        piece.caught = True
        faults.owe(ref, fact, [piece.id], Group([piece.id], STACK), [])
