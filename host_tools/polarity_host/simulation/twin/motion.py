"""Shapes of motion: smooth reaches, falls, jumps, turning axes, and the tremble of a hand."""

from collections.abc import Sequence
from typing import TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

Vector: TypeAlias = NDArray[np.float64]
"""(3,) in mm, or a unit vector; (2,) where only the horizontal part counts."""
Place: TypeAlias = Sequence[float] | Vector
"""(x, y) in mm from the circle's centre."""


def minimum_jerk(p: float) -> float:
    """Progress 0..1 of a smooth reach at time share `p`; peak speed is 1.875 times the mean.

    Flash and Hogan 1985, "The coordination of arm movements".
    """
    p = min(max(p, 0.0), 1.0)
    return p * p * p * (10.0 + p * (6.0 * p - 15.0))


def reach_seconds(distance_mm: float, peak_mm_s: float) -> float:
    """How long a minimum-jerk reach of `distance_mm` lasts at a peak speed of `peak_mm_s`."""
    return 1.875 * distance_mm / peak_mm_s


def accelerating(p: float) -> float:
    """Progress 0..1 of a jump that speeds up to the end, as attraction does."""
    return min(max(p, 0.0), 1.0) ** 2.5


def toppling(p: float) -> float:
    """Progress 0..1 of a body that tips over under its weight: slow first, fast at the end."""
    p = min(max(p, 0.0), 1.0)
    return (np.cosh(2.2 * p) - 1.0) / (np.cosh(2.2) - 1.0)


def heading(azimuth_deg: float) -> Vector:
    """Horizontal unit vector (3,) of an azimuth counted from +x towards +y."""
    a = np.radians(azimuth_deg)
    return np.array([np.cos(a), np.sin(a), 0.0])


def upward_normal(tilt_deg: float, azimuth_deg: float) -> Vector:
    """Unit normal of an upper face tilted by `tilt_deg` towards `azimuth_deg`. Beyond 90: down."""
    t = np.radians(tilt_deg)
    return np.sin(t) * heading(azimuth_deg) + np.array([0.0, 0.0, np.cos(t)])


def turned(start: Vector, end: Vector, p: float, through: ArrayLike | None = None) -> Vector:
    """Unit vector at the share `p` of the great circle from `start` to `end`.

    Between opposite vectors it passes through `through` (default: some horizontal direction).
    """
    cosine = float(np.dot(start, end))
    if cosine > 1.0 - 1e-12:
        return np.array(end, float)
    if cosine < -1.0 + 1e-9:
        side = np.array([1.0, 0.0, 0.0]) if through is None else np.asarray(through, float)
        side = side - np.dot(side, start) * start
        if np.linalg.norm(side) < 1e-6:
            side = np.array([0.0, 1.0, 0.0]) - start[1] * start
    else:
        side = end - cosine * start
    side = side / np.linalg.norm(side)
    angle = p * np.arccos(min(max(cosine, -1.0), 1.0))
    return np.cos(angle) * start + np.sin(angle) * side


class Tremble:
    """The unsteadiness of one grip: physiological tremor and slow drift, in place and in angle.

    Physiological tremor is at 8-12 Hz (Elble and Randall 1978); the slower drift is larger
    (Riviere, Rader and Khosla 1997). ASSUMPTION: the amplitudes, for an unsupported arm.
    `offset_mm(t_s)` peaks near 0.2 to 0.5 mm plus 1.5 mm of drift, at a few mm/s;
    `tilt(t_s)` is a small rotation vector in radians.
    """

    def __init__(self, rng: np.random.Generator):
        peak_mm = rng.uniform(0.2, 0.5)
        self._parts = [
            (2 * np.pi * rng.uniform(low, high, (2, 3)), rng.uniform(0, 2 * np.pi, (2, 3)), size)
            for low, high, size in ((8.0, 10.0, peak_mm / 2), (0.15, 0.45, 0.75))
        ]  # rad/s, rad, mm
        self._turn = np.radians(2.0) * rng.uniform(0.5, 1.0, 3)

    def offset_mm(self, t_s: float) -> Vector:
        """Displacement (3,) in mm at time `t_s`."""
        tremor, drift = (
            size * np.sin(rate * t_s + phase).sum(axis=0) for rate, phase, size in self._parts
        )
        return tremor + drift

    def tilt(self, t_s: float) -> Vector:
        """Small rotation vector (3,) in radians at time `t_s`."""
        rate, phase, _ = self._parts[1]
        return self._turn * np.sin(rate[0] * t_s + phase[1])
