"""What the mat is worth, and who shows a colour on it."""

from polarity.facts import BLACK, LEANER, WHITE
from polarity.rules import editions
from polarity.rules.pieces import FLIP


def tower_discs(position, player):
    """Discs in towers that show the player's colour. Books: 001 End of the Game; 004 Basic Terms.

    A stack that nobody has captured yet counts too: the guide calls any stack of two a tower.
    """
    discs = 0
    for piece in position.pieces.values():
        if piece.discs > 1 and piece.face == player:
            discs += piece.discs
    return discs


def score(position, edition):
    """(white, black) by the edition's count, as if the game ended now."""
    towers = (tower_discs(position, WHITE), tower_discs(position, BLACK))
    white, black = position.reserve
    if edition["score"] == editions.BONUS_FOR_EMPTIER:
        return (
            towers[0] + (black if white == 0 else 0),
            towers[1] + (white if black == 0 else 0),
        )
    return towers[0] - white, towers[1] - black


def leader(points):
    """+1, -1, or 0 for a draw."""
    return (points[0] > points[1]) - (points[0] < points[1])


def shows_colour(position, player):
    """Whether a disc on the mat shows the player's colour. Book: 001 End of the Game.

    A leaner flipped by the opponent's fault still counts for the player who is to turn it back:
    that fault must cost him nothing (004 scenario 4).
    """
    for piece in position.pieces.values():
        if piece.face == player:
            return True
    for group in position.groups:
        if group.shape == FLIP and group.by == player:
            return True
    return False


def one_colour(position, leaners_too):
    """The player whose colour alone shows (leaners counted or not), else 0. Books: 000, 002 End."""
    seen = 0
    for piece in position.pieces.values():
        if piece.kind == LEANER and not leaners_too:
            continue
        if seen and piece.face != seen:
            return 0
        seen = piece.face
    return seen
