"""The poses of up to four bodies that explain the residual best, each as free as its mode lets it,
and drawn toward where it is expected: a hand moves smoothly, a disc that falls may not."""

from array import array

from .. import kernels
from ..kernels import AX, AY, AZ, DISCS, THICKNESS, Z
from ..kernels._reference_fit import (  # noqa: F401 - the modes are the solver's words
    BODIES,
    BODY,
    EACH,
    EXPECTED,
    FLAT,
    FREE,
    HEIGHT,
    LEAN,
    LEAN_MASS,
    MASS,
    MODE,
    MOST,
    NEAR,
    POSE,
    SAVED,
    SENSORS,
    STRICT,
    SUNK,
    TANGENT,
    TURN,
    USED,
)
from . import pose as geometry

TYPE_CHECKING = False
if TYPE_CHECKING:
    from array import array
    from typing import Any

    from ..mat_data.mat import Mat
    from .field import Field

_PARAMS = MOST * 5

# What is known of where a body is, as information per squared step of 0.5 mm (x and y, then z) and
# of 1/32 rad, against noise of 0.1 mT in units of 8 µT. A hand keeps to 0.8 mm and 2 degrees of
# its course; a newcomer is known by what its few sensors say; a loose disc may go anywhere, but
# one that lay flat is believed to lie flat as long as the sensors do not contradict.
HAND = (60, 60, 150)
NEWCOMER = (2, 2, 20)
LOOSE = (4, 4, 30)
LYING = (4, 40, 150)
OUTSIDE = (1, 1 << 9, 1 << 9)  # beyond the circle the sensors see one side only: it lies flat
ANYWHERE = (1, 1, 1)


class Solver:
    """Fits poses against the residual of a Field (see kernels/_reference_fit.py). What a fit needs
    is made once."""

    def __init__(self, field: "Field") -> None:
        self._mat = field.mat
        self._buffers = values = _record(field)
        self._fit = kernels.record(values)

    def clear(self) -> None:
        """A new fit, of no body yet."""
        self._fit[USED] = 0

    def add(
        self,
        pose: "array[int]",
        mode: int,
        expected: "array[int] | int" = 0,
        memory: tuple[int, int, int] = ANYWHERE,
        strict: int = 0,
        sunk: bool = True,
    ) -> None:
        """Puts a body into the fit: `pose` will follow. With `expected` (a pose) it is drawn there
        by `memory`, 2**strict times as much; unless `sunk` it cannot be below the mat."""
        fit = self._fit
        at = BODIES + fit[USED] * BODY
        fit[USED] += 1
        fit[at + MODE] = mode
        fit[at + STRICT] = strict
        fit[at + SUNK] = 1 if sunk else 0
        fit[at + NEAR], fit[at + HEIGHT], fit[at + TURN] = memory
        kernels.put(fit, at + POSE, pose)
        kernels.put(fit, at + EXPECTED, expected)
        if mode == LEAN or mode == LEAN_MASS:  # the lowest rim is on the mat
            radius = self._mat.DISC_RADIUS
            pose[Z] = kernels.height_of_centre(pose, radius) - self._mat.SENSOR_Z

    def solve(self, steps: int) -> int:
        """Moves the poses of the bodies put in (whose fields must be in the residual) to explain it
        best, looking at their fields up to `steps` times.

        Returns what stays unexplained, (64 µT)^2 a sensor, mean; 0 when hardly any sensor sees
        them.
        """
        return kernels.fit(self._fit, steps)


def _record(field: "Field") -> "list[Any]":
    """The record of a fit, as it is laid out in kernels/_reference_fit.py."""
    mat, table = field.mat, field.table
    index, some, seen = _words("H", SENSORS), _words("H", EACH), bytearray(field.n)
    weight, target, own, total = bytearray(SENSORS), _ints(SENSORS), _ints(SENSORS), _ints(SENSORS)
    a, b, jacobian = _ints(_PARAMS * _PARAMS), _ints(_PARAMS), _ints(_PARAMS * SENSORS)
    values = [0, 0, 0, 0, mat.DISC_RADIUS, mat.SENSOR_Z, jacobian, geometry.new_pose(0)]
    values += [some, mat.GRID, mat.GRID_SIDE, mat.PITCH, 0, 0, 0, EACH]
    values += [index, 0, some, 0, seen, SENSORS]
    values += [target, field.resid, index, 0, seen]
    values += [weight, index, 0, field.field, field.moving, field.noise]
    values += [own, jacobian, SENSORS, index, 0, mat.SENSOR_X, mat.SENSOR_Y, table, 0, 0, 0]
    values += [target, total, weight, 0, 0, 0]
    values += [0, 0, 0, 0, 0, 0, 0, 0, 0, a, b, 0, 0, _ints(2), 0]
    values += [a, b, jacobian, SENSORS, target, total, weight, 0, 0, 0, _ints(SENSORS)]
    values += [a, b, 0, 0, _ints(_PARAMS), _ints(_PARAMS), _ints(_PARAMS * _PARAMS)]
    for _ in range(MOST):
        values += [0] * BODY
        values[len(values) - BODY + TANGENT] = _ints(6)
        values[len(values) - BODY + SAVED] = geometry.new_pose(0)
    return values


def _ints(count: int) -> "array[int]":
    return _words("i", count)


def _words(kind: str, count: int) -> "array[int]":
    return array(kind, [0] * count)


def lay_flat(pose: "array[int]", mat: "Mat", face: int, floor: int = 0) -> None:
    """Lays the body flat with `face` up, its underside `floor` (Q8 mm) above the mat."""
    pose[AX] = pose[AY] = 0
    pose[AZ] = geometry.ONE * face
    pose[Z] = floor + (pose[DISCS] * pose[THICKNESS] >> 1) - mat.SENSOR_Z
