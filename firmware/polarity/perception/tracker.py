"""Follows every body on and above the mat from frame to frame, and says what has happened.

Predict, then explain the residue: resting bodies are part of the base, so a quiet frame costs one
pass. What a frame shows beyond it is explained, in this order, by the bodies already in flight, by
waking a resting body close by, by a new disc in a hand, and, where a track is lost, by a search
over what may have become of it.
"""

from .. import facts as f
from ..facts import Fact
from ..kernels import DISCS, Z, lock_heap, unlock_heap
from ..kernels._limits import (
    FADED_UT,
    HURRIED_FRAMES,
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
    MOST_FLYING,  # one more waits until a slot is free
    VIEW_FROM_ANCHOR,
    VIEW_FROM_REST,
    VIEW_HAZE,
    VIEW_MISFIT,
    VIEW_RADIUS,
    VIEW_STRONGEST,
)
from ..units import CLOCK
from . import pose as geometry
from .body import Body
from .contacts import Contacts
from .doubt import understood
from .field import Field
from .fit import Fitter, Track
from .flight import Flight
from .hands import Hands
from .lost import Lost
from .news import News
from .parameters import (
    FADED_MS,
    FAINT_UT,
    GIVE_UP_FRAMES,
    LOOKED_MOST_MM_Q8,
    MOST_PASSED_FRAMES,
    MOST_PERCENT,
    ON_TOWER_MM_Q8,
    QUIET_UT,
    REFUSED_ROUNDS,
    RESTLESS_ONE_IN_SENSORS,
    SPLIT_FRAMES,
    TRACKS_BODIES,
    UNWEIGHED_BITS,
    USED_TO_FRAMES,
    USED_TO_UT,
    WAKE_ROUNDS,
)
from .reacquire import Reacquisition
from .resting import Resting
from .search import Search
from .settle import Settling
from .slip import Slip
from .solver import Solver
from .stacking import Stacking

TYPE_CHECKING = False
if TYPE_CHECKING:
    from array import array
    from collections.abc import Sequence

    from ..mat_data.mat import Mat

NOISE = "noise: the counts do not come from a bare mat at rest"
LIES = "clear the mat: something lies near %d mm, %d mm"


class Tracker:
    """One mat's scene. `step` takes a frame and returns the facts that it settled (often none).

    The buffers and gains of the tracker `before` this one, on the same mat, are taken over: the
    chip's heap has no room for two.
    """

    def __init__(self, mat: "Mat", has_red: bool = True, before: "Tracker | None" = None) -> None:
        self.mat = mat
        if before:
            before.hand_over()
            self.field, self.solver = before.field, before.solver
            self.fitter, self.search = before.fitter, before.search
            self.slots, self._tracks = before.slots, before._tracks
        else:
            self.field = Field(mat)
            self.solver = Solver(self.field)
            self.fitter = Fitter(self.field, self.solver)
            self.search = Search(self.field, self.fitter)
            self.slots = [Track(mat.DISC_THICKNESS) for _ in range(TRACKS_BODIES)]
            self._tracks = TRACKS_BODIES
        self.contacts = Contacts()
        self.flight = Flight(self)
        self.news = News(self)
        self.lost = Lost(self)
        self.hands = Hands(self)
        self.stacking = Stacking(self)
        self.settling = Settling(self)
        self.resting = Resting(self)
        self.slip = Slip(self)
        self.reacquisition = Reacquisition(self)
        self.bodies: "list[Body]" = []
        self.flying: "list[Body]" = []
        self._living: "list[Body]" = []
        self.facts: "list[Fact]" = []
        self.ready = False
        self.complaint = ""  # why the mat cannot be read, "" while it can
        self._refused = 0  # rounds of frames that were not those of a bare mat
        self.has_red = has_red
        self.red: "Body | None" = None
        self.now_ms = 0
        self.passed = 1  # frames since the last one that came here: some are lost
        self.hurried = False  # whether there is time only for what is likeliest
        self._period_ms = 1000 // mat.FRAME_HZ
        self._next_id = 1
        self._looked_again = False  # in this frame
        self._puzzled = 0  # whether something has only now come not to be understood

    def hand_over(self) -> None:
        """The end: its buffers are as good as new."""
        while self.flying:
            self.ground(self.flying[-1])
        self.field.clear(self.ready)

    def step(self, t_ms: int, counts: "Sequence[int]", waiting: int = 0) -> "list[Fact]":
        """Takes one frame of raw counts; returns the list of new facts (the tracker's own list:
        use it at once). Where frames were lost since the last, or many are `waiting`, optional
        refinement is skipped."""
        self.facts.clear()
        passed = (t_ms - self.now_ms + (self._period_ms >> 1)) // self._period_ms
        self.passed = max(1, min(passed, MOST_PASSED_FRAMES))
        self.hurried = max(passed, waiting) > HURRIED_FRAMES
        self.now_ms = t_ms
        if not self.ready:
            self._take_baseline(counts)
        elif self._surprised(self._follow(counts)):
            self._look()
            if self._ask_all() or self.news.odd_frames or self.reacquisition.waits:
                self.reacquisition.watch()
        return self.facts

    def _take_baseline(self, counts: "Sequence[int]") -> None:
        """Takes a frame of the bare mat, or says why it is none."""
        field, mat = self.field, self.mat
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
        if self.flying:
            if self._puzzled:
                self.lost.snap()
            if news.due():
                news.bulges()
                news.guard()
                self.hands.ghosts()
            return True
        if (peak >= QUIET_UT and news.surprise() >= 0) or news.stirs():
            return True
        news.odd_frames = 0
        if news.frames & 1 == 0:
            self.field.follow_drift()
        return False

    def _look(self) -> None:
        """Looks for what the bodies in flight do not explain."""
        for again in range(WAKE_ROUNDS):
            woken = self.news.look(again)
            if woken is None or self.hurried:
                break  # a woken body is fitted with the next frame then
            self._explain(woken)
        if not self.flying and self.news.odd_frames > USED_TO_FRAMES:
            self.field.follow_drift(USED_TO_UT)

    def _ask_all(self) -> bool:
        """Asks every body in flight what each frame asks, and those more of which more is known to
        be going on. Returns whether there were such."""
        number = self.flight.survey(0)
        if number == len(self.flying):
            return False
        self._looked_again = False
        living = self._living  # as bodies may leave, or come
        living.clear()
        living.extend(self.flying)
        while number < len(living):
            body = living[number]
            if body.slot is not None:
                self._live(body)
                self.flight.update(body)
            number = self.flight.survey(number + 1)
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
        peak = self.field.scan(counts)
        if self.flying:
            self.field.note()
            self._puzzled = self.flight.follow()
            if self.news.frames == 0:
                self.field.follow_drift()
        return peak

    def _explain(self, woken: "Body") -> None:
        lock_heap()
        try:
            self.flight.join(woken)
        finally:
            unlock_heap()

    def free_slot(self) -> "Track | None":
        """A track for a body in flight; None when MOST_FLYING have one. Memory for more than
        MOSTLY_FLYING is taken when they are needed first, and kept."""
        if not self.slots and self._tracks < MOST_FLYING:
            self._tracks += 1
            self.slots.append(Track(self.mat.DISC_THICKNESS))
        return self.slots.pop() if self.slots else None

    def wake(self, body: "Body", loud: bool = False) -> "Body | None":
        """A resting body may be moving: it leaves the base and flies until it has settled again.
        Returns it; None when no slot is free. One that is `loud` gets that of a body which was
        only looked at."""
        slot = self.free_slot()
        if slot is None and loud and self._lie_down_again():
            slot = self.free_slot()
        if slot is None:
            return None
        geometry.copy(body.rest, body.pose)
        self.field.take_out(body.pose)
        self.launch(body, slot, False)
        self.flight.expect(body)
        return body

    def launch(self, body: "Body", slot: "Track", left: bool) -> None:
        """A body flies from now on, on this track; `left`: it is not where it last lay. Its field
        must be in the residual."""
        body.slot = slot
        slot.hold(body.pose, body.rest)
        slot.left = left
        self.fitter.enter(slot, body.pose)
        self.fitter.mark(slot, 1)
        self.start(body)
        self.flying.append(body)
        self.flight.changed()

    def _lie_down_again(self) -> bool:
        """Lays one down that was woken, lies about where it lay and is understood there: after a
        jolt so many are looked at that no track is left for what moves. Returns whether there was
        one."""
        for body in self.flying:
            slot = body.slot
            if not body.lying or body.held or slot.left or slot.flyer[FLYER_LOST]:
                continue
            moved = geometry.strayed(body.pose, body.rest) >= LOOKED_MOST_MM_Q8
            if slot.flyer[FLYER_UNEASY] == 0 and not moved:
                geometry.copy(body.rest, body.pose)
                body.cleared_ms = self.now_ms
                self.settling.put_down(body)
                return True
        return False

    def start(self, body: "Body") -> None:
        body.slot.begin(body.pose, self.now_ms)

    def left(self, body: "Body") -> None:
        """A woken body is no longer where it lay: what it did to the bias there ends, and those
        that it touched, which were understood together with it, are looked at again."""
        slot = body.slot
        if slot.left:
            return
        self.field.forget(body.rest, slot.kept)
        slot.left = True
        slot.changed()
        if not self.contacts.touches(body.id):
            return
        for other in self.bodies:
            if other.slot is None and self.contacts.touch(body.id, other.id):
                self.wake(other)

    def ground(self, body: "Body") -> None:
        """Takes a body out of flight; its share goes back into the residual."""
        self.fitter.mark(body.slot, -1)
        self.fitter.leave(body.slot)
        body.slot.ground()
        self.slots.append(body.slot)
        body.slot = None  # pyright: ignore[reportAttributeAccessIssue]  # as in Body
        self.flying.remove(body)
        self.flight.changed()

    def time_of(self, clock: int) -> int:
        """The time, not after now, of which a record holds these bits, ms. Records hold no more, as
        times grow beyond a word within 25 days."""
        return self.now_ms - (self.now_ms - clock & CLOCK)

    def drop(self, body: "Body") -> None:
        """A body is no longer there."""
        if body.slot is not None:
            self.left(body)
            self.ground(body)
        self.contacts.forget(body.id)
        self.bodies.remove(body)
        if body is self.red:
            self.red = None

    def new_body(self, pose: "array[int]") -> "Body | None":
        """A body in flight at `pose`, not yet in a hand or at rest; None when there is no slot for
        it."""
        slot = self.free_slot()
        if slot is None:
            return None
        body = Body(self.mat.DISC_THICKNESS)
        geometry.copy(body.pose, pose)
        geometry.copy(body.rest, pose)
        body.held = True
        body.inside = False
        self.launch(body, slot, True)
        self.bodies.append(body)
        return body

    def hand_near(self, body: "Body", reach: int) -> "Body | None":
        """The held body nearest to `body`, within `reach`, or None."""
        best = None
        for other in self.flying:
            if other is not body and other.held and other.slot is not None:
                d = geometry.distance(other.pose, body.pose)
                if d < reach:
                    best, reach = other, d
        return best

    # ------------------------------------------------------------------ a body's life in flight
    def _live(self, body: "Body") -> None:
        pose, slot = body.pose, body.slot
        slot.flyer[FLYER_AGE] += 1
        if slot.flyer[FLYER_AGE] in SECOND_LOOKS_FRAMES:
            body.doubted = True
        if body.doubted and not (self._looked_again or self.facts):  # it takes long, as these do
            self._look_again(body)
        view = self.flight.view
        self.flight.assess(body)
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
            self.left(body)
            if self._lose(body):
                return
        else:
            geometry.copy(slot.good, pose)
            if view[VIEW_FROM_REST] > LEFT_MM_Q8:
                self.left(body)
            slot.flyer[FLYER_LOST] = 0
        if self._lands(body):
            return
        if not self.stacking.merge_in_flight(body):
            self._rests(body)

    def _look_again(self, body: "Body") -> None:
        """A newcomer's first pose may be wrong."""
        body.doubted = False
        if body.held and not body.lying and not body.announced:
            self._looked_again = True
            self.news.look_again(body)

    def _back_in_sight(self, body: "Body") -> None:
        """A hand that was out of sight is seen again, if it comes down over the mat."""
        within = self.flight.view[VIEW_RADIUS] <= self.mat.CIRCLE_RADIUS
        if within or self.now_ms - body.faded_ms >= FADED_MS:
            body.faded_ms = 0

    def _lands(self, body: "Body") -> bool:
        """What a hand does with the body in this frame; whether it was taken apart or has landed on
        another."""
        slot = body.slot
        if body.held:
            self.hands.carries(body)
        elif body.lying and body.discs > 1 and slot.flyer[FLYER_UNEASY] in SPLIT_FRAMES:
            return self.lost.take_apart(body)
        else:
            self.hands.rises(body)
        return body.slot is None

    def _rests(self, body: "Body") -> None:
        """Settles a body that has kept still for long enough."""
        pose, slot = body.pose, body.slot
        far = self.flight.view[VIEW_FROM_ANCHOR]
        if far > STILL_MM_Q8 and far > STILL_MM_Q8 << self._looseness(body):
            geometry.copy(slot.anchor, pose)
            slot.flyer[FLYER_STILL] = 0
            slot.flyer[FLYER_SINCE] = self.now_ms & CLOCK
            self.field.moved()
            return
        slot.flyer[FLYER_STILL] += 1
        if slot.flyer[FLYER_STILL] >= STILL_FRAMES and slot.flyer[FLYER_LOST] == 0:
            self.settling.settle(body)

    def _lose(self, body: "Body") -> bool:
        """The body is not understood; returns whether that had consequences."""
        if body.out_told and body.lying and not body.is_red:
            self.news.take_away(body)
            return True
        body.slot.flyer[FLYER_LOST] += 1
        lost = body.slot.flyer[FLYER_LOST] > GIVE_UP_FRAMES
        if lost and not body.lying and not body.announced:
            self.drop(body)  # it never was what it was taken for
        elif lost and body.lying and not self.slots and self._tracks == MOST_FLYING:
            self.settling.put_back(body)
        elif self.lost.due(body):
            self.lost.search_for(body)
        else:
            return False
        return True

    def _looseness(self, body: "Body") -> int:
        """How many bits more than others the body may seem to move: beyond the circle only few
        sensors see it, from one side, and over noisy sensors all seems to move; so it does high up
        on a tower. A disc in a hand that has been low for a while has been set down."""
        view = self.flight.view
        out = view[VIEW_RADIUS] > self.mat.CIRCLE_RADIUS
        steady = body.held and body.slot.flyer[FLYER_LOW] < LOW_FRAMES
        high = 0 if body.held else max(0, body.pose[Z]) // ON_TOWER_MM_Q8
        return (2 if out else 0 if steady else 1) + high + view[VIEW_HAZE]

    def _faded(self, body: "Body") -> bool:
        """Drops a body whose field is too weak to follow: carried away outward, or high up. Returns
        whether it did."""
        if body.out_told and body.lying and not body.is_red:
            self.news.take_away(body)
            return True
        if body.lying:  # a piece does not vanish from the mat: its track has run away
            if not (self.stacking.snatched(body) or self.resting.flew_out(body)):
                self.lost.look_for(body)
            return True
        if body.announced:
            if body.inside and self._may_come_down(body):
                return True
            self.tell(f.HAND_OUT, body, body.faded_ms or self.now_ms)
        if body.leaving or body.announced:
            self.news.hand_left(body)
        self.drop(body)
        return True

    def _kept_in(self, body: "Body") -> bool:
        """False for a hand that came in and seems to be beyond the line now: high up a stack that
        is turned over seems to move far sideways."""
        limit = self.mat.CIRCLE_RADIUS + OVER_CIRCLE_MM_Q8
        return not (body.announced and body.inside and self.flight.view[VIEW_RADIUS] > limit)

    def _may_come_down(self, body: "Body") -> bool:
        """A hand that is too high to be followed: it may come down again soon, where it was
        last."""
        slot = body.slot
        if not body.faded_ms:
            body.faded_ms = self.now_ms
        slot.halt()
        self.fitter.leave(slot)  # it stays where it was understood: its field says too little
        geometry.copy(body.pose, slot.good)
        self.fitter.enter(slot, body.pose)
        return self.now_ms - body.faded_ms < FADED_MS

    def tell_jolt(self) -> None:
        """The whole mat was shaken."""
        self.facts.append(Fact(f.JOLT, self.now_ms))
        self.slip.begin()

    def named(self, number: int) -> None:
        """This number, and those below, are names already."""
        self._next_id = max(self._next_id, number + 1)

    def confirm(self, body: "Body") -> None:
        """The newcomer is one: its coming in is told."""
        if body.unconfirmed:
            self.facts.append(body.unconfirmed)
            body.unconfirmed = None

    def tell(
        self,
        kind: str,
        body: "Body",
        t_ms: int,
        others: tuple[int, ...] = (),
        d: int = 0,
        why: str = "",
        shape: "str | None" = None,
        discs: int = 0,
        confidence: int = MOST_PERCENT,
    ) -> None:
        """Adds a fact about `body`, which gets its id when it is first told of. A result is final
        facts.LATEST_MS after it: nothing is dated further back.
        """
        if body.unconfirmed:
            if kind == f.HAND_OUT:
                body.unconfirmed = None  # it was none
                return
            self.confirm(body)
        for other in self.flying if others else ():
            if other.id in others:
                self.confirm(other)
        if body.id == 0:
            body.id = self._next_id
            self._next_id += 1
        x, y = body.spot_cmm(self.mat.DISC_RADIUS)
        t_ms = max(t_ms, self.now_ms - f.LATEST_MS)
        confidence = min(confidence, understood(self.fitter.misfit(body.pose)))
        self.facts.append(
            Fact(
                kind, t_ms, body.id, others, body.face, discs or body.pose[DISCS], x, y,
                body.tilt_deg(), d, body.shape if shape is None else shape, why, confidence,
            )
        )  # fmt: skip
