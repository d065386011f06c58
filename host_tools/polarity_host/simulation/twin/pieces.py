"""Discs and pieces of the twin, and the poses a piece takes on the mat."""

from collections.abc import Iterable

import numpy as np
from numpy.typing import ArrayLike, NDArray

from polarity_host.mats.description import Disc

from .motion import Place, Tremble, Vector, heading, upward_normal

FLAT, LEANER, TOWER, RED = "flat", "leaner", "tower", "red"


class TwinDisc:
    """One physical disc: its cylinder and its own moment (`polarisation_t`, signed along white)."""

    __slots__ = ("radius_mm", "thickness_mm", "polarisation_t", "is_red")

    def __init__(
        self,
        dimensions: Disc,
        moment_share: float = 1.0,
        white_up_counts: int = 1,
        is_red: bool = False,
    ):
        self.radius_mm = dimensions.diameter_mm / 2
        self.thickness_mm = dimensions.thickness_mm
        self.polarisation_t = dimensions.br_t * moment_share * white_up_counts
        self.is_red = is_red

    @property
    def moment_am2(self) -> float:
        """Magnetic moment along white, A m2: polarisation x volume / mu0."""
        volume_m3 = np.pi * self.radius_mm**2 * self.thickness_mm * 1e-9
        return self.polarisation_t * volume_m3 / (4e-7 * np.pi)


class Piece:
    """A rigid body: a disc, or discs stuck in a stack, all facing the same way.

    `axis` is the unit normal of the white faces; `discs` are ordered along it. `centre` (mm) is
    that of the disc `anchor`, the one that a hand would grip. `centre` and `axis` are the intended
    pose; `tremble` and `grip` (0 still .. 1 held free) are what a hand adds. `id` is the truth's id
    of it, 0 while it is outside.
    """

    def __init__(self, discs: Iterable[TwinDisc], face: int, centre: ArrayLike):
        self.discs = list(discs)
        self.anchor = 0
        self._centre = _frozen(centre)
        self._axis = _frozen((0.0, 0.0, face))
        self.id = 0
        self.held = False
        self.leaning = False
        self.tremble: Tremble | None = None
        self.grip = 0.0
        self.dragged = False  # trembles along the mat only
        self.outside = False  # lies entirely outside the circle
        self.unclaimed_stack = False  # snapped together on the mat, not yet gathered by a hand

    # ---- what happens to it -----------------------------------------------------------------

    def move_to(self, centre: ArrayLike | None = None, axis: ArrayLike | None = None) -> None:
        """Takes a new intended pose; None leaves that part of it as it is."""
        if centre is not None:
            self._centre = _frozen(centre)
        if axis is not None:
            self._axis = _frozen(axis)

    def take_hold(self, tremble: Tremble) -> None:
        """A hand holds it, with this unsteadiness."""
        self.tremble, self.held, self.grip = tremble, True, 1.0

    def set_grip(self, grip: float, dragged: bool = False) -> None:
        """How much of the hand's tremble it shows; `dragged`: along the mat only."""
        self.grip, self.dragged = grip, dragged

    def push(self, tremble: Tremble, grip: float) -> None:
        """A finger pushes it along the mat without holding it."""
        self.tremble, self.held = tremble, False
        self.set_grip(grip, dragged=True)

    def let_go(self) -> None:
        """No hand touches it: it is perfectly still from now on."""
        self.tremble, self.held, self.grip, self.dragged = None, False, 0.0, False

    def set_leaning(self, leaning: bool) -> None:
        """It stands on its rim, or does so no longer."""
        self.leaning = leaning

    def begin_lift(self) -> None:
        """A hand that has taken hold of it begins to raise it."""
        self.grip, self.leaning, self.unclaimed_stack = 0.0, False, False

    def set_id(self, piece_id: int) -> None:
        """The truth's id of it from now on."""
        self.id = piece_id

    def lies_outside(self) -> None:
        """It has come to lie entirely outside the circle."""
        self.outside = True

    def leave(self) -> None:
        """It is away from the mat and has no id any more."""
        self.id, self.outside = 0, False

    def restack(self, discs: Iterable[TwinDisc], anchor: int = 0) -> None:
        """It consists of these discs now."""
        self.discs, self.anchor = list(discs), anchor

    def snap_together(self) -> None:
        """Magnets made it a stack on the mat, which no hand has gathered yet."""
        self.unclaimed_stack = True

    # ---- what it is -------------------------------------------------------------------------

    @property
    def centre(self) -> Vector:
        """(3,) mm, read-only: see `move_to`."""
        return self._centre

    @property
    def axis(self) -> Vector:
        """(3,) unit normal of the white faces, read-only: see `move_to`."""
        return self._axis

    @property
    def radius_mm(self) -> float:
        return self.discs[0].radius_mm

    @property
    def thickness_mm(self) -> float:
        """Thickness of one disc."""
        return self.discs[0].thickness_mm

    @property
    def is_red(self) -> bool:
        return self.discs[0].is_red

    @property
    def face(self) -> int:
        """+1 white up, -1 black up."""
        return 1 if self.axis[2] >= 0 else -1

    @property
    def shape(self) -> str:
        if self.is_red:
            return RED
        if self.leaning:
            return LEANER
        return TOWER if len(self.discs) > 1 else FLAT

    @property
    def below(self) -> int:
        """How many discs are under the anchor."""
        return self.anchor if self.face > 0 else len(self.discs) - 1 - self.anchor

    @property
    def xy(self) -> tuple[float, float]:
        """Intended place of the anchor's centre, mm."""
        return float(self.centre[0]), float(self.centre[1])

    @property
    def z(self) -> float:
        """Height of the anchor's centre, mm."""
        return float(self.centre[2])

    @property
    def tilt_deg(self) -> float:
        """Angle of the upper face's normal from upright, 0..90."""
        return float(np.degrees(np.arccos(min(1.0, abs(self.axis[2])))))

    @property
    def azimuth_deg(self) -> float:
        """Where the upper face looks horizontally (away from a leaner's foundation)."""
        up = self.axis * self.face
        return float(np.degrees(np.arctan2(up[1], up[0])))

    @property
    def contact_xy(self) -> tuple[float, float]:
        """Lowest point of the rim, which is where a leaner touches the mat (mm)."""
        tilt = np.radians(self.tilt_deg)
        reach = self.radius_mm * np.cos(tilt) - self.thickness_mm / 2 * np.sin(tilt)
        at = self.centre + reach * heading(self.azimuth_deg)
        return float(at[0]), float(at[1])

    def pose(self, t_s: float) -> tuple[Vector, Vector]:
        """(centre, axis) with the hand's tremble at time `t_s`."""
        if self.grip == 0.0 or self.tremble is None:
            return self.centre, self.axis
        offset = self.grip * self.tremble.offset_mm(t_s)
        if self.dragged:
            offset[2] = 0.0
            return self.centre + offset, self.axis
        axis = self.axis + np.cross(self.grip * self.tremble.tilt(t_s), self.axis)
        axis /= np.linalg.norm(axis)
        centre = self.centre + offset
        centre[2] += max(0.0, -self.lowest_mm(centre, axis))  # the mat holds it up
        return centre, axis

    def lowest_mm(self, centre: Vector, axis: Vector) -> float:
        """Height of the lowest point of the piece's rims for a pose of the piece."""
        upright = abs(axis[2])
        below = self.anchor if axis[2] > 0 else len(self.discs) - 1 - self.anchor
        rim = self.radius_mm * np.sqrt(max(0.0, 1.0 - upright**2))
        return centre[2] - (below + 0.5) * self.thickness_mm * upright - rim

    def disc_centres(self, centre: Vector, axis: Vector) -> NDArray[np.float64]:
        """Centre of every disc for a pose of the piece, (discs, 3) mm."""
        steps = np.arange(len(self.discs)) - self.anchor
        return centre + np.outer(steps * self.thickness_mm, axis)


def _frozen(vector: ArrayLike) -> Vector:
    copy = np.array(vector, float)
    copy.setflags(write=False)
    return copy


def rest_height_mm(piece: Piece) -> float:
    """Height of the anchor's centre when the piece lies flat."""
    return (piece.below + 0.5) * piece.thickness_mm


def leaner_pose(
    disc: TwinDisc,
    contact_xy: Place,
    azimuth_deg: float,
    tilt_deg: float,
    face: int,
) -> tuple[Vector, Vector]:
    """(centre, axis) of a disc on its rim: low rim on z = 0 at `contact_xy`.

    `azimuth_deg`: where the normal of the face `face` leans horizontally; `tilt_deg` of that normal
    from upright, 0..180. Up to 90 that face is the upper one. Beyond 90 the disc has passed the
    upright position and stands on the other edge of its rim, one thickness further on.
    """
    tilt = np.radians(tilt_deg)
    radius, half = disc.radius_mm, disc.thickness_mm / 2
    out = heading(azimuth_deg)
    along = radius * np.cos(tilt) - half * np.sin(tilt)
    if tilt_deg > 90.0:
        along = radius * np.cos(tilt) + half * np.sin(tilt) - 2 * half
    centre = np.array([contact_xy[0], contact_xy[1], 0.0]) - along * out
    centre[2] = radius * np.sin(tilt) + half * abs(np.cos(tilt))
    return centre, upward_normal(tilt_deg, azimuth_deg) * face
