"""Follows every body on and above the mat from frame to frame, and says what has happened.

Predict, then explain the residue: resting bodies are part of the base, so a quiet frame costs one
pass. What a frame shows beyond it is explained, in this order, by the bodies already in flight, by
waking a resting body close by, by a new disc in a hand, and, where a track is lost, by a search
over what may have become of it.
"""

from ..facts import Fact
from ..kernels import Z, lock_heap, unlock_heap
from ..kernels._limits import (
    FADED_UT,
    LEFT_MM_Q8,
    LOST_UT,
    LOW_FRAMES,
    OVER_CIRCLE_MM_Q8,
    SECOND_LOOKS_FRAMES,
    STILL_FRAMES,
    STILL_MM_Q8,
)
from ..kernels._records import (
    FLYER_AGE,
    FLYER_LOST,
    FLYER_LOW,
    FLYER_SINCE,
    FLYER_STILL,
    FLYER_UNEASY,
    MOST_FLYING,
    VIEW_FROM_ANCHOR,
    VIEW_FROM_REST,
    VIEW_HAZE,
    VIEW_MISFIT,
    VIEW_RADIUS,
    VIEW_STRONGEST,
)
from ..units import CLOCK
from . import pose as geometry
from .body import HELD, MOVING, TENTATIVE, Body
from .hands import Hands
from .lost import Lost
from .news import News
from .parameters import (
    AFRESH_LOUD_UT,
    FADED_MS,
    FAINT_UT,
    GIVE_UP_FRAMES,
    ON_TOWER_MM_Q8,
    QUIET_UT,
    REFUSED_ROUNDS,
    RESTLESS_ONE_IN_SENSORS,
    SPLIT_FRAMES,
    UNWEIGHED_BITS,
    USED_TO_FRAMES,
    USED_TO_UT,
    WAKE_ROUNDS,
)
from .reacquire import Reacquisition
from .resting import Resting
from .scene import Scene
from .settle import Settling
from .slip import Slip
from .stacking import Stacking

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..mat_data.mat import Mat

NOISE = "noise: the counts do not come from a bare mat at rest"
LIES = "clear the mat: something lies near %d mm, %d mm"


class Tracker:
    """One mat's scene. `step` takes a frame and returns the facts that it settled (often none).

    `scene` is what it follows. It hands that to the components, each of which knows the scene and
    the components below it, and none the tracker. The scene's buffers are those of the tracker
    `before` this one. `ends_at_circle`: what lies outside the circle is out of play.
    """

    def __init__(
        self,
        mat: "Mat",
        has_red: bool = True,
        before: "Tracker | None" = None,
        ends_at_circle: bool = True,
    ) -> None:
        if before:
            before.hand_over()
        self.scene = scene = Scene(mat, has_red, before.scene if before else None)
        self.field, self.flying = scene.field, scene.flying  # for who watches the sensors
        stacking, resting, slip = Stacking(scene), Resting(scene, ends_at_circle), Slip(scene)
        self.slip, self.stacking, self.resting = slip, stacking, resting
        self.news = News(scene, slip)
        self.lost = Lost(scene, stacking, slip)
        self.settling = Settling(scene, stacking, resting, slip)
        self.reacquisition = Reacquisition(scene, stacking, resting)
        self.hands = Hands(scene, stacking, self.reacquisition)
        self._living: "list[Body]" = []
        self.ready = False
        self.complaint = ""  # why the mat cannot be read, "" while it can
        self._refused = 0  # rounds of frames that were not those of a bare mat
        self._looked_again = False  # in this frame
        self._unfitted = False  # whether a body was woken in the last frame, but not fitted
        self._puzzled = 0  # whether something has only now come not to be understood

    def hand_over(self) -> None:
        """The end: its buffers are as good as new."""
        self.scene.clear(self.ready)

    def step(self, t_ms: int, counts: "Sequence[int]", waiting: int = -1) -> "list[Fact]":
        """Takes one frame of raw counts; returns the list of new facts (the scene's own list: use
        it at once). While others are `waiting`, or frames were lost, what the next frame can do as
        well is left to it; with -1 no other waits, however long this one takes."""
        self.scene.begin(t_ms, waiting)
        if not self.ready:
            self._take_baseline(counts)
            return self.scene.facts
        peak = self._follow(counts)
        if self._surprised(peak):
            self._look(peak)
            if self._ask_all() or self.news.odd_frames or self.reacquisition.waits:
                self.reacquisition.watch(self.news.odd_frames, self.slip.waits)
        return self.scene.facts

    def _take_baseline(self, counts: "Sequence[int]") -> None:
        """Takes a frame of the bare mat, or says why it is none."""
        field, mat = self.scene.field, self.scene.mat
        self.ready = field.baseline(counts)
        if self.ready:
            self.complaint = ""
            return
        self._refused += field.frames == 0
        if self._refused < REFUSED_ROUNDS:
            return
        if field.restless * RESTLESS_ONE_IN_SENSORS >= field.n:
            self.complaint = NOISE
        elif field.lies >= 0:
            self.complaint = LIES % (mat.SENSOR_X[field.lies] >> 8, mat.SENSOR_Y[field.lies] >> 8)

    def _surprised(self, peak: int) -> bool:
        """False when a frame, whose largest residual is `peak`, shows nothing that moves."""
        news = self.news
        if self.scene.flying:
            if self._puzzled:
                self.lost.snap()
            if news.due():
                news.bulges()
                news.guard()
                self.hands.ghosts()
                self.resting.watch_red()
            return True
        if (peak >= QUIET_UT and news.surprise() >= 0) or news.stirs():
            return True
        news.odd_frames = 0
        if news.frames & 1 == 0:
            self.scene.field.follow_drift()
        if self.resting.uncounted and not self.scene.pressed():
            self.reacquisition.recount()
        return False

    def _look(self, peak: int) -> None:
        """Looks for what the bodies in flight do not explain, `peak` µT at most."""
        for again in range(WAKE_ROUNDS):
            woken = self.news.look(again)
            if woken is None:
                break
            if self.scene.pressed():
                self._unfitted = True  # it is fitted with the next frame
                break
            self._explain()
        if not self.scene.flying and self.news.odd_frames > USED_TO_FRAMES:
            if peak < AFRESH_LOUD_UT:  # of what is louder, its far field stays news as well
                self.scene.field.follow_drift(USED_TO_UT)

    def _ask_all(self) -> bool:
        """Asks every body in flight what each frame asks, and those more of which more is known to
        be going on. Returns whether there were such."""
        scene = self.scene
        number = scene.flight.survey(0, scene.now_ms)
        if number == len(scene.flying):
            return False
        self._looked_again = False
        living = self._living  # as bodies may leave, or come
        living.clear()
        living.extend(scene.flying)
        while number < len(living):
            body = living[number]
            if body.slot is not None:
                self._live(body)
                scene.flight.update(body)
            number = scene.flight.survey(number + 1, scene.now_ms)
        return True

    def _follow(self, counts: "Sequence[int]") -> int:
        """Takes a frame's counts, and moves the bodies in flight to where it has them; returns the
        largest residual, µT."""
        lock_heap()
        try:
            return self._track(counts)
        finally:
            unlock_heap()

    def _track(self, counts: "Sequence[int]") -> int:
        """As `_follow`, which keeps the heap locked."""
        scene = self.scene
        peak = scene.field.scan(counts)
        if scene.flying:
            scene.field.note()
            self._puzzled = scene.flight.follow(scene.passed, self._unfitted)
            self._unfitted = False
            if self.news.frames == 0:
                scene.field.follow_drift()
        return peak

    def _explain(self) -> None:
        """Fits what has only now been woken."""
        lock_heap()
        try:
            self.scene.flight.join(self.scene.passed)
        finally:
            unlock_heap()

    # ------------------------------------------------------------------ a body's life in flight
    def _live(self, body: "Body") -> None:
        pose, slot = body.pose, body.slot
        slot.flyer[FLYER_AGE] += 1
        if slot.flyer[FLYER_AGE] in SECOND_LOOKS_FRAMES:
            body.doubted = True
        if body.doubted and not (
            self._looked_again or self.scene.facts
        ):  # it takes long, as these do
            self._look_again(body)
        view = self.scene.flight.view
        self.scene.flight.assess(body)
        if view[VIEW_STRONGEST] > (FADED_UT if self._kept_in(body) else FAINT_UT):
            if body.faded_ms:
                self._back_in_sight(body)
        elif self._faded(body):
            return
        misfit = view[VIEW_MISFIT]
        if not body.weighed:  # it may be several per cent stronger or weaker than most
            misfit -= view[VIEW_STRONGEST] >> UNWEIGHED_BITS
        if misfit > LOST_UT:
            slot.halt()
            self.scene.left(body)
            if self._lose(body):
                return
        else:
            geometry.copy(slot.good, pose)
            if view[VIEW_FROM_REST] > LEFT_MM_Q8:
                self.scene.left(body)
            slot.flyer[FLYER_LOST] = 0
        if self._lands(body):
            return
        if not self.stacking.merge_in_flight(body):
            self._rests(body)

    def _look_again(self, body: "Body") -> None:
        """A newcomer's first pose may be wrong."""
        body.doubted = False
        if body.state == TENTATIVE:
            self._looked_again = True
            self.news.look_again(body)

    def _back_in_sight(self, body: "Body") -> None:
        """A hand that was out of sight is seen again, if it comes down over the mat."""
        within = self.scene.flight.view[VIEW_RADIUS] <= self.scene.mat.CIRCLE_RADIUS
        if within or self.scene.now_ms - body.faded_ms >= FADED_MS:
            body.faded_ms = 0

    def _lands(self, body: "Body") -> bool:
        """What a hand does with the body in this frame; whether it was taken apart or has landed on
        another."""
        slot = body.slot
        if body.parts:
            self.stacking.watch(body)
        if body.state <= HELD:
            self.hands.carries(body)
        elif body.state >= MOVING and body.discs > 1 and slot.flyer[FLYER_UNEASY] in SPLIT_FRAMES:
            return self.lost.take_apart(body)
        else:
            self.resting.slides_out(body)
            self.hands.rises(body)
        return body.slot is None

    def _rests(self, body: "Body") -> None:
        """Settles a body that has kept still for long enough."""
        scene, flyer = self.scene, body.slot.flyer
        far = scene.flight.view[VIEW_FROM_ANCHOR]
        if far > STILL_MM_Q8 and far > STILL_MM_Q8 << self._looseness(body):
            geometry.copy(body.slot.anchor, body.pose)
            flyer[FLYER_STILL] = 0
            flyer[FLYER_SINCE] = scene.now_ms & CLOCK
            scene.field.moved()
            return
        flyer[FLYER_STILL] += 1
        if flyer[FLYER_STILL] >= STILL_FRAMES and flyer[FLYER_LOST] == 0:
            self.settling.settle(body)

    def _lose(self, body: "Body") -> bool:
        """The body is not understood; returns whether that had consequences."""
        if body.out_told and body.state >= MOVING and not body.is_red:
            self.scene.take_away(body)
            return True
        body.slot.flyer[FLYER_LOST] += 1
        lost = body.slot.flyer[FLYER_LOST] > GIVE_UP_FRAMES
        if lost and body.state == TENTATIVE:
            self.scene.drop(body)  # it never was what it was taken for
        elif lost and body.state >= MOVING and len(self.scene.flying) == MOST_FLYING:
            self.scene.put_back(body)  # no more can fly
        elif self.lost.due(body):
            self.lost.search_for(body)
        else:
            return False
        return True

    def _looseness(self, body: "Body") -> int:
        """How many bits more than others the body may seem to move: beyond the circle only few
        sensors see it, from one side, and over noisy sensors all seems to move; so it does high up
        on a tower. A disc in a hand that has been low for a while has been set down."""
        view = self.scene.flight.view
        out = view[VIEW_RADIUS] > self.scene.mat.CIRCLE_RADIUS
        steady = body.state <= HELD and body.slot.flyer[FLYER_LOW] < LOW_FRAMES
        high = 0 if body.state <= HELD else max(0, body.pose[Z]) // ON_TOWER_MM_Q8
        return (2 if out else 0 if steady else 1) + high + view[VIEW_HAZE]

    def _faded(self, body: "Body") -> bool:
        """Drops a body whose field is too weak to follow: carried away outward, or high up. Returns
        whether it did."""
        if body.out_told and body.state >= MOVING and not body.is_red:
            self.scene.take_away(body)
            return True
        if body.state >= MOVING:  # a piece does not vanish from the mat: its track has run away
            if not (self.stacking.snapped_up(body) or self.resting.flew_out(body)):
                self._stays_where_seen(body)
                self._lose(body)
            return True
        if body.state != TENTATIVE:
            body.faded_ms = body.faded_ms or self.scene.now_ms
            if body.inside:  # too high to be followed, it may come down again soon
                self._stays_where_seen(body)
                if self.scene.now_ms - body.faded_ms < FADED_MS:
                    return True
            moved_ms = self.scene.time_of(body.slot.flyer[FLYER_SINCE])  # seen to, faint as it is
            self.hands.out_of_sight(body, max(body.faded_ms, moved_ms))
        if body.leaving or body.state != TENTATIVE:
            self.news.hand_left(body)
        self.scene.drop(body)
        return True

    def _kept_in(self, body: "Body") -> bool:
        """False for a hand that came in and seems to be beyond the line now: high up a stack that
        is turned over seems to move far sideways."""
        if body.state != HELD or not body.inside:
            return True
        limit = self.scene.mat.CIRCLE_RADIUS + OVER_CIRCLE_MM_Q8
        return self.scene.flight.view[VIEW_RADIUS] <= limit

    def _stays_where_seen(self, body: "Body") -> None:
        """Puts it back where it was last understood: its field says too little by now."""
        body.slot.halt()
        body.move(body.slot.good, self.scene.fitter)
