"""Blunders that people make now and then. A player's skill says in how many of his turns.

Each is a script of the player who blunders; `when` says in which part of a turn it belongs. What
follows from it is left to physics and to the rules.
"""

import math
from collections.abc import Callable, Generator
from typing import TypeAlias

from polarity_host.simulation.play.body import RESTING, Body, BodyState

from .motions import TRAY_MM, Motions, Script

Fumble: TypeAlias = Callable[[Motions, str], Script]
"""Takes the player and the side that he plays."""

SLEEVE_MM_S = 220.0  # how fast a sleeve moves a disc that it brushes
KNOCK_DEG_S = 1800.0  # how fast a leaner starts to fall that something has touched
TOUCH_MM = 70.0  # how near the hand is to what its sleeve brushes


def drops_on_the_way(player: Motions, side: str) -> Script:
    """He brings a disc in, and it slips from his fingers over the mat."""
    body = yield from _brings(player, side)
    if body:
        player.world.release(player.hand)
        yield from player.settle(0.5)


def brushes_with_sleeve(player: Motions, side: str) -> Script:
    """His hand hovers over the mat with a disc, and its sleeve brushes something below."""
    if (yield from _brings(player, side)) is None:
        return
    victim = _somebody(player, BodyState.LYING)
    if victim:
        x, y, _ = victim.centre
        yield from player.carry(player.aimed((x, y)), player.hover_mm)
        way = player.rng.uniform(0.0, 2 * math.pi)
        speed = SLEEVE_MM_S * player.rng.uniform(0.4, 1.0)
        if victim.state is BodyState.LYING:
            victim.go((speed * math.cos(way), speed * math.sin(way), 0.0))
        yield from player.settle(0.3)
    yield from player.take_back(side)


def knocks_a_leaner(player: Motions, side: str) -> Script:
    """He reaches in with a disc and knocks a leaner over."""
    if (yield from _brings(player, side)) is None:
        return
    _fells(player)
    yield from player.settle(0.4)
    yield from player.take_back(side)


def lets_it_fall_late(player: Motions, side: str) -> Script:
    """After his turn, before the next hand comes, a leaner falls by itself."""
    yield from player.wait(0.5)
    _fells(player)
    yield from player.settle(0.4)


def reaches_in_off_turn(player: Motions, side: str) -> Script:
    """He brings a disc in while it is not his turn, thinks better of it, and takes it out."""
    if (yield from _brings(player, side)) is None:
        return
    yield from player.wait(0.3)
    yield from player.take_back(side)


def lifts_the_wrong_disc(player: Motions, side: str) -> Script:
    """He lifts a disc that he has no business with, and puts it down again where it lay."""
    victim = _somebody(player, BodyState.LYING)
    if victim is None or len(player.world.touching(victim)) > 1:
        return
    x, y, _ = victim.centre
    if player.world.grab(player.hand, victim.id, height_mm=player.hover_mm / 2) is None:
        return
    yield from player.wait(0.6)
    yield from player.carry((x, y), player.hover_mm / 2)
    yield from player.set_down()
    yield from player.settle(0.4)


BEFORE: dict[str, Fumble] = {
    "drop": drops_on_the_way,
    "sleeve": brushes_with_sleeve,
    "knock": knocks_a_leaner,
    "wrong_disc": lifts_the_wrong_disc,
}
"""Instead of what the player was about to play."""
AFTER: dict[str, Fumble] = {"late_fall": lets_it_fall_late}
"""By the player whose turn is over, and still lasts."""
OFF_TURN: dict[str, Fumble] = {"off_turn": reaches_in_off_turn}
"""By the other player, before the turn of the one who is to play."""


def _brings(player: Motions, side: str) -> Generator[None, None, Body | None]:
    """A disc in his hand, somewhere over the mat. Returns the body, or None."""
    world = player.world
    if world.take(player.hand, side, world.place_outside(player.seat_deg, TRAY_MM)) is None:
        return None
    reach = 0.6 * world.mat.circle_radius_mm * math.sqrt(player.rng.uniform())
    a = player.rng.uniform(0.0, 2 * math.pi)
    yield from player.carry((reach * math.cos(a), reach * math.sin(a)), player.hover_mm)
    return player.hand.body


def _somebody(player: Motions, state: BodyState) -> Body | None:
    """A body at rest in that state inside the circle, not red; near the hand if there is one."""
    world = player.world
    bodies = [
        body
        for body in world.bodies
        if body.still and body.state is state and not body.is_red
        if not world.witness.lies_outside(body)
    ]
    if not bodies:
        return None
    if player.hand.body is not None:
        x, y, _ = player.hand.body.centre
        near = [b for b in bodies if math.dist(b.centre[:2], (x, y)) < TOUCH_MM]
        bodies = near or bodies
    return bodies[int(player.rng.integers(len(bodies)))]


def _fells(player: Motions) -> None:
    """A leaner is pushed so that it falls."""
    leaner = _somebody(player, BodyState.LEANING)
    if leaner is not None and leaner.state in RESTING:
        leaner.set_rim_speed(-math.radians(KNOCK_DEG_S), 0.0, 0.0, 0.0)
        leaner.wake()
