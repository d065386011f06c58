"""The field of a whole scene at the sensors, frame by frame."""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from polarity_host.mats.disc_field import bz_mt

from .motion import Vector
from .pieces import TwinDisc
from .wristwatch import watch_bz_mt


class DiscPose(NamedTuple):
    """Where one disc is: `centre` (3,) mm and `axis`, the unit normal of its white face."""

    centre: Vector
    axis: Vector


class Move(NamedTuple):
    """A disc has this pose now; None: it was taken off the table."""

    disc: TwinDisc
    pose: DiscPose | None


class SceneField:
    """The field of a scene frame by frame. The fields of discs at rest are stored; only those of
    discs that moved are computed.
    """

    def __init__(self, sensor_mm: ArrayLike, watch_radius_mm: float = 0.0):
        self.sensor_mm = np.asarray(sensor_mm, float)
        self.watch_radius_mm = watch_radius_mm
        self._of_disc: dict[TwinDisc, NDArray[np.float64]] = {}
        self._dipole_of_disc: dict[TwinDisc, tuple[Vector, Vector]] = {}  # mm, A m2: for watches

    def frames(
        self, moves: Sequence[Sequence[Move]], wrists_mm: Sequence[Sequence[Vector]] = ()
    ) -> NDArray[np.float64]:
        """Bz (len(moves), n) in mT of the whole scene after each frame's moves.

        `wrists_mm`: for each frame, the places of the watches of `watch_radius_mm` (wristwatch.py).
        """
        fresh = iter(self._fields_of(move for frame in moves for move in frame))
        out = np.empty((len(moves), len(self.sensor_mm)))
        total = np.zeros(len(self.sensor_mm))
        for field in self._of_disc.values():
            total += field
        for i, frame in enumerate(moves):
            for disc, pose in frame:
                old = self._of_disc.pop(disc, None)
                self._dipole_of_disc.pop(disc, None)
                if old is not None:
                    total -= old
                if pose is not None:
                    self._of_disc[disc] = new = next(fresh)
                    self._dipole_of_disc[disc] = pose.centre, disc.moment_am2 * pose.axis
                    total += new
            out[i] = total
            if len(wrists_mm) and len(wrists_mm[i]) and self._dipole_of_disc:
                out[i] += self._watches_bz_mt(wrists_mm[i])
        return out

    def _fields_of(self, moves: Iterable[Move]) -> Iterable[NDArray[np.float64]]:
        """The field of every disc that is on the table after its move, in order."""
        placed = [(disc, pose) for disc, pose in moves if pose is not None]
        if not placed:
            return ()
        return bz_mt(
            [pose.centre for _, pose in placed],
            [pose.axis for _, pose in placed],
            [disc.radius_mm for disc, _ in placed],
            [disc.thickness_mm for disc, _ in placed],
            [disc.polarisation_t for disc, _ in placed],
            self.sensor_mm,
        )

    def _watches_bz_mt(self, wrists_mm: Sequence[Vector]) -> NDArray[np.float64]:
        places = np.array([place for place, _ in self._dipole_of_disc.values()])
        moments = np.array([moment for _, moment in self._dipole_of_disc.values()])
        return watch_bz_mt(self.watch_radius_mm, wrists_mm, moments, places, self.sensor_mm)
