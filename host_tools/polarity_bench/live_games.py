"""Whole games in the page, from the bare mat to the result: against the practice player, and
between two browsers.

A person lays the red disc and foundations, leans a disc where nothing else is near, and at last
pushes one against the red disc. What comes of it, the referee says; a game that no push has ended
is declared over.
"""

import math
from collections.abc import Iterable
from typing import Any

from polarity_bench.live_hands import Hands, wait
from polarity_host.simulation.play.hand_game import HandGame

#: Where white and black lay their foundations (mm), the first ones first.
FOUNDATIONS = {
    "w": ((60, -80), (-60, -90), (0, -150), (130, -60), (-140, -60)),
    "b": ((60, 90), (-60, 80), (0, 150), (130, 60), (-140, 60)),
}
LEANS_MM = 50.0  # from the middle of what it leans on: between 42 and 58 it stands
WITHIN_MM = 190.0  # of the mat's middle
TRIES = 3  # of a leaner: one that falls flat may be tried again
TURN_S = 90.0  # so long the practice player may take to lay his foundations, or for a turn
MISSED_S = 6.0  # so long after a push the referee has judged it
PUSHED_FROM = (60, 0)


def against_the_practice_player(white: Hands, game: HandGame) -> bool:
    """Whether a game comes to its result in which a practice player plays black: he lays his own
    foundations and has at least one turn, if white's fault did not end the game before."""
    _lay_red(white, game)  # before the practice player comes: he does not wait long for it
    white.choose(white.page.locator("select[name=opponent]"), "b")
    if not wait(lambda: game.view["opponents"] == ["b"]):
        return False
    _found(game, {"w": white})
    if not wait(lambda: _phase(game) == "play", TURN_S):
        return False
    _lean(white, game, "w")
    played = wait(
        lambda: _phase(game) == "over" or (_turn(game) > 1 and _next(game) == "w"), TURN_S
    )
    return played and _ends(white, white, game)


def between_two(white: Hands, black: Hands, game: HandGame) -> bool:
    """Whether a game of two people comes to its result, which both have to see."""
    _lay_red(white, game)
    _found(game, {"w": white, "b": black})
    if not wait(lambda: _phase(game) == "play"):
        return False
    _lean(white, game, "w")
    _lean(black, game, "b")
    return _ends(white, black, game)


def _lay_red(player: Hands, game: HandGame) -> None:
    player.carry("red", 0, 0)
    player.set_down()
    wait(lambda: _phase(game) == "foundations", MISSED_S)


def _found(game: HandGame, hands: dict[str, Hands]) -> None:
    """These players lay their foundations, white first."""
    for side, player in hands.items():
        for place in FOUNDATIONS[side][: _referee(game).edition["foundations"]]:
            before = sum(_state(game)["founded"])
            player.carry(side, *place)
            player.set_down()
            wait(lambda before=before: sum(_state(game)["founded"]) > before, MISSED_S)


def _lean(player: Hands, game: HandGame, side: str) -> None:
    """Leans a disc over one of the player's own, until he has played or has tried often enough."""
    for _ in range(TRIES):
        if not wait(lambda: _phase(game) == "over" or _next(game) == side, MISSED_S):
            return
        if _phase(game) == "over" or _state(game)["owed"]:
            return
        turn = _turn(game), _state(game)["done"]
        player.carry(side, *_place(game, side), leaning=True)
        player.set_down()
        if wait(lambda before=turn: (_turn(game), _state(game)["done"]) != before, MISSED_S):
            return


def _place(game: HandGame, side: str) -> tuple[float, float]:
    """Beside a disc of the player's own, where all else is far."""
    lying = [body for body in game.view["bodies"] if not body["held"]]
    own = [body for body in lying if body["shape"] == "flat" and body["face"] == side]
    return max(_around(own, lying), key=lambda place: place[1])[0]


def _around(
    own: Iterable[dict[str, Any]], lying: list[dict[str, Any]]
) -> Iterable[tuple[tuple[float, float], float]]:
    """(place, how far from the nearest other body), in mm."""
    for body in own:
        for degrees in range(0, 360, 30):
            x = body["x"] + LEANS_MM * math.cos(math.radians(degrees))
            y = body["y"] + LEANS_MM * math.sin(math.radians(degrees))
            others = [math.dist((x, y), (b["x"], b["y"])) for b in lying if b is not body]
            if math.hypot(x, y) < WITHIN_MM:
                yield (x, y), min(others)


def _ends(white: Hands, black: Hands, game: HandGame) -> bool:
    """White pushes a disc against the red one. If he misses it, black declares that he has won."""
    if _phase(game) != "over":
        white.carry("w", *PUSHED_FROM)
        white.shove(0, 0)
    if not wait(lambda: _state(game)["outcome"], MISSED_S):
        black.press(black.page.locator("#game"))
        black.press(black.page.locator("#menu [data-command='declare b']"))
        black.press(black.page.locator("dialog.ask [value=yes]"))
    shown = [hands.page.locator("#result h2") for hands in (white, black)]
    return wait(lambda: _state(game)["outcome"] and all(result.is_visible() for result in shown))


def _referee(game: HandGame) -> Any:
    return game.engine.game.referee


def _state(game: HandGame) -> dict[str, Any]:
    return _referee(game).state()


def _phase(game: HandGame) -> str:
    return _state(game)["phase"]


def _turn(game: HandGame) -> int:
    return _state(game)["turn"]


def _next(game: HandGame) -> str:
    """Who plays now or, once the other has played, next."""
    state = _state(game)
    return {"w": "b", "b": "w"}[state["active"]] if state["done"] else state["active"]
