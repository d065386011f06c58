"""After a jolt: the mat has slipped under all that lies on it, by the same way.

Each piece by itself is found where a few noisy sensors, and neighbours that have slipped as well,
let it seem to be, tenths of a millimetre off. All together know the way they have gone far better:
it is measured on some, and then all that was understood before lies that much further.
"""

from .. import facts as f
from ..facts import Fact
from ..kernels import X, Y
from . import pose as geometry
from .body import MOVING
from .parameters import (
    SHAKES_MS,
    SLIP_ALIKE_MM_Q8,
    SLIP_ENOUGH_BODIES,
    SLIP_LEAST_BODIES,
    SLIP_MEASURED_MS,
    SLIP_MOVED_BODIES,
    SLIP_NEEDED_3RDS,
    SLIPS_MS,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from array import array

    from .body import Body
    from .scene import Scene


class Slip:
    """What a jolt has done to the resting bodies of one Scene. Only the jolt is told."""

    def __init__(self, scene: "Scene") -> None:
        self.scene = scene
        self.since_ms = -1 << 20  # when the mat was shaken last
        self.waits = False  # for bodies to be measured, or moved
        self._measured = self._needed = 0
        self._way: "tuple[int, ...] | None" = None
        self._ways: "tuple[list[int], list[int]]" = [], []

    def begin(self) -> None:
        """The mat has been shaken, which is told."""
        scene = self.scene
        scene.facts.append(Fact(f.JOLT, scene.now_ms, confidence=scene.seen()))
        self.waits, self._measured, self._way = True, 0, None
        self.since_ms = self.scene.now_ms
        lie = 0
        for body in self.scene.bodies:
            body.jolted = body.state >= MOVING
            if body.went:
                body.went = None
            lie += body.jolted
        self._needed = max(SLIP_LEAST_BODIES, min(SLIP_ENOUGH_BODIES, lie * SLIP_NEEDED_3RDS // 3))

    def shaking(self) -> bool:
        """True while the mat is shaken, as far as has been seen."""
        return self.scene.now_ms - self.since_ms < SHAKES_MS

    def over(self) -> bool:
        """True when nothing slips any more."""
        return self.scene.now_ms - self.since_ms >= SLIPS_MS

    def measure(self, body: "Body", pose: "array[int]") -> bool:
        """Takes where a body that lay still before the jolt seems to lie now. False when it does
        not: then it is on its own."""
        if not body.jolted:
            return False
        if self.over():
            self._measured += body.went is None
            body.went = pose[X] - body.rest[X], pose[Y] - body.rest[Y]
        return True

    def unknown(self, body: "Body") -> bool:
        """True for a body that has not been looked at since all lies still again."""
        if body.jolted:
            return body.went is None
        return body.cleared_ms < self.since_ms + SLIPS_MS

    def enough(self) -> bool:
        """True once no more bodies need to be measured, or can."""
        late = self.scene.now_ms - self.since_ms >= SLIP_MEASURED_MS
        return late or self._measured >= self._needed

    def move(self) -> bool:
        """Moves some more bodies by the common way, in each frame until it `waits` no longer.
        False when there is none: then each has to be looked at by itself."""
        if self._way is None:
            self._way = self._common_way()
        moved = 0
        for body in self.scene.bodies:
            if body.jolted and moved < SLIP_MOVED_BODIES:
                body.jolted = False
                body.cleared_ms = self.scene.now_ms if self._way else 0
                if self._way:
                    self._put(body)
                    moved += 1
        self.waits = moved == SLIP_MOVED_BODIES
        return self._way != ()

    def _common_way(self) -> "tuple[int, ...]":
        """(x, y) by which most have gone, Q8 mm; () when that is not known."""
        xs, ys = self._ways
        xs.clear()
        ys.clear()
        for body in self.scene.bodies:
            if body.jolted and body.went is not None:
                xs.append(body.went[0])
                ys.append(body.went[1])
        if not xs:
            return ()
        x, y = sorted(xs)[len(xs) >> 1], sorted(ys)[len(ys) >> 1]
        near = sum_x = sum_y = 0
        for k in range(len(xs)):
            if geometry.span(xs[k] - x, ys[k] - y) < SLIP_ALIKE_MM_Q8:
                near += 1
                sum_x += xs[k]
                sum_y += ys[k]
        if near < SLIP_LEAST_BODIES or 2 * near <= len(xs):
            return ()
        return sum_x // near, sum_y // near

    def _put(self, body: "Body") -> None:
        """It lies as before, the way further on."""
        field, rest, way = self.scene.field, body.rest, self._way
        if body.slot is None:
            field.take_out(rest)
        rest[X] += way[0]  # pyright: ignore[reportOptionalSubscript]  # `move` has found it
        rest[Y] += way[1]  # pyright: ignore[reportOptionalSubscript]
        if body.slot is None:
            geometry.copy(body.pose, rest)
            field.put_in(rest)
