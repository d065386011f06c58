"""What a body in flight takes out of the residual, and how well the residual is explained there.

A body in flight holds a *slot*: the sensors its field reaches and its share there, already taken
out of the residual.
"""

from array import array

from .. import kernels
from ..kernels._records import SHARE_MARKED
from ..units import MM
from . import pose as geometry
from .field import MOST_REACH, REACH_LIMIT, REACH_MM, Share

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .field import Field
    from .solver import Solver

LOST_UT = 1000  # a track that leaves more than this unexplained is losing its body
PAST_FRAMES = 4
_NEAR_LIMIT = 48


_reach = array("i", [min(mm * MM, MOST_REACH) for mm in REACH_MM])


class Slot(Share):
    """What a body in flight takes out of the residual. It is marked if it is counted in what may
    move in this frame."""

    def __init__(self) -> None:
        Share.__init__(self, REACH_LIMIT, _reach)
        self.explained = True  # in this frame


class Track(Slot):
    """A slot, and the course of the body that holds it."""

    def __init__(self, thickness: int) -> None:
        Slot.__init__(self)
        self.kept = array("h", [0] * REACH_LIMIT)  # bias where the body lay, set aside, µT
        self.left = True  # it no longer lies there
        self.uneasy = 0  # frames in which it has not been understood
        self.velocity = array("i", [0] * 6)  # Q8 mm a frame, and the axis's change, Q12
        self.before = geometry.new_pose(thickness)  # where the last frame had it
        self.expected = geometry.new_pose(thickness)  # where it should be in this frame
        self.start = geometry.new_pose(thickness)  # where this frame's fit began
        self.tried = geometry.new_pose(thickness)  # and where it led at first
        self.aside = geometry.new_pose(thickness)  # `expected`, while something else is tried
        self.good = geometry.new_pose(thickness)  # where it was last understood
        self.anchor = geometry.new_pose(thickness)  # from where it has kept still
        self._past = [geometry.new_pose(thickness) for _ in range(3)]
        self._speeds = [array("i", [0] * 6) for _ in range(3)]
        self._frames = 0

    def halt(self) -> None:
        """It moves no longer, as far as is known."""
        for k in range(6):
            self.velocity[k] = 0

    def begin(self, pose: "array[int]") -> None:
        """A new course, from `pose`."""
        for known in (self.anchor, self.before, self.good):
            geometry.copy(known, pose)
        for known in self._past:
            geometry.copy(known, pose)
        self.halt()
        for velocity in self._speeds:
            for k in range(6):
                velocity[k] = 0
        self._frames = self.uneasy = 0

    def note(self, pose: "array[int]") -> None:
        """Once a frame, before it is fitted: what `rewind` goes back to."""
        self._frames += 1
        if self._frames % PAST_FRAMES == 0:
            at = self._frames // PAST_FRAMES % len(self._past)
            geometry.copy(self._past[at], pose)
            for k in range(6):
                self._speeds[at][k] = self.velocity[k]

    def rewind(self, pose: "array[int]") -> None:
        """Where the course of a while ago (8 to 11 frames) would have led by now."""
        notes = len(self._past)
        at = (self._frames // PAST_FRAMES + 1) % notes
        geometry.copy(pose, self._past[at])
        since = (notes - 1) * PAST_FRAMES + self._frames % PAST_FRAMES
        speed = self._speeds[at]
        pose[kernels.X] += speed[kernels.X] * since
        pose[kernels.Y] += speed[kernels.Y] * since


class Fitter:
    """Fits single bodies against a Field by its Solver, and keeps the residual in step."""

    def __init__(self, field: "Field", solver: "Solver") -> None:
        self.field = field
        self.solver = solver
        self.near = array("H", [0] * _NEAR_LIMIT)

    def enter(self, slot: "Slot", pose: "array[int]") -> None:
        """Takes the body's field out of the residual."""
        kernels.enter(self.field.record, slot.record, pose)

    def leave(self, slot: "Slot") -> None:
        """Puts the body's field back into the residual."""
        kernels.leave(self.field.record, slot.record)

    def look(self, pose: "array[int]") -> int:
        """Fills `near` with the sensors near the body. Returns how many."""
        return self.field.look(self.near, pose, _NEAR_LIMIT)

    def mark(self, slot: "Track", sign: int) -> None:
        """Adds what a body in flight does, or takes it back, from what may move in this frame."""
        kernels.add_size(self.field.moving, slot.record, sign)
        slot.record[SHARE_MARKED] = 1 if sign > 0 else 0

    def peak_near(self, pose: "array[int]") -> int:
        """The sensor near the body with the largest residual."""
        resid, near = self.field.resid, self.near
        best, where = -1, near[0]
        for j in range(self.look(pose)):
            v = abs(resid[near[j]])
            if v > best:
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
