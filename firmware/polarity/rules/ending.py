"""The end of a game. Books: 001 End of the Game; 000 End of the game; 002 End; 003 End of Game."""

from polarity.facts import BLACK, KINDS, WHITE
from polarity.rules import editions, scoring
from polarity.rules import ruling as codes
from polarity.rules.position import OVER


def look(ref, fact):
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
            if edition["no_colour"] == editions.ENDS:
                winner = scoring.leader(position.score())
            finish(ref, codes.NO_COLOUR, winner, fact)
            return
    if edition["one_colour"]:
        winner = scoring.one_colour(position, edition["one_colour"] == editions.ALL_DISCS)
        if winner:
            finish(ref, codes.ONE_COLOUR, winner, fact)
            return
    position.emptied = position.emptied or position.played_out()
    if position.emptied:
        waits = []
        if edition["last_disc"] != editions.AT_ONCE:
            emptier = WHITE if position.emptied == 1 else BLACK
            everybody = edition["last_disc"] == editions.ALL_CAPTURE
            waits = [g for g in position.groups if everybody or g.by != emptier]
        if not waits:
            finish(ref, codes.RESERVE_EMPTY, 0, fact)


def finish(ref, why, winner, fact, pieces=()):
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
    position.phase = OVER
    points = position.score()
    seated = 0
    if ref.edition["players"] == 3:
        if why == codes.RESERVE_EMPTY:
            seated = scoring.first_of_three(position, ref.edition)
        if why != codes.DECLARED:
            winner = position.colours[seated - 1] if seated else 0
    elif why == codes.RESERVE_EMPTY:
        winner = scoring.leader(points)
    elif why == codes.ONE_COLOUR:
        points = scoring.one_colour_score(position, ref.edition, winner)
    position.outcome = (why, winner, points)
    seqs = (fact.seq,) if fact.kind in KINDS else ()  # a saying is no fact
    ref.say(codes.END, winner, why, pieces, seqs, (), points, seated)
