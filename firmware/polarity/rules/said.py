"""What players say, beside what is seen: the toss, the cube, the end, and what they put right.

A saying is a Fact too: `kind` as below, `face` the player it is about, `piece` the number of what
it corrects, `discs` a count, `why` how. So the record of a game is one list of facts.
"""

from polarity.facts import BLACK, WHITE, Fact
from polarity.rules.ending import finish
from polarity.rules.position import FOUNDATIONS, PLAY, RED_DISC

CORRECTIONS = ("overrule", "answer", "undo")

COLOURS = {"w": WHITE, "b": BLACK}

# Whether a saying names a number first, and the words that it ends with.
GRAMMAR = {
    "overrule": (True, ("denied", "waived", "w", "b")),
    "answer": (True, ("yes", "no", "w", "b")),
    "undo": (True, ()),
    "reserve": (True, ("w", "b", "1", "2", "3", "4")),
    "declare": (False, ("w", "b", "draw")),
    "toss": (False, ("w", "b")),
    "double": (False, ("w", "b")),
    "take": (False, ()),
    "pass": (False, ()),
}


def heard(kind, words, t_ms):
    """The saying that these words make, or None: ("overrule", ["17", "waived"]), ("reserve",
    ["12", "w"]), ("take", [])."""
    numbered, last = GRAMMAR[kind]
    words = list(words)
    number = 0
    if numbered:
        if not words or not words[0].isdigit() or len(words[0]) > 9:
            return None
        number = int(words.pop(0))
    if len(words) != (1 if last else 0) or (last and words[0] not in last):
        return None
    word = words[0] if words else ""
    face = COLOURS.get(word, 0)
    saying = Fact(kind, t_ms, number, face=face, why="charged" if face else word)
    if kind == "reserve":
        saying.piece, saying.discs, saying.why = 0, number, ""
        if not face:
            saying.piece = int(word)
    return saying


def hear(ref, said):
    """What a saying does to the game; a correction nothing, but for what it leads to."""
    if said.kind in SAYINGS:
        SAYINGS[said.kind](ref, said)


def undo(ref, said):
    """It remembers which pieces it needs: see corrections.correct."""
    ref.position.away = said.others


def reserve(ref, said):
    """A reserve was counted: it has `discs`, of the colour `face` or of player number `piece`."""
    position = ref.position
    place = said.piece - 1 if said.piece else position.stack(said.face)
    if not 0 <= place < len(position.reserve):
        ref.refused = "no such reserve"
        return
    position.surplus += said.discs - position.reserve[place]
    position.reserve[place] = said.discs
    own = len(position.reserve) > 2
    player = said.face if own else 1 - 2 * place
    ref.say("adjusted", player, seat=place + 1 if own else 0)


def declare(ref, said):
    """The players agree on the end, or one gives up: `face` has won, 0 a draw."""
    finish(ref, "declared", said.face, said)


def toss(ref, said):
    """The winner of the toss takes this colour. Books: 001 Setup 3; 004 Choosing a Color."""
    position = ref.position
    if not ref.edition["toss"]:
        ref.refused = "these rules have no toss"
    elif position.phase not in (RED_DISC, FOUNDATIONS) or sum(position.founded):
        ref.refused = "the game has begun"
    else:
        position.toss = said.face
        ref.say("toss", said.face)


def double(ref, said):
    """Before his turn a player who may doubles the stakes. Book: 002 End 4, as in backgammon."""
    position = ref.position
    if not ref.edition["doubling_cube"]:
        ref.refused = "these rules have no cube"
    elif position.phase != PLAY or not position.done or said.face == position.active:
        ref.refused = "only before one's own turn"
    elif position.cube_offer or position.cube_owner == -said.face:
        ref.refused = "the other one has the cube"
    else:
        position.cube_offer = said.face
        ref.say("cube", said.face, "doubled")


def take(ref, said):
    """The other one goes on for twice the stakes, and has the cube."""
    position = ref.position
    if offered(ref):
        position.cube *= 2
        position.cube_owner = -position.cube_offer
        position.cube_offer = 0
        ref.say("cube", position.cube_owner, "taken")


def give_up(ref, said):
    """The other one passes: the game is lost for the stakes as they were."""
    if offered(ref):
        winner = ref.position.cube_offer
        ref.say("cube", -winner, "passed")
        finish(ref, "passed", winner, said)


def offered(ref):
    """Whether a doubling waits for its answer."""
    if not ref.position.cube_offer:
        ref.refused = "nobody has doubled"
    return ref.position.cube_offer


SAYINGS = {
    "undo": undo,
    "reserve": reserve,
    "declare": declare,
    "toss": toss,
    "double": double,
    "take": take,
    "pass": give_up,
}
