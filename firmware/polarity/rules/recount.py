"""A recount: the mat lies still, and what lies there is not what the rulings led to. What has
happened was too fast, or reported by sensors that were not believed; from now on the position is
what lies there.

All discs are known to be somewhere, so what lies bounds the reserves: what is there besides comes
from the reserve of the player whose turn it is, and what is missing goes there.
"""

from polarity.facts import LEANER, STACK
from polarity.rules import faults, turn
from polarity.rules.pieces import FLIP, Group, kind_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from polarity.facts import Fact
    from polarity.rules.pieces import Piece
    from polarity.rules.referee import Referee


def recount(ref: "Referee", fact: "Fact") -> None:
    """The fact's piece lies as it says, and `others` are no pieces any more: they are part of it,
    or, where it has no disc, gone."""
    position = ref.position
    piece = position.pieces.get(fact.piece)
    if piece and fact.discs == piece.discs:
        if piece.due:  # the players have left it there
            position.send_back(piece, 0)
        elif piece.kind == LEANER and fact.shape != LEANER:
            faults.fell(ref, fact)
        else:  # it leans, or shows the other face
            turn.placed_again(ref, piece, fact)
        return
    sources = [i for i in fact.others if i in position.pieces or i in position.carried]
    ref.unsure(fact.why, fact, sources or (fact.piece,))
    groups = [g for g in position.groups if [i for i in g.ids if i in sources]]
    before = 0
    for ident in sources:
        if ident != fact.piece or not (piece and fact.discs):
            before += collected(ref, ident)
    if not fact.discs:
        position.refund(position.active, before)
        return
    known = bool(piece or sources)
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
        grown(ref, piece, fact, groups, len(sources) > 1 or (known and missing > 0))


def collected(ref: "Referee", ident: int) -> int:
    """Takes what this id names out of the position: a piece, or a body in a hand. Returns how many
    discs no reserve counts then."""
    position = ref.position
    if ident in position.pieces:
        return position.take(ident).discs
    body = position.carried[ident]
    position.let_go(body)
    return 0 if body.owner else body.discs


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
