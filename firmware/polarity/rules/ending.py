"""The end of a game. Books: 001 End of the Game; 000 End of the game; 002 End; 003 End of Game."""

from polarity.facts import BLACK, WHITE
from polarity.rules import scoring
from polarity.rules.position import OVER

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from polarity.facts import Fact
    from polarity.rules.referee import Referee


def check_end(ref: "Referee", fact: "Fact") -> None:
    """Whether this fact has ended the game: no colour left, one alone, or a reserve played out."""
    position = ref.position
    edition = ref.edition
    if position.capturing():
        return
    if edition["no_colour"]:
        white = scoring.shows_colour(position, WHITE)
        black = scoring.shows_colour(position, BLACK)
        if not (white and black):
            winner = (1 if white else 0) - (1 if black else 0)
            if edition["no_colour"] == "ends":
                winner = scoring.leader(position.score())
            finish(ref, "no_colour", winner, fact)
            return
    if edition["one_colour"]:
        winner = scoring.one_colour(position, edition)
        if winner:
            finish(ref, "one_colour", winner, fact)
            return
    position.emptied = position.emptied or position.played_out()
    if position.emptied:
        waits = []
        if edition["last_disc"] != "at_once":
            emptier = WHITE if position.emptied == 1 else BLACK
            everybody = edition["last_disc"] == "all_capture"
            waits = [g for g in position.groups if everybody or g.by != emptier]
        if not waits:
            finish(ref, "reserve_empty", 0, fact)


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
            seated = scoring.first_of_three(position, ref.edition)
        if why != "declared":
            winner = position.colours[seated - 1] if seated else 0
    elif why == "reserve_empty":
        winner = scoring.leader(points)
    elif why == "one_colour":
        points = scoring.one_colour_score(position, ref.edition, winner)
    position.outcome = (why, winner, points)
    seqs = (fact.seq,) if fact else ()  # a declaration is no fact
    ref.rule("end", winner, why, pieces, seqs, (), points, seated)
