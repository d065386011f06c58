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
    SHAKEN_BODIES,
    SHAKEN_MM_Q8,
    SHAKES_MS,
    SLIP_ALIKE_MM_Q8,
    SLIP_ENOUGH_BODIES,
    SLIP_LEAST_BODIES,
    SLIP_LOOKED_BODIES,
    SLIP_MOVED_BODIES,
    SLIP_STEPS,
    SLIPS_MS,
)
from .solver import FLAT

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
        self.blind = False  # until they have been once
        self._pose = scene.search.best[-1]  # the search is idle meanwhile
        self._at = self._measured = self._round_ms = 0
        self._way: "tuple[int, ...] | None" = None  # by which most have gone, once it is known
        self._ways: "tuple[list[int], list[int]]" = [], []

    def begin(self) -> bool:
        """Looks whether the whole mat has been shaken, which is told: then most of what lies there
        has moved, and not only feels what flies. Returns whether it has."""
        scene, bodies, waits = self.scene, self.scene.bodies, self.waits
        for body in bodies:
            body.jolted = body.state >= MOVING
        self._begin_round()
        while self._at < len(bodies) and self._measured < SHAKEN_BODIES:
            self._look_at_some(bodies)
        x, y = self._median_way()
        if self._measured >= SLIP_LEAST_BODIES and geometry.span(x, y) < SHAKEN_MM_Q8:
            self._begin_round()
            self.waits = waits
            return False
        scene.facts.append(Fact(f.JOLT, scene.now_ms, confidence=scene.seen()))
        self.since_ms = scene.now_ms
        self._begin_round()
        self.blind = True
        return True

    def _begin_round(self) -> None:
        self.waits, self._way, self._at, self._measured = True, None, 0, 0
        self._round_ms = self.scene.now_ms
        for body in self.scene.bodies:
            if body.went:
                body.went = None

    def shaking(self) -> bool:
        """True while the mat is shaken, as far as has been seen."""
        return self.scene.now_ms - self.since_ms < SHAKES_MS

    def measure(self, body: "Body", pose: "array[int]") -> bool:
        """Takes where a body that lay still before the jolt seems to lie now. False when it does
        not, or is known by now: then it is on its own."""
        if not (self.waits and body.jolted):
            return False
        self._measured += body.went is None
        body.went = pose[X] - body.rest[X], pose[Y] - body.rest[Y]
        return True

    def unknown(self, body: "Body") -> bool:
        """True for a body that has not been looked at since all lies still again."""
        return body.cleared_ms < self.since_ms + SLIPS_MS

    def step(self) -> bool:
        """Measures some more bodies, or moves them by the common way, in each frame until it
        `waits` no longer: what still slips then is measured again. Returns whether there was no
        such way: then each has to be looked at by itself."""
        self.scene.field.moved()
        bodies = self.scene.bodies
        if self._way is None:
            self._look_at_some(bodies)
            if self._at < len(bodies) and self._measured < SLIP_ENOUGH_BODIES:
                return False
            self._way, self._at = self._common_way(), 0
        end = min(len(bodies), self._at + SLIP_MOVED_BODIES)
        for n in range(self._at, end):
            if bodies[n].jolted and self._way:
                self._put(bodies[n])
        self._at = end
        if end < len(bodies):
            return False
        alone, self.blind = not self._way, False
        if self._round_ms - self.since_ms < SLIPS_MS and not alone:
            self._begin_round()
            return False
        self.waits = False
        for body in bodies:
            if body.jolted:
                body.jolted = False
                body.cleared_ms = 0 if alone else self.scene.now_ms
        return alone

    def _look_at_some(self, bodies: "list[Body]") -> None:
        """Measures some bodies more, of those that lie there."""
        scene, pose, solver = self.scene, self._pose, self.scene.fitter.solver
        end = min(len(bodies), self._at + SLIP_LOOKED_BODIES)
        for n in range(self._at, end):
            body = bodies[n]
            if not body.jolted or body.slot is not None:
                continue
            geometry.copy(pose, body.rest)
            scene.field.take_out(body.rest)
            solver.clear()
            solver.add(pose, FLAT)
            solver.solve(SLIP_STEPS)
            scene.field.put_in(body.rest)
            self.measure(body, pose)
        self._at = end

    def _median_way(self) -> "tuple[int, int]":
        """(x, y) by which those that were measured have gone, Q8 mm; (0, 0) if none was."""
        xs, ys = self._ways
        xs.clear()
        ys.clear()
        for body in self.scene.bodies:
            if body.jolted and body.went is not None:
                xs.append(body.went[0])
                ys.append(body.went[1])
        middle = len(xs) >> 1
        return (sorted(xs)[middle], sorted(ys)[middle]) if xs else (0, 0)

    def _common_way(self) -> "tuple[int, ...]":
        """(x, y) by which most have gone, Q8 mm; () when that is not known."""
        x, y = self._median_way()
        xs, ys = self._ways
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
