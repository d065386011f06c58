"""The demo game: a fixed choreography that differs in detail for every seed."""

from collections.abc import Callable, Generator
from typing import TypeAlias

import numpy as np

from polarity_host.simulation.draw import one_of

from .books import BLACK, WHITE
from .pieces import Piece
from .scripted_game import GameTable, Script
from .sites import unit
from .stage_state import Action
from .table import Plan

Laid: TypeAlias = dict[int, list[Piece]]
"""The foundations by player."""

# Where the foundations lie, in mm; the whole layout is turned by a random angle. White's first is
# one jump from the red disc, white's second and black's first are one jump from each other.
WHITE_MM = ((-48, -34), (60, -70), (-122, -92), (-22, -142), (136, -112))
BLACK_MM = ((95, -22), (-62, 84), (42, 92), (134, 72), (-142, 36))
TURNS = 8  # of the choreography, and the last one, which touches the red disc
JITTER_MM = 5.0  # of those that need no exact distance


def demo_script(turns: int | None = None) -> Script:
    """The script of the demo game with its first `turns` turns (None: all) before the last one."""

    def script(table: GameTable) -> Action:
        yield from table.bare_mat()
        yield from table.lay_red(one_of(table.rng, (1, -1)))
        laid = yield from lay_out(table)
        yield from table.pause(0.6)
        for player, turn in tuple(choreography(table, laid))[:turns]:
            yield from table.captures(player, clumsiness=0.0)
            yield from _must(turn(player))
            yield from table.pause(0.8)
        loser = -table.books.active
        yield from table.captures(loser, clumsiness=0.0)
        yield from _must(table.plan_touch_red(loser, [laid[WHITE][0]]))
        yield from table.stage.rest(1.5)

    return script


def lay_out(table: GameTable) -> Generator[None, None, Laid]:
    """White's five foundations, then black's. Returns {player: pieces}."""
    angle = float(table.rng.uniform(-20, 20))
    across, up = unit(angle), unit(angle + 90)
    laid: Laid = {}
    for player, places in ((WHITE, WHITE_MM), (BLACK, BLACK_MM)):
        laid[player] = []
        for i, (x, y) in enumerate(places):
            exact = i == 0 or (player == WHITE and i == 1)
            jitter = np.zeros(2) if exact else table.rng.uniform(-JITTER_MM, JITTER_MM, 2)
            at = x * across + y * up + jitter
            piece = yield from table.lay_foundation(player, (float(at[0]), float(at[1])))
            laid[player].append(piece)
    return laid


def choreography(table: GameTable, laid: Laid) -> tuple[tuple[int, Callable[[int], Plan]], ...]:
    """(player, turn) pairs; a turn is called with the player when it is his."""
    near_red, kisser = laid[WHITE][:2]
    kissed = laid[BLACK][0]
    halfway = np.add(kisser.xy, kissed.xy) / 2
    not_on = near_red, kisser, kissed
    keep = tuple(halfway), tuple(np.multiply(near_red.xy, 0.5))

    def leaner(player: int) -> Plan:
        return table.plan_leaner(player, keep, not_on)

    def try_again(player: int) -> Plan:
        return table.plan_try_again(player, keep, not_on)

    def pull_together(player: int) -> Plan:
        return table.plan_kiss(player, (kisser, kissed, 0.0))

    return (
        (WHITE, leaner),
        (BLACK, leaner),
        (WHITE, try_again),
        (BLACK, table.plan_conversion),
        (WHITE, pull_together),
        (BLACK, leaner),  # after the capture
        (WHITE, leaner),
    )


def _must(plan: Plan) -> Action:
    """The layout leaves room for every turn of the choreography."""
    if plan is None:
        raise ValueError("the demo game has no room for its next turn on this mat")
    return plan
