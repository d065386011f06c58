"""Knocks against the table: all discs shake on the mat for a moment, and the mat slips a little.

ASSUMPTION: sizes, frequency and decay of a table that somebody bumped into.
"""

from bisect import bisect_right
from dataclasses import dataclass
from typing import NamedTuple, Protocol

import numpy as np

from .condition import MatCondition
from .motion import Vector
from .surroundings import HORIZON_S, QUIET_START_S

LASTS_S = 0.5
DECAY_S = 0.09
HZ = (8.0, 14.0)
AFTER_S = 0.05  # more than a frame: the last pose of a jolt is shown
ROCK_DEG_PER_MM = 2.0  # of leaners, for every millimetre that all discs shake


@dataclass(frozen=True)
class Jolt:
    """One knock: (3,) first amplitude and (3,) lasting displacement."""

    t_s: float
    hz: float
    shake_mm: Vector
    slip_mm: Vector


class Displacement(NamedTuple):
    """How far the discs are from where the mat had them, (3,) mm each: for good, and swinging."""

    slip_mm: Vector
    shake_mm: Vector


class Jolts:
    """The jolts of one game, drawn from `seed`."""

    def __init__(self, condition: MatCondition, seed: int):
        self.condition = c = condition
        rng = np.random.default_rng([seed, 7])
        self._jolts: list[Jolt] = []
        at_s = QUIET_START_S
        while c.jolts_per_minute and at_s < HORIZON_S:
            at_s += LASTS_S + rng.exponential(60.0 / c.jolts_per_minute)
            azimuth, other = rng.uniform(0, 2 * np.pi, 2)
            self._jolts.append(
                Jolt(
                    t_s=at_s,
                    hz=rng.uniform(*HZ),
                    shake_mm=rng.uniform(0.5, 1.0) * c.jolt_shake_mm * _unit(azimuth),
                    slip_mm=rng.uniform(0.0, 1.0) * c.jolt_slip_mm * _unit(other),
                )
            )
        self._starts_us = [round(jolt.t_s * 1e6) for jolt in self._jolts]

    def at(self, t_us: float) -> Displacement | None:
        """The displacement at that time; None before the first jolt."""
        t_s, slip, shake = t_us / 1e6, None, np.zeros(3)
        for jolt in self._jolts:
            since = t_s - jolt.t_s
            if since < 0:
                break
            slip = (0 if slip is None else slip) + min(1.0, since / LASTS_S) * jolt.slip_mm
            if since < LASTS_S:
                swing = np.exp(-since / DECAY_S) * np.sin(2 * np.pi * jolt.hz * since)
                shake = swing * jolt.shake_mm
        return None if slip is None else Displacement(slip, shake)

    def shaking(self, t_us: float) -> bool:
        """Whether discs move in a jolt at that time, or have just come to rest."""
        k = bisect_right(self._starts_us, t_us) - 1
        return k >= 0 and t_us - self._starts_us[k] <= (LASTS_S + AFTER_S) * 1e6

    def times_us(self, after_us: float, until_us: float) -> list[int]:
        """When the jolts between these times began."""
        starts = self._starts_us
        return starts[bisect_right(starts, after_us) : bisect_right(starts, until_us)]


class Shaken(Protocol):
    """What shakes in a jolt: a Piece of the stage, a Body of the world."""

    @property
    def leaning(self) -> bool: ...

    def lowest_mm(self, centre: Vector, axis: Vector, /) -> float: ...


def displaced(
    piece: Shaken, centre: Vector, axis: Vector, displacement: Displacement
) -> tuple[Vector, Vector]:
    """(centre, axis) of a piece in a jolt: a leaner rocks as well; its low rim stays on the mat."""
    slip, shake = displacement
    centre = centre + slip + shake
    if piece.leaning and shake.any():
        rock = np.radians(ROCK_DEG_PER_MM) * np.array([-shake[1], shake[0], 0.0])
        axis = axis + np.cross(rock, axis)
        axis = axis / np.linalg.norm(axis)
        centre[2] -= piece.lowest_mm(centre, axis)
    return centre, axis


def _unit(azimuth_rad: float) -> Vector:
    return np.array([np.cos(azimuth_rad), np.sin(azimuth_rad), 0.0])
