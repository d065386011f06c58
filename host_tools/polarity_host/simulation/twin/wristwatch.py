"""The watches on the players' wrists: soft iron, magnetised by the discs below it.

A sphere of radius a and large permeability in a field B has the moment 4 pi a^3 B / mu0 (Jackson,
Classical Electrodynamics, 5.11, for mu -> infinity). ASSUMPTION: what is iron in a watch and its
clasp acts like such a sphere; its case and bracelet of stainless steel 316L do nothing.
"""

from collections.abc import Iterable, Sequence
from typing import Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

from polarity_host.mats.description import Mat

from .motion import Vector, heading
from .stage_state import SIDE_DEG
from .surroundings import dipole_bz_mt

MU0 = 4e-7 * np.pi
WRIST_MM = 130.0  # behind the fingers
ABOVE_MM = 32.0  # and higher than the disc they hold
LOWEST_MM = 40.0  # above the mat
SEAT_MM = 300.0  # elbows are this far outside the circle
WITHDRAWN_MM_S = 500.0  # how fast an empty hand goes back


def disc_fields_mt(
    moment_am2: NDArray[np.float64], place_mm: NDArray[np.float64], at_mm: ArrayLike
) -> Vector:
    """Field (3,) in mT at `at_mm` of dipoles: moments (m, 3) in A m2 at places (m, 3) in mm.

    Discs are taken as dipoles: at 60 mm that is wrong by a few per cent, a few microtesla.
    """
    offset = (np.asarray(at_mm, float) - place_mm) / 1000.0
    square = np.einsum("mk,mk->m", offset, offset)
    along = np.einsum("mk,mk->m", moment_am2, offset)
    terms = 3.0 * along[:, None] * offset / square[:, None] ** 2.5
    terms -= moment_am2 / square[:, None] ** 1.5
    return 1e-7 * terms.sum(axis=0) * 1000.0


def iron_moment_am2(radius_mm: float, field_mt: ArrayLike) -> Vector:
    """Moment (3,) of a soft-iron sphere in a field (3,) in mT."""
    return 4.0 * np.pi * (radius_mm / 1000.0) ** 3 * np.asarray(field_mt) / 1000.0 / MU0


class Worn(Protocol):
    """What a hand may hold: a Piece of the stage, a Body of the world."""

    @property
    def held(self) -> bool: ...

    @property
    def centre(self) -> Vector | tuple[float, float, float]: ...

    @property
    def face(self) -> int: ...


class Wrists:
    """Where the wrists are, frame by frame: behind every hand that holds something, and of hands
    that are withdrawn empty."""

    def __init__(self, mat: Mat):
        self.mat = mat
        self._of: dict[Worn, tuple[Vector, Vector]] = {}  # (place, elbow)
        self._going: list[tuple[Vector, Vector]] = []  # (place, elbow) of empty hands

    def step(self, pieces: Iterable[Worn], seconds: float) -> list[Vector]:
        """Places (3,) in mm of the wrists, `seconds` after the last step."""
        reach = self.mat.circle_radius_mm + SEAT_MM
        held: dict[Worn, tuple[Vector, Vector]] = {}
        for piece in pieces:
            if piece.held:
                known = self._of.get(piece)
                elbow = known[1] if known else reach * heading(SIDE_DEG[piece.face])
                centre = np.asarray(piece.centre, float)
                back = elbow - np.array([centre[0], centre[1], 0.0])
                length = max(1.0, np.hypot(*back[:2]))
                place = centre + WRIST_MM / length * np.array([*back[:2], 0.0])
                place[2] = max(LOWEST_MM, float(centre[2]) + ABOVE_MM)
                held[piece] = place, elbow
        self._going += [self._of[piece] for piece in self._of if piece not in held]
        self._of = held
        going = []
        for place, elbow in self._going:
            way = elbow - place
            way[2] = 0.0
            length = np.hypot(*way[:2])
            if length > WRIST_MM:
                going.append((place + WITHDRAWN_MM_S * seconds / length * way, elbow))
        self._going = going
        return [place for place, _ in (*held.values(), *going)]


def watch_bz_mt(
    radius_mm: float,
    wrists_mm: Sequence[ArrayLike],
    moment_am2: NDArray[np.float64],
    place_mm: NDArray[np.float64],
    sensor_mm: NDArray[np.float64],
) -> NDArray[np.float64]:
    """Bz (n,) in mT of the watches at `wrists_mm` at the sensors, among discs given as dipoles."""
    out = np.zeros(len(sensor_mm))
    if len(moment_am2):
        for wrist in wrists_mm:
            field_mt = disc_fields_mt(moment_am2, place_mm, wrist)
            out += dipole_bz_mt(wrist, iron_moment_am2(radius_mm, field_mt), sensor_mm)
    return out
