"""A lost track: what may have become of its body, judged by what explains the field best."""

from .. import facts as f
from .. import kernels
from ..kernels import AX, AY, AZ, DISCS, MOMENT, THICKNESS, X, Y, Z
from ..kernels._limits import AT_ONCE_ROUNDS, LOST_UT
from ..kernels._records import FLYER_LOST, FLYER_UNEASY
from . import pose as geometry
from .body import HELD, MOVING, TENTATIVE
from .parameters import (
    AT_EDGE_MM_Q8,
    ELSEWHERE_STEPS,
    FLUNG_MM_Q8,
    FOUND_STEPS,
    GONE_STEPS,
    INITIATE_INSIDE_FRAMES,
    JOINED_BOTH_STEPS,
    JOINED_STEPS,
    LEANS_STEPS,
    LOST_NEAR_MM_Q8,
    LOST_REGION_MM_Q8,
    LOST_RESTING_RADII,
    ON_MAT_MM_Q8,
    ONE_STACK_STEPS,
    PLAIN_COST,
    PULLED_STEPS,
    RISEN_ANEW_TIMES,
    RISEN_COST,
    SAME_SPOT_MM_Q8,
    SEARCH_FRAMES,
    SEARCH_REST_MS,
    SNAPPED_COST,
    SNAPPED_TIMES,
    SPLIT_GAP_MM_Q8,
    SPLIT_HEIGHTS_MM_Q8,
    SPLIT_STEPS,
    SPLIT_WITHIN_MM_Q8,
    STACKED_STEPS,
    STRAIN_COST,
    STRAIN_STRONG_COST,
    THOROUGH_FRAMES,
    TRACKED_STEPS,
    TURNED_COST,
    VAGUE_COST,
    WORTH_5THS,
)
from .search import NONE
from .solver import FLAT, FREE, LEAN, lay_flat

TYPE_CHECKING = False
if TYPE_CHECKING:
    from array import array
    from collections.abc import Sequence

    from .body import Body
    from .scene import Scene
    from .search import Search
    from .slip import Slip
    from .stacking import Stacking


# What may have become of a body that its own track no longer explains.
#   STAYS: nothing better was found
#   MOVED: it lies, leans or flies elsewhere: best[0]
#   JOINED: it snapped to the body in the hand: best[0] is the hand's
#   STACKED: it lies on top of a resting body: best[0]
#   GONE: it is out of sight
#   AT_REST: it never moved; a new disc at best[0] explains the change
#   JOINED_BOTH: it and the other lost body joined the hand: best[0] is the hand's
#   ONE_STACK: it and `met`, lost too, are one stack on the mat: best[0] is that stack's
#   SPLIT: a hand has lifted its upper discs: best[0] is theirs, best[1] that of those that stayed
STAYS, MOVED, JOINED, STACKED, GONE, AT_REST, JOINED_BOTH, ONE_STACK, SPLIT = range(9)


class Rescue:
    """Finds out what became of a lost body, for one Search."""

    def __init__(self, search: "Search") -> None:
        self.search = search
        self.verdict = STAYS
        self.cost = 0
        self._hopeless = 0  # above this a guess is not worth refining
        self.in_vain = -1  # the sensor round which nothing was found that lies there
        # a companion that a guess wants elsewhere than it is tracked, and where
        self._pulled: "Body | None" = None
        self._pulled_to = 0, 0
        self._hand: "Body" = None  # pyright: ignore[reportAttributeAccessIssue]  # set by _joined_at
        self.met: "Body" = None  # pyright: ignore[reportAttributeAccessIssue]  # with ONE_STACK

    def find(
        self,
        body: "Body",
        hand: "Body",
        companions: "Sequence[Body]",
        resting: "list[Body]",
        sensor: int,
        newcomer: bool,
        may_go: bool,
        hurried: bool,
    ) -> int:
        """Judges the guesses for `body`, whose field must be in the residual like those of its
        `companions`: the `hand` near it or None, and other lost bodies. `resting` are its
        neighbours, `sensor` sees the largest surprise, `newcomer` says that a new disc may have
        come in there, `may_go` that the body may have been carried out of sight, `hurried` that
        there is time for what is likeliest only.

        Returns the verdict; the poses of the body (but for JOINED and GONE) and then of the
        companions are in search.best, the cost in `cost`.
        """
        self._begin()
        unexplained = self.search.cost()
        self._hopeless = unexplained + (unexplained >> 2)
        if hand is not None and not body.is_red:
            self._joined(body, hand, companions)
        if self._open():
            self._as_tracked(body, companions)
        if hurried:
            return self.verdict
        if body.state >= MOVING and body.discs > 1 and not companions and self._open():
            self._taken_apart(body)
        if self._open():
            self._lying_elsewhere(body, companions, resting)
        if self._open():
            self._at_rest(body, companions, resting)
        self._one_stack(body, companions)
        if may_go:
            self._judge(GONE, body, FREE, 0, companions, GONE_STEPS)
        if self._open():
            self._search_anew(body, hand, companions, sensor)
            if newcomer and body.state >= MOVING:
                self._search_newcomer(body, companions, sensor)
        return self.verdict

    def _begin(self) -> None:
        self.verdict, self.cost, self.in_vain = STAYS, 1 << 30, -1

    def _joined_at(
        self,
        pose: "array[int]",
        verdict: int,
        discs: int,
        body: "Body",
        hand: "Body",
        others: "Sequence[Body]",
        rounds: int,
    ) -> None:
        """So many discs have joined the hand, which is where `pose` says."""
        trial = self.search.trials[0]
        geometry.copy(trial.pose, pose)
        trial.pose[DISCS] = hand.discs + discs  # `pose` may be of before another joined it
        trial.pose[MOMENT] = hand.pose[MOMENT]
        self._hand = hand
        self._judge(verdict, body, FREE, 1, others, rounds)

    def snapped(self, body: "Body", hand: "Body", before: int) -> bool:
        """True when it explains what cost so much `before` that the body has joined the hand, which
        has then the pose in search.best[0]. The fields of both must be in the residual."""
        self._begin()
        self._joined_at(hand.slot.good, JOINED, body.discs, body, hand, (), JOINED_STEPS)
        return self.cost < SNAPPED_COST * self.search.count and self.cost < before // SNAPPED_TIMES

    def apart(self, body: "Body", before: int) -> bool:
        """True when it explains what cost so much `before` that a hand has lifted upper discs of
        this stack: then search.best has both parts. Its field must be in the residual."""
        self._begin()
        self._taken_apart(body)
        return self.verdict == SPLIT and self.cost < before >> 1

    def _open(self) -> bool:
        """True while no guess is as good as any."""
        return self.cost > PLAIN_COST * self.search.count

    def _joined(self, body: "Body", hand: "Body", companions: "Sequence[Body]") -> None:
        """Snapped to the hand, alone or with another, where that was last understood or is now."""
        others = [other for other in companions if other is not hand]
        self._joined_at(hand.slot.good, JOINED, body.discs, body, hand, others, JOINED_STEPS)
        if self.cost > SNAPPED_COST * self.search.count:
            self._joined_at(hand.pose, JOINED, body.discs, body, hand, others, JOINED_STEPS)
        if self._open() and others and not others[0].is_red:
            both = body.discs + others[0].discs
            self._joined_at(hand.pose, JOINED_BOTH, both, body, hand, others[1:], JOINED_BOTH_STEPS)

    def _at_rest(self, body: "Body", companions: "Sequence[Body]", resting: "list[Body]") -> None:
        """Leaning as it leaned, or on top of a neighbour."""
        if body.leaning:
            geometry.copy(self.search.trials[0].pose, body.rest)
            self._judge(MOVED, body, LEAN, 1, companions, LEANS_STEPS)
        thickness = self.search.field.mat.DISC_THICKNESS
        for m in resting:
            if self._open() and not m.leaning and not m.is_red and m.slot is None:
                self._lay(body, m.pose[X], m.pose[Y], m.face, m.discs * thickness)
                self._judge(STACKED, body, FLAT, 1, companions, STACKED_STEPS)

    def _as_tracked(self, body: "Body", companions: "Sequence[Body]") -> None:
        """Where it is tracked, and turned over there."""
        for flip in (1, -1):
            pose = self.search.trials[0].pose
            geometry.copy(pose, body.pose)
            for k in (AX, AY, AZ):
                pose[k] *= flip
            self._judge(MOVED, body, FREE, 1, companions, TRACKED_STEPS)

    def _taken_apart(self, body: "Body") -> None:
        """A hand has lifted its upper discs; the others lie where they lay."""
        search, rest, least = self.search, body.rest, NONE
        fitter, thick, likeliest = search.fitter, rest[THICKNESS], (0, 0)
        upper, lower = search.trials[0], search.trials[1]
        for discs in range(1, body.discs):
            self._stack(lower.pose, rest, body.discs - discs, 0)
            fitter.enter(search.slots[0], lower.pose)
            for height in SPLIT_HEIGHTS_MM_Q8:
                self._stack(upper.pose, rest, discs, (body.discs - discs) * thick + height)
                cost = kernels.rival(search.record, upper.pose, least)
                if cost < least:
                    least, likeliest = cost, (discs, height)
            fitter.leave(search.slots[0])
        discs, height = likeliest
        if not discs:
            return
        self._stack(lower.pose, rest, body.discs - discs, 0)
        self._stack(upper.pose, rest, discs, (body.discs - discs) * thick + height)
        upper.mode, lower.mode = FREE, FLAT
        cost = search.evaluate(2, SPLIT_STEPS) + RISEN_COST * search.count
        stayed = geometry.distance(lower.pose, rest) < SAME_SPOT_MM_Q8
        gap = upper.pose[Z] - lower.pose[Z] - (body.discs * thick >> 1)
        above = geometry.distance(upper.pose, rest) < SPLIT_WITHIN_MM_Q8 and gap > SPLIT_GAP_MM_Q8
        if stayed and above and cost < self.cost and cost < SNAPPED_COST * search.count:
            self.verdict, self.cost = SPLIT, cost
            geometry.copy(search.best[0], upper.pose)
            geometry.copy(search.best[1], lower.pose)

    def _stack(self, pose: "array[int]", rest: "array[int]", discs: int, floor: int) -> None:
        """So many discs of a stack that lay at `rest`, from this height on."""
        geometry.copy(pose, rest)
        pose[DISCS] = discs
        lay_flat(pose, self.search.field.mat, geometry.face(rest), floor)

    def _lying_elsewhere(
        self, body: "Body", companions: "Sequence[Body]", resting: "list[Body]"
    ) -> None:
        """Flat around where it last lay, either face up: a leaner falls one radius to either side
        of its rim, a disc is pulled to exactly one diameter from another."""
        radius = self.search.field.mat.DISC_RADIUS
        cx, cy = body.rest[X], body.rest[Y]
        spots = [(cx, cy), (body.pose[X], body.pose[Y])]
        if body.leaning:
            rx, ry = geometry.low_rim(body.rest, radius)
            dx, dy = cx - rx, cy - ry
            length = geometry.span(dx, dy) or 1
            ox, oy = dx * radius // length, dy * radius // length
            spots = [(rx + ox, ry + oy), (rx - ox, ry - oy)] + spots
        for m in resting:
            ex, ey = cx - m.pose[X], cy - m.pose[Y]
            far = geometry.span(ex, ey) or 1
            spots.append((m.pose[X] + ex * 2 * radius // far, m.pose[Y] + ey * 2 * radius // far))
        for n, (x, y) in enumerate(spots):
            if _near_one_of(spots[:n], x, y):
                continue
            for face in (1, -1) if body.leaning else (body.face,):
                if self._open():
                    self._lay(body, x, y, face, 0)
                    self._judge(MOVED, body, FLAT, 1, companions, ELSEWHERE_STEPS)
        for m in companions:
            if self._open() and m.state >= MOVING and not m.leaning:
                self._pulled_together(body, m, companions)

    def _pulled_together(self, body: "Body", other: "Body", companions: "Sequence[Body]") -> None:
        """Both lost: one jumped to the other, or they met half-way."""
        radius = self.search.field.mat.DISC_RADIUS
        ax, ay, bx, by = body.rest[X], body.rest[Y], other.rest[X], other.rest[Y]
        far = geometry.span(ax - bx, ay - by) or 1
        ux, uy = (ax - bx) * 2 * radius // far, (ay - by) * 2 * radius // far
        mx, my = (ax + bx) >> 1, (ay + by) >> 1
        self._pulled = other
        for x, y in ((bx, by), (mx - (ux >> 1), my - (uy >> 1)), (ax - ux, ay - uy)):
            self._pulled_to = x, y
            self._lay(body, x + ux, y + uy, body.face, 0)
            self._judge(MOVED, body, FLAT, 1, companions, PULLED_STEPS)
        self._pulled = None

    def _one_stack(self, body: "Body", companions: "Sequence[Body]") -> None:
        """It and another lost body have snapped together, and have come to lie anywhere near."""
        search, fitter = self.search, self.search.fitter
        for other in companions if self._open() else ():
            if body.is_red or other.is_red or not other.slot.flyer[FLYER_LOST]:
                continue
            others = [one for one in companions if one is not other]
            for one in others:
                fitter.enter(one.slot, one.pose)
            discs = body.discs + other.discs
            _, found, mode = search.new_disc(fitter.peak_near(body.pose), discs)
            trial = search.trials[0]
            geometry.copy(trial.pose, found)
            trial.pose[MOMENT] = (
                body.pose[MOMENT] * body.discs + other.pose[MOMENT] * other.discs
            ) // discs
            trial.mode = mode
            cost = search.evaluate(1, ONE_STACK_STEPS)
            for one in others:
                fitter.leave(one.slot)
            low = geometry.clearance(trial.pose, search.field.mat) < ON_MAT_MM_Q8
            if low and cost < SNAPPED_COST * search.count and cost < self.cost // 2:
                self.cost, self.verdict, self.met = cost, ONE_STACK, other
                geometry.copy(search.best[0], trial.pose)

    def _search_anew(
        self, body: "Body", hand: "Body", companions: "Sequence[Body]", sensor: int
    ) -> None:
        """A coarse search for the body itself."""
        search = self.search
        cost, mode = self._search_beside(companions, sensor, body.discs)
        if mode == FREE or cost >= SNAPPED_COST * search.count:
            self.in_vain = sensor
        search.found[MOMENT] = body.pose[MOMENT]
        cost += self._strain(body, search.found)
        if mode == FREE and body.state >= MOVING:
            cost += RISEN_ANEW_TIMES * RISEN_COST * search.count
        self._found(MOVED, cost, companions)
        if hand is not None and self.cost == cost and self._open():  # it may be a little off
            geometry.copy(search.trials[0].pose, search.found)
            self._judge(MOVED, body, mode, 1, companions, FOUND_STEPS)

    def _search_newcomer(self, body: "Body", companions: "Sequence[Body]", sensor: int) -> None:
        """A coarse search for a new disc while the body lies where it lay."""
        search, fitter = self.search, self.search.fitter
        at_rest, slot = search.trials[1].pose, search.slots[0]
        geometry.copy(at_rest, body.rest)
        fitter.enter(slot, at_rest)
        cost, _ = self._search_beside(companions, sensor, 1)
        fitter.leave(slot)
        if geometry.in_one_another(search.found, at_rest):
            cost = NONE
        self._found(AT_REST, cost, companions)

    def _search_beside(
        self, companions: "Sequence[Body]", sensor: int, discs: int
    ) -> tuple[int, int]:
        """(cost, mode) of what a coarse search finds while the companions are where they are
        tracked."""
        search, fitter = self.search, self.search.fitter
        for other in companions:
            fitter.enter(other.slot, other.pose)
        cost, found, mode = search.new_disc(sensor, discs)
        for other in companions:
            fitter.leave(other.slot)
            if geometry.in_one_another(found, other.pose):
                cost = NONE
        return cost, mode

    def _found(self, verdict: int, cost: int, companions: "Sequence[Body]") -> None:
        """What a coarse search has found is believed if it is clearly better."""
        if cost >= self.cost - (self.cost >> 2):
            return
        best = self.search.best
        self.cost, self.verdict = cost, verdict
        geometry.copy(best[0], self.search.found)
        for n, other in enumerate(companions):
            geometry.copy(best[n + 1], other.pose)

    def _strain(self, body: "Body", pose: "array[int]") -> int:
        """What it costs to believe that a body has gone so far: discs are alike, and must not swap
        names."""
        start = body.rest if body.state >= MOVING else body.slot.expected
        far = geometry.distance(pose, start) >> 8
        least = STRAIN_STRONG_COST if body.is_red or body.state <= HELD else STRAIN_COST
        strain = far * self.search.count * least >> 4
        lay = body.state >= MOVING and not body.leaning
        if lay and geometry.face(pose) != geometry.face(start):
            strain += TURNED_COST * self.search.count
        return strain

    def _lay(self, body: "Body", x: int, y: int, face: int, floor: int) -> None:
        pose = self.search.trials[0].pose
        geometry.copy(pose, body.pose)
        pose[X], pose[Y] = x, y
        lay_flat(pose, self.search.field.mat, face, floor)

    def _judge(
        self,
        verdict: int,
        body: "Body",
        mode: int,
        own: int,
        companions: "Sequence[Body]",
        rounds: int,
    ) -> None:
        """Evaluates trial 0 (if `own`) with the companions behind it, each free from where it is
        tracked."""
        search = self.search
        if own and body.state > HELD and verdict not in (JOINED, JOINED_BOTH):
            if not self._may_be(body, search.trials[0].pose, mode):
                return
        search.trials[0].mode = mode
        self._put_companions(own, companions)
        count = own + len(companions)
        cost = search.evaluate(count, rounds)
        for n in range(count):
            for k in range(n):
                if geometry.in_one_another(search.trials[n].pose, search.trials[k].pose):
                    return
        for n, other in enumerate(companions):
            cost += self._strain(other, search.trials[own + n].pose)
        if verdict == JOINED or verdict == JOINED_BOTH:
            cost += self._strain(self._hand, search.trials[0].pose)
        elif verdict == MOVED:
            cost += self._strain(body, search.trials[0].pose)
            if mode == FREE:
                cost += self._rises(body)
        if cost >= self.cost:
            return
        self.verdict, self.cost = verdict, cost
        for k in range(count):
            geometry.copy(search.best[k], search.trials[k].pose)

    def _rises(self, body: "Body") -> int:
        """What it costs to believe that a body flies."""
        return 0 if body.leaning or body.state < MOVING else RISEN_COST * self.search.count

    def _may_be(self, body: "Body", pose: "array[int]", mode: int) -> bool:
        """False where it is no use to refine a guess about a body that no hand holds."""
        search = self.search
        if mode != FREE and geometry.distance(pose, body.pose) > LOST_REGION_MM_Q8:
            return False  # what is seen there is not looked at
        if geometry.span(pose[X], pose[Y]) >= search.field.mat.CIRCLE_RADIUS - AT_EDGE_MM_Q8:
            return True
        # else the sensors below it must see it
        return kernels.rival(search.record, pose, NONE) <= self._hopeless

    def _put_companions(self, own: int, companions: "Sequence[Body]") -> None:
        """Sets the trials behind the `own` to where the companions are tracked, each free."""
        search = self.search
        for n, other in enumerate(companions):
            trial = search.trials[own + n]
            geometry.copy(trial.pose, other.pose)
            trial.mode = FREE
            if other.state >= MOVING and not other.leaning:
                # what lay flat lies flat until it is seen to rise
                lay_flat(trial.pose, search.field.mat, other.face)
                trial.mode = FLAT
                if other is self._pulled:
                    trial.pose[X], trial.pose[Y] = self._pulled_to


def _near_one_of(spots: "list[tuple[int, int]]", x: int, y: int) -> bool:
    """Whether a disc that lies at one of the spots need not be laid at (x, y), too."""
    for at_x, at_y in spots:
        if geometry.span(at_x - x, at_y - y) < SAME_SPOT_MM_Q8:
            return True
    return False


class Lost:
    """Looks for the lost bodies of one Scene."""

    def __init__(self, scene: "Scene", stacking: "Stacking", slip: "Slip") -> None:
        self.scene = scene
        self.stacking, self.slip = stacking, slip
        self.mat = scene.mat
        self.fitter = scene.fitter
        self.search = scene.search
        self.rescue = Rescue(scene.search)
        self._searched = None  # the body that was searched for last, and when
        self._searched_ms = 0

    def due(self, body: "Body") -> bool:
        """True when it is the turn of a body that has been lost for some frames."""
        rest_ms = SEARCH_REST_MS * self.scene.passed
        if (
            body.slot.flyer[FLYER_LOST] not in SEARCH_FRAMES
            or self.scene.now_ms < self._searched_ms + rest_ms
        ):
            return False
        if body.state <= HELD and self.slip.shaking():
            return False
        return not ((body.state <= HELD or body is self._searched) and self.scene.lost_near(body))

    def snap(self) -> None:
        """Looks whether what is suddenly not understood has snapped to a hand near it: of several
        that nearest to one, as the others may only have felt it."""
        nearest, least = None, LOST_NEAR_MM_Q8
        for body in self.scene.flying:
            if 0 < body.slot.flyer[FLYER_UNEASY] <= AT_ONCE_ROUNDS and not (
                body.state <= HELD or body.is_red
            ):
                hand = self.scene.hand_near(body, least)
                if hand is not None and hand.state != TENTATIVE:
                    nearest, least = (body, hand), geometry.distance(body.pose, hand.pose)
        if nearest is not None:
            self._snaps(*nearest)

    def _snaps(self, body: "Body", hand: "Body") -> None:
        search, fitter = self.search, self.fitter
        search.region(body.pose[X], body.pose[Y], LOST_REGION_MM_Q8)
        before = search.cost()
        if before < SNAPPED_TIMES * PLAIN_COST * search.count:
            return  # too little for a stack to explain it so much better
        fitter.leave(body.slot)
        fitter.leave(hand.slot)
        if self.rescue.snapped(body, hand, before):
            self._believe(JOINED, body, hand, (hand,))
            return
        fitter.enter(body.slot, body.pose)
        fitter.enter(hand.slot, hand.pose)

    def take_apart(self, body: "Body") -> bool:
        """Looks whether a hand has lifted upper discs of a stack that is not understood where it
        lies. Returns whether that is so."""
        search, fitter, scene = self.search, self.fitter, self.scene
        search.region(body.rest[X], body.rest[Y], LOST_REGION_MM_Q8)
        now = search.cost()
        newcomers = scene.without_newcomers(body)
        before = search.cost()
        fitter.leave(body.slot)
        apart = self.rescue.apart(body, before)
        if apart and self.rescue.cost <= now + RISEN_COST * search.count:
            for newcomer in newcomers:
                scene.drop(newcomer)
            self._believe(SPLIT, body, body, ())
            return True
        fitter.enter(body.slot, body.pose)
        scene.explain_with(newcomers)
        return False

    def search_for(self, body: "Body") -> None:
        """Looks for the body, whose turn it is; the others have theirs first before the next."""
        self._searched = body
        self._searched_ms = self.scene.now_ms
        self.look_for(body)

    def look_for(self, body: "Body") -> None:
        """Finds out what became of a body that its track no longer explains."""
        search, fitter = self.search, self.fitter
        hand = self.scene.hand_near(body, LOST_NEAR_MM_Q8)
        companions = self._companions(body, hand)
        resting = self._resting_near(body, companions)
        k = fitter.peak_near(body.pose)
        search.region(body.pose[X], body.pose[Y], LOST_REGION_MM_Q8)
        before = search.cost()
        fitter.leave(body.slot)
        for other in companions:
            fitter.leave(other.slot)
        at_rim = self.scene.at_rim(*self.scene.field.spot(k))
        long_lost = body.slot.flyer[FLYER_LOST] >= INITIATE_INSIDE_FRAMES
        newcomer = hand is None and (at_rim or long_lost)
        # what a hand carries does not vanish far from the rim but by rising out of sight
        deep = body.state != TENTATIVE and not self.scene.at_rim(body.pose[X], body.pose[Y])
        may_go = body.state < MOVING and not deep
        verdict = self.rescue.find(
            body,
            hand,  # pyright: ignore[reportArgumentType]  # None: no verdict that needs one is tried
            companions,
            resting,
            k,
            newcomer,
            may_go,
            self.scene.hurried and body.slot.flyer[FLYER_LOST] < THOROUGH_FRAMES,
        )
        vague = self.rescue.cost > VAGUE_COST * search.count
        much_left = self.rescue.cost > SNAPPED_COST * search.count
        if vague or self.rescue.cost * 5 > before * WORTH_5THS:
            verdict, much_left = STAYS, True
        if much_left and body.state >= MOVING and hand is None and self._flung(body, companions):
            verdict = MOVED
        self._believe(verdict, body, hand, companions)  # pyright: ignore[reportArgumentType]

    def _companions(self, body: "Body", hand: "Body | None") -> "list[Body]":
        """Up to two that may have to do with what became of a lost body: the hand near it, and
        others that are lost near it."""
        companions = [] if hand is None else [hand]
        for other in self.scene.flying:
            if other is body or other is hand or len(companions) == 2:
                continue
            if other.slot.flyer[FLYER_LOST] == 0:
                continue
            if geometry.distance(other.pose, body.pose) < LOST_NEAR_MM_Q8:
                companions.append(other)
        return companions

    def _resting_near(self, body: "Body", companions: "list[Body]") -> "list[Body]":
        """What lies near where a lost body lay."""
        resting, within = [], LOST_RESTING_RADII * self.mat.DISC_RADIUS
        for other in self.scene.bodies:
            if other is not body and other not in companions and other.state >= MOVING:
                if geometry.distance(other.pose, body.rest) < within:
                    resting.append(other)
        return resting

    def _flung(self, body: "Body", companions: "Sequence[Body]") -> bool:
        """Whether a body that jumped or was flicked lies, far from where it was, round the sensor
        that sees most, or is what was taken for a newcomer: if that explains what is seen in both
        places while the companions lie where they lay. Their poses are then in search.best. The
        fields of all must be in the residual."""
        search, fitter, best, last = self.search, self.fitter, self.search.best, body.slot.good
        for other in companions:
            if other.state < MOVING:
                return False
        newcomers = self.scene.without_newcomers(body)
        for other in companions:
            fitter.enter(other.slot, other.rest)
        k = kernels.surprise(self.scene.field.record, LOST_UT)
        found = False
        if k >= 0 and (companions or k != self.rescue.in_vain):
            x, y = self.scene.field.spot(k)
            if geometry.span(x - last[X], y - last[Y]) < FLUNG_MM_Q8:
                search.region(x, y, LOST_REGION_MM_Q8)
                cost, pose, mode = search.new_disc(k, body.discs)
                if mode != FREE and cost < SNAPPED_COST * search.count:
                    pose[MOMENT] = body.pose[MOMENT]
                    fitter.enter(search.slots[0], pose)
                    search.region(last[X], last[Y], LOST_NEAR_MM_Q8 >> 1)
                    found = search.cost() < SNAPPED_COST * search.count
                    fitter.leave(search.slots[0])
        for other in companions:
            fitter.leave(other.slot)
        if not found:
            self.scene.explain_with(newcomers)
            return False
        geometry.copy(best[0], search.found)
        for n, other in enumerate(companions):
            geometry.copy(best[n + 1], other.rest)
        for newcomer in newcomers:
            self.scene.drop(newcomer)
        return True

    def _believe(
        self, verdict: int, body: "Body", hand: "Body", companions: "Sequence[Body]"
    ) -> None:
        """The verdict holds: the bodies, whose fields are in the residual, follow it."""
        scene, fitter, best = self.scene, self.fitter, self.search.best
        if verdict in (MOVED, STACKED, GONE):
            self._follow(companions, 0 if verdict == GONE else 1)
        if verdict in (MOVED, STACKED):
            geometry.copy(body.pose, best[0])
            geometry.copy(body.slot.good, best[0])
        elif verdict == AT_REST:
            geometry.copy(body.pose, body.rest)
        elif verdict == SPLIT:
            geometry.copy(body.pose, best[1])
            geometry.copy(body.rest, best[1])
            geometry.copy(body.slot.good, best[1])
            body.slot.flyer[FLYER_LOST] = 0
        fitter.enter(body.slot, body.pose)
        for other in companions:
            fitter.enter(other.slot, other.pose)
        geometry.copy(body.slot.before, body.pose)
        body.slot.halt()
        if verdict == JOINED:
            self.stacking.join_hand(hand, body, best[0])
        elif verdict == ONE_STACK:
            self.stacking.join([body, self.rescue.met])
        elif verdict == JOINED_BOTH:
            self._join_both(hand, body, companions[1] if companions[0] is hand else companions[0])
        elif verdict == AT_REST:
            scene.new_body(best[0])
        elif verdict == SPLIT:
            upper = scene.new_body(best[0])
            if upper is not None:
                scene.take_off(upper, body)
        elif verdict == GONE:
            self._vanish(body)

    def _follow(self, companions: "Sequence[Body]", first: int) -> None:
        """The companions are where search.best has them from `first` on."""
        for n, other in enumerate(companions):
            geometry.copy(other.pose, self.search.best[first + n])
            geometry.copy(other.slot.before, other.pose)
            geometry.copy(other.slot.good, other.pose)

    def _join_both(self, hand: "Body", body: "Body", other: "Body") -> None:
        """Both are in the hand, which is in search.best[0]: the nearer one came first."""
        join, pose = self.stacking.join_hand, self.search.best[0]
        first, second = body, other
        if geometry.distance(other.pose, hand.pose) < geometry.distance(body.pose, hand.pose):
            first, second = other, body
        join(hand, first, pose, hand.discs + first.discs)
        join(hand, second, pose)

    def _vanish(self, body: "Body") -> None:
        if body.state >= MOVING:
            self.scene.lift(body)
        if body.state != TENTATIVE:
            self.scene.tell(f.HAND_OUT, body, self.scene.now_ms)
        self.scene.drop(body)
