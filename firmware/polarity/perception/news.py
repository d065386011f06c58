"""What a frame shows beyond all that is known: a resting body wakes, or a disc comes in."""

from .. import kernels
from ..kernels import MOMENT, X, Y, Z
from ..kernels._limits import LOST_UT, UNDERSTOOD_COST
from ..kernels._records import FLYER_AGE, FLYER_LOST, FLYER_UNEASY
from . import pose as geometry
from .body import HELD, MOVING, TENTATIVE, stack_near
from .parameters import (
    ASTRAY_MM_Q8,
    BUSY_MM_Q8,
    BY_TOWER_MM_Q8,
    CALM_BODIES,
    CALM_TIMES,
    CLEARED_MS,
    GONE_MM_Q8,
    GONE_MOST_MM_Q8,
    GONE_MS,
    GONE_STACK_MM_Q8,
    GONE_STACK_MS,
    HAND_FELT_MM_Q8,
    INITIATE_EVERY_FRAMES,
    INITIATE_FRAMES,
    INITIATE_INSIDE_FRAMES,
    INITIATE_MM_Q8,
    JOLT_LEAST_BODIES,
    JOLT_MOST_MM_Q8,
    JOLT_MOST_UT,
    JOLT_MS,
    JOLT_TALL_DISCS,
    JOLT_UT,
    JOLT_WIDE_MM_Q8,
    JUST_WOKEN_FRAMES,
    LASTING_MS,
    LOOK_AGAIN_4THS,
    LOOK_AGAIN_STEPS,
    LOOKED_AT_BODIES,
    LOOKED_MOST_MM_Q8,
    LOUD_UT,
    NEWCOMER_4THS,
    NEWCOMER_INSIDE_TIMES,
    NEWCOMER_RIM_TIMES,
    OUT_NEAR_MM_Q8,
    QUIET_UT,
    SLEEPER_STEPS,
    SLIP_FELT_MM_Q8,
    SLIPS_MS,
    STARTLED_FRAMES,
    STARTLED_MM_Q8,
    STIRRED_TIMES,
    STIRRED_UT,
    SUDDEN_FRAMES,
    TURNED_MM_Q8,
    UNEASY_FRAMES,
    UNTOLD_MM_Q8,
    USED_TO_BITS,
    USED_TO_FRAMES,
    USED_TO_UT,
    VAIN_4THS,
    VAIN_MM_Q8,
    VAIN_MS,
    VAIN_UT,
    WAKE_MM_Q8,
)
from .solver import FREE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from array import array

    from .body import Body
    from .scene import Scene
    from .slip import Slip


class News:
    """Looks for what the bodies of one Scene do not explain."""

    def __init__(self, scene: "Scene", slip: "Slip") -> None:
        self.scene = scene
        self.slip = slip
        self.mat = scene.mat
        self.field = scene.field
        self.fitter = scene.fitter
        self.search = scene.search
        self.odd_frames = 0  # for how long something has not been explained
        self.frames = 0  # counted modulo eight
        self._bulge_looks = 0
        self._slipped = False  # whether what lies on the mat waits to be looked at after a jolt
        self._left = None  # where a hand was last seen to leave, and until when it may be seen yet
        self._left_until_ms = self._left_within = 0
        self._vain = -1  # the sensor round which a new disc was last looked for in vain, until when
        self._vain_until_ms = self._vain_most = 0  # that counts, and what is more than was seen
        self._only_vain = False  # whether that was all that was not explained
        self._misfits: "list[int]" = []  # of what lies on the mat in this frame, and
        self._asked = 0  # of how many bodies they were found

    def due(self) -> bool:
        """Counts a frame; True in every fourth."""
        self.frames = (self.frames + 1) & 7
        return self.frames & 3 == 0

    def bulges(self) -> bool:
        """Without a hand: True when a disc may have come in high up; a body is then there for it if
        that is so."""
        for body in self.scene.flying:
            if body.state <= HELD:
                return False
        k = self.field.bulge()
        if k < 0 or self._of_others(*self.field.spot(k)):
            self._bulge_looks = 0
            return False
        self._bulge_looks += 1
        if self._bulge_looks in INITIATE_FRAMES:
            self._spawn(k, None)
        return bool(self.scene.flying)

    def _of_others(self, x: int, y: int) -> bool:
        """Whether what bulges at (x, y) is rather what others do: next to a tower that begins to
        rise and, but for the rim, after a jolt or near a lost track."""
        if self.scene.at_rim(x, y):
            return self._by_lifted(x, y)
        return self._unsettled() or self._busy(x, y, True)

    def stirs(self) -> bool:
        """True in a quiet frame that wants a closer look all the same."""
        return (self.due() and self.bulges()) or self._unsettled()

    def _unsettled(self) -> bool:
        """True while what lies on the mat has not all been looked at since a jolt."""
        return self._slipped or self.slip.waits

    def shaken(self) -> bool:
        """True in a jolt, and until all that lies on the mat has been looked at since."""
        return self.slip.shaking() or self._unsettled()

    def guard(self) -> None:
        """A leaner that a hand comes near may fall in any frame, and is followed before it does."""
        low = False
        for body in self.scene.flying:
            low = low or body.may_topple()
        for body in self.scene.bodies if low else ():
            if body.leaning and body.slot is None and self.scene.guarded(body):
                self.scene.wake(body)

    def surprise(self) -> int:
        """The sensor that sees most of what is not explained; -1 when that is noise. Where a new
        disc was looked for in vain, and no more is seen since, comes last."""
        k = kernels.surprise(self.field.record, QUIET_UT)
        if k >= 0 and self._in_vain(k):
            other = self._elsewhere()
            if other < 0:
                self._only_vain = True
                return k
            k = other
        if self._only_vain:
            self._only_vain = False
            self.odd_frames = 0
        return k

    def _in_vain(self, k: int) -> bool:
        """Whether sensor `k` sees no more than when a disc was looked for there in vain."""
        if self._vain < 0 or self.scene.now_ms > self._vain_until_ms:
            return False
        x, y = self.mat.SENSOR_X, self.mat.SENSOR_Y
        far = geometry.span(x[k] - x[self._vain], y[k] - y[self._vain])
        return far < VAIN_MM_Q8 and abs(self.field.resid[k]) < self._vain_most

    def _elsewhere(self) -> int:
        """As `surprise`, but for what is near the sensor round which was looked in vain."""
        field, near, k = self.field, self.fitter.near, self._vain
        x, y = field.spot(k)
        count = field.gather(near, x, y, VAIN_MM_Q8, len(near))
        for j in range(count):
            field.moving[near[j]] += VAIN_UT << 4
        other = kernels.surprise(field.record, QUIET_UT)
        for j in range(count):
            field.moving[near[j]] -= VAIN_UT << 4
        return other

    def look(self, again: int) -> "Body | None":
        """Whatever is still not explained wakes a resting body, which it returns, or, lasting,
        brings a new one."""
        slip = self.slip
        if again == 0 and slip.waits and not slip.shaking():
            self._slipped = slip.step()
        k = self.surprise()
        if k < 0 and self.scene.now_ms - slip.since_ms >= JOLT_MS and not self._unsettled():
            self.odd_frames = 0
            return None
        shaken = self._shaken(again == 0 and k >= 0)
        if shaken and not self._stands_out(k):
            self.odd_frames = 0
            return None
        if k < 0:
            self.odd_frames = 0
            return self._may_have_slipped()
        if again == 0:
            self.odd_frames += 1
        return None if self._startled(k) else self._look_at(k)

    def _look_at(self, k: int) -> "Body | None":
        """As `look`, for what sensor `k` sees."""
        field = self.field
        x, y = self.field.spot(k)
        loud = abs(field.resid[k]) > LOST_UT
        hand = self._hand(x, y, loud)
        nearest = self._sleeper_near(x, y, loud)
        inside = loud and self.odd_frames % INITIATE_INSIDE_FRAMES == 0
        if self.odd_frames > INITIATE_FRAMES[-1] and self._stays(hand, x, y):
            self._get_used_to(k)
        if hand is not None:
            if nearest is not None:
                return self.scene.wake(nearest, loud)
            self._look_about(hand, k, inside)
            return None
        if inside or nearest is None or self._may_be_hand(k, x, y):
            if inside or self._may_initiate(x, y):
                self._spawn(k, nearest)
            return None
        return self.scene.wake(nearest, loud)

    def _stays(self, hand: "Body | None", x: int, y: int) -> bool:
        """Whether a surprise at (x, y) that no look has explained may be lived with: at the rim
        with a hand, after a while."""
        if not self.scene.at_rim(x, y):
            return True
        return hand is not None and self.odd_frames > USED_TO_FRAMES

    def _may_initiate(self, x: int, y: int) -> bool:
        """Whether it is the turn of a new disc near (x, y) to be looked for."""
        unlikely = self._busy(x, y) and (not self.scene.at_rim(x, y) or self._by_lifted(x, y))
        looks = INITIATE_FRAMES[2:] if unlikely else INITIATE_FRAMES
        return self.odd_frames in looks or self.odd_frames % INITIATE_EVERY_FRAMES == 0

    def _look_about(self, hand: "Body", k: int, inside: bool) -> None:
        """As `_look_at` where there is a hand, and nothing near that may have moved."""
        uneasy, (x, y) = hand.slot.flyer[FLYER_UNEASY], self.field.spot(k)
        looks = self.odd_frames in INITIATE_FRAMES
        if (uneasy >= UNEASY_FRAMES and uneasy % UNEASY_FRAMES == 0) or (hand.faded_ms and looks):
            self.look_again(hand, k, ASTRAY_MM_Q8)
        elif looks and (hand.state == TENTATIVE or not self._others_move(hand)):
            # one disc comes in at a time: rather than a second one, the first is elsewhere, or has
            # been turned over in the hand
            self.look_again(hand, -1 if hand.state != TENTATIVE else k)
        elif inside and geometry.span(hand.pose[X] - x, hand.pose[Y] - y) < ASTRAY_MM_Q8:
            self.look_again(hand, k)
        elif inside and not self.scene.lost_near(hand):
            self._spawn(k, None)

    def _shaken(self, surprised: bool) -> bool:
        """True while the whole mat shakes, which is told once: nothing is known of what lies on it
        until it is still again."""
        slip = self.slip
        since = self.scene.now_ms - slip.since_ms
        if surprised and not slip.blind and since >= (JOLT_MS if self._slipped else SLIPS_MS):
            if self._many_surprised(since):
                return slip.begin()
        return slip.waits

    def _startled(self, k: int) -> bool:
        """True while frames come meanwhile and what no hand holds near sensor `k` has only now come
        not to be understood: it may jump, and what lies near it only feels that."""
        x, y = self.field.spot(k)
        for body in self.scene.flying if self.scene.paced else ():
            if body.state >= MOVING and 0 < body.slot.flyer[FLYER_UNEASY] <= STARTLED_FRAMES:
                if geometry.span(body.pose[X] - x, body.pose[Y] - y) < STARTLED_MM_Q8:
                    return True
        return False

    def _may_have_slipped(self) -> "Body | None":
        """Wakes, after a jolt, what has not been looked at since, one by one, those first of which
        the sensors know most."""
        scene = self.scene
        if self._slipped and len(scene.flying) < LOOKED_AT_BODIES:
            best = self._not_looked_at()
            if best is not None:
                return scene.wake(best)
            self._slipped = False
            for body in scene.flying:
                self._slipped = self._slipped or body.state >= MOVING
        return None

    def _not_looked_at(self) -> "Body | None":
        """A resting body that has not been looked at since the jolt, or None."""
        best = None
        for body in self.scene.bodies:
            if body.slot is None and self.slip.unknown(body):
                best = body
                if not body.leaning and self.fitter.haze(body.pose) == 0:
                    break
        return best

    def _many_surprised(self, since: int) -> bool:
        """True when what rests on the mat seems to move far and wide, `since` ms after the last
        jolt."""
        sudden = self.odd_frames <= SUDDEN_FRAMES
        if since < LASTING_MS and not sudden:
            return False  # not another jolt, but what the last one has left
        self._asked = 0
        while len(self._misfits) < len(self.scene.bodies):
            self._misfits.append(0)
        # soon after a jolt bodies are woken to be looked at
        soon = since < JOLT_MS
        if self._surprised(QUIET_UT + JOLT_UT, 1, 0 if soon else JUST_WOKEN_FRAMES):
            return True
        if soon or not sudden or self._unsettled():
            return False
        for body in self.scene.flying:
            if body.state >= MOVING and body.slot.flyer[FLYER_AGE] >= JUST_WOKEN_FRAMES:
                return False
        # nothing else moves: that hardly anything lies still says enough
        return self._surprised(STIRRED_UT, STIRRED_TIMES, JUST_WOKEN_FRAMES)

    def _surprised(self, least: int, share: int, age: int) -> bool:
        """True when bodies far and wide leave over at least so much (µT), or were woken less than
        `age` frames ago, and these are `share` times as many as those that do not."""
        surprised = calm = number = 0
        left = low = self.mat.CIRCLE_RADIUS
        right = high = -left
        misfits, record = self._misfits, self.field.record
        if self._tall_in_hand():
            return False  # it is felt, and its errors are, by all that lies there
        for body in self.scene.bodies:
            if body.state < MOVING:
                continue
            if number == self._asked:  # each body's is found once a frame
                misfits[number] = kernels.misfit(record, body.pose)
                self._asked += 1
            misfit, slot = misfits[number], body.slot
            number += 1
            moved = woken = False
            if slot is not None:
                moved = geometry.strayed(body.pose, body.rest) > JOLT_MOST_MM_Q8
                woken = slot.flyer[FLYER_AGE] < age
            if misfit < least and not woken and not moved:
                calm += 1
                if calm > CALM_BODIES + CALM_TIMES * surprised:
                    return False  # no need to look at the others
                continue
            if self.scene.hand_near(body, HAND_FELT_MM_Q8) is not None:
                continue  # a hand that is not quite where it is tracked is felt there
            if misfit > JOLT_MOST_UT or moved:
                return False
            surprised += 1
            x, y = body.pose[X], body.pose[Y]
            left, right, low, high = min(left, x), max(right, x), min(low, y), max(high, y)
        if number <= JOLT_LEAST_BODIES or surprised < max(JOLT_LEAST_BODIES, share * calm):
            return False  # where only two lie, either feels the other move
        return max(right - left, high - low) > JOLT_WIDE_MM_Q8

    def _tall_in_hand(self) -> bool:
        """True while a hand has a tall stack."""
        for body in self.scene.flying:
            if body.state <= HELD and body.discs > JOLT_TALL_DISCS:
                return True
        return False

    def _get_used_to(self, k: int) -> None:
        """A small surprise inside the circle that stays is lived with, lest it hide another."""
        field = self.field
        v = field.resid[k]
        if -USED_TO_UT < v < USED_TO_UT and field.still(k):
            field.learn(k, v >> USED_TO_BITS)

    def _hand(self, x: int, y: int, loud: bool) -> "Body | None":
        """The disc in a hand that a surprise at (x, y) may be about, or None. Only if it is near,
        one that was not told of, or is out of sight; or one that is understood, where the surprise
        is `loud` and at the rim: another hand comes in there.
        """
        hand, comes_in = None, loud and self.scene.at_rim(x, y)
        for body in self.scene.flying:
            if body.state <= HELD:
                far = geometry.span(body.pose[X] - x, body.pose[Y] - y)
                elsewhere = comes_in and not body.slot.flyer[FLYER_UNEASY]
                told = body.state == HELD and not (body.faded_ms or elsewhere)
                if told or far < UNTOLD_MM_Q8:
                    hand = body
        return hand

    def _others_move(self, hand: "Body") -> bool:
        """True when something else in flight is not where it lay, or not understood there."""
        for body in self.scene.flying:
            if body is hand:
                continue
            away = geometry.distance(body.pose, body.rest) > LOOKED_MOST_MM_Q8
            if away or body.slot.flyer[FLYER_LOST]:
                return True
        return False

    def _stands_out(self, k: int) -> bool:
        """Whether what sensor `k` sees is no part of a jolt: it is loud; at the rim, where nothing
        near could slip or all has been measured once; or inside, where both is so."""
        if k < 0 or abs(self.field.resid[k]) > JOLT_MOST_UT:
            return k >= 0
        x, y = self.field.spot(k)
        at_rim, blind = self.scene.at_rim(x, y), self.slip.blind
        if at_rim != blind:
            return at_rim
        within = BUSY_MM_Q8 if blind else SLIP_FELT_MM_Q8
        for body in self.scene.bodies:
            if geometry.span(body.pose[X] - x, body.pose[Y] - y) < within:
                return False
        return True

    def _may_be_hand(self, k: int, x: int, y: int) -> bool:
        """True at the rim, and soon after a jolt, in which hands come in unseen, unless something
        in flight is near or the surprise is loud: then it is what lies there."""
        seen = self.scene.now_ms - self.slip.since_ms >= JOLT_MS and not self.scene.at_rim(x, y)
        if seen or abs(self.field.resid[k]) >= LOUD_UT:
            return False
        return not self._busy(x, y)

    def _busy(self, x: int, y: int, lost: bool = False) -> bool:
        """True next to something in flight, or next to a `lost` track: rather than a new disc, what
        is seen there is that."""
        for body in self.scene.flying:
            if body.slot.flyer[FLYER_LOST] or not lost:
                if geometry.span(body.pose[X] - x, body.pose[Y] - y) < BUSY_MM_Q8:
                    return True
        return False

    def _sleeper_near(self, x: int, y: int, loud: bool) -> "Body | None":
        """The resting body nearest to (x, y) that may have moved, or None. One that has just been
        found unmoved has only if the surprise is `loud`."""
        nearest, least = None, WAKE_MM_Q8
        for body in self.scene.bodies:
            if body.slot is None and (loud or self.scene.now_ms - body.cleared_ms > CLEARED_MS):
                dx = body.pose[X] - x
                if -least < dx < least:
                    d = geometry.span(dx, body.pose[Y] - y)
                    if d < least:
                        nearest, least = body, d
        return nearest

    def _spawn(self, k: int, sleeper: "Body | None") -> None:
        """A surprise at sensor `k` with no hand about: a disc that comes in, or the `sleeper` (may
        be None) that moves, whichever explains it better."""
        x, y = self.field.spot(k)
        if self._left is not None and self.scene.now_ms <= self._left_until_ms:
            far = geometry.span(self._left[0] - x, self._left[1] - y)
            if far < self._left_within and abs(self.field.resid[k]) < LOUD_UT:
                return  # it is still the hand that has just gone out of sight there
        sleeper = self._lies_out(x, y) or sleeper
        if sleeper is not None and sleeper.out_told and abs(self.field.resid[k]) > 2 * QUIET_UT:
            self.scene.take_away(sleeper)
            return
        pose = self._newcomer(k, sleeper)
        if pose is not None:
            undone = self._undone_by(pose)
            if undone is None:
                self.scene.new_body(pose)
                self.odd_frames = 0
            elif undone.slot is None:
                self.scene.wake(undone)
        elif sleeper is not None:
            if self.scene.wake(sleeper) and sleeper.out_asked:  # few sensors would see it rise
                sleeper.move(self.search.best[0], self.fitter)
        else:
            self._vain, self._vain_until_ms = k, self.scene.now_ms + VAIN_MS
            self._vain_most = abs(self.field.resid[k]) * VAIN_4THS >> 2

    def _newcomer(self, k: int, sleeper: "Body | None") -> "array[int] | None":
        """Where a disc that comes in is, if that explains what sensor `k` sees better than that the
        `sleeper` moves, the less so where that lies outside the circle; else None."""
        search, (x, y) = self.search, self.field.spot(k)
        out = sleeper is not None and (sleeper.out_told or sleeper.out_asked)
        search.region(x, y, INITIATE_MM_Q8)
        before = search.cost()
        moved = before if sleeper is None else self._moved(sleeper)
        cost, pose, _ = search.new_disc(k, 1, True)
        better = cost * 4 < (moved if out else moved * NEWCOMER_4THS)
        times = NEWCOMER_RIM_TIMES if self.scene.at_rim(x, y) else NEWCOMER_INSIDE_TIMES
        if not better or cost * times >= before:
            return None
        # next to a tower that lies there: its strong field, a little off or bent by the iron of a
        # watch, looks like a disc high above; a real one is seen before, but at the rim
        by_tower = stack_near(self.scene.bodies, pose, BY_TOWER_MM_Q8) is not None
        return None if by_tower and not self.scene.at_rim(pose[X], pose[Y]) else pose

    def _lies_out(self, x: int, y: int) -> "Body | None":
        """A piece that lies outside the circle near (x, y), or None."""
        found = None
        for body in self.scene.bodies:
            if (body.out_told or body.out_asked) and not body.is_red and body.slot is None:
                if geometry.span(body.pose[X] - x, body.pose[Y] - y) < OUT_NEAR_MM_Q8:
                    found = body
        return found

    def _moved(self, sleeper: "Body") -> int:
        """What is left over in search's region if a resting body has moved."""
        search, resid = self.search, self.field.resid
        trial, share = search.trials[0], search.slots[0]
        geometry.copy(trial.pose, sleeper.pose)
        trial.mode = FREE
        self.fitter.enter(share, sleeper.pose)
        kernels.add_at(resid, share.record, 2)
        moved = search.evaluate(1, SLEEPER_STEPS)
        geometry.copy(search.best[0], trial.pose)
        kernels.add_at(resid, share.record, -1)
        return moved

    def _undone_by(self, pose: "array[int]") -> "Body | None":
        """The piece of the other face that lies where `pose` does: it only says that this one is
        there no longer. None if there is none."""
        radius = self.mat.DISC_RADIUS
        for body in self.scene.bodies:
            lies = body.pose
            if body.state < MOVING or geometry.face(lies) == geometry.face(pose):
                continue
            if geometry.distance(lies, pose) < radius and abs(lies[Z] - pose[Z]) < 2 * radius:
                return body
        return None

    def _by_lifted(self, x: int, y: int) -> bool:
        """True next to a tower, or what lay beyond the line, in flight that no hand holds as far as
        is known: what is seen there is rather that it begins to rise."""
        for body in self.scene.flying:
            if (body.discs > 1 or body.out_asked) and body.state > HELD:
                if geometry.span(body.pose[X] - x, body.pose[Y] - y) < BUSY_MM_Q8:
                    return True
        return False

    def hand_left(self, body: "Body") -> None:
        """A hand has gone out of sight with `body`."""
        self._left = body.pose[X], body.pose[Y]
        more = body.discs - 1
        self._left_until_ms = self.scene.now_ms + GONE_MS + GONE_STACK_MS * more
        self._left_within = min(GONE_MM_Q8 + GONE_STACK_MM_Q8 * more, GONE_MOST_MM_Q8)

    def look_again(self, body: "Body", k: int = -1, within: int = TURNED_MM_Q8) -> None:
        """Searches anew for a disc in a hand: a first guess from few sensors may be wrong, and
        one that turns over is easily lost. `k`: a sensor near which it may be, `within` how far
        from where it was followed to it can be."""
        if body.leaving and not body.inside:
            return  # what is seen inside is something else
        search, fitter = self.search, self.fitter
        fitter.leave(body.slot)
        if k < 0:
            k = fitter.peak_near(body.pose, True)
        search.region(*self.field.spot(k), INITIATE_MM_Q8)
        geometry.copy(search.trials[0].pose, body.pose)
        search.trials[0].mode = FREE
        before = search.evaluate(1, LOOK_AGAIN_STEPS)
        known = body.state != TENTATIVE
        if before < (UNDERSTOOD_COST * search.count if known else search.count >> 1):
            fitter.enter(body.slot, body.pose)
            return
        cost, pose, mode = search.new_disc(k, body.discs)
        near = geometry.distance(pose, body.pose) < within
        if cost * 4 < before * LOOK_AGAIN_4THS and (near or not known):
            pose[MOMENT] = body.pose[MOMENT]
            geometry.copy(body.pose, pose)
            geometry.copy(body.slot.before, pose)
            body.slot.halt()
            body.slot.flyer[FLYER_AGE] = 1
        fitter.enter(body.slot, body.pose)
