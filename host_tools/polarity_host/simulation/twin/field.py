"""The field of a whole scene at the sensors, frame by frame."""

import numpy as np

from polarity_host.mats.disc_field import bz_mt

from .wristwatch import watch_bz_mt


class SceneField:
    """The field of a scene frame by frame: what rests is remembered, what moved is computed anew.

    `frames(moves)` takes one list of moves a frame, a move being (disc, centre_mm, axis) or
    (disc, None, None) for a disc taken off the table, and returns Bz (frames, n) in mT. Watches of
    `watch_radius_mm` (see wristwatch.py) are where `wrists_mm` says for each frame.
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
