"""Who plays: two players, two teams of partners, or three who change colours; and how they stand:
what the mat is worth to each, and who shows a colour on it.

Book: 004 Polarity Variants. Players are counted from 0 in the order of their first turns: in teams
0 and 2 play white, 1 and 3 black. `position.seats`: which player has the white discs now, and
which the black; of three, the one whose turn it is not comes next.
"""

from polarity.facts import BLACK, LEANER, WHITE
from polarity.rules.pieces import FLIP

TYPE_CHECKING = False
if TYPE_CHECKING:
    from polarity.rules.editions import Rules
    from polarity.rules.position import Position


def at_the_start(edition: "Rules") -> "list[int]":
    """`position.seats` before the first foundation."""
    return [0, 0] if edition["players"] == 3 else [0, 1]


def founds(position: "Position", place: int) -> None:
    """Whoever places the next foundation of a colour (place 0 white, 1 black) has it now.

    Partners alternate from the first foundation on; three players go round.
    """
    players = position.edition["players"]
    if players == 4:
        position.seats[place] = place + 2 * (position.founded[place] % 2)
    elif players == 3:
        position.seats[place] = sum(position.founded) % 3


def set_up(position: "Position", place: int) -> None:
    """All foundations lie: who is next, and what each plays from (four: 11, 11, 10 and 10)."""
    if position.edition["players"] == 3:
        position.seats[1 - place] = (position.seats[place] + 1) % 3
    stacks = position.edition["stacks"]
    if stacks > 2:
        total = sum(position.reserve)
        position.reserve = [(total + stacks - 1 - i) // stacks for i in range(stacks)]


def hand_over(position: "Position", place: int) -> None:
    """A turn of this colour begins: partners alternate; of three the next one has it already."""
    players = position.edition["players"]
    if players == 4:
        position.seats[place] = (position.seats[place] + 2) % 4
    elif players == 3:
        position.seats[1 - place] = (position.seats[place] + 1) % 3
    position.colours[position.seats[place]] = 1 - 2 * place


def tower_discs(position: "Position", player: int) -> int:
    """Discs in towers that show the player's colour. Books: 001 End of the Game; 004 Basic Terms.

    A stack that nobody has captured is no tower (001 Towers: faults that have been captured), and
    neither are two discs that were played at once and have to go back.
    """
    discs = 0
    for piece in position.pieces.values():
        if piece.discs > 1 and piece.face == player and not (piece.caught or piece.due):
            discs += piece.discs
    return discs


def unplayed(position: "Position") -> "list[int]":
    """The reserves, with what lies on the mat and has to go back there."""
    left = list(position.reserve)
    for piece in position.pieces.values():
        if piece.due:
            left[piece.due_to] += piece.discs
    return left


def score(position: "Position", edition: "Rules") -> "tuple[int, ...]":
    """(white, black) by the edition's count, as if the game ended now.

    Of three players each scores the towers of the colour that he played last (004 Three-player
    Shuffle); a team scores as one (004 Four-player Advanced Team Game).
    """
    towers = [tower_discs(position, WHITE), tower_discs(position, BLACK)]
    left = unplayed(position)
    if edition["players"] == 3:
        points = [0] * 3
        for i in range(3):
            colour = position.colours[i]
            points[i] = towers[0 if colour == WHITE else 1] if colour else 0
            points[i] -= left[i] if len(left) > 2 else 0
        return tuple(points)
    white = left[0] + (left[2] if len(left) > 2 else 0)
    black = left[1] + (left[3] if len(left) > 2 else 0)
    if edition["score"] == "bonus_for_emptier":
        return (
            towers[0] + (black if white == 0 or position.emptied == 1 else 0),
            towers[1] + (white if black == 0 or position.emptied == 2 else 0),
        )
    return towers[0] - white, towers[1] - black


def one_colour_score(position: "Position", edition: "Rules", winner: int) -> "tuple[int, ...]":
    """(white, black) after a win by one colour. Book: 002 End of the game, third paragraph."""
    if edition["one_colour_score"] != "towers":
        return score(position, edition)
    points = tower_discs(position, winner) + unplayed(position)[1 if winner == WHITE else 0]
    return (points, 0) if winner == WHITE else (0, points)


def leader(score: "tuple[int, ...]") -> int:
    """+1, -1, or 0 for a draw."""
    return (score[0] > score[1]) - (score[0] < score[1])


def first_of_three(position: "Position", edition: "Rules") -> int:
    """1 + the player who has won a game of three, 0 for a draw. Book: 004 Three-player Shuffle."""
    if edition["score"] == "emptier":
        return position.emptied
    points = score(position, edition)
    best = max(points)
    return points.index(best) + 1 if points.count(best) == 1 else 0


def shows_colour(position: "Position", player: int) -> bool:
    """Whether a disc on the mat shows the player's colour. Book: 001 End of the Game.

    A leaner flipped by the opponent's fault still counts for the player who is to turn it back:
    that fault must cost him nothing (004 scenario 4). What has to go back to a reserve does not.
    """
    for piece in position.pieces.values():
        if piece.face == player and not piece.due:
            return True
    for group in position.groups:
        if group.shape == FLIP and group.by == player:
            return True
    return False


def one_colour(position: "Position", edition: "Rules") -> int:
    """The player whose colour alone shows, else 0. Books: 000, 002 End.

    Nobody, while a flipped leaner is to be turned back: nobody gains by that fault.
    """
    face = 0
    for piece in position.pieces.values():
        if piece.due or (piece.kind == LEANER and edition["one_colour"] != "all_discs"):
            continue
        if face and piece.face != face:
            return 0
        face = piece.face
    for group in position.groups:
        if group.shape == FLIP:
            return 0
    return face
