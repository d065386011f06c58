"""A game's result, worked out afresh from the discs on the table: where the referee's differs.

Towers are counted as they stand. What a player has left is the referee's count: no table shows
whose a disc in a tray is. Books: 001 End of the Game; 000 End of the game; 002 End; 003 End of
Game; 004 variants.
"""

import math
from collections.abc import Collection, Iterable, Sequence

from polarity_host.simulation.play.body import RESTING, Body
from polarity_host.simulation.twin.truth import Record

BONUS = ("original",)  # editions in which who has emptied his reserve gets the other's, 002 End
BASES = ("fourlang",)  # editions in which leaners do not count where one colour shows, 000 End


def towers(bodies: Iterable[Body], without: Collection[Body] = ()) -> tuple[int, int]:
    """The discs in towers of each colour, (white, black), `without` those that do not count. No
    book speaks of a tower on its side: it is one yet."""
    white = black = 0
    for body in bodies:
        rests = body.state in RESTING and not body.is_red
        if rests and len(body.discs) > 1 and body not in without:
            if body.face > 0:
                white += len(body.discs)
            else:
                black += len(body.discs)
    return white, black


def score(edition: str, standing: tuple[int, int], left: Sequence[int]) -> tuple[int, int]:
    """(white, black) of two players or two teams. `standing`: discs in towers; `left`: what each
    has not played, of four players in the order of their seats."""
    white, black = left[0] + sum(left[2:3]), left[1] + sum(left[3:4])
    if edition.split("+")[0] in BONUS:
        return (
            standing[0] + (black if white == 0 else 0),
            standing[1] + (white if black == 0 else 0),
        )
    return standing[0] - white, standing[1] - black


def winner_of(points: Sequence[int]) -> str:
    """ "w" or "b" who has more, "" when both have as many."""
    return "w" if points[0] > points[1] else "b" if points[0] < points[1] else ""


def faces(edition: str, bodies: Iterable[Body]) -> set[int]:
    """The colours that count where one alone shows."""
    leaners = edition.split("+")[0] not in BASES
    return {body.face for body in bodies if not body.is_red and (leaners or not body.leaning)}


def unlike(
    edition: str,
    end: Record,
    bodies: Sequence[Body],
    without: Collection[Body],
    left: Sequence[int],
    off_mm: float,
) -> list[str]:
    """Where the ruling `end` differs from the table, in words. `bodies`: those in play at rest, and
    the red disc; `without`: stacks that nobody has captured; `left`: as for score; red is off its
    dot from `off_mm` on. Not of three players, who change colours."""
    why, winner = end["why"], end["player"]
    wrong: list[str] = []
    if why == "no_colour" and len({body.face for body in bodies if not body.is_red}) > 1:
        wrong.append("both colours show")
    if why == "one_colour" and faces(edition, bodies) != {1 if winner == "w" else -1}:
        wrong.append("not the winner's colour alone shows")
    if why == "red_off":
        red = next((body for body in bodies if body.is_red), None)
        if red and math.hypot(*red.centre[:2]) <= off_mm:
            wrong.append("red is on its dot")
    if why == "reserve_empty":
        if min(left) > 0:
            wrong.append(f"nobody's reserve is empty: {list(left)}")
        points = score(edition, towers(bodies, without), left)
        if list(points) != end["score"]:
            wrong.append(f"the table shows a score of {points[0]}:{points[1]}, not {end['score']}")
        elif winner != winner_of(points):
            wrong.append(
                f"by {points[0]}:{points[1]} the winner is {winner_of(points) or 'nobody'}"
            )
    return wrong
