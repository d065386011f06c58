"""Reacquisition: where tracks are lost for good, what lies there is found afresh.

Several pieces that jump at once can leave a scene that no guess about one of them explains. Once it
is still, all pieces near it are taken out of the scene, and what the frame shows is explained by
pieces put in one after the other, each where it explains most. Who is who follows from where and
how each lay before; the facts, from what has changed.

What has come to rest is counted again once nothing moves: then what it was taken for no longer
depends on what else moved.
"""

from .. import facts as f
from ..kernels import DISCS, MOMENT, SATURATED, X, Y
from ..kernels._limits import FREE_TILT_SINE_Q12
from ..kernels._records import FLYER_LOST, FLYER_SINCE, SHARE_COUNT
from ..units import CLOCK
from . import pose as geometry
from .body import HELD, MOVING, RESTING, TENTATIVE, Body
from .parameters import (
    AFRESH_BETTER_TIMES,
    AFRESH_BODIES,
    AFRESH_COUNT_5THS,
    AFRESH_EVERY_FRAMES,
    AFRESH_FAR_MM_Q8,
    AFRESH_FEWER_DISCS,
    AFRESH_LEFT_UT,
    AFRESH_LOST_FRAMES,
    AFRESH_LOUD_UT,
    AFRESH_MM_Q8,
    AFRESH_MOST_DISCS,
    AFRESH_REGION_MM_Q8,
    AFRESH_REST_MS,
    AFRESH_RISEN_MM_Q8,
    AFRESH_SATURATED_BITS,
    AFRESH_STACK_MM_Q8,
    AFRESH_STEPS,
    AFRESH_STILL_FRAMES,
    AFRESH_STILL_UT,
    AFRESH_SWEEP_ROUNDS,
    AFRESH_TRIES_ROUNDS,
    AFRESH_TURNED_MM_Q8,
    AFRESH_WORTH_4THS,
    AS_COUNTED_COST,
    LEARNT_NOISE_16UT,
    LEFT_OVER_COST,
    LEFT_OVER_MM_Q8,
    LEFT_OVER_REGION_MM_Q8,
    LEFT_OVER_TIMES,
    LIVED_WITH_UT,
    MISCOUNTED_TIMES,
    STACK_LEAST_MOMENT_Q10,
    STACK_MOST_MOMENT_Q10,
    WEIGHED_STEPS,
    WEIGHT_LEAST_MOMENT_Q10,
    WEIGHT_MOST_MOMENT_Q10,
    WEIGHT_SLACK_MOMENT_Q10,
)
from .solver import FLAT, FREE, LEAN, LEAN_MASS, MASS, lay_flat

TYPE_CHECKING = False
if TYPE_CHECKING:
    from array import array

    from .resting import Resting
    from .scene import Scene
    from .stacking import Stacking


class Reacquisition:
    """Finds afresh what the bodies of one Scene have become where they are lost."""

    def __init__(self, scene: "Scene", stacking: "Stacking", resting: "Resting") -> None:
        self.scene = scene
        self.stacking, self.resting = stacking, resting
        self.mat = scene.mat
        self.field = scene.field
        self.waits = False  # whether anything was not understood in the last frame asked
        self._since_ms = -1  # when what is not understood began, -1: all is understood
        self._frames = self._still = 0
        self._at, self._loud_ut = -1, 0  # the sensor that is watched, and what it saw
        self._tries = self._given_up = 0  # looks, and discs in hands that were lost in those
        self._next_ms = 0

    # ------------------------------------------------------------------ when
    def watch(self, odd_frames: int, slips: bool) -> None:
        """To be called in each frame in which more is asked of something that moves, or something
        is not explained, and as long as it `waits`: for how many frames something has not
        been explained, and whether what has slipped is still measured."""
        scene = self.scene
        lost = odd_frames
        for body in scene.flying:
            lost = max(lost, body.slot.flyer[FLYER_LOST])
        self.waits = lost > 0
        if lost == 0:
            self._since_ms = -1
            self._tries = self._given_up = self._still = 0
            return
        if self._since_ms < 0:
            self._since_ms = scene.now_ms
        if lost < AFRESH_LOST_FRAMES or scene.now_ms < self._next_ms or slips:
            return
        self._frames += scene.passed
        if self._frames >= AFRESH_EVERY_FRAMES:
            self._frames = 0
            self._look()

    def _look(self) -> None:
        """Watches the loudest sensor: what it sees, not what is left over there, as guesses come
        and go. Once that has been still for long enough, tries."""
        k, field = self._at, self.field
        if k >= 0 and abs(field.resid[k]) >= AFRESH_LOUD_UT:
            seen_ut = field.field[k]
            still = abs(seen_ut - self._loud_ut) < AFRESH_STILL_UT + (abs(seen_ut) >> 6)
            self._still = self._still + AFRESH_EVERY_FRAMES if still else 0
        else:
            self._at = k = self._loudest()
            self._still = 0
        self._loud_ut = field.field[k]
        if self._still < AFRESH_STILL_FRAMES:
            return
        k = self._loudest()
        now_ut = field.resid[k]
        if abs(now_ut) < AFRESH_LOUD_UT:
            return
        self._still = 0
        self._tries += 1
        self._next_ms = self.scene.now_ms + (AFRESH_REST_MS << self._tries)
        saturated = self._bound_saturated()
        understood = self._reacquire(abs(now_ut))
        for i in saturated:
            field.resid[i] = 0
        if not understood:
            if self._tries >= AFRESH_TRIES_ROUNDS:
                self._give_up(*self.field.spot(k))

    def _loudest(self, saturated: bool = False) -> int:
        """The sensor with the largest residual that is neither noise nor of what is followed; with
        `saturated`, also one whose lower bound is not reached."""
        field = self.field
        best, where = -1, 0
        for i in range(field.n):
            v = abs(field.resid[i]) - (field.moving[i] >> 4)
            if saturated and field.moving[i] >= SATURATED:  # beyond the bound nothing is left over
                seen_ut = field.field[i]
                v = field.resid[i] if seen_ut >= 0 else -field.resid[i]
                v -= abs(seen_ut) >> AFRESH_SATURATED_BITS
            if v > best and field.noise[i] < LEARNT_NOISE_16UT:
                best, where = v, i
        return where

    def _bound_saturated(self) -> "list[int]":
        """Sensors that are saturated say nothing in a frame; their residuals are now what is left
        over of the least that they may see. Returns which they are."""
        field = self.field
        saturated = []
        for i in range(field.n):
            if field.moving[i] >= SATURATED and field.noise[i] < LEARNT_NOISE_16UT:
                saturated.append(i)
                field.resid[i] = field.field[i] - field.base[i]
        for body in self.scene.flying if saturated else ():
            share = body.slot
            for j in range(share.record[SHARE_COUNT]):
                if share.index[j] in saturated:
                    field.resid[share.index[j]] -= share.values[j]
        return saturated

    # ------------------------------------------------------------------ how many lie there
    def recount(self) -> None:
        """Counts one of the pieces again that have come to rest, to be called while nothing moves:
        among much that moved it may have been miscounted, and what its discs do not explain be
        lived with."""
        body = self.resting.uncounted.pop()
        if body not in self.scene.bodies or not _lies_flat(body):
            return
        search, pose = self.scene.search, body.pose
        kept = self._set_aside(pose)
        search.region(pose[X], pose[Y], AFRESH_REGION_MM_Q8)
        self._count_afresh(pose)
        self._measured(body, kept, search.found[DISCS] != pose[DISCS])

    def _set_aside(self, pose: "array[int]") -> "array[int]":
        """What lies at `pose` is measured anew, until `_measured`. Returns its share of the bias,
        in the buffer of a free track if there is one."""
        free = self.scene.slots
        self.field.take_out(pose)
        return self.field.forget(pose, free[-1].kept if free else None)

    def _measured(self, body: "Body", kept: "array[int]", anew: bool) -> None:
        """The body is what search.found says, if it is `anew`; else it is as it was."""
        field, pose = self.field, body.pose
        if not anew:
            field.put_in(pose)
            field.recall(pose, kept)
            return
        geometry.copy(pose, self.scene.search.found)
        geometry.copy(body.rest, pose)
        body.weighed = False
        field.put_in(pose)
        field.accept(LIVED_WITH_UT)

    def _count_afresh(self, pose: "array[int]") -> None:
        """Leaves in search.found as how many discs what lies at `pose` is understood: as many as it
        has unless others explain far more."""
        search, trial = self.scene.search, self.scene.search.trials[0]
        geometry.copy(search.found, pose)
        geometry.copy(trial.pose, pose)
        # as it lies: on a crease, say, where one disc more that lies flat would look alike
        trial.mode = FREE
        as_told = least = self._as_stack(pose, pose[DISCS], search.evaluate(1, 0))
        if as_told <= AS_COUNTED_COST * search.count:
            return
        for step in (1, -1):
            discs = pose[DISCS]
            while discs == search.found[DISCS] and 0 < discs + step <= AFRESH_MOST_DISCS:
                discs += step
                least = self._as_stack(pose, discs, least)
        if least * MISCOUNTED_TIMES > as_told:
            geometry.copy(search.found, pose)

    def _as_stack(self, pose: "array[int]", discs: int, least: int) -> int:
        """What is left over by so many discs, of which no moment is known, that lie at `pose`, or
        the `least` so far; that pose stays in search.found."""
        search, trial = self.scene.search, self.scene.search.trials[0]
        geometry.copy(trial.pose, pose)
        trial.pose[DISCS], trial.pose[MOMENT] = discs, geometry.NOMINAL
        lay_flat(trial.pose, self.mat, geometry.face(pose))
        trial.mode = MASS
        cost = search.evaluate(1, WEIGHED_STEPS)
        if cost >= least:
            return least
        geometry.copy(search.found, trial.pose)
        return cost

    def is_left_over(self, hand: "Body") -> bool:
        """Whether a disc that seems to hover in a hand is none, as a piece near it that lies flat
        explains nearly all once it is measured anew: it was measured with a hand's disc above it.
        Then the piece is what was measured."""
        scene, search = self.scene, self.scene.search
        x, y = hand.pose[X], hand.pose[Y]
        scene.fitter.leave(hand.slot)
        search.region(x, y, LEFT_OVER_REGION_MM_Q8)
        most = min(search.cost() // LEFT_OVER_TIMES, LEFT_OVER_COST * search.count)
        amiss = False
        for body in scene.bodies:
            pose, discs, least = body.pose, body.discs, most
            if not _lies_flat(body) or geometry.span(pose[X] - x, pose[Y] - y) >= LEFT_OVER_MM_Q8:
                continue
            kept = self._set_aside(pose)
            for count in range(max(1, discs - 1), discs + 2):
                least = self._as_stack(pose, count, least)
            amiss = least < most
            self._measured(body, kept, amiss)
            if amiss:
                break
        scene.fitter.enter(hand.slot, hand.pose)
        return amiss

    # ------------------------------------------------------------------ what lies there
    def _reacquire(self, before_ut: int) -> bool:
        """Returns whether what lies where the scene is not understood is understood now."""
        field, old = self.field, []
        for body in self.scene.bodies[:]:
            if body.slot is not None and not body.is_red:
                # what no hand holds does not stay up
                if body.slot.flyer[FLYER_LOST] or (body.state >= MOVING and self._risen(body.pose)):
                    self._take_out(body, old)
        found: "list[array[int]]" = []
        self._find(old, found)
        hands = len([body for body in old if body.state <= HELD])
        for pose in found[::-1]:  # no more discs are in hands than may be
            if self._risen(pose) and (not hands or self._more(old, found) > 0):
                field.take_out(pose)
                found.remove(pose)
        left_ut = abs(field.resid[self._loudest(True)])
        if left_ut * AFRESH_BETTER_TIMES > before_ut or self._odd(old, found, hands, left_ut):
            self._put_back(old, found)
            return False
        self._tell(old, found)
        return True

    def _more(self, old: "list[Body]", found: "list[array[int]]") -> int:
        """How many discs were found that were not there, nor given up before; below 0: fewer."""
        discs = sum([pose[DISCS] for pose in found]) - sum([body.discs for body in old])
        return discs - min(max(discs, 0), self._given_up)

    def _odd(self, old: "list[Body]", found: "list[array[int]]", hands: int, left_ut: int) -> bool:
        """Whether what was found is no likely outcome of what lay there, of which `hands` were
        held: nothing comes from nowhere, and stacks do not come apart by themselves."""
        discs = self._more(old, found)
        if old and (len(found) > len(old) + 1 or (discs > 1 and len(found) > len(old))):
            return True
        return left_ut >= AFRESH_LEFT_UT and not -AFRESH_FEWER_DISCS < discs < 2 + hands

    def _take_out(self, body: "Body", old: "list[Body]") -> None:
        """Takes a body out of the scene: neither resting nor in flight."""
        old.append(body)
        if body.slot is None:
            self.field.take_out(body.pose)
            self.field.forget(body.pose)
        else:
            if not body.slot.left:
                self.field.forget(body.rest)
            good = body.slot.good
            self.scene.ground(body)
            geometry.copy(body.pose, good)

    def _take_near(self, x: int, y: int, old: "list[Body]") -> bool:
        """Takes the pieces near (x, y) out of the scene. Returns whether there were any."""
        before = len(old)
        for body in self.scene.bodies:
            if body in old or body.is_red:
                continue
            if body.state <= HELD and not body.slot.flyer[FLYER_LOST]:
                continue
            if geometry.span(body.pose[X] - x, body.pose[Y] - y) < AFRESH_MM_Q8:
                self._take_out(body, old)
        if len(old) == before:
            return False
        field = self.field
        for i in range(field.n):  # what was lived with there was of these pieces
            if abs(field.bias[i]) > AFRESH_LEFT_UT:
                if geometry.span(self.mat.SENSOR_X[i] - x, self.mat.SENSOR_Y[i] - y) < AFRESH_MM_Q8:
                    field.learn(i, -field.bias[i])
        return True

    def _find(self, old: "list[Body]", found: "list[array[int]]") -> None:
        """Adds to `found` poses of what explains the frame where it is not understood, put into the
        base. What lay there is taken out of the scene, and added to `old`; towers may be on their
        edge."""
        search = self.scene.search
        for _ in range(2 * AFRESH_BODIES):
            k = self._loudest(True)
            if abs(self.field.resid[k]) < AFRESH_LEFT_UT:
                break
            if self.scene.paced and len(found) > sum([body.discs for body in old]):
                break  # frames come meanwhile
            x, y = self.field.spot(k)
            if self._take_near(x, y, old):
                continue
            search.region(x, y, AFRESH_REGION_MM_Q8)
            before = search.cost()
            cost, pose, _ = search.new_disc(k, 1, True, True)
            if cost * 4 > before * AFRESH_WORTH_4THS:
                break
            pose = pose[:]
            self.field.put_in(pose)
            found.append(pose)
            self._unite(found)
            for _ in range(AFRESH_SWEEP_ROUNDS):
                for one in found:
                    self._refine(one)
            for one in found:
                self._count(one)
                self._weigh(one)

    def _unite(self, found: "list[array[int]]") -> None:
        """What was found last is part of a stack, if it is where another is."""
        new = found[-1]
        for pose in found[:-1]:
            near = geometry.span(pose[X] - new[X], pose[Y] - new[Y]) < AFRESH_STACK_MM_Q8
            same = geometry.face(pose) == geometry.face(new)
            if near and same and self._mode(pose) == FLAT:
                self.field.take_out(new)
                self.field.take_out(pose)
                pose[DISCS] += new[DISCS]
                lay_flat(pose, self.mat, geometry.face(pose))
                self.field.put_in(pose)
                found.pop()
                return

    def _refine(self, pose: "array[int]", discs: int = 0) -> int:
        """Fits one of those found, as it lies, leans, or is held, as so many `discs` if that is
        better. Returns what is left over round it."""
        search, trial = self.scene.search, self.scene.search.trials[0]
        self.field.take_out(pose)
        search.region(pose[X], pose[Y], AFRESH_REGION_MM_Q8)
        least = 1 << 30
        for count in (pose[DISCS], discs) if discs else (pose[DISCS],):
            geometry.copy(trial.pose, pose)
            trial.pose[DISCS] = count
            trial.mode = self._mode(pose)
            if trial.mode == FLAT:
                lay_flat(trial.pose, self.mat, geometry.face(pose))
            cost = search.evaluate(1, AFRESH_STEPS)
            if cost * 5 < least * AFRESH_COUNT_5THS:
                least = cost
                geometry.copy(search.best[0], trial.pose)
        geometry.copy(pose, search.best[0])
        self.field.put_in(pose)
        return least

    def _count(self, pose: "array[int]") -> None:
        """Of a stack: how many discs it has."""
        for step in (1, -1) if pose[DISCS] > 1 or self._mode(pose) == FLAT else ():
            discs = 0
            while discs != pose[DISCS] and 0 < pose[DISCS] + step <= AFRESH_MOST_DISCS:
                discs = pose[DISCS]
                self._refine(pose, discs + step)

    def _weigh(self, pose: "array[int]") -> None:
        """Of what lies or leans: how strong its magnets are. What that leaves over of strong fields
        would else look like discs."""
        mode = self._mode(pose)
        if mode == FREE:
            return
        search, trial = self.scene.search, self.scene.search.trials[0]
        self.field.take_out(pose)
        search.region(pose[X], pose[Y], AFRESH_REGION_MM_Q8)
        geometry.copy(trial.pose, pose)
        trial.mode = MASS if mode == FLAT else LEAN_MASS
        search.evaluate(1, WEIGHED_STEPS)
        one = pose[DISCS] == 1
        least = WEIGHT_LEAST_MOMENT_Q10 if one else STACK_LEAST_MOMENT_Q10
        most = WEIGHT_MOST_MOMENT_Q10 if one else STACK_MOST_MOMENT_Q10
        if least < trial.pose[MOMENT] < most:
            geometry.copy(pose, trial.pose)
        self.field.put_in(pose)

    def _mode(self, pose: "array[int]") -> int:
        if self._risen(pose):
            return FREE
        return LEAN if geometry.sine(pose) >= FREE_TILT_SINE_Q12 else FLAT

    def _risen(self, pose: "array[int]") -> bool:
        clear = geometry.clearance(pose, self.mat)
        return clear > AFRESH_RISEN_MM_Q8

    def _put_back(self, old: "list[Body]", found: "list[array[int]]") -> None:
        """It was no use: what lay there lies there; what was in a hand is gone."""
        for pose in found:
            self.field.take_out(pose)
        for body in old:
            if body.state >= MOVING:
                body.state = RESTING
                geometry.copy(body.pose, body.rest)
                self.field.put_in(body.pose)
                self.field.accept(LIVED_WITH_UT)
                body.cleared_ms = self.scene.now_ms
            else:
                self._given_up += body.discs
                self._vanish(body)

    def _give_up(self, x: int, y: int) -> None:
        """The players are asked once; what is left over is lived with from now on."""
        scene = self.scene
        near, first = [], None
        for body in scene.flying[:]:
            if body.state >= MOVING and body.slot.flyer[FLYER_LOST]:
                scene.put_back(body)
        for body in scene.bodies:
            far = geometry.span(body.pose[X] - x, body.pose[Y] - y)
            if body.state >= MOVING and body.id and far < AFRESH_MM_Q8:
                near.append(body.id)
                first = first or body
        if first is not None:
            near.sort()
            scene.tell(f.UNSURE, first, self._since_ms, tuple(near), why="lost")
        self.field.live_with(x, y, AFRESH_MM_Q8)
        self._tries = 0

    # ------------------------------------------------------------------ what it means
    def _tell(self, old: "list[Body]", found: "list[array[int]]") -> None:
        """Finds out which piece is which, and tells what has changed."""
        scene = self.scene
        now = []
        for body, pose in self._pairs(old, found):
            if body in old and pose in found and body.discs == pose[DISCS]:
                old.remove(body)
                found.remove(pose)
                now.append((pose, [body]))
        for pose in sorted(found, key=_discs):
            parts = self._parts(pose, old)
            for body in parts:
                old.remove(body)
            now.append((pose, parts))
        for body in old:
            self._vanish(body)
        placed = []
        for pose, parts in now:
            body = parts[0] if parts else Body(self.mat.DISC_THICKNESS)
            if not parts:
                scene.bodies.append(body)
                geometry.copy(body.rest, pose)
                body.inside = False
            known = body.pose[MOMENT]
            geometry.copy(body.pose, pose)
            # unless it is another's, by mistake: then what was learnt of it says otherwise
            if len(parts) == 1 and abs(known - pose[MOMENT]) < WEIGHT_SLACK_MOMENT_Q10:
                body.pose[MOMENT] = known
            for other in parts[1:]:
                self.stacking.unite_names(body, other)
                scene.bodies.remove(other)
            placed.append((body, pose))
        for body, pose in placed:
            self._place(body, pose)

    def _parts(self, pose: "array[int]", old: "list[Body]") -> "list[Body]":
        """The nearest pieces that are together as many as what was found; else the stack that lay
        there, whose discs were miscounted; none if it is new."""
        parts, discs = [], 0
        for body, _ in self._pairs(old, [pose]):
            if discs + body.discs <= pose[DISCS]:
                parts.append(body)
                discs += body.discs
        if discs != pose[DISCS] > 1:
            for body in old:
                if (
                    body.discs > 1
                    and body.state >= MOVING
                    and _cost(body, pose) < AFRESH_STACK_MM_Q8
                ):
                    return [body]
        return parts

    def _pairs(
        self, old: "list[Body]", found: "list[array[int]]"
    ) -> "list[tuple[Body, array[int]]]":
        """What lay there with each pose where it may be now, the likeliest first."""
        costs = []
        for n, body in enumerate(old):
            for k, pose in enumerate(found):
                cost = _cost(body, pose)
                if (body.state <= HELD) != self._risen(pose):
                    cost += AFRESH_TURNED_MM_Q8
                if body.id == 0:  # nobody knows whether it ever was one
                    cost += AFRESH_FAR_MM_Q8 >> 1
                if cost < AFRESH_FAR_MM_Q8:
                    costs.append((cost, n, k))
        costs.sort()
        return [(old[n], found[k]) for _, n, k in costs]

    def _place(self, body: "Body", pose: "array[int]") -> None:
        """A body is where it was found: in a hand, or at rest."""
        scene = self.scene
        slot = scene.free_slot()
        self.field.take_out(pose)
        if slot is None:  # too many fly: it lies there
            self.field.put_in(body.pose)
            geometry.copy(body.rest, body.pose)
            body.state = RESTING
            return
        scene.launch(body, slot, True)
        slot.flyer[FLYER_SINCE] = self._since_ms & CLOCK
        if not self._risen(body.pose):
            self.resting.rest(body, geometry.sine(body.pose) >= FREE_TILT_SINE_Q12, None)
        elif body.state >= MOVING:
            scene.lift(body)

    def _vanish(self, body: "Body") -> None:
        """It is nowhere: a hand has taken it away, or is where it cannot be told."""
        scene = self.scene
        if body.state >= MOVING and body.id and not body.out_told:
            scene.tell(f.LIFTED, body, self._since_ms)
        if body.state != TENTATIVE and body.id and not body.out_told:
            if scene.at_rim(body.pose[X], body.pose[Y]):
                scene.tell(f.HAND_OUT, body, scene.now_ms)
            else:
                scene.go_astray(body)
        scene.drop(body)


def _lies_flat(body: "Body") -> bool:
    """Whether it is at rest and may be counted: neither red nor a leaner."""
    return body.slot is None and not (body.is_red or body.leaning)


def _cost(body: "Body", pose: "array[int]") -> int:
    """How little a body is likely to have come to `pose` (Q8 mm)."""
    start = body.rest if body.state >= MOVING else body.pose
    turned = geometry.face(start) != geometry.face(pose)
    return geometry.distance(start, pose) + (AFRESH_TURNED_MM_Q8 if turned else 0)


def _discs(pose: "array[int]") -> tuple[int, int, int]:
    """By how many discs, and by place where these are as many: MicroPython's sort is unstable."""
    return pose[DISCS], pose[X], pose[Y]
