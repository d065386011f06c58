"""Exact fields of discs at the sensors, from magpylib's cylinder.

Only the component along the Hall axis is measured: Bz in the mat's frame, in millitesla. One
call to magpylib serves any number of (disc, sensor) pairs: a call costs far more than a point.
"""

import numpy as np
from magpylib import core

from .watch import watch_bz_mt

POINTS_PER_CALL = 40_000  # keeps the temporaries of one call within a few megabytes


def bz_mt(centre_mm, axis, radius_mm, thickness_mm, polarisation_t, sensor_mm):
    """Bz of m discs at n sensors, (m, n) in mT.

    `centre_mm` and `axis` (unit vectors) are (m, 3); `radius_mm`, `thickness_mm` and
    `polarisation_t` (tesla along the axis, signed) are (m,) or scalars; `sensor_mm` is (n, 3).
    """
    centre_mm = np.asarray(centre_mm, float).reshape(-1, 3)
    axis = np.asarray(axis, float).reshape(-1, 3)
    m, n = len(centre_mm), len(sensor_mm)
    radius_mm = np.broadcast_to(np.asarray(radius_mm, float), (m,))
    thickness_mm = np.broadcast_to(np.asarray(thickness_mm, float), (m,))
    polarisation_t = np.broadcast_to(np.asarray(polarisation_t, float), (m,))
    out = np.empty((m, n))
    step = max(1, POINTS_PER_CALL // max(1, n))
    for i in range(0, m, step):
        part = slice(i, i + step)
        to_sensor = sensor_mm[None, :, :] - centre_mm[part, None, :]
        out[part] = bz_per_tesla(to_sensor, axis[part], radius_mm[part], thickness_mm[part])
    return out * (1000.0 * polarisation_t)[:, None]


def bz_per_tesla(to_sensor_mm, axis, radius_mm, thickness_mm):
    """(m, n) Bz for unit polarisation, in the unit of the polarisation.

    `to_sensor_mm` (m, n, 3) leads from each disc's centre to sensors of its own; `axis` is (m, 3),
    `radius_mm` and `thickness_mm` are (m,).
    """
    along = np.einsum("mnk,mk->mn", to_sensor_mm, axis)
    radial_z = to_sensor_mm[:, :, 2] - along * axis[:, 2:3]  # z of the part across the axis
    across = np.einsum("mnk,mnk->mn", to_sensor_mm, to_sensor_mm) - along**2
    across = np.sqrt(np.maximum(across, 0.0))
    shape = across.shape
    field = core.magnet_cylinder_axial_Bfield(
        z0=np.repeat(thickness_mm / (2 * radius_mm), shape[1]),
        r=(across / radius_mm[:, None]).ravel(),
        z=(along / radius_mm[:, None]).ravel(),
    )
    radial, axial = field[0].reshape(shape), field[2].reshape(shape)
    outward_z = np.divide(radial_z, across, out=np.zeros(shape), where=across > 1e-9)
    return radial * outward_z + axial * axis[:, 2:3]


class SceneField:
    """The field of a scene frame by frame: what rests is remembered, what moved is computed anew.

    `frames(moves)` takes one list of moves a frame, a move being (disc, centre_mm, axis) or
    (disc, None, None) for a disc taken off the table, and returns Bz (frames, n) in mT. Watches of
    `watch_radius_mm` (see watch.py) are where `wrists_mm` says for each frame.
    """

    def __init__(self, sensor_mm, watch_radius_mm=0.0):
        self.sensor_mm = np.asarray(sensor_mm, float)
        self.watch_radius_mm = watch_radius_mm
        self._of_disc = {}
        self._dipole_of_disc = {}  # (place in mm, moment in A m2), for the watches

    def frames(self, moves, wrists_mm=()):
        """Bz (len(moves), n) in mT of the whole scene after each frame's moves."""
        there = [move for frame in moves for move in frame if move[1] is not None]
        fresh = iter(())
        if there:
            discs = [move[0] for move in there]
            fresh = iter(
                bz_mt(
                    [move[1] for move in there],
                    [move[2] for move in there],
                    [disc.radius_mm for disc in discs],
                    [disc.thickness_mm for disc in discs],
                    [disc.polarisation_t for disc in discs],
                    self.sensor_mm,
                )
            )
        out = np.empty((len(moves), len(self.sensor_mm)))
        total = np.zeros(len(self.sensor_mm))
        for field in self._of_disc.values():
            total += field
        for i, frame in enumerate(moves):
            for disc, centre_mm, axis in frame:
                old = self._of_disc.pop(disc, None)
                self._dipole_of_disc.pop(disc, None)
                if old is not None:
                    total -= old
                if centre_mm is not None:
                    self._of_disc[disc] = new = next(fresh)
                    self._dipole_of_disc[disc] = centre_mm, disc.moment_am2 * axis
                    total += new
            out[i] = total
            if len(wrists_mm) and len(wrists_mm[i]) and self._dipole_of_disc:
                out[i] += self._watches_bz_mt(wrists_mm[i])
        return out

    def _watches_bz_mt(self, wrists_mm):
        places, moments = (np.array(v) for v in zip(*self._dipole_of_disc.values()))
        return watch_bz_mt(self.watch_radius_mm, wrists_mm, moments, places, self.sensor_mm)
