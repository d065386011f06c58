"""Bodies in flight that snap together: one stack, or two that happen to be close."""

from .. import facts as f
from ..kernels import DISCS, MOMENT, THICKNESS, X, Y, Z
from ..kernels._limits import CLOSE_DISCS, CLOSE_MM_Q8, FREE_TILT_SINE_Q12, LIFT_MM_Q8
from ..kernels._records import (
    FLYER_AGE,
    FLYER_CLEAR,
    FLYER_LOST,
    FLYER_NEAR,
    FLYER_STILL,
    VIEW_CLEAR,
)
from . import pose as geometry
from .body import HELD, MOVING, TENTATIVE
from .parameters import (
    APART_COST,
    DROPS_MM_Q8,
    HOVERS_MM_Q8,
    LAIN_FRAMES,
    LANDED_MM_Q8,
    LANDED_STEPS,
    LANDED_TIMES,
    LIFTED_MM_Q8,
    OVER_MM_Q8,
    STACK_BETTER_BITS,
    STACK_BONUS_COST,
    STACK_GAP_MM_Q8,
    STACK_LOST_COST,
    STACK_MOST_COST,
    STACK_REGION_MM_Q8,
    STACK_STEPS,
    STACK_VAIN_TIMES,
    STACKED_FRAMES,
    TALL_DISC_COST,
    TALL_DISCS,
    TOGETHER_MS,
    UP_NEAR_MM_Q8,
)
from .search import NONE
from .solver import FLAT, FREE, lay_flat

TYPE_CHECKING = False
if TYPE_CHECKING:
    from array import array

    from .body import Body
    from .scene import Scene


class Stacking:
    """Joins the bodies of one Scene that have become one."""

    def __init__(self, scene: "Scene") -> None:
        self.scene = scene
        self.mat = scene.mat

    def over_another(self, body: "Body") -> bool:
        """True while a body in flight seems to lie on another: raised by what is under it, be it
        what a hand sets down, not by a hand."""
        pose = body.pose
        low = geometry.clearance(pose, self.mat)
        for other in self.scene.bodies:
            if other is body or other.is_red or (other.state <= HELD and other.pose[Z] > pose[Z]):
                continue
            if geometry.distance(pose, other.pose) < OVER_MM_Q8:
                if low < (other.pose[DISCS] + 1) * other.pose[THICKNESS]:
                    return True
        return False

    def merge_in_flight(self, body: "Body") -> bool:
        """Joins bodies in flight that one stack explains as well; True when `body` is no more."""
        near, slot = self._near_another(body), body.slot
        slot.flyer[FLYER_NEAR] = slot.flyer[FLYER_NEAR] + 1 if near else 0
        if not near or slot.flyer[FLYER_NEAR] % STACKED_FRAMES or self._tried(body):
            return False
        if self._merge(body):
            return True
        self.scene.flight.assess(body)  # others may have joined it
        return False

    def _near_another(self, body: "Body") -> bool:
        for other in self.scene.flying:
            if other is not body and self._close(body, other):
                return True
        return False

    def _tried(self, body: "Body") -> bool:
        """Whether another body near it has been tried with it in this frame."""
        for other in self.scene.flying:
            if other is body:
                return False
            near = other.slot.flyer[FLYER_NEAR]
            if near and near % STACKED_FRAMES == 0 and self._close(body, other):
                return True
        return False

    def _merge(self, body: "Body") -> bool:
        close = [o for o in self.scene.flying if o is not body and self._close(body, o)]
        newcomers = [o for o in close if o.is_new and not body.is_new]
        if newcomers:  # they may be what two that snapped together leave over
            known = [o for o in close if o not in newcomers]
            if self._joined(body, known, newcomers):
                return body.slot is None
        if self._joined(body, close, []):
            return body.slot is None
        for newcomer in newcomers:
            if geometry.in_one_another(body.pose, newcomer.pose):
                self.scene.drop(newcomer)
        return False

    def _joined(self, body: "Body", close: "list[Body]", newcomers: "list[Body]") -> bool:
        """Joins the body and others that are `close`, without the newcomers, if one stack will do.
        Returns whether that is so."""
        # two that snap to a third at once are not understood one by one
        for others in ([close] if len(close) > 1 else []) + [[other] for other in close]:
            stack = [body] + others
            one = self._one_will_do(stack, newcomers, self._still_apart(stack))
            if one and not self._drops(max(stack, key=_held)):
                self.join(stack)
                for newcomer in newcomers:
                    self.scene.drop(newcomer)
                return True
        return False

    def _drops(self, hand: "Body") -> bool:
        """Whether a disc in a hand would be far below where it was, in the air, if the stack in
        search.best[0] were it: what snaps comes up to the hand."""
        pose = self.scene.search.best[0]
        if hand.state != HELD or pose[Z] > hand.slot.good[Z] - DROPS_MM_Q8:
            return False
        return geometry.clearance(pose, self.mat) > LIFTED_MM_Q8

    def join(self, stack: "list[Body]") -> "Body":
        """These bodies are one from now on, at the pose in search.best[0]. Returns which."""
        keep = self._keeps(stack)
        self._join(keep, [body for body in stack if body is not keep])
        return keep

    def _keeps(self, stack: "list[Body]") -> "Body":
        """Which of the bodies the stack in search.best[0] is from now on: the one in a hand, or
        else the one that came least far."""
        held = [body for body in stack if body.state <= HELD]
        if held:
            return max(held, key=_age)
        clear = geometry.clearance(self.scene.search.best[0], self.mat)
        if clear <= LIFTED_MM_Q8:
            return min(stack, key=_way)
        # a bare hand lifts the upper one, and the others have snapped up to it
        keep = max(stack, key=_height)
        self.scene.lift(keep)
        return keep

    def _close(self, a: "Body", b: "Body") -> bool:
        """True when two bodies in flight may be one stack."""
        if a.is_red or b.is_red or geometry.distance(a.pose, b.pose) > CLOSE_MM_Q8:
            return False
        return (
            abs(a.pose[Z] - b.pose[Z]) < (a.discs + b.discs + CLOSE_DISCS) * self.mat.DISC_THICKNESS
        )

    def _one_will_do(self, stack: "list[Body]", newcomers: "list[Body]", still_apart: bool) -> bool:
        """Compares one stack with the bodies, which are `still_apart` or not, and newcomers as they
        are tracked. True: its pose is in search.best[0]."""
        scene, search = self.scene, self.scene.search
        x = y = discs = moment = 0
        for body in stack:
            x, y = x + body.pose[X], y + body.pose[Y]
            discs += body.discs
            moment += body.pose[MOMENT] * body.discs
        search.region(x // len(stack), y // len(stack), STACK_REGION_MM_Q8)
        limit = self._limit(still_apart, search.cost())
        lost = limit > STACK_MOST_COST * search.count
        tracked = stack + newcomers
        for body in tracked:
            scene.fitter.leave(body.slot)
        best = NONE
        first = max(stack, key=_held)
        trial = search.trials[0]
        for other in stack:
            for share in (1, 2) if other is not first else (0,):
                if scene.paced and (best <= limit or STACK_VAIN_TIMES * limit < best < NONE):
                    break
                geometry.copy(trial.pose, first.pose)
                for k in (X, Y, Z):
                    trial.pose[k] += (other.pose[k] - first.pose[k]) * share >> 1
                best = self._try_one(discs, moment, FREE, best)
            tall = discs >= TALL_DISCS and not (other.state <= HELD or other.leaning)
            if best > limit and (lost or tall):  # it may lie, turned over
                geometry.copy(trial.pose, other.pose)
                trial.pose[DISCS] = discs
                lay_flat(trial.pose, self.mat, other.face)
                best = self._try_one(discs, moment, FLAT, best)
        scene.explain_with(tracked)
        return best <= limit

    def _try_one(self, discs: int, moment: int, mode: int, best: int) -> int:
        """What is left over by one stack of so many discs, of this moment in all, that begins where
        the first trial is; if it is less than `best`, its pose is in search.best[0]. Returns the
        lesser."""
        search = self.scene.search
        trial = search.trials[0]
        trial.pose[DISCS] = discs
        trial.pose[MOMENT] = moment // discs
        trial.mode = mode
        cost = search.evaluate(1, STACK_STEPS)
        if cost >= best:
            return best
        geometry.copy(search.best[0], trial.pose)
        return cost

    def snapped_up(self, body: "Body") -> bool:
        """A body in no hand stays up, or is not seen: it may have jumped onto another, or snapped
        to a disc in a hand, though both were tracked apart then. Joins them where one stack
        explains as much; returns whether it does."""
        if self.landed(body):
            return True
        for hand in self.scene.flying:
            if hand.state > HELD or hand.is_red or body.is_red:
                continue
            if geometry.distance(hand.pose, body.pose) < UP_NEAR_MM_Q8:
                if self._one_will_do([hand, body], [], False):
                    self.join([hand, body])
                    return True
        return False

    def lands_on(self, body: "Body") -> bool:
        """Whether the disc in a hand near a body that lies still has come to lie on it: one stack
        there explains what is seen, so that nothing hovers. Joins them then."""
        hand = self.scene.hand_near(body, HOVERS_MM_Q8)
        if hand is None or hand.is_red or body.is_red or body.leaning or hand.state == TENTATIVE:
            return False
        return self._lies_on(hand, body)

    def landed(self, body: "Body") -> bool:
        """As `lands_on`, for a body that seems to hover near what may lie still as well."""
        if body.is_red:
            return False
        for other in self.scene.bodies:
            if other is body or other.state < MOVING or other.is_red or other.leaning:
                continue
            within = HOVERS_MM_Q8 if other.slot is None else LANDED_MM_Q8
            near = geometry.distance(body.pose, other.pose) < within
            if near and self._lies_on(body, other):
                return True
        return False

    def _lies_on(self, upper: "Body", body: "Body") -> bool:
        """Whether one stack of both, where the `body` lies, explains what is seen. Joins them
        then."""
        scene, search = self.scene, self.scene.search
        field, fitter = scene.field, scene.fitter
        pose, trial, rests = body.pose, search.trials[0], body.slot is None
        search.region(pose[X], pose[Y], STACK_REGION_MM_Q8)
        apart = search.cost()
        if rests:
            field.lift_out(pose, 1)
        search.region(pose[X], pose[Y], STACK_REGION_MM_Q8)
        if not rests:
            fitter.leave(body.slot)
        fitter.leave(upper.slot)
        newcomers = scene.without_newcomers(upper)
        geometry.copy(trial.pose, pose)
        trial.pose[DISCS] += upper.discs
        lay_flat(trial.pose, self.mat, body.face)
        trial.mode = FLAT
        most = APART_COST * search.count
        if trial.pose[DISCS] >= TALL_DISCS:
            tall = TALL_DISC_COST * trial.pose[DISCS] * search.count
            most = min(tall, (most >> 1) + LANDED_TIMES * apart)
        one = search.evaluate(1, LANDED_STEPS) <= most
        if rests:
            field.lift_out(pose, -1)
        else:
            fitter.enter(body.slot, pose)
        fitter.enter(upper.slot, upper.pose)
        scene.explain_with(newcomers)
        if not one or (rests and scene.wake(body) is None):
            return False
        for newcomer in newcomers:
            scene.drop(newcomer)
        geometry.copy(search.best[0], trial.pose)
        self.join([upper, body])
        return True

    def _limit(self, still_apart: bool, apart: int) -> int:
        """What one stack may leave over in search's region, where the bodies leave `apart`."""
        count, limit = self.scene.search.count, apart
        if not still_apart:
            limit += apart >> 1
            if apart > APART_COST * count:
                limit += STACK_BONUS_COST * count
        limit = min(limit, STACK_MOST_COST * count)
        # they are lost: a stack that leaves over far less is likelier, even while it moves
        return max(limit, min(apart >> STACK_BETTER_BITS, STACK_LOST_COST * count))

    def _still_apart(self, stack: "list[Body]") -> bool:
        """True where bodies are tracked with a gap between them that a snap would have closed."""
        first = stack[0].pose
        for other in stack[1:]:
            far, rise = geometry.distance(first, other.pose), first[Z] - other.pose[Z]
            thick = (first[DISCS] + other.discs) * self.mat.DISC_THICKNESS >> 1
            if geometry.span(far, rise) > thick + STACK_GAP_MM_Q8:
                return True
        return False

    def _join(self, into: "Body", others: "list[Body]") -> None:
        """The `others` are part of `into` from now on, at the pose in search.best[0]."""
        scene, pose = self.scene, self.scene.search.best[0]
        if into.state <= HELD:
            discs = into.discs
            others.sort(key=_way)  # what came the shorter way came first
            for body in others:
                discs += body.discs
                self.join_hand(into, body, pose, discs)
            return
        # pieces have snapped together on the mat: one piece, told when it has settled
        for body in others:
            self._unite(into, body, pose)
            self.unite_names(into, body)
            scene.drop(body)
            scene.fitter.enter(into.slot, into.pose)

    def join_hand(self, hand: "Body", body: "Body", pose: "array[int]", discs: int = 0) -> None:
        """`body` has snapped to the one in the hand, which has `pose` from now on; `discs` were
        then in the hand, if others snapped to it at the same time. What is on the mat then may have
        been let go of before: it is told when it rises, or lies still."""
        scene, new = self.scene, hand.state == TENTATIVE
        low = geometry.clearance(pose, self.mat) <= LIFTED_MM_Q8
        low = low and (new or not hand.stays_held(pose, body))
        if new and low:  # with the discs that came in
            scene.announce(hand)
        self._unite(hand, body, pose)
        number = body.id
        if low:
            self.unite_names(hand, body)
            hand.slot.flyer[FLYER_CLEAR] = 0
        elif hand.parts:
            self.snapped_low(hand)
        scene.drop(body)
        scene.fitter.enter(hand.slot, hand.pose)
        if not (low or new and body.out_told):
            scene.tell(f.SNAPPED, hand, scene.now_ms, (number,), discs=discs)

    def snapped_low(self, hand: "Body") -> None:
        """What joined on the mat is in the hand: it rises."""
        parts = hand.parts
        for _, _, _, earlier in hand.steps:
            parts += earlier
        others = sorted(set(parts) - {hand.id})
        hand.parts = hand.steps = ()
        self.scene.tell(f.SNAPPED, hand, hand.joined_ms, tuple(others))

    def watch(self, body: "Body") -> None:
        """Notes how long what has joined on the mat has lain flat: to be asked in each frame."""
        low = self.scene.flight.view[VIEW_CLEAR] < LIFT_MM_Q8
        body.lain += low and geometry.sine(body.pose) < FREE_TILT_SINE_Q12

    def unite_names(self, into: "Body", body: "Body") -> None:
        """`body` is part of `into` from now on."""
        now_ms = self.scene.now_ms
        for one in (into, body):
            if one.id == 0:  # it was not seen to come in
                self.scene.announce(one)
        parts, steps = (into.id, body.id), into.steps + body.steps
        # what either has been for a while is told as something that happened before, if it lay:
        # a stack that tumbles into another was nothing yet
        for one, discs in ((into, into.discs - body.discs), (body, body.discs)):
            lay = one.lain >= LAIN_FRAMES and now_ms - one.joined_ms > TOGETHER_MS
            if one.parts and lay:
                steps += ((one.joined_ms, discs, one.id, one.parts),)
            else:
                parts += one.parts
        into.joined_ms, into.steps, into.lain = now_ms, steps, 0
        into.parts = tuple(sorted(set(parts)))
        self.scene.contacts.rename(body.id, into.id)

    def _unite(self, into: "Body", body: "Body", pose: "array[int]") -> None:
        """`into` takes the pose of the stack of both; its field is left in the residual."""
        self.scene.fitter.leave(into.slot)
        n, m = into.discs, body.discs
        moment = (into.pose[MOMENT] * n + body.pose[MOMENT] * m) // (n + m)
        geometry.copy(into.pose, pose)
        into.pose[MOMENT] = moment
        slot = into.slot
        if slot.flyer[FLYER_LOST]:
            slot.halt()
            geometry.copy(slot.before, pose)
        slot.flyer[FLYER_STILL] = slot.flyer[FLYER_LOST] = slot.flyer[FLYER_NEAR] = 0
        slot.changed()


def _age(body: "Body") -> int:
    return body.slot.flyer[FLYER_AGE]


def _height(body: "Body") -> int:
    return body.pose[Z]


def _held(body: "Body") -> bool:
    return body.state <= HELD


def _way(body: "Body") -> int:
    """How far it has come from where it rested."""
    return geometry.distance(body.pose, body.rest)
