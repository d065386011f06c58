"""Whole games on the twin, from the bare mat to the result: the demo game and random ones.

    game = random_game(seed=3)
    for t_us, counts in game.frames():
        ...                       # counts: uint16 array in frame order
    game.truth                    # facts and expected rulings, in order

TURNS lists the kinds of turn.
"""

from collections.abc import Callable, Iterable
from typing import Literal, TypeAlias

from polarity_host.mats.description import Mat, load_mat
from polarity_host.simulation.draw import one_of, weighted

from .books import BLACK, WHITE
from .condition import MatCondition
from .demo import demo_script
from .scripted_game import GameTable, ScriptedGame
from .stage_state import Action
from .table import Plan

Ending: TypeAlias = Literal["touch_red", "red_off", "none"]

# What may happen in a turn, and how often, where there is room and a disc for it.
TURNS = {
    "leaner": 9.0,
    "conversion": 5.0,
    "try_again": 2.0,
    "drop_opponent": 1.2,
    "flip_opponent": 2.5,
    "flip_own": 0.8,
    "kiss": 8.0,
    "stack": 2.5,
    "mix": 6.0,
    "chain": 8.0,
    "fall_kiss": 4.0,
    "snap_to_hand": 1.0,
    "shift": 1.0,
    "nudge": 1.2,
    "roll": 1.0,
    "out": 1.0,
    "several": 1.2,
    "idle_hand": 1.0,
    "late_fall": 1.5,
}
SAFE_TURNS = ("leaner", "conversion", "try_again", "idle_hand", "nudge")
ENDINGS = ("touch_red", "red_off")
FEW_PIECES = 3  # with fewer of a colour on the mat no turn is played that could remove them


def demo_game(
    seed: int = 1,
    mat: Mat | None = None,
    turns: int | None = None,
    condition: MatCondition | None = None,
) -> ScriptedGame:
    """A short game that shows what the rules are about and ends by red-disc contact.

    `turns`: only this many of its turns before the one that ends it.
    """
    return ScriptedGame(seed, mat or load_mat(), demo_script(turns), condition)


def random_game(
    seed: int,
    turns: int = 30,
    mat: Mat | None = None,
    condition: MatCondition | None = None,
    ending: Ending | None = None,
    only: Iterable[str] = tuple(TURNS),
) -> ScriptedGame:
    """A game of `turns` turns after the set-up, in which anything may happen.

    `ending`: "touch_red", "red_off", or "none" (it just stops); None draws one. `only`: names of
    the TURNS that may happen.
    """

    def script(table: GameTable) -> Action:
        last = ending or one_of(table.rng, (*ENDINGS, "none"))
        yield from table.set_up(spare_one=last == "touch_red")
        weights = {name: TURNS[name] for name in only}
        if "leaner" in weights:  # some games fill the mat more than others
            weights["leaner"] *= table.rng.uniform(0.4, 2.5)
        yield from play_turns(table, turns, weights)
        if last != "none" and not (table.books.over or table.stuck):
            yield from end_by_red(table, last)
        yield from table.stage.rest(1.5)

    return ScriptedGame(seed, mat or load_mat(), script, condition)


def play_turns(table: GameTable, turns: int, weights: dict[str, float]) -> Action:
    """This many turns, white first. A kind that was played becomes less likely."""
    for _ in range(turns):
        player = WHITE if table.books.active == BLACK else BLACK
        good = yield from table.captures(player)
        if good:
            yield from any_turn(table, player, weights)
        yield from table.pause(0.5)
        if table.books.over or table.stuck:
            return


def any_turn(table: GameTable, player: int, weights: dict[str, float]) -> Action:
    """One turn of a kind drawn by weight among those possible now; none: the table is stuck."""
    names = list(weights)
    faces = [p.face for p in table.stage.resting()]
    if min(faces.count(WHITE), faces.count(BLACK)) < FEW_PIECES:
        names = [name for name in names if name in SAFE_TURNS]
    if table.in_place:  # declared by the action disc, which then has to be played quietly
        names = [name for name in names if name in SAFE_TURNS]
    while names:
        name = weighted(table.rng, names, [weights[name] for name in names])
        plan = _plan(table, name, player)
        if plan is not None:
            if name not in ("leaner", "conversion"):
                weights[name] *= 0.6
            yield from plan
            return
        names.remove(name)
    table.get_stuck()


def end_by_red(table: GameTable, how: str) -> Action:
    """Turns until one can end the game by the red disc: as in `how`, else in the other way."""
    for _ in range(6):
        player = WHITE if table.books.active == BLACK else BLACK
        good = yield from table.captures(player, clumsiness=0.0)
        if good:
            plans = [_plan(table, name, player) for name in (how, *ENDINGS)]
            plan = next((plan for plan in plans if plan is not None), None)
            if plan is not None:
                yield from plan
                return
            yield from any_turn(table, player, {name: TURNS[name] for name in SAFE_TURNS})
        yield from table.pause(0.5)


def _plan(table: GameTable, name: str, player: int) -> Plan:
    """The plan of a kind of turn or ending: the method `plan_NAME` of the table."""
    plan: Callable[[int], Plan] = getattr(table, "plan_" + name)
    return plan(player)
