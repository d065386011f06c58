"""What comes from beyond the mat: the earth's field at a table that is turned, and a phone.

Both are events whose times are drawn from the game's seed; `Surroundings.happened` lists them.
"""

from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from magpylib import core
from numpy.typing import ArrayLike, NDArray

from polarity_host.mats.description import Mat
from polarity_host.simulation.draw import one_of

from .condition import MatCondition
from .motion import Vector

QUIET_START_S = 1.5  # nothing happens while the mat learns its bare field
PHONE_AWAY_S, PHONE_HERE_S = 25.0, 15.0  # means; ASSUMPTION: a restless player
PHONE_LAID_S = 0.6  # how long the hand with the phone is on its way
PHONE_FROM_MM = 450.0  # from how far
PHONE_HEIGHT_MM = 4.0  # of its middle, above the table
PHONE_AC_HZ = (20.0, 500.0)
SLOW_TURN_S = (3.0, 12.0)
HORIZON_S = 7200.0  # events are drawn for a game this long

Event: TypeAlias = tuple[int, str, dict[str, float]]
"""(t_us, name, further fields) as the truth notes it."""


@dataclass(frozen=True)
class Turn:
    """The table is turned by `deg` in `seconds`, 0: at once."""

    from_s: float
    seconds: float
    deg: float


@dataclass(frozen=True)
class Visit:
    """A phone is laid down beside the mat and taken away again."""

    from_s: float
    until_s: float
    place_mm: tuple[float, float, float]
    moment_am2: Vector
    ac_hz: float


def dipole_bz_mt(
    place_mm: ArrayLike, moment_am2: ArrayLike, points_mm: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Bz in mT of a point dipole at `place_mm` with `moment_am2` (3,), at points (n, 3) in mm."""
    offset_m = (points_mm - np.asarray(place_mm, float)) / 1000.0
    moments = np.broadcast_to(np.asarray(moment_am2, float), offset_m.shape)
    return core.dipole_Hfield(observers=offset_m, moments=moments)[:, 2] * 4e-7 * np.pi * 1000.0


class Surroundings:
    """The field from outside at one mat, drawn from `seed`: `bz_mt` at any times."""

    def __init__(self, mat: Mat, condition: MatCondition, seed: int):
        self.mat = mat
        self.condition = condition
        self._turns = self._draw_turns(np.random.default_rng([seed, 6, 0]))
        self._visits = self._draw_visits(np.random.default_rng([seed, 6, 1]))
        self._events = sorted(self._all_events(), key=_time_of)

    def bz_mt(self, t_us: ArrayLike) -> NDArray[np.float64]:
        """Bz (frames, n) in mT at the times (frames,)."""
        t_s = np.asarray(t_us, float) / 1e6
        out = np.tile(self.earth_bz_mt(t_s)[:, None], (1, self.mat.n))
        for visit in self._visits:
            for i in np.flatnonzero((t_s >= visit.from_s) & (t_s <= visit.until_s)):
                out[i] += self._phone_bz_mt(visit, t_s[i])
        return out

    def earth_bz_mt(self, t_s: NDArray[np.float64]) -> NDArray[np.float64]:
        """The earth's field along the mat's normal, mT, at times in seconds.

        On a slope of angle s towards magnetic azimuth a: Bz cos s + Bh sin s cos a.
        """
        c = self.condition
        if not c.table_slope_deg:
            return np.full(len(t_s), c.earth_bz_mt)
        slope = np.radians(c.table_slope_deg)
        azimuth = np.radians(self.table_azimuth_deg(t_s))
        level = c.earth_horizontal_mt * np.sin(slope) * (np.cos(azimuth) - 1.0)
        return c.earth_bz_mt + level  # a constant from the start on makes no difference

    def table_azimuth_deg(self, t_s: NDArray[np.float64]) -> NDArray[np.float64]:
        """How far the table has been turned at times in seconds."""
        azimuth = np.zeros(len(t_s))
        for turn in self._turns:
            share = (t_s - turn.from_s) / max(turn.seconds, 1e-9)
            azimuth += turn.deg * np.clip(share, 0.0, 1.0)
        return azimuth

    def happened(self, after_us: float, until_us: float) -> list[Event]:
        """Events between these times, by time."""
        first = bisect_right(self._events, after_us, key=_time_of)
        last = bisect_right(self._events, until_us, key=_time_of)
        return self._events[first:last]

    def _all_events(self) -> Iterator[Event]:
        for turn in self._turns:
            fields = {"deg": turn.deg, "seconds": turn.seconds}
            yield round(turn.from_s * 1e6), "table_turned", fields
        for visit in self._visits:
            x, y, _ = (round(mm, 1) for mm in visit.place_mm)
            fields = {"x_mm": x, "y_mm": y, "ac_hz": round(visit.ac_hz, 1)}
            yield round(visit.from_s * 1e6), "phone_comes", fields
            yield round(visit.until_s * 1e6), "phone_gone", {}

    def _draw_turns(self, rng: np.random.Generator) -> list[Turn]:
        if not self.condition.table_slope_deg:
            return []
        turns, at_s = [], QUIET_START_S
        while at_s < HORIZON_S:
            at_s += rng.exponential(self.condition.table_turned_every_s)
            slow = rng.random() < 0.5
            seconds = float(rng.uniform(*SLOW_TURN_S)) if slow else 0.0
            deg = float(rng.uniform(60.0, 180.0) * one_of(rng, (-1, 1)))
            turns.append(Turn(at_s, seconds, deg))
            at_s += seconds
        return turns

    def _draw_visits(self, rng: np.random.Generator) -> list[Visit]:
        c = self.condition
        if not c.phone_gap_mm:
            return []
        visits, at_s = [], QUIET_START_S
        while at_s < HORIZON_S:
            at_s += rng.exponential(PHONE_AWAY_S)
            until_s = at_s + 2 * PHONE_LAID_S + rng.exponential(PHONE_HERE_S)
            azimuth, flat = rng.uniform(0, 2 * np.pi, 2)
            axis = np.array([np.cos(flat), np.sin(flat), one_of(rng, (-1.5, 1.5))])
            radius = self.mat.circle_radius_mm + c.phone_gap_mm
            x, y = float(radius * np.cos(azimuth)), float(radius * np.sin(azimuth))
            visits.append(
                Visit(
                    from_s=at_s,
                    until_s=until_s,
                    place_mm=(x, y, PHONE_HEIGHT_MM),
                    moment_am2=c.phone_moment_am2 * axis / np.linalg.norm(axis),
                    ac_hz=float(rng.uniform(*PHONE_AC_HZ)),
                )
            )
            at_s = until_s
        return visits

    def _phone_bz_mt(self, visit: Visit, t_s: float) -> NDArray[np.float64]:
        way = min(t_s - visit.from_s, visit.until_s - t_s) / PHONE_LAID_S
        place = np.array(visit.place_mm)
        if way < 1.0:
            place[:2] *= 1.0 + (1.0 - way) * PHONE_FROM_MM / np.hypot(*place[:2])
        ac = self.condition.phone_ac_share * np.sin(2 * np.pi * visit.ac_hz * t_s)
        return dipole_bz_mt(place, visit.moment_am2 * (1.0 + ac), self.mat.sensor_xyz_mm)


def _time_of(event: Event) -> int:
    return event[0]
