"""Bodies in flight: where each frame has them.

Those near each other are fitted together, first as calmly as their course allows, then more freely;
what no fit explains is believed to be where it was last understood.
"""

from ..kernels import AX, AY, AZ, DISCS, THICKNESS, X, Y, Z, advance, learn_course
from ..kernels._records import SHARE_MARKED
from ..units import MM
from . import pose as geometry
from .body import FREE_TILT, SAME_PLACE
from .solver import FLAT, FREE, HAND, LOOSE, LYING, MOST_BODIES, NEWCOMER, OUTSIDE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from array import array

    from .body import Body
    from .fit import Track
    from .tracker import Tracker

STRICT = 4  # bits: how much more a calm body keeps to its course
LANDING = 3  # bits: the same for a hand above a disc that has moved
STEADY = 6  # and a hand where there is nothing else to go by
UNDERSTOOD = 3  # (64 µT)^2 a sensor: what a fit of flat bodies may leave, else they may fly
UNEASY = 8  # what is left over by a hand that may be elsewhere
PUZZLING = 40  # and what a fit may leave before it is tried from elsewhere
LOST_FROM_VIEW = 200  # and above which a body is believed to be where it was last understood
HURRIED = 2  # frames since the last: what can be spared is left out, lest more be lost meanwhile
SPINS = 300  # Q12 a frame: a disc that turns faster is being turned over
TOGETHER = 130 * MM  # bodies in flight this near each other are fitted together
HIGH = 50 * MM  # above the sensors
CARRIED = 34 * MM  # above that, discs are mostly carried level
TOO_HIGH = 66 * MM  # for its turning to be followed
STEPS = 6  # of the solver, a frame, at most
STAYS_UT = 400  # what leaves no more over where it should be is there
RISEN = 3 * MM  # so far up a body is no more expected to lie flat
SETTLING_IN = 12  # frames in which a new track may still jump


class Flight:
    """Moves the bodies in flight of one Tracker."""

    def __init__(self, tracker: "Tracker") -> None:
        self.tracker = tracker
        self.mat = tracker.mat
        self.solver = tracker.solver
        self.fitter = tracker.fitter
        self._group, self._far = [], [0] * MOST_BODIES

    def follow(self) -> None:
        """Moves every body in flight to where this frame has it."""
        flying, passed = self.tracker.flying, self.tracker.passed
        for body in flying:
            slot = body.slot
            slot.record[SHARE_MARKED] = 0  # a new frame
            slot.explained = False
            for _ in range(passed):
                slot.note(body.pose)
                advance(body.pose, slot.velocity, slot.before, body.held)
            self.expect(body)
        late = passed > 1
        entered = late or len(self.group(flying[0])) < len(flying)
        for body in flying if entered else ():
            # the others are where they should be, while one group of several is explained
            body.slot.record[SHARE_MARKED] = 1
            self.fitter.enter(body.slot, body.pose)
        for body in flying if late else ():  # now that all are out of the residual
            body.slot.explained = self._stays(body)
        for body in flying:
            if not body.slot.explained:
                self.explain(self.group(body, False), entered)
        for body in flying:
            slot = body.slot
            if passed > (4 if body.held else 2):
                _spread(body.pose, slot, passed, 4 if body.held else 2)
            learn_course(body.pose, slot.velocity, slot.before, body.held)

    def _stays(self, body: "Body") -> bool:
        """True when a body in no hand is where it should be: late, it need not be fitted."""
        if body.held or self.fitter.misfit(body.pose) > STAYS_UT:
            return False
        body.slot.uneasy = 0
        return True

    def expect(self, body: "Body") -> None:
        """Sets where the body should be in this frame, from its predicted pose."""
        geometry.copy(body.slot.expected, body.pose)
        if body.held:
            body.memory = HAND if body.age_frames > SETTLING_IN else NEWCOMER
            spin = body.slot.velocity
            turns = abs(spin[AX]) + abs(spin[AY]) + abs(spin[AZ]) > SPINS
            if body.pose[Z] > TOO_HIGH:
                turns = False
                spin[AX] = spin[AY] = spin[AZ] = 0
            if body.memory is NEWCOMER or (body.pose[Z] > CARRIED and not turns):
                # the further off, the less its tilt shows
                expected = body.slot.expected
                geometry.set_axis(
                    expected,
                    expected[AX] * 7 >> 3,
                    expected[AY] * 7 >> 3,
                    (expected[AZ] * 7 >> 3) + (geometry.ONE >> 3) * body.face,
                )
        elif body.leaning and not body.slot.left:
            body.memory = HAND  # it stays as long as the sensors do not contradict
            body.slot.halt()
            geometry.copy(body.pose, body.rest)
            geometry.copy(body.slot.expected, body.rest)
        elif body.pose[Z] - body.rest[Z] > RISEN or (
            body.leaning and geometry.sine(body.pose) > FREE_TILT
        ):
            body.memory = LOOSE
        else:
            out = geometry.span(body.pose[X], body.pose[Y]) > self.mat.CIRCLE_RADIUS
            body.memory = OUTSIDE if out else LYING
            body.lay(body.slot.expected, self.mat)

    def group(self, body: "Body", every: bool = True) -> "list[Body]":
        """`body` and the bodies in flight near it, nearest first, as many as can be fitted
        together; unless `every`, only those that this frame has not explained yet. The same list
        each time."""
        group, far = self._group, self._far
        while group:
            group.pop()
        if len(self.tracker.flying) == 1:
            group.append(body)
            return group
        for other in self.tracker.flying:
            d = geometry.distance(body.pose, other.pose)
            if d >= TOGETHER or (other.slot.explained and not every):
                continue
            at = len(group)
            while at and far[at - 1] > d:
                at -= 1
            if at == MOST_BODIES:
                continue
            if len(group) == MOST_BODIES:
                group.pop()
            for k in range(len(group), at, -1):
                far[k] = far[k - 1]
            group.insert(at, other)
            far[at] = d
        return group

    def join(self, body: "Body") -> None:
        """Fits a body that has only now been woken, and those near it."""
        self.explain(self.group(body), True, True)

    def explain(self, group: "list[Body]", entered: bool, woken: bool = False) -> None:
        """Fits the bodies of a group together. `entered`: they have their fields out of the
        residual, and are marked. `woken`: one of them has only now been woken."""
        fitter = self.fitter
        for body in group:
            if entered:
                fitter.leave(body.slot)
            geometry.copy(body.slot.start, body.pose)
        cost = self._fit(group, 0, STRICT)
        if cost > UNDERSTOOD:
            cost = self._fit(group, 0, 0)
        if len(group) == 1 or self.tracker.passed <= HURRIED:
            if woken and cost > UNDERSTOOD:
                cost = self._rewind(group, cost)
            if cost > UNDERSTOOD:
                cost = self._leave_course(group, cost)
            if cost > PUZZLING:
                cost = self._keep_course(group, cost)
        if cost > LOST_FROM_VIEW:
            for body in group:
                if not body.held:
                    geometry.copy(body.pose, body.slot.good)
        for body in group:
            slot = body.slot
            slot.uneasy = slot.uneasy + 1 if cost > UNEASY else 0
            slot.record[SHARE_MARKED] = 1
            slot.explained = True
            fitter.enter(body.slot, body.pose)

    def _rewind(self, group: "list[Body]", cost: int) -> int:
        """A hand may have been led astray by what has only now been woken: tries where it would be
        by its course of a while ago. Returns what stays unexplained."""
        held = False
        for body in group:
            held = held or body.held
        if not held:
            return cost
        for body in group:
            slot = body.slot
            geometry.copy(slot.tried, body.pose)
            geometry.copy(body.pose, slot.start)
            if body.held:
                slot.rewind(body.pose)
                geometry.copy(slot.aside, slot.expected)
                geometry.copy(slot.expected, body.pose)
        back = self._fit(group, 0, 0)
        if back * 4 < cost * 3:
            for body in group:
                if body.held:
                    body.slot.halt()
                    geometry.copy(body.slot.before, body.pose)
            return back
        for body in group:
            geometry.copy(body.pose, body.slot.tried)
            if body.held:
                geometry.copy(body.slot.expected, body.slot.aside)
        return cost

    def _leave_course(self, group: "list[Body]", cost: int) -> int:
        """A hand high up and by itself that is not understood may have been given a wrong course:
        it is then where the sensors see it. (Lower down it may be a piece that moves under it.)
        Returns what stays unexplained."""
        body = group[0]
        if len(group) > 1 or not body.held or body.pose[Z] < HIGH or body.memory is NEWCOMER:
            return cost
        geometry.copy(body.slot.tried, body.pose)
        body.memory = NEWCOMER
        loose = self._fit(group, 0, 0)
        if loose * 4 < cost * 3:
            return loose
        geometry.copy(body.pose, body.slot.tried)
        return cost

    def _keep_course(self, group: "list[Body]", cost: int) -> int:
        """A group that stays a puzzle may have been led astray: a hand keeps to its course rather
        than explain little. Returns what stays unexplained."""
        for body in group:
            tried = body.slot.tried
            geometry.copy(tried, body.pose)
            geometry.copy(body.pose, body.slot.start)
        steady = self._fit(group, STEADY, 0)
        if steady <= cost * 3:
            return steady
        for body in group:
            geometry.copy(body.pose, body.slot.tried)
        return cost

    def _fit(self, group: "list[Body]", steady: int, calm: int) -> int:
        """Fits the group from where its bodies are. Hands keep to their course by `steady` bits
        more, the others by `calm` bits; while those are calm, what lies flat stays flat."""
        solver = self.solver
        solver.clear()
        if self._lands(group):
            # the gains of the sensors below are not learnt there: a hand must not make up for them
            steady = max(steady, LANDING)
        for body in group:
            mode = FREE
            if calm and not body.held and self._lies_flat(body):
                mode = FLAT
                body.lay(body.pose, self.mat)
            strict = steady if body.held else calm
            solver.add(body.pose, mode, body.slot.expected, body.memory, strict, body.held)
        return solver.solve(STEPS)

    def _lands(self, group: "list[Body]") -> bool:
        """True when a body of the group lies where it has not lain before."""
        for body in group:
            if not body.held and geometry.distance(body.pose, body.rest) > SAME_PLACE:
                return True
        return False

    def _lies_flat(self, body: "Body") -> bool:
        """True for a body in flight that lies on the mat as far as is known."""
        pose = body.pose
        low = pose[Z] + self.mat.SENSOR_Z - (pose[DISCS] * pose[THICKNESS] >> 1)
        return low < 2 * MM and geometry.sine(pose) < FREE_TILT


def _spread(pose: "array[int]", slot: "Track", frames: int, gain: int) -> None:
    """So many frames have passed: the way that was not expected was gone in all of them, where
    learn_course takes 1 / `gain` of it for one frame's."""
    velocity, before = slot.velocity, slot.before
    for k in range(6):
        expected = before[k] + velocity[k]
        before[k] = pose[k] - velocity[k] - (pose[k] - expected) * gain // frames
