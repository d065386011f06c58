"""The hand that carries a body: it comes in, goes out, lifts, and leaves behind what it touched."""

from .. import facts as f
from ..kernels import X, Y, Z
from ..kernels._limits import FREE_TILT_SINE_Q12, LIFT_MM_Q8, LOW_MM_Q8, OVER_CIRCLE_MM_Q8
from ..kernels._records import (
    BROKEN,
    FLYER_AGE,
    FLYER_CLEAR,
    FLYER_LOST,
    FLYER_LOW,
    VIEW_CLEAR,
    VIEW_RADIUS,
    VIEW_STRONGEST,
)
from ..units import CMM_Q6
from . import pose as geometry
from .body import HELD, MOVING, TENTATIVE, stack_near
from .parameters import (
    BY_HAND_FRAMES,
    CARRIED_FRAMES,
    CLEAR_FRAMES,
    COMES_IN_FRAMES,
    COMES_IN_LOW_FRAMES,
    COMES_IN_MM_Q8,
    COMES_IN_MOST_MS,
    CROSSED_MOST_MS,
    FAINT_UT,
    GHOST_COST_HALVES,
    GHOST_FELT_MM_Q8,
    GHOST_HEIGHT_MM_Q8,
    GHOST_MS,
    GHOST_UT,
    GHOST_WITHIN_MM_Q8,
    HAND_MM_Q8,
    HOVER_LOOK_MS,
    HOVER_MS,
    HOVERS_MM_Q8,
    JUMPS_FRAMES,
    JUMPS_MM_Q8,
    LET_GO_MM_Q8,
    LIFTED_MM_Q8,
    NEARER_MM_Q8,
    NEWCOMER_MS,
    OUT_MM_Q8,
    PARTED_MM_Q8,
    PARTED_STACK_MM_Q8,
    SWAPPED_LOW_MM_Q8,
    SWAPPED_NEAR_MM_Q8,
    TRACK_LAG_MS,
    TUMBLES_FRAMES,
    TUMBLES_SINE_Q12,
    UNSEEN_MM_Q8,
    UP_FRAMES,
    UP_MM_Q8,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from array import array

    from .body import Body
    from .reacquire import Reacquisition
    from .scene import Scene
    from .stacking import Stacking


class Hands:
    """Tells what hands do with the bodies of one Scene."""

    def __init__(
        self, scene: "Scene", stacking: "Stacking", reacquisition: "Reacquisition"
    ) -> None:
        self.scene = scene
        self.stacking, self.reacquisition = stacking, reacquisition
        self.mat = scene.mat

    def ghosts(self) -> None:
        """Drops what only seems to be in a hand: to be asked now and then while bodies fly."""
        for body in self.scene.flying:
            if body.state <= HELD and not body.is_red and self._is_none(body):
                return

    def _is_none(self, body: "Body") -> bool:
        """Whether what seems to be in a hand has hovered for long, and was none."""
        scene, pose, slot = self.scene, body.pose, body.slot
        x, y, since_ms = slot.hover
        since_ms = scene.time_of(since_ms)
        waited_ms = scene.now_ms - since_ms
        far = geometry.span(pose[X] - x, pose[Y] - y) > GHOST_WITHIN_MM_Q8
        if far or body.faded_ms or (pose[Z] < GHOST_HEIGHT_MM_Q8 and not self._within_stack(pose)):
            slot.hovers(pose, scene.now_ms)
        elif 0 <= waited_ms - HOVER_MS < HOVER_LOOK_MS:
            if self.stacking.landed(body):
                return True
            if self.reacquisition.is_left_over(body):
                if body.state == HELD:
                    self.out_of_sight(body, since_ms)
                scene.drop(body)
                return True
            self._follow_near(body)
        elif waited_ms >= GHOST_MS:
            slot.hovers(pose, scene.now_ms)
            scene.flight.assess(body)
            scene.search.region(pose[X], pose[Y], GHOST_FELT_MM_Q8 >> 1)
            odd = scene.search.cost() * 2 > GHOST_COST_HALVES * scene.search.count
            if odd and scene.flight.view[VIEW_STRONGEST] < GHOST_UT:
                self._was_none(body, since_ms)
                return True
        return False

    def _within_stack(self, pose: "array[int]") -> bool:
        """Whether it is where a stack lies: no disc can be there."""
        stack = stack_near(self.scene.bodies, pose, self.mat.DISC_RADIUS)
        if stack is None:
            return False
        return abs(pose[Z] - stack.pose[Z]) * 2 < stack.discs * self.mat.DISC_THICKNESS

    def _follow_near(self, hand: "Body") -> None:
        """What lies near a hand that hovers may be pulled up in any frame: it is followed before
        that, where sensors are sound: others would only seem to see it move."""
        scene = self.scene
        if max(scene.field.noise) == BROKEN:
            return
        for other in scene.bodies:
            if other.state < MOVING or other.leaning or other.slot is not None:
                continue
            near = geometry.distance(hand.pose, other.pose) < HOVERS_MM_Q8
            if near and scene.fitter.haze(other.pose) == 0:
                scene.wake(other)

    def _was_none(self, body: "Body", since_ms: int) -> None:
        """The hand has gone, and what was followed since is none: it is lived with."""
        scene = self.scene
        if body.state == HELD:
            scene.tell(f.HAND_OUT, body, since_ms)
        scene.drop(body)
        scene.field.live_with(body.pose[X], body.pose[Y], GHOST_FELT_MM_Q8)

    def carries(self, body: "Body") -> None:
        """Looks after a body in a hand, once a frame."""
        flyer, clear = body.slot.flyer, self.scene.flight.view[VIEW_CLEAR]
        flyer[FLYER_LOW] = flyer[FLYER_LOW] + 1 if clear < LOW_MM_Q8 else 0
        if body.parts:
            flyer[FLYER_CLEAR] = flyer[FLYER_CLEAR] + 1 if clear > LIFTED_MM_Q8 else 0
            if flyer[FLYER_CLEAR] >= CARRIED_FRAMES:
                self.stacking.snapped_low(body)
        if body.unconfirmed:
            since_ms = body.crossed_ms if body.crossed_ms >= 0 else body.unconfirmed.t_ms
            if self.scene.now_ms - since_ms >= NEWCOMER_MS or not self.scene.doubtful(body):
                self.scene.confirm(body)
        self.cross(body)
        self.parts(body)

    def cross(self, body: "Body") -> None:
        """Tells when a carried body's centre crosses the circle."""
        r = self.scene.flight.view[VIEW_RADIUS]
        circle = self.mat.CIRCLE_RADIUS
        # it was over the line already, and may hover there
        known = body.state == HELD or body.leaving
        if not body.inside and r <= (circle - OVER_CIRCLE_MM_Q8 if known else circle):
            body.inside = True
            body.crossed_ms = self.scene.now_ms - self._since_line_ms(body)
        elif body.inside and r > circle + OUT_MM_Q8 and not body.faded_ms:
            if body.slot.flyer[FLYER_LOST]:
                return  # nobody knows where it is
            if body.slot.flyer[FLYER_LOW] or self.scene.flight.view[VIEW_CLEAR] < LET_GO_MM_Q8:
                return  # it may have been let go of, and lie there
            body.inside = False
            if body.state != TENTATIVE:
                crossed_ms = self.scene.now_ms - self._since_line_ms(body)
                self.scene.tell(f.HAND_OUT, body, crossed_ms)
                body.state = TENTATIVE
                body.leaving = True
                body.crossed_ms = -1
                self.scene.contacts.forget(body.id)
                body.id = 0
            return
        if body.inside and body.state == TENTATIVE:
            self._comes_in(body)

    def out_of_sight(self, body: "Body", since_ms: int) -> None:
        """A hand has gone out high above the mat, unseen: by the shortest way, since it was seen
        last."""
        pose, circle = body.pose, self.mat.CIRCLE_RADIUS
        r = geometry.span(pose[X], pose[Y])
        if 0 < r < circle:
            since_ms += (circle - r) * 100 // HAND_MM_Q8
            pose[X], pose[Y] = pose[X] * circle // r, pose[Y] * circle // r
        self.scene.tell(f.HAND_OUT, body, min(since_ms, self.scene.now_ms))

    def _since_line_ms(self, body: "Body") -> int:
        """How long ago, ms, a carried body crossed the line, at the pace at which it goes now and
        with its track's lag."""
        pose, speed = body.pose, body.slot.velocity
        r = self.scene.flight.view[VIEW_RADIUS]
        over = r - self.mat.CIRCLE_RADIUS
        pace = (speed[X] * pose[X] + speed[Y] * pose[Y]) // max(1, r)  # outward, in a frame
        since_ms = TRACK_LAG_MS
        if over * pace > 0:
            since_ms += min(over * 1000 // (pace * self.mat.FRAME_HZ), CROSSED_MOST_MS)
        return since_ms

    def _comes_in(self, body: "Body") -> None:
        slot = body.slot
        if slot.flyer[FLYER_LOST] == 0 and slot.flyer[FLYER_AGE] >= COMES_IN_FRAMES:
            pose = body.pose
            if self.scene.has_red and self.scene.red is None:
                return  # the first disc on a bare mat is the red one: see Settling
            low = geometry.clearance(pose, self.mat) < LOW_MM_Q8
            if low and slot.flyer[FLYER_AGE] < COMES_IN_LOW_FRAMES:
                return  # it may already lie there
            faint = self.scene.flight.view[VIEW_STRONGEST] < FAINT_UT
            if faint and not self.scene.at_rim(body.rest[X], body.rest[Y]):
                return  # what is high up, and was not seen to come there, may be noise
            speed = slot.velocity
            if body.crossed_ms >= 0 and speed[X] * pose[X] + speed[Y] * pose[Y] > 0:
                return  # a hand that comes in moves inward
            self.scene.announce(body, self._came_in(body))

    def _came_in(self, body: "Body") -> tuple[int, ...]:
        """When (ms) and where (x, y, 1/100 mm) a body crossed the line that was first seen further
        inside, by its course; nothing if that does not say."""
        pose, speed, circle = body.pose, body.slot.velocity, self.mat.CIRCLE_RADIUS
        pace = geometry.span(speed[X], speed[Y])
        seen_at = geometry.span(body.rest[X], body.rest[Y])
        if pace < COMES_IN_MM_Q8 or seen_at > circle - UNSEEN_MM_Q8:
            return ()
        ux, uy = (speed[X] << 8) // pace, (speed[Y] << 8) // pace
        across = min(circle, abs(pose[X] * uy - pose[Y] * ux) >> 8)
        half = geometry.isqrt((circle - across >> 4) * (circle + across >> 4)) << 4
        way = half + (pose[X] * ux + pose[Y] * uy >> 8)  # from the line on
        since_ms = way * 100 // max(HAND_MM_Q8, pace * self.mat.FRAME_HZ // 10)
        grazes = way > 2 * (circle - geometry.span(pose[X], pose[Y]))  # as its first fits may
        if grazes or not 0 < since_ms < COMES_IN_MOST_MS:
            return ()
        x, y = pose[X] - (ux * way >> 8), pose[Y] - (uy * way >> 8)
        return self.scene.now_ms - since_ms, x * CMM_Q6 >> 6, y * CMM_Q6 >> 6

    def parts(self, body: "Body") -> None:
        """Tells once that a piece lifted off others has left them behind."""
        if self.scene.contacts.touches(body.id) and not body.slot.flyer[FLYER_LOST]:
            self._parts(body)

    def _parts(self, body: "Body") -> None:
        contacts = self.scene.contacts
        group = contacts.group(body.id)
        high, more = 0, -1
        for other in self.scene.bodies:
            if other is not body and other.id in group:
                more += other.discs
                if body.discs + other.discs > 2:
                    high = PARTED_STACK_MM_Q8
        high = PARTED_MM_Q8 + max(high, more * self.mat.DISC_THICKNESS)
        if geometry.clearance(body.pose, self.mat) > high:
            left = contacts.forget(body.id)
            self.scene.tell(f.PARTED, body, self.scene.now_ms, tuple(sorted([body.id] + left)))

    def rises(self, body: "Body") -> None:
        """A body that has risen clear of the mat is in a hand, unless another hand's disc is
        pulling it up."""
        view, mat, flyer = self.scene.flight.view, self.mat, body.slot.flyer
        floor = geometry.clearance(body.rest, mat)
        beside = view[VIEW_RADIUS] > mat.CIRCLE_RADIUS + mat.DISC_RADIUS  # how high is hardly known
        if view[VIEW_CLEAR] - floor < (UP_MM_Q8 if beside else LIFT_MM_Q8) or flyer[FLYER_LOST]:
            flyer[FLYER_CLEAR] = 0
            return
        flyer[FLYER_CLEAR] += 1
        if flyer[FLYER_CLEAR] % UP_FRAMES == 0 and view[VIEW_CLEAR] - floor > UP_MM_Q8:
            if self.stacking.snapped_up(body):
                return
        if self.stacking.over_another(body):
            return
        hand = self.scene.hand_near(body, SWAPPED_NEAR_MM_Q8)
        if hand is not None and self._swapped(body, hand):
            body.swap_names(hand)
            if self.scene.red is body or self.scene.red is hand:
                self.scene.red = hand if self.scene.red is body else body
            return
        if flyer[FLYER_CLEAR] >= CLEAR_FRAMES and self._risen(body, hand):
            self.scene.lift(body)

    def _risen(self, body: "Body", hand: "Body | None") -> bool:
        """Whether a body that has been clear of the mat for some frames is in a hand, and has
        neither been pulled up by the `hand` near it nor landed on another."""
        clear = body.slot.flyer[FLYER_CLEAR]
        lay = geometry.sine(body.rest) < TUMBLES_SINE_Q12
        if clear < TUMBLES_FRAMES and lay and geometry.sine(body.pose) > TUMBLES_SINE_Q12:
            return False  # magnets pull what lay flat up by one edge, a hand does not
        if hand is not None:
            return clear >= BY_HAND_FRAMES
        if clear < JUMPS_FRAMES and self._jumps(body):
            return False
        return not self.stacking.landed(body)

    def _jumps(self, body: "Body") -> bool:
        """True next to a piece to which the body has come nearer, or that moves too and no hand
        holds: they may be pulled to each other, and what jumps onto another rises over it."""
        for other in self.scene.bodies:
            if other is body or other.state <= HELD:
                continue
            far = geometry.distance(other.pose, body.pose)
            if far < JUMPS_MM_Q8:
                moves = other.slot is not None and other.slot.left
                if moves or geometry.distance(other.pose, body.rest) - far > NEARER_MM_Q8:
                    return True
        return False

    def _swapped(self, body: "Body", hand: "Body") -> bool:
        """True when the disc in the hand seems to lie on the mat while one that lay there flies:
        two like discs have passed close by each other, and their tracks were mixed up."""
        low = geometry.clearance(hand.pose, self.mat)
        if hand.discs != body.discs or hand.state == TENTATIVE or low >= SWAPPED_LOW_MM_Q8:
            return False
        # either both look as before, or the one that lay there turned over as they passed
        alike = hand.face == body.face or hand.slot.face == body.face
        carried = geometry.sine(body.pose) < TUMBLES_SINE_Q12
        return alike and carried and geometry.sine(hand.pose) < FREE_TILT_SINE_Q12
