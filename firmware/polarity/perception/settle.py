"""A body has come to rest: how it lies, fitted as what it is. What that means, resting.py tells."""

from ..kernels import AX, AY, DISCS, MOMENT, THICKNESS, X, Y, Z
from ..kernels._limits import FEW_SENSORS, FREE_TILT_SINE_Q12, UNDERSTOOD_COST
from ..kernels._records import (
    FLYER_AGE,
    FLYER_SINCE,
    FLYER_STILL,
    VIEW_FROM_ANCHOR,
    VIEW_RADIUS,
)
from . import pose as geometry
from .body import HELD, MOVING, TENTATIVE
from .parameters import (
    AS_COUNTED_COST,
    CREASE_CALM_EXCESS,
    CREASE_EXCESS,
    CREASE_MOST_SINE_Q12,
    CREASE_SINE_Q12,
    CREEPS_MM_Q8,
    CREPT_CALM_EXCESS,
    CREPT_EXCESS,
    CREPT_HAND_TIMES,
    CREPT_STEPS,
    FELT_BESIDE_MM_Q8,
    FLAT_COST,
    FLAT_STEPS,
    HAND_ABOUT_MM_Q8,
    LEANER_MASS_STEPS,
    LEANER_STEPS,
    LIVED_WITH_UT,
    MISCOUNTED_TIMES,
    ON_MAT_MM_Q8,
    OTHER_WAY_EXCESS,
    RIDES_STEPS,
    SETTLED_DISC_UT,
    SETTLED_UT,
    STACK_LEAST_MOMENT_Q10,
    STACK_MOST_MOMENT_Q10,
    STANDS_FRAMES,
    TAKEN_IN_MM_Q8,
    TIPPED_FRAMES,
    TIPPED_SINE_Q12,
    TIPPED_STEPS,
    TOLD_FRAMES,
    TOWER_DISCS,
    UNDER_HEIGHT_MM_Q8,
    UNDER_LEAST_MM_Q8,
    UNDER_NEAR_MM_Q8,
    UNMOVED_LEANER_MM_Q8,
    UNMOVED_MM_Q8,
    UNMOVED_TURN_Q12,
    WAITING_FRAMES,
    WEIGHED_STEPS,
    WEIGHT_LEAST_MOMENT_Q10,
    WEIGHT_MOST_MOMENT_Q10,
    WEIGHT_SLACK_BITS,
    WEIGHT_SLACK_MOMENT_Q10,
)
from .solver import FLAT, FREE, LEAN, LEAN_MASS, MASS, lay_flat

TYPE_CHECKING = False
if TYPE_CHECKING:
    from array import array

    from .body import Body
    from .resting import Resting
    from .scene import Scene
    from .slip import Slip
    from .stacking import Stacking

MUCH = 1 << 30  # more than anything leaves over


class Settling:
    """Decides what a still body has become and tells it, for one Scene."""

    def __init__(
        self, scene: "Scene", stacking: "Stacking", resting: "Resting", slip: "Slip"
    ) -> None:
        self.scene = scene
        self.stacking, self.resting, self.slip = stacking, resting, slip
        self.mat = scene.mat
        self._flat, self._best = scene.search.best[:2]  # the search is idle meanwhile

    # ------------------------------------------------------------------ resting
    def settle(self, body: "Body") -> None:
        """Called while a body in flight is still: tells how it rests, or leaves it in flight (in a
        hand)."""
        scene, pose = self.scene, body.pose
        if self._mixed_up(body):
            return
        stands = body.leaning and body.state > HELD and not body.slot.left
        if stands and scene.guarded(body):
            return  # it may topple at any time: a hand is near
        if self._beside_the_mat(body):
            self._pass_over(body)
            return
        # what keeps still on top of another lies on it, tipped as it may seem over a bright sensor
        under = self._beneath(body)
        leaning = under is None and geometry.sine(pose) >= FREE_TILT_SINE_Q12
        floor = 0 if under is None else under.pose[DISCS] * under.pose[THICKNESS]
        if under is None:
            low = geometry.clearance(pose, self.mat)
            if low > ON_MAT_MM_Q8:
                return
        if under is None and body.state <= HELD and self._in_hand(body, leaning):
            return
        calm = scene.field.calm(scene.shares())
        self._lies(body, leaning, under, floor, calm)
        if calm:
            scene.field.stir(scene.shares())

    def _in_hand(self, body: "Body", leaning: bool) -> bool:
        """Whether what keeps still on the mat is held there: no crease tips what lies flat so far.
        If another has joined it, that has snapped to it, and is told. What is in flight beside it
        may be part of it, and it only seem tipped.
        A leaner that is let go still moves, if little: it may be about to fall. Beyond the line,
        where few sensors see it, what lies flat seems tipped, and to move, for ever: there it is
        laid flat if that explains the field as well."""
        still, view = body.slot.flyer[FLYER_STILL], self.scene.flight.view
        seen = view[VIEW_RADIUS] <= self.mat.CIRCLE_RADIUS
        if not leaning:
            tipped = geometry.sine(body.pose) > TIPPED_SINE_Q12 and still < TIPPED_FRAMES
            tipped = tipped and seen and len(self.scene.flying) == 1
            if tipped and body.parts:
                self.stacking.snapped_low(body)
            return tipped
        if still >= STANDS_FRAMES or view[VIEW_FROM_ANCHOR] <= CREEPS_MM_Q8:
            return False
        return seen or not self._flat_will_do(body)

    def _lies(
        self, body: "Body", leaning: bool, under: "Body | None", floor: int, calm: bool
    ) -> None:
        """Fits it as what it is, and tells."""
        scene, mat, pose = self.scene, self.mat, body.pose
        if body.state > HELD and self.stacking.lands_on(body):
            return
        if body.state > HELD and self._unmoved(body):
            left, since_ms = body.slot.left, scene.time_of(body.slot.flyer[FLYER_SINCE])
            woken_ms = scene.now_ms - body.slot.flyer[FLYER_AGE] * 1000 // mat.FRAME_HZ
            self._creep(body, scene.hand_near(body, HAND_ABOUT_MM_Q8) is not None, calm)
            if left:  # while it moved, what came to lie against it did not ask
                self.resting.touches(body, woken_ms + (since_ms - woken_ms) // 2, True)
            return
        fitter, slot = scene.fitter, body.slot
        if leaning:
            self._refit(body, LEAN, LEANER_STEPS)
            if not body.weighed:
                self._refit(body, LEAN_MASS, LEANER_MASS_STEPS)
                body.weighed = fitter.cost(pose) <= UNDERSTOOD_COST
            leaning = not self._flat_will_do(body)
        else:
            fitter.leave(slot)
            if under is None:
                body.lay(pose, mat)
            else:
                lay_flat(pose, mat, body.face, floor)
            fitter.enter(slot, pose)
            self._refit(body, FLAT, FLAT_STEPS)
        if not leaning and under is None:
            self._weigh(body, calm)
            self._in_crease(body, calm)
        still, misfit = slot.flyer[FLYER_STILL], fitter.misfit(pose)
        if misfit > SETTLED_UT + SETTLED_DISC_UT * (pose[DISCS] - 1) and still < TOLD_FRAMES:
            return
        self.resting.rest(body, leaning, under)

    def _creep(self, body: "Body", hand_about: bool, calm: bool) -> None:
        """It lies where it lay, but for less than is worth telling: the base follows, unless what
        was felt may be the hand."""
        scene, slot, crept = self.scene, body.slot, self._best
        fitter, pose = scene.fitter, body.pose
        fitter.leave(slot)
        if not body.leaning:
            body.lay(pose, self.mat)
        self._refit(body, LEAN if body.leaning else FLAT, CREPT_STEPS)
        if not body.leaning:
            self._in_crease(body, calm, False)
        if not hand_about and self.slip.measure(body, pose):
            scene.put_back(body)
            return
        left = fitter.excess(pose)
        geometry.copy(crept, pose)
        body.move(body.rest, fitter)
        least = CREPT_CALM_EXCESS if calm else CREPT_EXCESS
        if left * (CREPT_HAND_TIMES if hand_about else 2) + least < fitter.excess(pose):
            body.move(crept, fitter)
            geometry.copy(body.rest, pose)
        elif hand_about:
            scene.put_back(body)
            return
        scene.put_down(body)
        if not hand_about:
            scene.field.accept(LIVED_WITH_UT)
        body.cleared_ms = scene.now_ms

    def _beside_the_mat(self, body: "Body") -> bool:
        """True for something that lies outside the circle and never was in it: a reserve, say."""
        if body.state != TENTATIVE or body.inside:
            return False
        pose, mat = body.pose, self.mat
        return geometry.span(pose[X], pose[Y]) > mat.CIRCLE_RADIUS + mat.DISC_RADIUS

    def _pass_over(self, body: "Body") -> None:
        """After a while it stays in the base, but is no piece. What has kept still only because no
        sensor was near enough to follow it went on, if more is explained without it."""
        if body.slot.flyer[FLYER_STILL] < WAITING_FRAMES:
            return
        scene, pose = self.scene, body.pose
        if scene.fitter.look(pose) < FEW_SENSORS:
            scene.search.region(pose[X], pose[Y], FELT_BESIDE_MM_Q8)
            there = scene.search.cost()
            scene.fitter.leave(body.slot)
            gone = scene.search.cost()
            scene.fitter.enter(body.slot, pose)
            if gone < there:
                scene.drop(body)
                return
        scene.ground(body)
        scene.field.put_in(pose)
        scene.bodies.remove(body)

    def _mixed_up(self, body: "Body") -> bool:
        """Two lying discs that have both turned over at once have not: their tracks were mixed
        up."""
        if not self._turned_over(body):
            return False
        for other in self.scene.flying:
            if other is not body and other.discs == body.discs and self._turned_over(other):
                body.swap_names(other)
                return True
        return False

    def _turned_over(self, body: "Body") -> bool:
        lay_flat_before = body.state >= MOVING and not body.leaning
        return lay_flat_before and body.face != geometry.face(body.rest)

    def _flat_will_do(self, body: "Body") -> bool:
        """Lays a leaner flat if that explains the field as well; where few sensors see it, both
        may do."""
        fitter, slot, pose = self.scene.fitter, body.slot, body.pose
        leaner = self._best
        geometry.copy(leaner, pose)
        cost = fitter.cost(pose)
        fitter.leave(slot)
        lay_flat(pose, self.mat, body.face)
        fitter.enter(slot, pose)
        self._refit(body, FLAT, FLAT_STEPS)
        if fitter.cost(pose) <= 2 * cost + FLAT_COST:
            return True
        body.move(leaner, fitter)
        return False

    def _in_crease(self, body: "Body", calm: bool, anew: bool = True) -> None:
        """A disc that lies flat but for a degree or two stays so in the base. `calm`: the residual
        is a mean, so that less shows it; `anew`: it has not lain there before."""
        fitter, pose = self.scene.fitter, body.pose
        left = fitter.excess(pose)
        least = CREASE_CALM_EXCESS if calm else CREASE_EXCESS
        if left < least:
            return
        flat, best = self._flat, self._best
        geometry.copy(flat, pose)
        self._refit(body, FREE, TIPPED_STEPS)  # which way it is tipped
        geometry.copy(best, pose)
        # a disc rides on the mat, or else a neighbour's error is taken for its tilt
        tipped = self._rides(body, fitter.excess(pose) if pose[DISCS] > 1 else MUCH)
        if anew and calm and tipped > OTHER_WAY_EXCESS:
            for way in (-CREASE_SINE_Q12, CREASE_SINE_Q12):
                for axis in (AX, AY):
                    geometry.copy(pose, flat)
                    pose[axis] = way
                    body.move(pose, fitter)
                    tipped = self._rides(body, tipped)
        body.move(best, fitter)
        if tipped * 2 > left or left - tipped < least or geometry.sine(pose) > CREASE_MOST_SINE_Q12:
            body.move(flat, fitter)

    def _rides(self, body: "Body", least: int) -> int:
        """Fits a disc that rides on a crease, tipped about as it is. Where that leaves less over
        than `least` it is noted in `_best`; returns what the best leaves over."""
        pose = body.pose
        # a disc that was weighed before keeps its moment, of which a tilt says less
        known = body.weighed and body.state > HELD and pose[DISCS] == 1
        self._refit(body, LEAN if known else LEAN_MASS, RIDES_STEPS)
        left = self.scene.fitter.excess(pose)
        if left > least:
            return least
        geometry.copy(self._best, pose)
        return left

    def _refit(self, body: "Body", mode: int, steps: int) -> None:
        self.scene.fitter.refit(body.slot, body.pose, mode, steps)

    def _beneath(self, body: "Body") -> "Body | None":
        """The resting piece that a lying body lies on, or None."""
        pose = body.pose
        height = pose[Z] + self.mat.SENSOR_Z - (pose[DISCS] * pose[THICKNESS] >> 1)
        if height < UNDER_LEAST_MM_Q8:
            return None
        for other in self.scene.bodies:
            if other is body or other.slot is not None or other.leaning or other.is_red:
                continue
            if geometry.distance(pose, other.pose) > UNDER_NEAR_MM_Q8:
                continue
            if abs(height - other.pose[DISCS] * other.pose[THICKNESS]) < UNDER_HEIGHT_MM_Q8:
                return other
        return None

    def _weigh(self, body: "Body", calm: bool) -> None:
        """Fits the moment of a disc that lies flat; where it runs away, the number of discs."""
        pose = body.pose
        known = pose[MOMENT]
        if pose[DISCS] == 1 or body.state > HELD:
            self._refit(body, MASS, WEIGHED_STEPS)
            away = pose[MOMENT] - known
            if body.weighed and -WEIGHT_SLACK_MOMENT_Q10 < away < WEIGHT_SLACK_MOMENT_Q10:
                # neighbours mislead: what was learnt before counts more
                pose[MOMENT] = known + (away >> WEIGHT_SLACK_BITS)
                self._refit(body, FLAT, WEIGHED_STEPS)
                return
            if not body.weighed and WEIGHT_LEAST_MOMENT_Q10 < pose[MOMENT] < WEIGHT_MOST_MOMENT_Q10:
                body.weighed = True
                return
        self._count(body, known, calm)

    def _count(self, body: "Body", known: int, calm: bool) -> None:
        """How many discs a stack has, or what seemed to be one disc, whose moment was `known`."""
        pose, fitter = body.pose, self.scene.fitter
        x, y, face = pose[X], pose[Y], body.face
        counted, best_cost, best_discs = pose[DISCS], MUCH, 1
        if counted > 1:  # as it was seen to grow, be it in a crease
            self._stack_of(body, counted, x, y, face)
            self._in_crease(body, calm)
            best_cost, best_discs = fitter.cost(pose), counted
            odd = not _is_likely(pose)
            if best_cost <= AS_COUNTED_COST and not odd:
                return
            best_cost = max(best_cost, AS_COUNTED_COST) if odd else best_cost // MISCOUNTED_TIMES
        tried = self._best
        geometry.copy(tried, pose)
        for discs in range(1, max(TOWER_DISCS, counted) + 1):
            if discs == counted > 1:
                continue
            self._stack_of(body, discs, x, y, face)
            cost = fitter.cost(pose)
            if cost < best_cost and (counted == 1 or _is_likely(pose)):
                best_cost, best_discs = cost, discs
                geometry.copy(tried, pose)
        if best_discs == 1:
            tried[MOMENT] = known
        body.move(tried, fitter)
        if best_discs > counted > 1:
            self._takes_in(body, best_discs - counted)

    def _takes_in(self, body: "Body", discs: int) -> None:
        """A stack that has come to be holds so many discs more than were seen to join it: another
        body in flight is in it, if what is seen is explained as well without that."""
        scene, pose = self.scene, body.pose
        search, fitter = scene.search, scene.fitter
        for other in scene.flying:
            if other is body or other.is_red or other.discs != discs or not other.slot.left:
                continue
            if geometry.distance(pose, other.pose) > TAKEN_IN_MM_Q8:
                if fitter.look(other.pose) >= FEW_SENSORS:
                    continue  # where it is, no sensor sees it: its track has run away
            search.region(pose[X], pose[Y], TAKEN_IN_MM_Q8)
            apart = search.cost()
            fitter.leave(other.slot)
            together = search.cost()
            fitter.enter(other.slot, other.pose)
            if together <= apart + (apart >> 1) + AS_COUNTED_COST * search.count:
                self.stacking.unite_names(body, other)
                scene.drop(other)
                self._refit(body, MASS, WEIGHED_STEPS)
                return

    def _stack_of(self, body: "Body", discs: int, x: int, y: int, face: int) -> None:
        """Fits a body of so many discs, of which no moment is known."""
        fitter, pose = self.scene.fitter, body.pose
        fitter.leave(body.slot)
        pose[X], pose[Y], pose[DISCS], pose[MOMENT] = x, y, discs, geometry.NOMINAL
        lay_flat(pose, self.mat, face)
        fitter.enter(body.slot, pose)
        self._refit(body, MASS if discs > 1 else FLAT, WEIGHED_STEPS)

    def _unmoved(self, body: "Body") -> bool:
        """True for a woken body that lies where and as it lay."""
        pose, rest = body.pose, body.rest
        if pose[DISCS] != rest[DISCS] or geometry.turned(pose, rest) > UNMOVED_TURN_Q12:
            return False
        if body.leaning:
            return geometry.rim_moved(pose, rest, self.mat.DISC_RADIUS) < UNMOVED_LEANER_MM_Q8
        return geometry.distance(pose, rest) < UNMOVED_MM_Q8


def _is_likely(pose: "array[int]") -> bool:
    """Whether discs can be so strong, on the average of a stack."""
    return STACK_LEAST_MOMENT_Q10 < pose[MOMENT] < STACK_MOST_MOMENT_Q10
