"""The scene: all that perception follows, and what keeps it. Every change of what flies, lies, is
held or is gone is made here, whoever concludes it.

A body that flies has a track (`slots` are the free ones, see fit.py), and its field is out of the
residual; one that lies is part of the base.
"""

from .. import facts as f
from ..facts import Fact
from ..kernels import DISCS
from ..kernels._limits import HURRIED_FRAMES
from ..kernels._records import FLYER_LOST, FLYER_UNEASY, MOST_FLYING, X, Y
from ..units import CLOCK
from . import pose as geometry
from .body import HELD, MOVING, RESTING, TENTATIVE, Body
from .contacts import Contacts
from .field import Field
from .fit import Fitter, Track
from .flight import Flight
from .parameters import (
    ASTRAY_MS,
    FITS_US,
    GUARDED_MM_Q8,
    LOOKED_MOST_MM_Q8,
    LOST_NEAR_MM_Q8,
    MISSED_FORGOTTEN_FRAMES,
    MISSED_MOST_FRAMES,
    MOST_PASSED_FRAMES,
    MOST_PERCENT,
    NEWCOMER_INSIDE_MM_Q8,
    NEWCOMER_MM_Q8,
    NEWCOMER_MOVED_MM_Q8,
    NEWCOMER_UT,
    NEWCOMER_WITHIN_MM_Q8,
    OUT_NEAR_MM_Q8,
    PUZZLING_PERCENT,
    PUZZLING_UT,
    RIM_MM_Q8,
    SEEN_PERCENT,
    TRACKS_BODIES,
)
from .search import Search
from .solver import Solver

TYPE_CHECKING = False
if TYPE_CHECKING:
    from array import array

    from ..mat_data.mat import Mat


class Scene:
    """The bodies of one mat, their tracks, and the facts of the frame.

    The buffers and gains of the scene `before` this one, on the same mat, are taken over: the
    chip's heap has no room for two.
    """

    def __init__(self, mat: "Mat", has_red: bool = True, before: "Scene | None" = None) -> None:
        self.mat = mat
        if before:
            self.field, self.solver = before.field, before.solver
            self.fitter, self.search = before.fitter, before.search
            self.slots, self.tracks = before.slots, before.tracks
        else:
            self.field = Field(mat)
            self.solver = Solver(self.field)
            self.fitter = Fitter(self.field, self.solver)
            self.search = Search(self.field, self.fitter)
            self.slots = [Track(mat.DISC_THICKNESS) for _ in range(TRACKS_BODIES)]
            self.tracks = TRACKS_BODIES
        self.bodies: "list[Body]" = []
        self.flying: "list[Body]" = []
        self.contacts = Contacts()
        self.flight = Flight(self.field, self.solver, self.flying, self.contacts)
        self.facts: "list[Fact]" = []
        self.has_red = has_red
        self.red: "Body | None" = None
        self.now_ms = 0
        self.astray: "Body | None" = None  # what was lost in a hand last, at its `cleared_ms`
        self.passed = 1  # frames since the last one that came here: some are lost
        self.missed = 0  # frames lost lately, in 1/16
        self.paced = False  # whether frames come meanwhile, however long this one takes
        self.hurried = False  # whether there is time only for what is likeliest
        self._period_ms = 1000 // mat.FRAME_HZ
        self._next_id = 1

    def begin(self, t_ms: int, waiting: int) -> None:
        """A frame of this time has come, and so many more are `waiting`, as in Tracker.step; no
        facts of it yet."""
        self.facts.clear()
        passed = (t_ms - self.now_ms + (self._period_ms >> 1)) // self._period_ms
        self.passed = max(1, min(passed, MOST_PASSED_FRAMES))
        lost = min(max(0, passed - 1), MISSED_MOST_FRAMES) if self.now_ms else 0  # the first: none
        kept = self.missed * MISSED_FORGOTTEN_FRAMES // (MISSED_FORGOTTEN_FRAMES + lost + 1)
        self.missed = kept + (lost << 4)
        self.hurried = max(passed, waiting) > HURRIED_FRAMES
        self.paced = waiting >= 0
        self.solver.begin(self.paced)
        self.now_ms = t_ms

    def pressed(self) -> bool:
        """Whether what the next frame can do as well is left to it."""
        return self.hurried or (self.paced and self.solver.work_us > FITS_US)

    def seen(self) -> int:
        """How sure any fact of this frame can be, as frames were lost lately: 0..100."""
        return SEEN_PERCENT[min(self.missed >> 6, len(SEEN_PERCENT) - 1)]

    def clear(self, seen: bool) -> None:
        """The end: its buffers are as good as new; `seen` as for Field.clear."""
        while self.flying:
            self.ground(self.flying[-1])
        self.field.clear(seen)

    def free_slot(self) -> "Track | None":
        """A track for a body in flight; None when MOST_FLYING have one. Memory for more than
        TRACKS_BODIES is taken when they are needed first, and kept."""
        if not self.slots and self.tracks < MOST_FLYING:
            self.tracks += 1
            self.slots.append(Track(self.mat.DISC_THICKNESS))
        return self.slots.pop() if self.slots else None

    def shares(self) -> "list[Track]":
        """The tracks of the bodies in flight."""
        return [body.slot for body in self.flying]

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
        if body.state == RESTING:
            body.state = MOVING
        body.slot = slot
        slot.hold(body.pose, body.rest)
        slot.left = left
        self.fitter.enter(slot, body.pose)
        self.fitter.mark(slot, 1)
        body.slot.begin(body.pose, self.now_ms)
        self.flying.append(body)
        self.flight.changed()

    def _lie_down_again(self) -> bool:
        """Lays one down that was woken, lies about where it lay and is understood there: after a
        jolt so many are looked at that no track is left for what moves. Returns whether there was
        one."""
        for body in self.flying:
            slot = body.slot
            if body.state < MOVING or slot.left or slot.flyer[FLYER_LOST]:
                continue
            moved = geometry.strayed(body.pose, body.rest) >= LOOKED_MOST_MM_Q8
            if slot.flyer[FLYER_UNEASY] == 0 and not moved:
                geometry.copy(body.rest, body.pose)
                body.cleared_ms = self.now_ms
                self.put_down(body)
                return True
        return False

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
        body.inside = False
        self.launch(body, slot, True)
        self.field.moved()  # until now it was not there
        self.bodies.append(body)
        return body

    def hand_near(self, body: "Body", reach: int) -> "Body | None":
        """The held body nearest to `body`, within `reach`, or None."""
        best = None
        for other in self.flying:
            if other is not body and other.state <= HELD and other.slot is not None:
                d = geometry.distance(other.pose, body.pose)
                if d < reach:
                    best, reach = other, d
        return best

    def at_rim(self, x: int, y: int) -> bool:
        """True where a hand comes in."""
        return geometry.span(x, y) > self.mat.CIRCLE_RADIUS - RIM_MM_Q8

    def go_astray(self, body: "Body") -> None:
        """A body in a hand is nowhere to be found, deep inside, where hands do not go out, or
        beyond the line, where that is in play."""
        self.astray, body.cleared_ms = body, self.now_ms

    def guarded(self, body: "Body") -> bool:
        """True while a hand is near enough to topple the leaner."""
        hand = self.hand_near(body, GUARDED_MM_Q8)
        return hand is not None and hand.may_topple()

    def lost_near(self, body: "Body") -> bool:
        """True when another body, on the mat near this one, is lost too: that one is what moved."""
        for other in self.flying:
            if other is not body and other.slot.flyer[FLYER_LOST] and other.state > HELD:
                if geometry.distance(other.pose, body.pose) < LOST_NEAR_MM_Q8:
                    return True
        return False

    def announce(self, body: "Body", came: tuple[int, ...] = ()) -> None:
        """Tells that a carried body has come in, unless it is one that was lost in a hand; when
        (ms) and where (x, y, 1/100 mm), if that is not here and now."""
        if body.state == TENTATIVE:
            body.state = HELD
        if body.slot is not None:  # else it lay in a stack that has only now been seen
            body.slot.face = body.face
        lost, first = self.astray, body.rest
        if lost is not None:
            lay = lost.out_asked and lost.state == MOVING
            near = geometry.distance(lost.rest, first) < OUT_NEAR_MM_Q8
            if near if lay else not self.at_rim(first[X], first[Y]):
                self.astray = None
                if self.now_ms - lost.cleared_ms < ASTRAY_MS:
                    body.id = lost.id
                    return
        t_ms = came[0] if came else body.crossed_ms if body.crossed_ms >= 0 else self.now_ms
        self.tell(f.HAND_IN, body, t_ms, spot=came[1:])
        if body.slot is not None and self.doubtful(body):
            body.unconfirmed = self.facts.pop()

    def doubtful(self, body: "Body") -> bool:
        """True for a newcomer that may be no disc in a hand, but what is left over by others: it is
        not well understood, has hardly moved since it was first seen, is near what leaves its
        place, or is hardly inside."""
        pose, slot, fitter = body.pose, body.slot, self.fitter
        if fitter.misfit(pose) > NEWCOMER_UT and fitter.haze(pose) == 0:
            return True
        x, y = pose[X], pose[Y]
        if geometry.span(x - body.rest[X], y - body.rest[Y]) < NEWCOMER_MOVED_MM_Q8:
            return True
        for other in self.flying:
            if other.state >= MOVING and other.slot.left:
                if geometry.distance(other.pose, pose) < NEWCOMER_WITHIN_MM_Q8:
                    return True
        r, speed = geometry.span(x, y), slot.velocity
        comes_in = speed[X] * x + speed[Y] * y < -NEWCOMER_MM_Q8 * r
        return r > self.mat.CIRCLE_RADIUS - NEWCOMER_INSIDE_MM_Q8 and not comes_in

    def without_newcomers(self, body: "Body") -> "list[Body]":
        """Takes the fields of newcomers near another body out of what explains the frame, and
        returns them: each may only be what that body leaves over. Then they are to be dropped, or
        put back by `explain_with`."""
        found = []
        for other in self.flying:
            if other.is_new and other is not body:
                if geometry.distance(other.pose, body.pose) < NEWCOMER_WITHIN_MM_Q8:
                    self.fitter.leave(other.slot)
                    found.append(other)
        return found

    def explain_with(self, bodies: "list[Body]") -> None:
        """Takes the fields of these bodies in flight, which were put back, out of the residual
        again."""
        for body in bodies:
            self.fitter.enter(body.slot, body.pose)

    def lift(self, body: "Body") -> None:
        """A bare hand has picked the body up."""
        body.state = HELD
        body.slot.face = body.face
        if body.out_told and not body.is_red:  # it was out of play already
            self.contacts.forget(body.id)
            body.id = 0
            body.inside, body.state = False, TENTATIVE
            body.leaving = True
        else:
            self.tell(f.LIFTED, body, self.now_ms)
            # one that lay across the line has not gone out when it is lifted there
            r = geometry.span(body.rest[X], body.rest[Y])
            body.inside = r <= self.mat.CIRCLE_RADIUS
        body.slot.begin(body.pose, self.now_ms)

    def take_off(self, upper: "Body", stayed: "Body") -> None:
        """A bare hand has lifted the upper discs of a stack, of which `stayed` is the rest."""
        upper.state, upper.inside = HELD, True
        upper.slot.face = upper.face
        if stayed.id:
            self.tell(f.LIFTED, upper, self.now_ms, (stayed.id,))

    def put_back(self, body: "Body") -> None:
        """Into the base again as it lay: what the frames show beyond it is somebody else's."""
        slot = body.slot
        self.ground(body)
        geometry.copy(body.pose, body.rest)
        self.field.put_in(body.pose)
        if slot.left:
            self.field.recall(body.pose, slot.kept)
        body.state = RESTING
        body.cleared_ms = self.now_ms

    def put_down(self, body: "Body") -> None:
        """From flight into the base; what the model does not explain there becomes bias."""
        self.ground(body)
        self.field.put_in(body.pose)
        body.state = RESTING
        body.jolted = False
        self.field.accept()

    def take_away(self, body: "Body") -> None:
        """A piece that lay outside the circle is picked up: it is out of play and needs no
        telling."""
        if body.slot is None:
            self.field.take_out(body.pose)
            self.field.forget(body.pose)
        self.drop(body)

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
        number: int = 0,
        spot: tuple[int, ...] = (),
    ) -> None:
        """Adds a fact about `body`, which gets its id when it is first told of, or about the piece
        of this `number`, which is part of it now; at this spot (x, y, 1/100 mm), else where it is.
        A result is final facts.LATEST_MS after it: nothing is dated further back."""
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
        x, y = spot or body.spot_cmm(self.mat.DISC_RADIUS)
        t_ms = max(t_ms, self.now_ms - f.LATEST_MS)
        puzzles = self.fitter.misfit(body.pose) >= PUZZLING_UT
        confidence = min(confidence, self.seen(), PUZZLING_PERCENT if puzzles else MOST_PERCENT)
        self.facts.append(
            Fact(
                kind, t_ms, number or body.id, others, body.shows, discs or body.pose[DISCS], x, y,
                body.tilt_deg(), d, body.shape if shape is None else shape, why, confidence,
            )
        )  # fmt: skip
