"""What a player's hand does with discs: takes, carries, lowers, lets go, takes back.

Scripts are generators that yield once a frame.
"""

import math
from collections.abc import Generator, Sequence
from typing import TypeAlias

import numpy as np

from polarity_host.simulation.play.body import Body, BodyState
from polarity_host.simulation.play.hand import HIGHEST_MM, Hand
from polarity_host.simulation.play.world import World

from .skill import Skill

Script: TypeAlias = Generator[None, None, None]
Found: TypeAlias = Generator[None, None, bool]
"""A script that returns whether it succeeded."""

STANDARD_MM = 34.0  # diameter of the discs that heights are given for
HOVER_MM = 82.0  # a disc passes over most leaners, and the mat still detects it
TRAY_MM = 160.0  # how far outside the circle reserves lie: there the mat hardly detects a disc
SETTLES_S = 4.0  # after so long what still moves is left to itself


class Motions:
    """One hand over a world, of a player who sits at azimuth `seat_deg`."""

    def __init__(
        self, world: World, name: str, seat_deg: float, skill: Skill, rng: np.random.Generator
    ):
        self.world = world
        self.hand: Hand = world.hand(name)
        self.hand.unsteady(skill.tremble)
        self.seat_deg = seat_deg
        self.skill = skill
        self.rng = rng
        self.scale = world.mat.disc.diameter_mm / STANDARD_MM
        self.hover_mm = HOVER_MM * self.scale

    # ---- time
    def wait(self, seconds: float) -> Script:
        """Does nothing for a while."""
        for _ in range(round(seconds * self.world.mat.frame_hz)):
            yield

    def pause(self, seconds: float) -> Script:
        """Waits as long as this player does where brisk players wait `seconds`."""
        yield from self.wait(seconds * self.skill.pause * self.rng.uniform(0.8, 1.3))

    def settle(self, seconds: float = 0.3, most_s: float = SETTLES_S) -> Script:
        """Waits until nothing has moved for that long, but not for ever."""
        frames = round(seconds * self.world.mat.frame_hz)
        still = 0
        for _ in range(round(most_s * self.world.mat.frame_hz)):
            moves = any(b.awake and b.state is not BodyState.HELD for b in self.world.bodies)
            still = 0 if moves else still + 1
            if still > frames:
                return
            yield

    # ---- motions
    def carry(self, xy: Sequence[float], height_mm: float) -> Script:
        """Moves what it holds there, and waits until it has arrived."""
        hand = self.hand
        hand.aim(float(xy[0]), float(xy[1]), height_mm)
        for _ in range(3 * self.world.mat.frame_hz):
            if hand.body is None or not hand.moving:
                return
            yield

    def set_down(self) -> Script:
        """Lowers what it holds, and lets go."""
        yield from set_down(self.world, self.hand)

    def take_back(self, side: str) -> Script:
        """What it holds goes to that side's reserve again, out of the circle by a short way."""
        hand = self.hand
        if hand.body is None:
            return
        hand.aim(z=self.high_mm(), tilt=0.0)
        yield from self.wait(0.5)
        if hand.body is None:
            return
        away = yield from self.way_out(hand.body)
        yield from self.carry(away, self.high_mm())
        if hand.body:
            self.world.put_back(hand, side)

    def take_up(self, body: Body, side: str) -> Script:
        """Lifts a body and takes it to that side's reserve."""
        if self.world.grab(self.hand, body.id, height_mm=self.hover_mm) is None:
            return
        yield from self.wait(0.6)
        yield from self.take_back(side)

    def high_mm(self) -> float:
        """How high it carries what it holds: the pull of a tower is the same there as a disc's."""
        discs = len(self.hand.body.discs) if self.hand.body else 1
        return min(HIGHEST_MM, self.hover_mm * discs**0.25)

    def way_out(self, held: Body) -> Generator[None, None, tuple[float, float]]:
        """A script that returns where he takes away what he holds."""
        yield from ()
        return self.beyond(held.centre[:2])

    def beyond(self, xy: Sequence[float]) -> tuple[float, float]:
        """The nearest place outside the circle where discs are taken away."""
        reach = self.world.mat.circle_radius_mm + TRAY_MM
        share = reach / max(math.hypot(xy[0], xy[1]), 1.0)
        return share * xy[0], share * xy[1]

    def aimed(self, xy: Sequence[float]) -> tuple[float, float]:
        """Where the hand goes when it aims there."""
        off = self.rng.normal(0.0, self.skill.aim_mm, 2)
        return float(xy[0] + off[0]), float(xy[1] + off[1])


def set_down(world: World, hand: Hand) -> Script:
    """The hand lowers what it holds to the mat, lets a disc that leans find its balance, and lets
    go."""
    if hand.body is None:
        return
    hand.aim(z=0.0)
    frames = 0
    while hand.body and hand.body.low_point > 0.2 and frames < 2 * world.mat.frame_hz:
        frames += 1
        yield
    for _ in range(round((0.8 if hand.tilt_goal > 5.0 else 0.15) * world.mat.frame_hz)):
        yield
    world.release(hand)
