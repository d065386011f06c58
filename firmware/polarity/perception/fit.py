"""What a body in flight takes out of the residual, and how well the residual is explained there.

A body in flight holds a *slot*: the sensors its field reaches and its share there, already taken
out of the residual.
"""

from array import array

from .. import kernels
from ..kernels import X, Y
from ..kernels._records import (
    CHANGED,
    COURSE_WORDS,
    FLYER_AGE,
    FLYER_CLEAR,
    FLYER_FRAMES,
    FLYER_LOST,
    FLYER_LOW,
    FLYER_MEMORY,
    FLYER_NEAR,
    FLYER_POSE,
    FLYER_REST,
    FLYER_SINCE,
    FLYER_STATE,
    FLYER_STILL,
    FLYER_UNEASY,
    GROUNDED,
    PAST_POSES,
    POSE_WORDS,
    SHARE_MARKED,
    UNKNOWN,
)
from ..units import CLOCK, MM
from . import pose as geometry
from .field import Share
from .parameters import FLIGHT_REACH_MM_Q8, NEAR_SENSORS, REACH_MM, REACH_SENSORS, SEEN_SENSORS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .field import Field
    from .solver import Solver


_reach = array("i", [min(mm * MM, FLIGHT_REACH_MM_Q8) for mm in REACH_MM])


class Slot(Share):
    """What a body in flight takes out of the residual. It is marked if it is counted in what may
    move in this frame."""

    def __init__(self, room: "Share | None" = None) -> None:
        Share.__init__(self, REACH_SENSORS, _reach, room)


class Track(Slot):
    """A slot, and the course of the body that holds it: what `flyer` (see Flyer in kernels.h) leads
    to, and some more."""

    def __init__(self, thickness: int) -> None:
        Slot.__init__(self)
        self.kept = array("h", bytes(2 * SEEN_SENSORS))  # bias where the body lay, set aside, µT
        self.left = True  # it no longer lies there
        self.face = 0  # that a hand carried in, 0: none
        self.velocity = array("i", [0] * COURSE_WORDS)  # Q8 mm a frame, and the axis's change, Q12
        self.before = geometry.new_pose(thickness)  # where the last frame had it
        self.expected = geometry.new_pose(thickness)  # where it should be in this frame
        self.good = geometry.new_pose(thickness)  # where it was last understood
        self.anchor = geometry.new_pose(thickness)  # from where it has kept still
        # x, y from where it has hovered, and since when: see Scene.time_of
        self.hover = array("i", (0, 0, 0))
        self._past = array("i", [0] * PAST_POSES * POSE_WORDS)
        self._speeds = array("i", [0] * PAST_POSES * COURSE_WORDS)
        self.flyer = kernels.record(
            [
                self.record, 0, 0, self.velocity, self.before, self.expected, self.good,
                self.anchor, self._past, self._speeds,
                0, 0, 0, UNKNOWN,
            ]
            + [0] * (FLYER_SINCE - FLYER_MEMORY)
        )  # fmt: skip
        self.at = kernels.reference(self.flyer)

    def hold(self, pose: "array[int]", rest: "array[int]") -> None:
        """A body holds it, which is at `pose` and last lay at `rest`."""
        kernels.put(self.flyer, FLYER_POSE, pose)
        kernels.put(self.flyer, FLYER_REST, rest)
        self.face = 0
        self.flyer[FLYER_MEMORY] = UNKNOWN
        self.flyer[FLYER_LOW] = self.flyer[FLYER_NEAR] = 0

    def changed(self) -> None:
        """What is known of the body besides its pose may have changed."""
        self.flyer[FLYER_STATE] = CHANGED

    def ground(self) -> None:
        """No body holds it."""
        self.flyer[FLYER_STATE] = GROUNDED

    def halt(self) -> None:
        """It moves no longer, as far as is known."""
        for k in range(COURSE_WORDS):
            self.velocity[k] = 0

    def begin(self, pose: "array[int]", now_ms: int = 0) -> None:
        """A new course, from `pose`."""
        for known in (self.anchor, self.before, self.good):
            geometry.copy(known, pose)
        for k in range(0, PAST_POSES * POSE_WORDS, POSE_WORDS):
            self._past[k : k + POSE_WORDS] = pose
        self.halt()
        for k in range(0, PAST_POSES * COURSE_WORDS, COURSE_WORDS):
            self._speeds[k : k + COURSE_WORDS] = self.velocity
        for counted in (
            FLYER_FRAMES, FLYER_UNEASY, FLYER_STILL, FLYER_LOST, FLYER_AGE, FLYER_CLEAR,
        ):  # fmt: skip
            self.flyer[counted] = 0
        self.flyer[FLYER_SINCE] = now_ms & CLOCK
        self.hovers(pose, now_ms)
        self.changed()

    def hovers(self, pose: "array[int]", now_ms: int) -> None:
        """It has hovered there from now on."""
        self.hover[0], self.hover[1], self.hover[2] = pose[X], pose[Y], now_ms & CLOCK


class Fitter:
    """Fits single bodies against a Field by its Solver, and keeps the residual in step."""

    def __init__(self, field: "Field", solver: "Solver") -> None:
        self.field = field
        self.solver = solver
        self.near = array("H", [0] * NEAR_SENSORS)

    def enter(self, slot: "Slot", pose: "array[int]") -> None:
        """Takes the body's field out of the residual."""
        kernels.enter(self.field.record, slot.record, pose)

    def leave(self, slot: "Slot") -> None:
        """Puts the body's field back into the residual."""
        kernels.leave(self.field.record, slot.record)

    def look(self, pose: "array[int]") -> int:
        """Fills `near` with the sensors near the body. Returns how many."""
        return self.field.look(self.near, pose, NEAR_SENSORS)

    def mark(self, slot: "Track", sign: int) -> None:
        """Adds what a body in flight does, or takes it back, from what may move in this frame."""
        kernels.add_size(self.field.moving, slot.record, sign)
        slot.record[SHARE_MARKED] = 1 if sign > 0 else 0

    def peak_near(self, pose: "array[int]", sound: bool = False) -> int:
        """The sensor near the body with the largest residual; with `sound`, beyond what it may
        be."""
        resid, moving, near = self.field.resid, self.field.moving, self.near
        best, where = 0, near[0]
        for j in range(self.look(pose)):
            v = abs(resid[near[j]]) - (moving[near[j]] >> 4 if sound else 0)
            if j == 0 or v > best:
                best, where = v, near[j]
        return where

    def fit(self, pose: "array[int]", mode: int, steps: int) -> int:
        """Fits `pose`, whose field must be in the residual."""
        solver = self.solver
        solver.clear()
        solver.add(pose, mode)
        return solver.solve(steps)

    def refit(self, slot: "Track", pose: "array[int]", mode: int, steps: int) -> int:
        """`fit` for a body whose field is out in `slot`; residual and slot follow."""
        self.leave(slot)
        cost = self.fit(pose, mode, steps)
        self.enter(slot, pose)
        return cost

    def cost(self, pose: "array[int]") -> int:
        """Weighted squared residual near the body, (64 µT)^2 a sensor, mean."""
        return kernels.left_over(self.field.record, pose, 0)

    def excess(self, pose: "array[int]") -> int:
        """As `cost`, but finer, and of all sensors near: the sum of (8 µT)^2."""
        return kernels.left_over(self.field.record, pose, 1)

    def misfit(self, pose: "array[int]") -> int:
        """Largest residual near the body beyond 1/16 of the moving field there, µT."""
        return kernels.misfit(self.field.record, pose)

    def haze(self, pose: "array[int]") -> int:
        """How many bits noisier than a sound sensor the one nearest to the body is."""
        return kernels.haze(self.field.record, pose)
