"""Between hand and mat: bodies that join the one in a hand, or come to rest."""

from polarity.rules.position import kind_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from polarity.facts import Fact
    from polarity.rules.pieces import Carried, Piece
    from polarity.rules.referee import Referee


def put_down(ref: "Referee", body: "Carried", fact: "Fact") -> "Piece":
    """The body becomes a piece on the mat; returns it."""
    return ref.position.put(
        body.id,
        fact.face or body.face,
        body.discs,
        kind_of(fact.shape, body.discs),
        fact.x,
        fact.y,
    )


def put_back(ref: "Referee", body: "Carried", fact: "Fact") -> bool:
    """Whether the body is a piece that an undo waits for, and now lies again where it lay."""
    position = ref.position
    for ident in position.away:
        piece = position.pieces.get(ident)
        if piece and (piece.discs, piece.face) == (body.discs, fact.face or body.face):
            dx, dy = fact.x - piece.x_cmm, fact.y - piece.y_cmm
            if (fact.x or fact.y) and dx * dx + dy * dy < ref.disc_diameter_cmm**2:
                position.away = tuple([i for i in position.away if i != ident])
                position.let_go(body)
                position.rename(piece, body.id)
                if body.owner == position.intruder:
                    position.intruder = 0
                return True
    return False


def lay_back(ref: "Referee", body: "Carried", fact: "Fact") -> None:
    """Discs that a ruling sent to a reserve lie on the mat again: they are due there."""
    position = ref.position
    position.let_go(body)
    position.spend(body.owner, body.discs)
    put_down(ref, body, fact).due = body.owner


def absorb(ref: "Referee", body: "Carried", fact: "Fact") -> "list[int]":
    """Pieces join the body in the hand, and the reserve that counts it; returns their ids."""
    position = ref.position
    joined = []
    for ident in fact.others:
        if ident == body.id or ident in joined:
            continue
        if ident in position.pieces:
            part, owner = position.pieces[ident], 0
            position.take(ident)
            body.unruled += part.discs
        elif ident in position.carried:
            part = position.carried[ident]
            owner = part.owner
            position.let_go(part)
            body.unruled += part.unruled
        else:
            if ident not in position.gone:
                ref.unsure("unknown_piece", fact, (ident,))
            continue
        joined.append(ident)
        body.discs += part.discs
        body.ids.append(ident)
        if body.owner and not owner:
            position.refund(body.owner, part.discs)
        elif owner and not body.owner:
            position.spend(owner, part.discs)
    return joined
