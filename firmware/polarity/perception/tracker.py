"""Follows every body on and above the mat from frame to frame, and says what has happened.

Predict, then explain the residue: resting bodies are part of the base, so a quiet frame costs one
pass. What a frame shows beyond it is explained, in this order, by the bodies already in flight, by
waking a resting body close by, by a new disc in a hand, and, where a track is lost, by a search
over what may have become of it.
"""

from .. import facts as f
from ..facts import Fact
from ..kernels import AX, AY, AZ, DISCS, THICKNESS, X, Y, Z, add_at, add_size, surprise
from . import pose as geometry
from .body import FREE_TILT, Body
from .contacts import Contacts
from .field import QUIET_UT, Field
from .fit import Fitter, Track
from .search import AT_REST, GONE, JOINED, JOINED_BOTH, MOVED, STACKED, STAYS, Rescue, Search
from .settle import Settling
from .solver import FLAT, FREE, HAND, LOOSE, LYING, MOST, NEWCOMER, OUTSIDE, Solver, lay_flat

_MM = 256
MOST_FLYING = 8  # bodies in flight at once; one more waits until a slot is free
LOST_UT = 1000  # a track that leaves more than this unexplained is losing its body
STRICT = 4  # bits: how much more a calm body keeps to its course
STEADY = 6  # and a hand where there is nothing else to go by
UNDERSTOOD = 8  # (64 µT)^2 a sensor: what a fit of flat bodies may leave, else they may fly
PUZZLING = 40  # and what a fit may leave before it is tried from elsewhere
LOST_FROM_VIEW = 200  # and above which a body is believed to be where it was last understood
TOGETHER = 130 * _MM  # bodies in flight this near each other are fitted together
GIVE_UP_FRAMES = 48
GONE_MS = 400  # for so long a disc that goes out of sight may still be seen
PATIENCE = 20  # frames for which a guess that explains only half is not taken
VAGUE = 25  # (64 µT)^2 a sensor: what it leaves over
REST_MS = 30  # between two searches
# frames a track may be lost before it is searched for, again and again
RESCUES = (3, 4, 5, 6, 7, 8, 9, 12, 13, 14, 15, 24, 25, 26, 27)
ODD_LOOKS = (2, 5, 10)  # frames that a surprise must last before a new disc is looked for
ODD_FRAMES_INSIDE = 24  # and how often it is looked for after that
USED_TO_FRAMES = 60  # a surprise that stays, and that nothing explains, is lived with
USED_TO_UT = 1500
HIGH = 50 * _MM  # above the sensors
RIM = 45 * _MM
LOUD_UT = 3000  # a surprise that is louder is no hand still far away
CLEARED_MS = 300  # a woken body that had not moved is left alone for so long
WAKE_RANGE = 40 * _MM  # a surprise this close to a resting body's centre wakes it
STEPS = 6  # Gauss-Newton steps a frame at most
SECOND_LOOKS = (4, 9, 18, 36)  # ages in frames at which a newcomer's pose is doubted
SETTLING_IN = 12  # frames in which a new track may still jump
STILL_MM = 90  # 0.35 mm
STILL_TURN = 90  # Q12: 1.3 degrees
STILL_FRAMES = 14
PARTED_HEIGHT = 28 * _MM  # so far up nothing snaps to it any more
LIFT_CLEARANCE = 5 * _MM
NOISE = "noise: the counts do not come from a bare mat at rest"


class Tracker:
    """One mat's scene. `step` takes a frame and returns the facts that it settled (often none)."""

    def __init__(self, mat, has_red=True):
        self.mat = mat
        self.field = Field(mat)
        self.solver = Solver(self.field)
        self.fitter = Fitter(self.field, self.solver)
        self.search = Search(self.field, self.fitter)
        self.rescue = Rescue(self.search)
        self.contacts = Contacts()
        self.settling = Settling(self)
        self.bodies = []
        self.flying = []
        self.slots = [Track(mat.DISC_THICKNESS) for _ in range(MOST_FLYING)]
        self.facts = []
        self.ready = False
        self.complaint = ""  # why the mat cannot be read, "" while it can
        self.has_red = has_red
        self.red = None
        self.now_ms = 0
        self._next_id = 1
        self._odd_frames = 0
        self._quiet_frames = 0
        self._bulge_looks = 0
        self._rescued_ms = 0
        self._searched = None
        self._left = None  # where a hand was last seen to leave, and when
        self._left_ms = 0

    # ------------------------------------------------------------------ the frame
    def step(self, t_ms, counts):
        """Takes one frame of raw counts; returns the list of new facts (the tracker's own list:
        use it at once)."""
        self.facts.clear()
        self.now_ms = t_ms
        if not self.ready:
            self.ready = self.field.baseline(counts)
            if self.ready:
                self.complaint = ""
            elif self.field.restless * 8 >= self.field.n:
                self.complaint = NOISE
            return self.facts
        peak = self.field.scan(counts)
        if not self.flying:
            if (peak < QUIET_UT or not self._surprised()) and not self._bulges():
                self._odd_frames = 0
                self.field.follow_drift()
                return self.facts
        else:
            self._follow()
            self._quiet_frames += 1
            if self._quiet_frames & 7 == 0:
                self.field.follow_drift()
        for again in range(3):
            woken = self._look_for_news(again)
            if woken is None:
                break
            self._explain(self._group(woken, self.flying), True)
        if not self.flying and self._odd_frames > USED_TO_FRAMES:
            self.field.follow_drift(USED_TO_UT)
        for body in list(self.flying):
            if body.slot is not None:
                self._live(body)
        return self.facts

    def _bulges(self):
        """Every fourth quiet frame: True when a disc may have come in high up; a body is then
        there for it if that is so."""
        self._quiet_frames = (self._quiet_frames + 1) & 3
        if self._quiet_frames:
            return False
        k = self.field.bulge()
        if k < 0:
            self._bulge_looks = 0
            return False
        self._bulge_looks += 1
        if self._bulge_looks in ODD_LOOKS:
            self._spawn(k, None)
        return bool(self.flying)

    def _surprised(self):
        field = self.field
        return surprise(field.resid, field.moving, field.field, field.n, QUIET_UT) >= 0

    def _follow(self):
        """Moves every body in flight to where this frame has it."""
        for body in self.flying:
            pose = body.pose
            geometry.copy(body.slot.expected, pose)
            for k in (X, Y, Z):
                pose[k] += body.slot.velocity[k]
            if not body.held:
                for k in (AX, AY, AZ):
                    pose[k] += pose[k] - body.slot.before[k]
                geometry.normalise(pose)
            geometry.copy(body.slot.before, body.slot.expected)
            self._expect(body)
        left = list(self.flying)
        while left:
            group = self._group(left[0], left)
            for body in group:
                left.remove(body)
            self._explain(group, False)
        for body in self.flying:
            for k in (X, Y, Z):
                v = body.pose[k] - body.slot.before[k] - body.slot.velocity[k]
                body.slot.velocity[k] += (v + 2) >> 2 if body.held else (v + 1) >> 1

    def _expect(self, body):
        """Sets where the body should be in this frame, from its predicted pose."""
        geometry.copy(body.slot.expected, body.pose)
        if body.held:
            body.memory = HAND if body.age_frames > SETTLING_IN else NEWCOMER
            if body.memory is NEWCOMER or body.pose[Z] > HIGH:
                # so far off its tilt shows little: discs are mostly carried level
                expected = body.slot.expected
                geometry.set_axis(
                    expected,
                    expected[AX] * 7 >> 3,
                    expected[AY] * 7 >> 3,
                    (expected[AZ] * 7 >> 3) + (geometry.ONE >> 3) * body.face,
                )
        elif body.leaning and geometry.sine(body.pose) > FREE_TILT:
            body.memory = LOOSE
        else:
            out = geometry.span(body.pose[X], body.pose[Y]) > self.mat.CIRCLE_RADIUS
            body.memory = OUTSIDE if out else LYING
            lay_flat(body.slot.expected, self.mat, body.face)

    def _group(self, body, bodies):
        """`body` and those of `bodies` near it, nearest first, as many as can be fitted
        together."""
        near = []
        for k, other in enumerate(bodies):
            d = geometry.distance(body.pose, other.pose)
            if d < TOGETHER:
                near.append((d, k))
        near.sort()
        return [bodies[k] for _, k in near[:MOST]]

    def _explain(self, group, entered):
        """Fits the bodies of a group together. `entered`: they have their fields out of the
        residual, and are marked."""
        fitter = self.fitter
        for body in group:
            if entered:
                self._mark(body.slot, -1)
                fitter.leave(body.slot)
        for body in group:
            geometry.copy(body.slot.start, body.pose)
        cost = self._fit(group, 0, STRICT)
        if cost > UNDERSTOOD:
            cost = self._fit(group, 0, 0)
        if cost > PUZZLING:
            cost = self._keep_course(group, cost)
        if cost > LOST_FROM_VIEW:
            for body in group:
                if not body.held:
                    geometry.copy(body.pose, body.slot.good)
        for body in group:
            fitter.enter(body.slot, body.pose)
            self._mark(body.slot, 1)

    def _keep_course(self, group, cost):
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

    def _fit(self, group, steady, calm):
        """Fits the group from where its bodies are. Hands keep to their course by `steady` bits
        more, the others by `calm` bits; while those are calm, what lies flat stays flat."""
        solver = self.solver
        solver.clear()
        for body in group:
            mode = FREE
            if calm and not body.held and self._lies_flat(body):
                mode = FLAT
                lay_flat(body.pose, self.mat, body.face)
            strict = steady if body.held else calm
            solver.add(body.pose, mode, body.slot.expected, body.memory, strict, body.held)
        return solver.solve(STEPS)

    def _lies_flat(self, body):
        """True for a body in flight that lies on the mat as far as is known."""
        pose = body.pose
        low = pose[Z] + self.mat.SENSOR_Z - (pose[DISCS] * pose[THICKNESS] >> 1)
        return low < 2 * _MM and geometry.sine(pose) < FREE_TILT

    def _look_for_news(self, again):
        """Whatever is still not explained wakes a resting body, which it returns, or, lasting,
        brings a new one."""
        field = self.field
        k = surprise(field.resid, field.moving, field.field, field.n, QUIET_UT)
        if k < 0:
            self._odd_frames = 0
            return None
        if again == 0:
            self._odd_frames += 1
        x, y = self.mat.SENSOR_X[k], self.mat.SENSOR_Y[k]
        hand = None
        for body in self.flying:
            if body.held and not body.lying:
                hand = body
        nearest = self._sleeper_near(x, y, abs(field.resid[k]) > LOST_UT)
        inside = abs(field.resid[k]) > LOST_UT and self._odd_frames % ODD_FRAMES_INSIDE == 0
        if self._odd_frames > ODD_LOOKS[-1] and not self._at_rim(x, y):
            self._get_used_to(k)
        if hand is not None:
            if nearest is not None:
                return self.wake(nearest)
            if self._odd_frames in ODD_LOOKS and not hand.announced:
                # one disc comes in at a time: rather than a second one, the first is elsewhere
                self._look_again(hand)
            elif inside and not self._lost_near(hand):
                self._spawn(k, None)
            return None
        if inside:
            self._spawn(k, nearest)
        elif nearest is None or (self._at_rim(x, y) and abs(field.resid[k]) < LOUD_UT):
            if self._odd_frames in ODD_LOOKS or self._odd_frames & 15 == 0:
                self._spawn(k, nearest)
        elif nearest is not None:
            return self.wake(nearest)
        return None

    def _get_used_to(self, k):
        """A small surprise inside the circle that stays is lived with, lest it hide another."""
        field = self.field
        v = field.resid[k]
        if -USED_TO_UT < v < USED_TO_UT and field.moving[k] < QUIET_UT:
            v >>= 3
            field.base[k] += v
            field.bias[k] += v
            field.resid[k] -= v

    def _sleeper_near(self, x, y, loud):
        """The resting body nearest to (x, y) that may have moved, or None. One that has just been
        found unmoved has only if the surprise is `loud`."""
        nearest, least = None, WAKE_RANGE
        for body in self.bodies:
            if body.slot is None and (loud or self.now_ms - body.cleared_ms > CLEARED_MS):
                d = geometry.span(body.pose[X] - x, body.pose[Y] - y)
                if d < least:
                    nearest, least = body, d
        return nearest

    # ------------------------------------------------------------------ bodies come and go
    def free_slot(self):
        return self.slots.pop() if self.slots else None

    def wake(self, body):
        """A resting body may be moving: it leaves the base and flies until it has settled again.
        Returns it; None when no slot is free."""
        slot = self.free_slot()
        if slot is None:
            return None
        geometry.copy(body.rest, body.pose)
        self.field.take_out(body.pose, slot.kept)
        body.slot = slot
        self.fitter.enter(slot, body.pose)
        self._mark(slot, 1)
        self._start(body)
        self._expect(body)
        self.flying.append(body)
        return body

    def _start(self, body):
        geometry.copy(body.slot.anchor, body.pose)
        geometry.copy(body.slot.before, body.pose)
        geometry.copy(body.slot.good, body.pose)
        for k in (X, Y, Z):
            body.slot.velocity[k] = 0
        body.still_frames = body.lost_frames = body.age_frames = body.clear_frames = 0
        body.since_ms = self.now_ms

    def _mark(self, slot, sign):
        """Adds what a body in flight does, or takes it back, from what may move in this frame."""
        add_size(self.field.moving, slot.index, slot.values, slot.count, sign)

    def ground(self, body):
        """Takes a body out of flight; its share goes back into the residual."""
        self._mark(body.slot, -1)
        self.fitter.leave(body.slot)
        self.slots.append(body.slot)
        body.slot = None
        self.flying.remove(body)

    def drop(self, body):
        """A body is no longer there."""
        if body.slot is not None:
            self.ground(body)
        self.contacts.forget(body.id)
        self.bodies.remove(body)
        if body is self.red:
            self.red = None

    def new_body(self, pose):
        """A body in flight at `pose`, not yet in a hand or at rest; None when there is no slot for
        it."""
        slot = self.free_slot()
        if slot is None:
            return None
        body = Body(self.mat.DISC_THICKNESS)
        geometry.copy(body.pose, pose)
        geometry.copy(body.rest, pose)
        body.slot = slot
        self.fitter.enter(slot, body.pose)
        self._mark(slot, 1)
        body.held = True
        body.inside = False
        self._start(body)
        self.flying.append(body)
        self.bodies.append(body)
        return body

    def _at_rim(self, x, y):
        """True where a hand comes in."""
        return geometry.span(x, y) > self.mat.CIRCLE_RADIUS - RIM

    def _spawn(self, k, sleeper):
        """A surprise at sensor `k` with no hand about: a disc that comes in, or the `sleeper` (may
        be None) that moves, whichever explains it better."""
        search, fitter = self.search, self.fitter
        x, y = self.mat.SENSOR_X[k], self.mat.SENSOR_Y[k]
        if self._has_just_left(x, y) and abs(self.field.resid[k]) < LOUD_UT:
            return
        for body in self.bodies if abs(self.field.resid[k]) > 2 * QUIET_UT else ():
            if body.out_told and not body.is_red and body.slot is None:
                if geometry.span(body.pose[X] - x, body.pose[Y] - y) < 80 * _MM:
                    self._take_away(body)
                    return
        search.region(x, y, 75 * _MM)
        before = search.cost()
        moved = before
        if sleeper is not None:
            trial = search.trials[0]
            geometry.copy(trial.pose, sleeper.pose)
            trial.mode = FREE
            share = search.trials[1].slot
            fitter.enter(share, sleeper.pose)
            add_at(self.field.resid, share.index, share.values, share.count, 2)
            moved = search.evaluate(1, 6)
            add_at(self.field.resid, share.index, share.values, share.count, -1)
        cost, pose, mode = search.new_disc(k, 1, True)
        if cost * (2 if self._at_rim(x, y) else 4) < before and cost * 4 < moved * 3:
            self.new_body(pose)
            self._odd_frames = 0
        elif sleeper is not None:
            self.wake(sleeper)

    def _has_just_left(self, x, y):
        """True near where a hand has just gone out of sight: what is seen there is still that."""
        if self._left is None or self.now_ms - self._left_ms > GONE_MS:
            return False
        return geometry.span(self._left[0] - x, self._left[1] - y) < 130 * _MM

    def _take_away(self, body):
        """A piece that lay outside the circle is picked up: it is out of play and needs no
        telling."""
        if body.slot is None:
            self.field.take_out(body.pose)
        self.drop(body)

    def _look_again(self, body):
        """Searches anew for a disc that has just come in: a first guess from few sensors may be
        wrong."""
        search, fitter = self.search, self.fitter
        fitter.leave(body.slot)
        k = self._peak_near(body.pose)
        search.region(self.mat.SENSOR_X[k], self.mat.SENSOR_Y[k], 75 * _MM)
        geometry.copy(search.trials[0].pose, body.pose)
        search.trials[0].mode = FREE
        before = search.evaluate(1, 4)
        cost, pose, mode = search.new_disc(k)
        if cost * 4 < before * 3:
            geometry.copy(body.pose, pose)
            geometry.copy(body.slot.before, pose)
            for k in (X, Y, Z):
                body.slot.velocity[k] = 0
            body.age_frames = 1
        fitter.enter(body.slot, body.pose)

    def hand_near(self, body, reach):
        """The held body nearest to `body`, within `reach`, or None."""
        best = None
        for other in self.flying:
            if other is not body and other.held and other.slot is not None:
                d = geometry.distance(other.pose, body.pose)
                if d < reach:
                    best, reach = other, d
        return best

    # ------------------------------------------------------------------ a body's life in flight
    def _live(self, body):
        body.age_frames += 1
        pose = body.pose
        if body.age_frames in SECOND_LOOKS and body.held and not body.lying and not body.announced:
            self._look_again(body)
        if self._faded(body):
            return
        misfit = self.fitter.misfit(pose)
        if misfit > LOST_UT:
            for k in (X, Y, Z):
                body.slot.velocity[k] = 0
        else:
            geometry.copy(body.slot.good, pose)
        if body.out_told and body.lying and not body.is_red and misfit > LOST_UT:
            self._take_away(body)
            return
        if misfit > LOST_UT:
            body.lost_frames += 1
            if body.lost_frames > GIVE_UP_FRAMES and not body.lying and not body.announced:
                self.drop(body)  # it never was what it was taken for
                return
            if body.lost_frames > GIVE_UP_FRAMES and body.lying:
                self.settling.put_back(body)
                return
            due = body.lost_frames in RESCUES and self.now_ms >= self._rescued_ms + REST_MS
            if due and not ((body.held or body is self._searched) and self._lost_near(body)):
                self._searched = body  # the others have their turn first
                self._rescued_ms = self.now_ms
                self._rescue(body)
                return
        else:
            body.lost_frames = 0
        if body.held:
            self._cross(body)
            self._parts(body)
        else:
            self._maybe_lifted(body)
        if self.settling.merge_in_flight(body):
            return
        anchor = body.slot.anchor
        # beyond the circle only few sensors see a body, from one side: it seems to move more
        loose = (
            2 if geometry.span(pose[X], pose[Y]) > self.mat.CIRCLE_RADIUS else 0 if body.held else 1
        )
        if (
            abs(pose[X] - anchor[X]) > STILL_MM << loose
            or abs(pose[Y] - anchor[Y]) > STILL_MM << loose
            or abs(pose[Z] - anchor[Z]) > STILL_MM << loose
            or geometry.turned(pose, anchor) > STILL_TURN << loose
        ):
            geometry.copy(anchor, pose)
            body.still_frames = 0
            body.since_ms = self.now_ms
            return
        body.still_frames += 1
        if body.still_frames >= STILL_FRAMES and body.lost_frames == 0:
            self.settling.settle(body)

    def _lost_near(self, body):
        """True when another body, on the mat near this one, is lost too: that one is what moved."""
        for other in self.flying:
            if other is not body and other.lost_frames and not other.held:
                if geometry.distance(other.pose, body.pose) < 90 * _MM:
                    return True
        return False

    def _faded(self, body):
        """Drops a body whose field is too weak to follow: carried away outward, or high up."""
        strongest = 0
        slot = body.slot
        for j in range(slot.count):
            v = slot.values[j]
            if v < 0:
                v = -v
            if v > strongest:
                strongest = v
        if strongest > QUIET_UT * 3 // 4:
            return False
        if body.lying:  # a piece does not vanish from the mat: its track has run away
            self._rescue(body)
            return True
        if body.inside and body.announced:
            self.tell(f.HAND_OUT, body, self.now_ms)
        if body.leaving or body.announced:
            self._left, self._left_ms = (body.pose[X], body.pose[Y]), self.now_ms
        self.drop(body)
        return True

    def _cross(self, body):
        """Tells when a carried body's centre crosses the circle."""
        pose = body.pose
        r = geometry.span(pose[X], pose[Y])
        circle = self.mat.CIRCLE_RADIUS
        if not body.inside and r <= circle:
            body.inside = True
            body.crossed_ms = self.now_ms
        elif body.inside and r > circle + 2 * _MM:
            body.inside = False
            if body.announced:
                self.tell(f.HAND_OUT, body, self.now_ms)
                body.announced = False
                body.leaving = True
                body.lying = False
                body.crossed_ms = -1
                self.contacts.forget(body.id)
                body.id = 0
            return
        if body.inside and not body.announced and body.lost_frames == 0 and body.age_frames >= 5:
            if self.has_red and self.red is None:
                return  # the first disc on a bare mat is the red one: see Settling
            low = geometry.clearance(pose, self.mat.DISC_RADIUS, self.mat.SENSOR_Z) < 2 * _MM
            if low and body.age_frames < 30:
                return  # it may already lie there
            self.announce(body)

    def _parts(self, body):
        """Tells once that a piece lifted off others has left them behind."""
        if not self.contacts.touches(body.id) or body.lost_frames:
            return
        if geometry.clearance(body.pose, self.mat.DISC_RADIUS, self.mat.SENSOR_Z) > PARTED_HEIGHT:
            left = self.contacts.forget(body.id)
            self.tell(f.PARTED, body, self.now_ms, tuple(sorted([body.id] + left)))

    def announce(self, body):
        """Tells that a carried body has come in."""
        body.announced = True
        self.tell(f.HAND_IN, body, body.crossed_ms if body.crossed_ms >= 0 else self.now_ms)

    def _maybe_lifted(self, body):
        """A body that has risen clear of the mat is in a hand, unless another hand's disc is
        pulling it up."""
        clear = geometry.clearance(body.pose, self.mat.DISC_RADIUS, self.mat.SENSOR_Z)
        floor = self.settling.floor_of(body.rest)
        if clear - floor < LIFT_CLEARANCE or body.lost_frames or self.settling.over_another(body):
            body.clear_frames = 0
            return
        hand = self.hand_near(body, 110 * _MM)
        if hand is not None and self._swapped(body, hand):
            body.swap_names(hand)
            if self.red is body or self.red is hand:
                self.red = hand if self.red is body else body
            return
        body.clear_frames += 1
        if body.clear_frames >= (4 if hand is None else 14):
            self.lift(body)

    def _swapped(self, body, hand):
        """True when the disc in the hand seems to lie on the mat while one that lay there flies:
        two like discs have passed close by each other, and their tracks were mixed up."""
        low = geometry.clearance(hand.pose, self.mat.DISC_RADIUS, self.mat.SENSOR_Z)
        alike = hand.face == body.face and hand.discs == body.discs
        return alike and hand.announced and low < 3 * _MM and geometry.sine(hand.pose) < FREE_TILT

    def lift(self, body):
        """A bare hand has picked the body up."""
        self.tell(f.LIFTED, body, self.now_ms)
        body.held = body.announced = body.inside = True
        body.lying = False
        self._start(body)

    # ------------------------------------------------------------------ lost tracks
    def _rescue(self, body):
        """Finds out what became of a body that its track no longer explains."""
        search, fitter = self.search, self.fitter
        hand = self.hand_near(body, 90 * _MM)
        companions = [] if hand is None else [hand]
        for other in self.flying:
            if (
                other is not body
                and other is not hand
                and other.lost_frames
                and len(companions) < 2
            ):
                if geometry.distance(other.pose, body.pose) < 90 * _MM:
                    companions.append(other)
        resting = []
        for other in self.bodies:
            if other is not body and other not in companions and other.lying:
                if geometry.distance(other.pose, body.rest) < 5 * self.mat.DISC_RADIUS:
                    resting.append(other)
        k = self._peak_near(body.pose)
        search.region(body.pose[X], body.pose[Y], 70 * _MM)
        before = search.cost()
        fitter.leave(body.slot)
        for other in companions:
            fitter.leave(other.slot)
        at_rim = self._at_rim(self.mat.SENSOR_X[k], self.mat.SENSOR_Y[k])
        newcomer = hand is None and (at_rim or body.lost_frames >= ODD_FRAMES_INSIDE)
        verdict = self.rescue.find(body, hand, companions, resting, k, newcomer)
        best = search.best
        vague = self.rescue.cost > VAGUE * search.count and body.lost_frames < PATIENCE
        if vague or self.rescue.cost * 5 > before * 4:
            verdict = STAYS
        first = 0 if verdict == GONE else 1
        if verdict in (MOVED, STACKED, GONE):
            for n, other in enumerate(companions):
                geometry.copy(other.pose, best[first + n])
                geometry.copy(other.slot.before, other.pose)
                geometry.copy(other.slot.good, other.pose)
        if verdict in (MOVED, STACKED):
            geometry.copy(body.pose, best[0])
            geometry.copy(body.slot.good, best[0])
        elif verdict == AT_REST:
            geometry.copy(body.pose, body.rest)
        fitter.enter(body.slot, body.pose)
        for other in companions:
            fitter.enter(other.slot, other.pose)
        geometry.copy(body.slot.before, body.pose)
        for k in (X, Y, Z):
            body.slot.velocity[k] = 0
        if verdict == JOINED:
            self.settling.join_hand(hand, body, best[0])
        elif verdict == JOINED_BOTH:
            other = companions[1] if companions[0] is hand else companions[0]
            first, second = body, other
            if geometry.distance(other.pose, hand.pose) < geometry.distance(body.pose, hand.pose):
                first, second = other, body
            self.settling.join_hand(hand, first, best[0], hand.discs + first.discs)
            self.settling.join_hand(hand, second, best[0])
        elif verdict == AT_REST:
            self.new_body(best[0])
        elif verdict == GONE:
            self._vanish(body)

    def _vanish(self, body):
        if not body.held and body.lying:
            self.lift(body)
        if body.announced:
            self.tell(f.HAND_OUT, body, self.now_ms)
        self.drop(body)

    def _peak_near(self, pose):
        """The sensor near the body with the largest residual."""
        field, fitter = self.field, self.fitter
        count = fitter.look(pose)
        best, where = -1, fitter.near[0]
        for j in range(count):
            v = abs(field.resid[fitter.near[j]])
            if v > best:
                best, where = v, fitter.near[j]
        return where

    # ------------------------------------------------------------------ telling
    def tell(self, kind, body, t_ms, others=(), d=0, why="", shape=None, discs=0, confidence=99):
        """Adds a fact about `body`, which gets its id when it is first told of."""
        if body.id == 0:
            body.id = self._next_id
            self._next_id += 1
        x, y = body.spot_cmm(self.mat.DISC_RADIUS)
        self.facts.append(
            Fact(
                kind, t_ms, body.id, others, body.face, discs or body.pose[DISCS], x, y,
                body.tilt_deg(), d, body.shape if shape is None else shape, why, confidence,
            )
        )  # fmt: skip
