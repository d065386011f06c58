"""What the referee keeps track of: pieces on the mat, bodies in a hand, groups to be captured; and
how bodies join the one in a hand, or come to rest.

Each kind can be made without arguments, to be filled in by copying.py.
"""

from polarity.facts import FLAT, LEANER, PLACED, TOWER

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from polarity.facts import Fact
    from polarity.rules.referee import Referee

FLIP = "flip"  # the shape of a group of one: a leaner that fell showing the other colour


class Piece:
    """A rigid body on the mat: a disc, or a tower of `discs` discs, `face` up.

    `x_cmm`, `y_cmm`: where it rests (1/100 mm). Before it shifted in the turn `since` it lay at
    `from_cmm`; `moved_cmm` adds up shifts to a place that was not reported.
    `caught`: joined by a fault on the mat and not captured since.
    `outside`: it lay wholly outside the circle by the last report.
    `due`: the player into whose reserve it ought to have gone (+1, -1), else 0; `due_to`: which of
    the reserves that is. `over`: the pieces that it was leaned over.

    What most pieces never have is an attribute of the class: one of an instance takes 8 bytes.
    """

    caught = False
    outside = False
    due = 0
    due_to = 0
    over: "tuple[int, ...]" = ()
    since = -1
    from_cmm = (0, 0)
    moved_cmm = 0

    def __init__(
        self,
        ident: int = 0,
        face: int = 0,
        discs: int = 1,
        kind: str = FLAT,
        x_cmm: int = 0,
        y_cmm: int = 0,
    ) -> None:
        self.id = ident
        self.face = face
        self.discs = discs
        self.kind = TOWER if discs > 1 and kind == FLAT else kind
        self.rest(x_cmm, y_cmm)

    def rest(self, x_cmm: int, y_cmm: int) -> None:
        """Lie here; shifts count from here."""
        self.x_cmm = x_cmm
        self.y_cmm = y_cmm
        if self.since >= 0:
            self.since = -1

    def stack(self, discs: int, face: int) -> None:
        """It has become a tower of so many discs by a fault, this face up (0: as before)."""
        self.discs = discs
        self.kind = TOWER
        self.face = face or self.face
        self.caught = True
        self.since = -1

    def send_back(self, player: int, place: int) -> None:
        """It ought to go into this reserve, the player's; of nobody (0): it stays in play."""
        self.due = player
        self.due_to = place

    def rename(self, ident: int) -> None:
        """It has this id from now on."""
        self.id = ident

    def shifts(self, turn: int) -> None:
        """It is about to shift, within the circle: that counts from where it lay before the first
        shift of the turn."""
        if self.outside:
            self.outside = False
        if self.since != turn:
            self.since = turn
            self.from_cmm = (self.x_cmm, self.y_cmm)
            self.moved_cmm = 0


class Carried:
    """A body in a hand.

    `owner`: the player whose reserve counts its discs; 0 while they belong to a capture that is
    under way (`group`) or were lifted without leave. `unruled`: how many of its discs no ruling has
    sent back to a reserve yet. `ids`: the pieces it was gathered from; `facts`: the numbers of the
    facts that brought it here. `spare`: it came in when its player had no disc to play. `outside`:
    at this moment it is let go wholly outside the circle. `out_cmm`: where what was captured left
    the circle.
    """

    spare = False
    outside = False
    out_cmm: "tuple[int, int]" = (0, 0)

    def __init__(
        self,
        ident: int = 0,
        face: int = 0,
        discs: int = 1,
        owner: int = 0,
        group: "Group | None" = None,
    ) -> None:
        self.id = ident
        self.face = face
        self.discs = discs
        self.owner = owner
        self.group = group
        self.unruled = discs
        self.ids = [ident]
        self.facts: "list[int]" = []

    def may_play(self) -> None:
        """Its player's turn has come."""
        if self.spare:
            self.spare = False

    def lands_outside(self) -> None:
        """It is let go outside the circle: that is reported before it is reported as placed."""
        self.outside = True

    def holder(self) -> int:
        """The player in whose hand it is, 0 if that is not known."""
        return self.owner or (self.group.by if self.group else 0)

    def returns(self) -> int:
        """How many of its discs a ruling sends back to a reserve now: each counts once."""
        unruled = self.unruled
        self.unruled = 0
        return unruled

    def refund(self, player: int) -> None:
        """Its discs are in the player's reserve, by a ruling, and in no capture."""
        self.owner = player
        self.unruled = 0
        self.group = None


class Group:
    """Pieces that must be captured together, by the player `by`.

    `ids` are those still on the mat, `all_ids` those a lifted section of it may attract; `leaning`
    those that belong to it only because they lean on it (004 More Tower to You). `stays`: it was
    caused off turn, and whose turn begins makes no difference to who captures it. `must`: it is
    left over from a capture that failed. `gathered`: it was in a hand as one tower, and has to be
    put right. `ignored`: so many turns have begun as if it were not there.
    """

    stays = False
    must = False
    gathered = False
    ignored = 0

    def __init__(
        self, ids: "Sequence[int]" = (), shape: str = "", by: int = 0, leaning: "Sequence[int]" = ()
    ) -> None:
        self.ids = list(ids)
        self.all_ids = tuple(ids)
        self.leaning = tuple(leaning)
        self.shape = shape
        self.by = by

    def add(self, ident: int) -> None:
        """This piece on the mat belongs to it too."""
        self.ids.append(ident)
        self.all_ids += (ident,)

    def owe(self, player: int) -> None:
        """A group in contact is this player's to capture now; one that flipped stays as it is."""
        if self.shape != FLIP:
            self.by = player
            if self.stays:
                self.stays = False

    def stay(self) -> None:
        """It was caused off turn: it is captured by who owes it now, whose turn it may be."""
        self.stays = True

    def put_down(self, ident: int) -> None:
        """All of it was set down as this piece, but not as it must lie."""
        self.ids = [ident]
        self.all_ids += (ident,)
        self.gathered = True

    def remain(self) -> None:
        """It is left over from a capture that failed."""
        self.must = True

    def part(self, others: "Sequence[int]", pieces: "list[Piece]") -> bool:
        """`others` no longer touch the rest of it; `pieces` are all of the group. What was caught
        remains to be captured, even alone. Returns whether the group has become smaller.
        """
        left = [i for i in self.ids if i not in others]
        if self.shape == FLIP or len(self.ids) < 2 or len(left) == len(self.ids):
            return False
        if len(left) < 2:
            left = [p.id for p in pieces if p.id in others and p.caught] or left
        self.ids = left
        return True

    def lean(self, ident: int) -> None:
        """This leaner belongs to it because it leans on it."""
        self.add(ident)
        self.leaning += (ident,)

    def lose(self, ident: int) -> None:
        """This piece does not belong to it any more."""
        if ident in self.ids:
            self.ids.remove(ident)
        self.leaning = tuple([i for i in self.leaning if i != ident])

    def alone(self, pieces: "dict[int, Piece]") -> bool:
        """Whether a single piece is left and still has to be captured."""
        if len(self.ids) != 1:
            return False
        piece = pieces[self.ids[0]]
        return self.shape == FLIP or (piece.caught and piece.discs > 1)


def kind_of(shape: str, discs: int) -> str:
    """The kind of piece that a fact's shape describes."""
    if shape == LEANER:
        return LEANER
    return TOWER if discs > 1 else FLAT


def put_down(ref: "Referee", body: Carried, fact: "Fact") -> Piece:
    """The body becomes a piece on the mat; returns it. Where more discs were placed than the hand
    was known to hold, some joined it unobserved: a recount tells which piece is gone."""
    position = ref.position
    more = fact.discs - body.discs
    if more > 0 and fact.kind == PLACED:
        position.spend(position.active, more)
        body.discs = fact.discs
    kind = kind_of(fact.shape, body.discs)
    return position.put(body.id, fact.face or body.face, body.discs, kind, fact.x, fact.y)


def put_back(ref: "Referee", body: Carried, fact: "Fact") -> bool:
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


def lay_back(ref: "Referee", body: Carried, fact: "Fact") -> None:
    """Discs that a ruling sent to a reserve lie on the mat again: they are due there."""
    position = ref.position
    position.let_go(body)
    position.spend(body.owner, body.discs)
    position.send_back(put_down(ref, body, fact), body.owner)


def absorb(ref: "Referee", body: Carried, fact: "Fact") -> "list[int]":
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
