"""Ten positions in which White has to capture without a fault, laid by a hand as players lay them.

Each is played from the bare mat, so that the referee has it as it has any game: red disc,
foundations, leaners, and then a fault of Black's. What White makes of it, the referee judges.
"""

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, TypeAlias

import numpy as np

from polarity.facts import WHITE
from polarity.rules.position import RED_DISC, Position
from polarity_host.simulation.play.world import World

from .motions import TRAY_MM, Motions, Script
from .skill import CAREFUL

EDITION = "temple"
Places: TypeAlias = tuple[tuple[float, float], ...]
SOLVER = WHITE
LEAN_DEG = 38.0
FALLS_MM = 30.0  # from so high a disc falls beside another, before that has come up to the hand
JUDGED_S = 1.6  # after so long the referee has judged what was laid
CALM_US = 1_500_000  # so long after a tower is let go the referee has judged it
FRESH_S = 20.0  # so long the new game may take to begin
SEATS_DEG = {"w": -90.0, "b": 90.0, "red": 180.0}


@dataclass(frozen=True)
class Lay:
    """A disc of `side` that is laid at x, y (mm); with `lean_deg` it leans, its upper face towards
    that azimuth; one that `falls` is let go of above the mat, too near to another."""

    side: str
    x: float
    y: float
    lean_deg: float | None = None
    falls: bool = False


def _position(*lays: Lay, white: Places, black: Places) -> tuple[Lay, ...]:
    """The red disc, the foundations, and then turn by turn these."""
    founded = [Lay(side, *at) for side, places in (("w", white), ("b", black)) for at in places]
    return (Lay("red", 0, 0), *founded, *lays)


_WHITE: Places = ((60, -80), (-60, -90), (0, -150), (130, -60), (-140, -60))
_BLACK: Places = ((60, 90), (-60, 80), (0, 150), (130, 60), (-140, 60))
_AROUND: Places = ((60, -80), (-60, -80), (0, -60), (130, -60), (0, -140))
_LEANER = Lay("w", 180, -60, lean_deg=0)
_OTHERS = (_LEANER, Lay("b", 180, 60, lean_deg=0), Lay("w", -190, -60, lean_deg=180))
#: From those where nothing is near to those where much is.
PUZZLES: tuple[tuple[Lay, ...], ...] = (
    _position(_LEANER, Lay("b", -35, -150, falls=True), white=_WHITE, black=_BLACK),
    _position(_LEANER, Lay("b", -60, -50, falls=True), white=_WHITE, black=_BLACK),
    _position(
        Lay("w", 180, -80, lean_deg=0),
        Lay("b", 82, -20, falls=True),
        white=((60, -80), (-60, -90), (110, -20), (130, -80), (-140, -60)),
        black=_BLACK,
    ),
    _position(
        _LEANER,
        Lay("b", -82, -16, falls=True),
        white=((60, -80), (-60, -80), (-100, -10), (130, -60), (0, -140)),
        black=_BLACK,
    ),
    _position(
        _LEANER,
        Lay("b", 100, -44, falls=True),
        white=((100, -110), (-60, -80), (0, -60), (130, -60), (0, -140)),
        black=_BLACK,
    ),
    _position(_LEANER, Lay("b", 126, -24, falls=True), white=_WHITE, black=_BLACK),
    _position(*_OTHERS, Lay("b", -120, -32, falls=True), white=_WHITE, black=_BLACK),
    _position(
        _LEANER,
        Lay("b", -190, 60, lean_deg=180),
        Lay("w", -190, -60, lean_deg=180),
        Lay("b", 120, -26, falls=True),
        white=_WHITE,
        black=((60, 90), (-60, 80), (0, 150), (130, 20), (-140, 60)),
    ),
    _position(
        _LEANER,
        Lay("b", 52, -68, falls=True),
        white=((70, -45), (-60, -90), (0, -150), (130, -60), (-140, -60)),
        black=_BLACK,
    ),
    _position(_LEANER, Lay("b", 4, -100, falls=True), white=_AROUND, black=_BLACK),
)


class Progress(StrEnum):
    """How it stands with a puzzle."""

    LAYING = "laying"
    OPEN = "open"
    SOLVED = "solved"
    FAILED = "failed"
    SPOILED = "spoiled"  # the position came out otherwise, as may happen with magnets


class PuzzleGame:
    """One puzzle, by its number from 1 on. `position` is the referee's."""

    def __init__(
        self,
        number: int,
        world: World,
        position: Callable[[], Position],
    ):
        self.number, self.progress = number, Progress.LAYING
        self._world, self._position = world, position
        self.waits = True  # for a game that has not begun
        self._calm_us = 0  # since then nothing is owed, and no hand holds anything

    def lay(self) -> Script:
        """Waits for a game that has not begun yet, and lays the position."""
        hand = Motions(self._world, "puzzle", 0.0, CAREFUL, np.random.default_rng(self.number))
        for _ in range(round(FRESH_S * self._world.mat.frame_hz)):
            if self._position().phase == RED_DISC and not self._world.bodies:
                self.waits = False
                break
            yield
        if self.waits:
            self.progress = Progress.SPOILED
            return
        for lay in PUZZLES[self.number - 1]:
            yield from _laid(hand, lay)
        self._world.remove_hand("puzzle")
        self.progress = Progress.OPEN if self._owes() else Progress.SPOILED

    def look(self) -> None:
        """Judges, by the referee's state, whether it is solved; wants to be called often."""
        if self.progress is not Progress.OPEN:
            return
        position, world = self._position(), self._world
        his_turn = position.active == SOLVER
        if position.outcome or (his_turn and position.faulted):
            self.progress = Progress.FAILED
        elif not his_turn or self._owes() or any(hand.body for hand in world.hands.values()):
            self._calm_us = world.t_us
        elif world.t_us - self._calm_us > CALM_US:
            self.progress = Progress.SOLVED

    def _owes(self) -> bool:
        return any(by == SOLVER for by, _ in self._position().owed())

    def shown(self) -> dict[str, Any]:
        """For the page."""
        return {"number": self.number, "of": len(PUZZLES), "progress": str(self.progress)}


def _laid(motions: Motions, lay: Lay) -> Script:
    """A hand takes the disc, and lays it."""
    world, hand = motions.world, motions.hand
    world.take(hand, lay.side, world.place_outside(SEATS_DEG[lay.side], TRAY_MM))
    yield from motions.carry((lay.x, lay.y), motions.hover_mm)
    if lay.lean_deg is not None:
        hand.aim(tilt=LEAN_DEG, azimuth=lay.lean_deg)
        yield from motions.wait(0.4)
    if lay.falls:
        yield from motions.carry((lay.x, lay.y), FALLS_MM)
        world.release(hand)
    else:
        yield from motions.set_down()
    yield from motions.settle()
    yield from motions.wait(JUDGED_S)
