"""What players declare, beside what the mat observes: the toss, the cube, the end, a reserve that
they counted, a tower captured where it stands, and their corrections.
"""

from polarity.facts import BLACK, WHITE
from polarity.rules.ending import finish
from polarity.rules.position import FOUNDATIONS, PLAY, RED_DISC

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from polarity.rules.referee import Referee

CORRECTIONS = ("overrule", "answer", "undo")

COLOURS = {"w": WHITE, "b": BLACK}
CHARGED = "charged"  # the verdict that it was this player's doing, or is this colour

# Whether a declaration begins with a number, and the words that it ends with.
GRAMMAR = {
    "overrule": (True, ("denied", "waived", "w", "b")),
    "answer": (True, ("yes", "no", "w", "b")),
    "undo": (True, ()),
    "reserve": (True, ("w", "b", "1", "2", "3", "4")),
    "capture": (False, ()),
    "declare": (False, ("w", "b", "draw")),
    "toss": (False, ("w", "b")),
    "double": (False, ("w", "b")),
    "take": (False, ()),
    "pass": (False, ()),
}


class Declaration:
    """One thing that players declared; `kind` is a key of GRAMMAR, `t_ms` when (ms).

    `about`: the number of the fact or ruling that a correction is about, 0 for the newest that
    fits (see corrections.target_of). `verdict`: what a correction makes of it, "denied", "waived",
    "yes", "no" or CHARGED, which names `player`. `player`: the colour it is about, +1 white, -1
    black, 0 none. `count`: the discs in a reserve; `seat`: whose own reserve that is, counted from
    1, or 0 for the one that `player` plays from. `away`: the pieces that an undo brought back to
    the position while they were not on the mat. `seq`: its number, set before it is judged.
    """

    def __init__(
        self,
        kind: str,
        t_ms: int,
        about: int = 0,
        verdict: str = "",
        player: int = 0,
        count: int = 0,
        seat: int = 0,
        away: "tuple[int, ...]" = (),
    ) -> None:
        self.kind = kind
        self.t_ms = t_ms
        self.about = about
        self.verdict = verdict
        self.player = player
        self.count = count
        self.seat = seat
        self.away = away
        self.seq = 0

    def sent_as(self, seq: int) -> None:
        """It is on the wire under this number."""
        self.seq = seq


def parse(kind: str, words: "Sequence[str]", t_ms: int) -> "Declaration | None":
    """The declaration that these words make, or None: ("overrule", ["17", "waived"]), ("reserve",
    ["12", "w"]), ("take", [])."""
    numbered, endings = GRAMMAR[kind]
    words = list(words)
    number = 0
    if numbered:
        if not words or not words[0].isdigit() or len(words[0]) > 9:
            return None
        number = int(words.pop(0))
    if len(words) != (1 if endings else 0) or (endings and words[0] not in endings):
        return None
    word = words[0] if words else ""
    player = COLOURS.get(word, 0)
    if kind == "reserve":
        seat = 0 if player else int(word)
        return Declaration(kind, t_ms, player=player, count=number, seat=seat)
    if kind not in CORRECTIONS:
        return Declaration(kind, t_ms, player=player)
    return Declaration(kind, t_ms, number, CHARGED if player else word, player)


def judge(ref: "Referee", declaration: Declaration) -> None:
    """What a declaration does to the game. A correction does nothing by itself: the facts that it
    is about are judged again."""
    if declaration.kind in EFFECTS:
        EFFECTS[declaration.kind](ref, declaration)


def undo(ref: "Referee", declaration: Declaration) -> None:
    """The position knows which pieces it waits for: see corrections.correct."""
    ref.position.away = declaration.away


def reserve(ref: "Referee", declaration: Declaration) -> None:
    """A reserve was counted and has `count` discs."""
    position = ref.position
    seat = declaration.seat
    place = seat - 1 if seat else position.stack(declaration.player)
    if not 0 <= place < len(position.reserve):
        ref.refuse("no such reserve")
        return
    position.surplus += declaration.count - position.reserve[place]
    position.reserve[place] = declaration.count
    if declaration.count and position.emptied == place + 1:
        position.emptied = 0  # it never was empty
    own = len(position.reserve) > 2
    player = declaration.player if own else 1 - 2 * place
    ref.rule("adjusted", player, seat=place + 1 if own else 0)


def capture(ref: "Referee", declaration: Declaration) -> None:
    """Whoever has to capture declares the towers in his colour captured where they stand, before he
    lifts what may fail. Book: 004 FAQ 13 and 15."""
    from polarity.rules.capture import in_place

    position = ref.position
    for player in (position.active, -position.active):
        if in_place(ref, player, (declaration.seq,)):
            return
    ref.refuse("no tower can be declared captured")


def declare(ref: "Referee", declaration: Declaration) -> None:
    """The players agree on the end, or one gives up: `player` has won, 0 a draw."""
    finish(ref, "declared", declaration.player)


def toss(ref: "Referee", declaration: Declaration) -> None:
    """The winner of the toss takes this colour. Books: 001 Setup 3; 004 Choosing a Color."""
    position = ref.position
    if not ref.edition["toss"]:
        ref.refuse("these rules have no toss")
    elif position.phase not in (RED_DISC, FOUNDATIONS) or sum(position.founded):
        ref.refuse("the game has begun")
    else:
        position.toss = declaration.player
        ref.rule("toss", declaration.player)


def double(ref: "Referee", declaration: Declaration) -> None:
    """Before his turn a player who may doubles the stakes. Book: 002 End 4, as in backgammon."""
    position = ref.position
    player = declaration.player
    if not ref.edition["doubling_cube"]:
        ref.refuse("these rules have no cube")
    elif position.phase != PLAY or not position.done or player == position.active:
        ref.refuse("only before one's own turn")
    elif position.cube_offer or position.cube_owner == -player:
        ref.refuse("the other one has the cube")
    else:
        position.cube_offer = player
        ref.rule("cube", player, "doubled")


def take(ref: "Referee", declaration: Declaration) -> None:
    """The other player goes on for twice the stakes, and has the cube."""
    position = ref.position
    if offered(ref):
        position.cube *= 2
        position.cube_owner = -position.cube_offer
        position.cube_offer = 0
        ref.rule("cube", position.cube_owner, "taken")


def give_up(ref: "Referee", declaration: Declaration) -> None:
    """The other player passes: the game is lost for the stakes as they were."""
    if offered(ref):
        winner = ref.position.cube_offer
        ref.rule("cube", -winner, "passed")
        finish(ref, "passed", winner)


def offered(ref: "Referee") -> bool:
    """Whether a doubling waits for its answer."""
    if not ref.position.cube_offer:
        ref.refuse("nobody has doubled")
        return False
    return True


EFFECTS: "dict[str, Callable[[Referee, Declaration], None]]" = {
    "undo": undo,
    "reserve": reserve,
    "capture": capture,
    "declare": declare,
    "toss": toss,
    "double": double,
    "take": take,
    "pass": give_up,
}
