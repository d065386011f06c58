"""Reacquisition: where tracks are lost for good, what lies there is found afresh.

Several pieces that jump at once can leave a scene that no guess about one of them explains. Once it
is still, all pieces near it are taken out of the scene, and what the frame shows is explained by
pieces put in one after the other, each where it explains most. Who is who follows from where and
how each lay before; the facts, from what has changed.
"""

from .. import facts as f
from ..kernels import DISCS, MOMENT, SATURATED, X, Y
from ..kernels._records import FLYER_LOST, FLYER_SINCE, FREE_TILT
from ..units import MM
from . import pose as geometry
from .body import Body
from .field import LEARNT_NOISE
from .settle import LIVED_WITH_UT
from .solver import FLAT, FREE, LEAN, lay_flat

TYPE_CHECKING = False
if TYPE_CHECKING:
    from array import array
    from collections.abc import Callable

    from .tracker import Tracker

LOST_FRAMES = 36  # so long something is not understood before it is looked at afresh
EVERY = 6  # frames between two looks at whether it is still
STILL_FRAMES = 18  # and so long it is still by then
LOUD_UT = 1800  # less is lived with
REACH = 80 * MM  # pieces this near to the loudest sensor are looked at afresh,
LOST_REACH = 150 * MM  # and lost ones this near
AROUND = 46 * MM  # round a sensor: where a new piece must explain most
MOST_FOUND = 10
LEFT_UT = 900  # a sensor that shows no more is explained
SWEEPS = 3
RISEN = 5 * MM  # what is further up is in a hand
BETTER = 3  # times less must be left over at the loudest sensor
TURNED_COST = 30 * MM  # what it costs to believe that a piece has turned over
FAR = 170 * MM  # a piece that is found further off is another one
TRIES = 3
REST_MS = 700  # between two tries, and twice as long each time


class Reacquisition:
    """Finds afresh what the bodies of one Tracker have become where they are lost."""

    def __init__(self, tracker: "Tracker") -> None:
        self.tracker = tracker
        self.mat = tracker.mat
        self.field = tracker.field
        self.waits = False  # whether anything was not understood in the last frame asked
        self._since_ms = -1  # when what is not understood began, -1: all is understood
        self._frames = self._still = self._loud_ut = 0
        self._loudest = -1
        self._tries = 0
        self._next_ms = 0

    # ------------------------------------------------------------------ when
    def watch(self) -> None:
        """To be called in each frame in which more is asked of something that moves, or something
        is not explained, and as long as it `waits`."""
        tracker = self.tracker
        lost = tracker.news.odd_frames
        for body in tracker.flying:
            lost = max(lost, body.slot.flyer[FLYER_LOST])
        self.waits = lost > 0
        if lost == 0:
            self._since_ms, self._tries, self._still = -1, 0, 0
            return
        if self._since_ms < 0:
            self._since_ms = tracker.now_ms
        if lost < LOST_FRAMES or tracker.now_ms < self._next_ms or tracker.slip.waits:
            return
        self._frames += tracker.passed
        if self._frames >= EVERY:
            self._frames = 0
            self._look()

    def _look(self) -> None:
        """Looks for the loudest sensor; where it has been still for long enough, tries."""
        k = self._loudest_near(0, 0, 1 << 20)
        now_ut = self.field.resid[k]
        still = k == self._loudest and abs(now_ut - self._loud_ut) < 200 + (abs(now_ut) >> 4)
        self._still = self._still + EVERY if still else 0
        self._loudest, self._loud_ut = k, now_ut
        if self._still < STILL_FRAMES or abs(now_ut) < LOUD_UT:
            return
        self._still = 0
        self._tries += 1
        self._next_ms = self.tracker.now_ms + (REST_MS << self._tries)
        if not self._reacquire(self.mat.SENSOR_X[k], self.mat.SENSOR_Y[k], abs(now_ut)):
            if self._tries >= TRIES:
                self._give_up(self.mat.SENSOR_X[k], self.mat.SENSOR_Y[k])

    def _loudest_near(self, x: int, y: int, within: int) -> int:
        """The sensor within so far of (x, y) with the largest residual that is not noise."""
        field, mat = self.field, self.mat
        best, where = -1, 0
        for i in range(field.n):
            v = abs(field.resid[i])
            if v > best and field.noise[i] < LEARNT_NOISE and field.moving[i] < SATURATED:
                if geometry.span(mat.SENSOR_X[i] - x, mat.SENSOR_Y[i] - y) < within:
                    best, where = v, i
        return where

    # ------------------------------------------------------------------ what lies there
    def _reacquire(self, x: int, y: int, before_ut: int) -> bool:
        """Returns whether what lies near (x, y) is understood now."""
        field = self.field
        old = self._take_out(x, y)
        found = self._find(x, y)
        k = self._loudest_near(x, y, REACH)
        discs = sum([pose[DISCS] for pose in found]) - sum([body.discs for body in old])
        stacked = [body for body in old if body.discs > 1]
        more = stacked and len(found) > len(old) + 1  # stacks do not come apart by themselves
        if abs(field.resid[k]) * BETTER > before_ut or more or not -4 < discs < 4:
            self._put_back(old, found)
            return False
        self._tell(old, found)
        return True

    def _take_out(self, x: int, y: int) -> "list[Body]":
        """Takes the pieces near (x, y), and those that are lost, out of the scene: neither resting
        nor in flight. Returns them."""
        tracker, old = self.tracker, []
        for body in tracker.bodies:
            lost = body.slot is not None and body.slot.flyer[FLYER_LOST] > 0
            far = geometry.span(body.pose[X] - x, body.pose[Y] - y)
            if body.is_red or (body.held and not lost):
                continue
            if far < REACH or (lost and far < LOST_REACH):
                old.append(body)
        for body in old:
            if body.slot is None:
                self.field.take_out(body.pose)
                self.field.forget(body.pose)
            else:
                if not body.slot.left:
                    self.field.forget(body.rest)
                tracker.ground(body)
        return old

    def _find(self, x: int, y: int) -> "list[array[int]]":
        """Poses of what explains the frame near (x, y), put into the base."""
        found: "list[array[int]]" = []
        search = self.tracker.search
        while len(found) < MOST_FOUND:
            k = self._loudest_near(x, y, REACH)
            if abs(self.field.resid[k]) < LEFT_UT:
                break
            search.region(self.mat.SENSOR_X[k], self.mat.SENSOR_Y[k], AROUND)
            before = search.cost()
            cost, pose, _ = search.new_disc(k, 1, True)
            if cost * 4 > before * 3:
                break
            pose = pose[:]
            self.field.put_in(pose)
            found.append(pose)
            for _ in range(SWEEPS):
                for one in found:
                    self._refine(one)
        return found

    def _refine(self, pose: "array[int]") -> None:
        """Fits one of those found, as it lies, leans, or is held."""
        search = self.tracker.search
        self.field.take_out(pose)
        search.region(pose[X], pose[Y], AROUND)
        trial = search.trials[0]
        geometry.copy(trial.pose, pose)
        trial.mode = self._mode(pose)
        if trial.mode == FLAT:
            lay_flat(trial.pose, self.mat, geometry.face(pose))
        search.evaluate(1, 4)
        geometry.copy(pose, trial.pose)
        self.field.put_in(pose)

    def _mode(self, pose: "array[int]") -> int:
        if self._risen(pose):
            return FREE
        return LEAN if geometry.sine(pose) >= FREE_TILT else FLAT

    def _risen(self, pose: "array[int]") -> bool:
        return geometry.clearance(pose, self.mat.DISC_RADIUS, self.mat.SENSOR_Z) > RISEN

    def _put_back(self, old: "list[Body]", found: "list[array[int]]") -> None:
        """It was no use: what lay there lies there; what was in a hand is gone."""
        for pose in found:
            self.field.take_out(pose)
        for body in old:
            if body.lying:
                geometry.copy(body.pose, body.rest)
                self.field.put_in(body.pose)
                self.field.accept(LIVED_WITH_UT)
                body.cleared_ms = self.tracker.now_ms
            else:
                self._vanish(body)

    def _give_up(self, x: int, y: int) -> None:
        """The players are asked once; what is left over is lived with from now on."""
        tracker, field, mat = self.tracker, self.field, self.mat
        near, first = [], None
        for body in tracker.bodies:
            if body.lying and body.id and geometry.span(body.pose[X] - x, body.pose[Y] - y) < REACH:
                near.append(body.id)
                first = first or body
        if first is not None:
            near.sort()
            tracker.tell(f.UNSURE, first, self._since_ms, tuple(near), why="lost")
        for i in range(field.n):
            if geometry.span(mat.SENSOR_X[i] - x, mat.SENSOR_Y[i] - y) < REACH:
                field.learn(i, field.resid[i])
        self._tries = 0

    # ------------------------------------------------------------------ what it means
    def _tell(self, old: "list[Body]", found: "list[array[int]]") -> None:
        """Finds out which piece is which, and tells what has changed."""
        tracker = self.tracker
        now = []
        for pose in sorted(found, key=_discs):
            parts = self._parts(pose, old)
            for body in parts:
                old.remove(body)
            now.append((pose, parts))
        for body in old:
            self._vanish(body)
        placed = []
        for pose, parts in now:
            body = min(parts, key=_by_way(pose)) if parts else Body(self.mat.DISC_THICKNESS)
            if not parts:
                tracker.bodies.append(body)
                geometry.copy(body.rest, pose)
                body.held, body.inside = True, False
            moment = body.pose[MOMENT]
            geometry.copy(body.pose, pose)
            body.pose[MOMENT] = moment if len(parts) == 1 else pose[MOMENT]
            for other in parts:
                if other is not body:
                    body.parts = tuple(sorted(set(body.parts + other.parts + (body.id, other.id))))
                    tracker.contacts.rename(other.id, body.id)
                    tracker.bodies.remove(other)
            placed.append((body, pose))
        for body, pose in placed:
            self._place(body, pose)

    def _parts(self, pose: "array[int]", old: "list[Body]") -> "list[Body]":
        """The pieces that are where one was found: one of as many discs, or the nearest that are
        as many together; none if it is a new one."""
        left = sorted([(_cost(body, pose), n) for n, body in enumerate(old)])
        for cost, n in left:
            if old[n].discs == pose[DISCS] and cost < FAR:
                return [old[n]]
        parts, discs = [], 0
        for cost, n in left:
            if cost < FAR and discs + old[n].discs <= pose[DISCS]:
                parts.append(old[n])
                discs += old[n].discs
        return parts

    def _place(self, body: "Body", pose: "array[int]") -> None:
        """A body is where it was found: in a hand, or at rest."""
        tracker = self.tracker
        slot = tracker.free_slot()
        self.field.take_out(pose)
        if slot is None:  # too many fly: it lies there
            self.field.put_in(body.pose)
            geometry.copy(body.rest, body.pose)
            return
        tracker.launch(body, slot, True)
        slot.flyer[FLYER_SINCE] = self._since_ms
        if not self._risen(body.pose):
            tracker.resting.rest(body, geometry.sine(body.pose) >= FREE_TILT, None)
        elif body.lying:
            tracker.hands.lift(body)
        else:
            body.held = True

    def _vanish(self, body: "Body") -> None:
        """It is nowhere: a hand has taken it away."""
        tracker = self.tracker
        if body.lying and body.id and not body.out_told:
            tracker.tell(f.LIFTED, body, self._since_ms)
        if (body.lying or body.announced) and body.id and not body.out_told:
            tracker.tell(f.HAND_OUT, body, tracker.now_ms)
        tracker.drop(body)


def _cost(body: "Body", pose: "array[int]") -> int:
    """How little a body is likely to have come to `pose` (Q8 mm)."""
    start = body.rest if body.lying else body.pose
    turned = geometry.face(start) != geometry.face(pose)
    return geometry.distance(start, pose) + (TURNED_COST if turned else 0)


def _by_way(pose: "array[int]") -> "Callable[[Body], int]":
    def way(body: "Body") -> int:
        return geometry.distance(body.rest, pose)

    return way


def _discs(pose: "array[int]") -> int:
    return pose[DISCS]
