"""The end of a game. Books: 001 End of the Game; 000 End of the game; 002 End; 003 End of Game."""

from polarity import facts
from polarity.facts import BLACK, HAND_IN, LIFTED, WHITE
from polarity.rules import players
from polarity.rules.position import OVER

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from polarity.facts import Fact
    from polarity.rules.position import Position
    from polarity.rules.referee import Referee

SURE = 50  # below this confidence (0..100) a fact that would lose a game or a disc is not judged
TRIAL_MS = 5000  # so long the last disc must stand, unless a hand comes in before
#: What can happen to it, or because of it.
DISTURBANCES = (
    facts.FELL, facts.FLIPPED, facts.SHIFTED, facts.ROLLED, facts.CONTACT, facts.LEFT_CIRCLE,
    facts.RED_OFF, facts.TOUCHED_RED,
)  # fmt: skip


def check_end(ref: "Referee", fact: "Fact") -> None:
    """Whether this fact has ended the game: no colour left, one alone, or a reserve played out.
    An end that was waived is told again only if its reason has ceased to hold in between."""
    position, edition = ref.position, ref.edition
    if position.capturing():
        return
    why, winner = "", 0
    if edition["no_colour"]:
        white = players.shows_colour(position, WHITE)
        black = players.shows_colour(position, BLACK)
        if not (white and black):
            why, winner = "no_colour", (1 if white else 0) - (1 if black else 0)
            if edition["no_colour"] == "ends":
                winner = players.leader(position.score())
    if not why and edition["one_colour"]:
        winner = players.one_colour(position, edition)
        why = "one_colour" if winner else ""
    if not why and reserve_empty(ref, fact):
        why = "reserve_empty"
    if why != position.waived_end:
        # where something reacted on the mat, the fault in that is what was waived, not the end
        position.waived_end = why if ref.waived and fact.kind not in DISTURBANCES else ""
        if why:
            finish(ref, why, winner, fact)


def reserve_empty(ref: "Referee", fact: "Fact") -> bool:
    """Whether a reserve is played out, and all that is left to do then has been done."""
    position = ref.position
    position.play_again()
    place = position.emptied or position.played_out()
    if not place:
        return False
    if ref.waived or position.waived_end:
        position.emptied = 0  # its player plays on
        return True
    if disturbed(ref, fact):
        return False
    if not position.emptied:  # what is left to do are captures
        position.emptied, position.emptied_turn = place, position.turn
    last = ref.edition["last_disc"]
    if last != "at_once":
        emptier = WHITE if position.emptied == 1 else BLACK
        for group in position.groups:
            if last == "all_capture" or group.by != emptier:
                return False
    return True


def on_trial(ref: "Referee", fact: "Fact") -> bool:
    """Whether this happens to a last disc that ended the game by standing, while its player's hand
    may still be there: it is on trial until the hand is gone and it stands."""
    position = ref.position
    ended = position.outcome and position.outcome[0] == "reserve_empty"
    if not ended or hand_is_in(position) or not disturbs(position, fact.kind, fact.piece):
        return False
    return fact.t_ms - position.stood_ms <= TRIAL_MS


def hand_is_in(position: "Position") -> bool:
    """Whether the other player's hand came in too early, and is still there."""
    return position.intruder != 0 and position.intruder_left_ms < 0


def disturbs(position: "Position", kind: str, piece: int) -> bool:
    """Whether a fact of this kind about this piece is about the last disc, or because of it: it is
    taken up again, or something reacts."""
    return kind in DISTURBANCES or (kind == LIFTED and piece == position.action_id)


def disturbed(ref: "Referee", fact: "Fact") -> bool:
    """Whether the journal holds something that happened to the last disc, after this fact, while it
    was on trial: then this fact does not end the game."""
    journal = ref.journal
    if hand_is_in(ref.position):
        return False
    until_ms = ref.position.stood_ms + TRIAL_MS
    at = journal.find(fact.seq)
    if at < 0 or journal.seq(at) != fact.seq:
        at = -1  # it is judged for good, and no longer in the journal
    for i in range(at + 1, journal.count):
        kind = journal.kind(i)
        if journal.t_ms(i) > until_ms or kind == HAND_IN:
            return False
        if disturbs(ref.position, kind, journal.piece(i)):
            if not ref.verdicts.get(journal.seq(i), 0):
                return True
        elif kind == LIFTED:
            return False
    return False


def finish(
    ref: "Referee", why: str, winner: int, fact: "Fact | None" = None, pieces: "Sequence[int]" = ()
) -> None:
    """The game is over: discs still in a hand count as unplayed (001 End of the Game).

    Of three players who change colours a loser leaves two who have not lost.
    """
    if ref.waived:
        return
    position = ref.position
    for body in position.bodies():
        if body.owner == 0:
            owner = body.group.by if body.group else ref.responsible()
            position.refund(owner or WHITE, body.discs)
    position.carried = {}
    position.aside = []
    position.groups = []
    position.question = ()
    position.phase = OVER
    points = position.score()
    seated = 0
    if ref.edition["players"] == 3:
        if why == "reserve_empty":
            seated = players.first_of_three(position, ref.edition)
        if why != "declared":
            winner = position.colours[seated - 1] if seated else 0
    elif why == "reserve_empty":
        winner = players.leader(points)
    elif why == "one_colour":
        points = players.one_colour_score(position, ref.edition, winner)
    position.outcome = (why, winner, points)
    position.ended_ms = ref.t_ms
    seqs = (fact.seq,) if fact else ()  # a declaration is no fact
    ref.rule("end", winner, why, pieces, seqs, (), points, seated)


def touched_red(ref: "Referee", fact: "Fact", player: int = 0) -> None:
    """A disc touches the red one, in the hand of `player` if it is in one: who caused it loses.
    Books: 001 End of the Game; 000 End of the game 1: even the action disc.
    """
    if ref.edition["loss_touch_red"]:
        body = ref.position.carried.get(fact.piece)
        if body and not player:
            player = body.holder()
        lose(ref, fact, "touched_red", player)


def red_off(ref: "Referee", fact: "Fact") -> None:
    """The red disc is completely off its dot: who caused it loses. Book: 001 End of the Game. By
    the German text of 000 it must be out of the circle of play."""
    limit = ref.edition["loss_red_off"]
    ref.position.red_cmm = (fact.x, fact.y)
    edge = ref.circle_radius_cmm + ref.disc_diameter_cmm // 2
    if limit == "dot" or (limit and fact.x * fact.x + fact.y * fact.y > edge * edge):
        lose(ref, fact, "red_off")


def lose(ref: "Referee", fact: "Fact", why: str, player: int = 0) -> None:
    """`player`, or else whoever caused it, loses the game, unless the fact is too doubtful for it.
    By all rules it is his doing who reached in, whosever turn it is (000 End of the game 1).
    """
    pieces = (fact.piece,) if fact.piece else ()
    if fact.confidence < SURE:
        ref.unsure(why, fact, pieces)
    else:
        finish(ref, why, -(ref.charged or player or ref.position.causer(fact.t_ms)), fact, pieces)


def red_moved(ref: "Referee", fact: "Fact") -> None:
    """The red disc lies elsewhere: only out of the circle that is anybody's loss."""
    if ref.edition["loss_red_off"] == "circle":
        red_off(ref, fact)
    ref.position.red_cmm = (fact.x, fact.y)
