"""The poses of up to five bodies that explain the residual best, each as free as its mode lets it,
and drawn toward where it is expected: a hand moves smoothly, a disc that falls may not."""

from array import array

from .. import kernels
from ..kernels import AX, AY, AZ, DISCS, THICKNESS, Z
from ..kernels._records import (
    BODY_EXPECTED,
    BODY_HEIGHT,
    BODY_MODE,
    BODY_NEAR,
    BODY_PARAMS,
    BODY_PLACES,
    BODY_POSE,
    BODY_STRICT,
    BODY_SUNK,
    BODY_TANGENT,
    BODY_TURN,
    BODY_WORDS,
    EACH,
    FIT_BODIES,
    FIT_PACED,
    FIT_USED,
    FIT_WORK,
    FLAT,  # noqa: F401 - the modes are the solver's words
    FREE,  # noqa: F401
    LEAN,
    LEAN_MASS,
    MASS,  # noqa: F401
    MOST_BODIES,
    MOST_SENSORS,
    TANGENT_WORDS,
)
from . import pose as geometry
from .parameters import ANYWHERE_INFORMATION

TYPE_CHECKING = False
if TYPE_CHECKING:
    from array import array
    from typing import Any

    from ..mat_data.mat import Mat
    from .field import Field

_PARAMS = MOST_BODIES * BODY_PARAMS  # parameters, at most


class Solver:
    """Fits poses against the residual of a Field (see Fit in kernels/kernels.h). What a fit needs
    is made once."""

    def __init__(self, field: "Field") -> None:
        self._mat = field.mat
        self._buffers = values = _record(field)
        self.record = kernels.record(values)

    def begin(self, paced: bool) -> None:
        """A new frame: no fit has worked on it yet. `paced`: others come meanwhile."""
        self.record[FIT_WORK], self.record[FIT_PACED] = 0, paced

    @property
    def work_us(self) -> int:
        """What all fits of this frame have taken, about as many µs as an RP2040 needs at 125
        MHz."""
        return self.record[FIT_WORK]

    def clear(self) -> None:
        """A new fit, of no body yet."""
        self.record[FIT_USED] = 0

    def add(
        self,
        pose: "array[int]",
        mode: int,
        expected: "array[int] | int" = 0,
        memory: tuple[int, int, int] = ANYWHERE_INFORMATION,
        strict: int = 0,
        sunk: bool = True,
    ) -> None:
        """Puts a body into the fit: `pose` will follow. With `expected` (a pose) it is drawn there
        by `memory`, 2**strict times as much; unless `sunk` it cannot be below the mat."""
        fit = self.record
        at = FIT_BODIES + fit[FIT_USED] * BODY_WORDS
        fit[FIT_USED] += 1
        fit[at + BODY_MODE] = mode
        fit[at + BODY_STRICT] = strict
        fit[at + BODY_SUNK] = 1 if sunk else 0
        fit[at + BODY_NEAR], fit[at + BODY_HEIGHT], fit[at + BODY_TURN] = memory
        kernels.put(fit, at + BODY_POSE, pose)
        kernels.put(fit, at + BODY_EXPECTED, expected)
        if mode == LEAN or mode == LEAN_MASS:  # the lowest rim is on the mat
            radius = self._mat.DISC_RADIUS
            pose[Z] = kernels.height_of_centre(pose, radius) - self._mat.SENSOR_Z

    def solve(self, steps: int) -> int:
        """Moves the poses of the bodies put in (whose fields must be in the residual) to explain it
        best, looking at their fields up to `steps` times.

        Returns what stays unexplained, (64 µT)^2 a sensor, mean; 0 when hardly any sensor sees
        them.
        """
        kernels.look(self.record)
        return kernels.fit(self.record, steps)


def _record(field: "Field") -> "list[Any]":
    """The record of a fit, as Fit in kernels/kernels.h has it."""
    jacobian = _ints(_PARAMS * EACH)  # once it has made the equations, scratch of their solution
    values = [
        0, 0, 0, 0, field.record, _words("H", EACH), _words("H", MOST_SENSORS), bytearray(field.n),
        bytearray(MOST_SENSORS), _ints(MOST_SENSORS), _ints(EACH), _ints(MOST_SENSORS), jacobian,
        _ints(_PARAMS * (_PARAMS + 1) // 2), _ints(_PARAMS), _ints(_PARAMS), _ints(_PARAMS),
        jacobian, kernels.gradient(), 0, 0,
    ]  # fmt: skip
    for _ in range(MOST_BODIES):
        values += [0] * BODY_WORDS
        at = len(values) - BODY_WORDS
        values[at + BODY_TANGENT], values[at + BODY_PLACES] = _ints(TANGENT_WORDS), bytearray(EACH)
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
