"""Coarse search: where the residual is not explained, which body, or which change of known bodies,
explains it.

Every guess starts from a seed, is refined by a few Gauss-Newton steps, and is judged by what it
leaves over in one fixed region around the surprise. The first pass over many seeds costs one look
each.
"""

from array import array

from .. import kernels
from ..kernels import AX, AY, AZ, DISCS, MOMENT, X, Y, Z
from . import pose as geometry
from .fit import Slot
from .solver import FLAT, FREE, LEAN, lay_flat

_MM = 256
_REGION = 96
_TILT = 2896  # sine and cosine of 45 degrees, Q12
_HEIGHTS = (18 * _MM, 36 * _MM, 58 * _MM)  # of a carried disc's centre above the mat
_SHIFTS = ((0, 0), (9 * _MM, 0), (-9 * _MM, 0), (0, 9 * _MM), (0, -9 * _MM))
_KEEP = 4  # seeds that are worth refining
UNEXPLAINED = 20  # (64 µT)^2 a sensor: what one disc must leave over for a tower to be tried
MOST_DISCS = 8  # in a tower that is recognised


class Trial:
    """One body of a guess: a pose with a slot of its own, and the mode in which it may move."""

    def __init__(self, thickness):
        self.pose = geometry.new_pose(thickness)
        self.slot = Slot()
        self.mode = FREE


class Search:
    """Guesses against the residual as it stands; it is left as it was found."""

    def __init__(self, field, fitter):
        self.field = field
        self.fitter = fitter
        mat = field.mat
        self.index = array("H", [0] * _REGION)
        self.weight = array("B", [0] * _REGION)
        self.count = 0
        self._values = array("i", [0] * _REGION)
        self._seeds = [geometry.new_pose(mat.DISC_THICKNESS) for _ in range(_KEEP)]
        self._costs = [0] * _KEEP
        self._seed = geometry.new_pose(mat.DISC_THICKNESS)
        self._modes = [FREE] * _KEEP
        self.trials = [Trial(mat.DISC_THICKNESS) for _ in range(3)]
        self.found = geometry.new_pose(mat.DISC_THICKNESS)
        self.best = [geometry.new_pose(mat.DISC_THICKNESS) for _ in range(3)]

    def region(self, x, y, radius):
        """Sets the sensors by which guesses are judged; strong fields count less, for their gains
        are uncertain."""
        field = self.field
        self.count = field.gather(self.index, x, y, radius, _REGION)
        field.weigh(self.weight, self.index, self.count)

    def cost(self):
        """What the residual leaves in the region now, (64 µT)^2 summed."""
        return kernels.cost(self.field.resid, self.index, self.weight, self.count)

    def evaluate(self, bodies, rounds):
        """Refines the first `bodies` trials together and returns the region's cost; poses stay in
        the trials."""
        fitter, trials, solver = self.fitter, self.trials, self.fitter.solver
        solver.clear()
        for k in range(bodies):
            solver.add(trials[k].pose, trials[k].mode)
        solver.solve(rounds)
        for k in range(bodies):
            fitter.enter(trials[k].slot, trials[k].pose)
        cost = self.cost()
        for k in range(bodies):
            fitter.leave(trials[k].slot)
        return cost

    def new_disc(self, sensor, discs=1, towers=False):
        """The pose of one more disc (or tower) near `sensor` that explains the residual best:
        (cost, pose, mode).

        With `towers`, a tower that lies there is tried too. Call `region` first.
        """
        mat = self.field.mat
        x, y = mat.SENSOR_X[sensor], mat.SENSOR_Y[sensor]
        spots = [(x, y)]
        r = geometry.span(x, y)
        if (
            r > mat.CIRCLE_RADIUS - 40 * _MM
        ):  # at the rim the disc may still be further out than any sensor
            for out in (18 * _MM, 36 * _MM):
                spots.append((x + x * out // r, y + y * out // r))
        for k in range(_KEEP):
            self._costs[k] = 1 << 30
        sign = 1 if self.field.resid[sensor] >= 0 else -1
        seed = self._seed
        seed[DISCS] = discs
        for sx, sy in _SHIFTS:
            for face in (sign, -sign):
                seed[X], seed[Y] = x + sx, y + sy
                lay_flat(seed, mat, face)
                self._offer(FLAT)
        for height in _HEIGHTS:
            seed[Z] = height - mat.SENSOR_Z
            for face in (1, -1):
                for seed[X], seed[Y] in spots:
                    geometry.set_axis(seed, 0, 0, face * geometry.ONE)
                    self._offer(FREE)
                for ux, uy in ((1, 0), (-1, 0), (0, 1), (0, -1)):
                    geometry.set_axis(seed, ux * _TILT, uy * _TILT, face * _TILT)
                    for along in (0, 12 * _MM):
                        seed[X], seed[Y] = x + ux * along * face, y + uy * along * face
                        self._offer(FREE)
        best, mode = 1 << 30, FREE
        trial = self.trials[0]
        for k in range(_KEEP):
            if self._costs[k] == 1 << 30:
                continue
            geometry.copy(trial.pose, self._seeds[k])
            trial.mode = self._modes[k]
            cost = self.evaluate(1, 5)
            if trial.mode == FLAT:
                # the same disc, free to be a little above or tipped, must be clearly better to be
                # preferred
                if cost < best + (best >> 2):
                    best, mode = cost, FLAT
                    geometry.copy(self.found, trial.pose)
                continue
            if mode == FLAT and cost > best - (best >> 2):
                continue
            if cost < best:
                best, mode = cost, FREE
                geometry.copy(self.found, trial.pose)
        if towers and best > UNEXPLAINED * self.count:
            best, mode = self._new_tower(x, y, sign, best, mode)
        return best, self.found, mode

    def _new_tower(self, x, y, face, best, mode):
        """Where one disc explains little, a tower that lies near (x, y) may."""
        trial = self.trials[0]
        for discs in range(2, MOST_DISCS + 1):
            for sx, sy in _SHIFTS:
                self._seed[DISCS] = discs
                self._seed[X], self._seed[Y] = x + sx, y + sy
                lay_flat(self._seed, self.field.mat, face)
                geometry.copy(trial.pose, self._seed)
                trial.mode = FLAT
                cost = self.evaluate(1, 3)
                if cost * 4 < best * 3:
                    best, mode = cost, FLAT
                    geometry.copy(self.found, trial.pose)
        return best, mode

    def _offer(self, mode):
        """Keeps the seed if it is among the best few at first sight."""
        self.field.model(self._values, self.index, self.count, self._seed)
        cost = kernels.mismatch(self.field.resid, self.index, self._values, self.weight, self.count)
        worst = 0
        for k in range(1, _KEEP):
            if self._costs[k] > self._costs[worst]:
                worst = k
        if cost < self._costs[worst]:
            self._costs[worst] = cost
            self._modes[worst] = mode
            geometry.copy(self._seeds[worst], self._seed)


# What may have become of a body that its own track no longer explains.
STRAIN = 2  # (64 µT)^2 a sensor for 16 mm
STRAIN_STRONG = 16  # the same for the red disc, and for one in a hand, which moves smoothly
TURNED = 40  # and that it has turned over
RISEN = 4  # (64 µT)^2 a sensor: what it costs to believe that a lying disc flies
STAYS = 0  # nothing better was found
MOVED = 1  # it lies, leans or flies elsewhere: best[0]
JOINED = 2  # it snapped to the body in the hand: best[0] is the hand's
STACKED = 3  # it lies on top of a resting body: best[0]
GONE = 4
JOINED_BOTH = 6  # it and the other lost body did: best[0] is the hand's
AT_REST = 5  # it never moved; a new disc at best[0] explains the change


class Rescue:
    """Finds out what became of a lost body, for one Search."""

    def __init__(self, search):
        self.search = search
        self.verdict = STAYS
        self.cost = 0
        # a companion that a guess wants elsewhere than it is tracked, and where
        self._pulled = None
        self._pulled_to = 0, 0
        self._hand = None

    def find(self, body, hand, companions, resting, sensor, newcomer):
        """Judges the guesses for `body`, whose field must be in the residual like those of its
        `companions`: the `hand` near it or None, and other lost bodies. `resting` are its
        neighbours, `sensor` sees the largest surprise, `newcomer` says that a new disc may have
        come in there.

        Returns the verdict; the poses of the body (but for JOINED and GONE) and then of the
        companions are in search.best, the cost in `cost`.
        """
        self.verdict = STAYS
        self.cost = 1 << 30
        self._as_tracked(body, companions)
        self._lying_elsewhere(body, companions, resting)
        if body.leaning:
            geometry.copy(self.search.trials[0].pose, body.rest)
            self._judge(MOVED, body, LEAN, 1, companions, 5)
        for m in resting:
            if not m.leaning and not m.is_red and m.slot is None:
                self._lay(
                    body,
                    m.pose[X],
                    m.pose[Y],
                    m.face,
                    m.discs * self.search.field.mat.DISC_THICKNESS,
                )
                self._judge(STACKED, body, FLAT, 1, companions, 3)
        if not body.lying:
            self._judge(GONE, body, FREE, 0, companions, 3)
        if hand is not None and not body.is_red:
            trial = self.search.trials[0]
            geometry.copy(trial.pose, hand.pose)
            trial.pose[DISCS] += body.discs
            self._hand = hand
            others = [other for other in companions if other is not hand]
            self._judge(JOINED, body, FREE, 1, others, 6)
            if others and not others[0].is_red:
                geometry.copy(trial.pose, hand.pose)
                trial.pose[DISCS] += body.discs + others[0].discs
                self._judge(JOINED_BOTH, body, FREE, 1, others[1:], 8)
        self._search_anew(body, companions, sensor, newcomer)
        return self.verdict

    def _as_tracked(self, body, companions):
        """Where it is tracked, and turned over there."""
        for flip in (1, -1):
            pose = self.search.trials[0].pose
            geometry.copy(pose, body.pose)
            for k in (AX, AY, AZ):
                pose[k] *= flip
            self._judge(MOVED, body, FREE, 1, companions, 6)

    def _lying_elsewhere(self, body, companions, resting):
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
        for x, y in spots:
            for face in (1, -1) if body.leaning else (body.face,):
                self._lay(body, x, y, face, 0)
                self._judge(MOVED, body, FLAT, 1, companions, 4)
        for m in companions:
            if m.lying and not m.leaning:
                self._pulled_together(body, m, companions)

    def _pulled_together(self, body, other, companions):
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
            self._judge(MOVED, body, FLAT, 1, companions, 5)
        self._pulled = None

    def _search_anew(self, body, companions, sensor, newcomer):
        """A coarse search: for the body itself, or for a new disc while the body lies where it
        lay."""
        search = self.search
        fitter = search.fitter
        at_rest = search.trials[1]
        for known in (False, True):
            if known and not (newcomer and body.lying):
                continue
            for other in companions:
                fitter.enter(other.slot, other.pose)
            if known:
                geometry.copy(at_rest.pose, body.rest)
                fitter.enter(at_rest.slot, at_rest.pose)
            cost, found, mode = search.new_disc(sensor, 1 if known else body.discs)
            if known:
                fitter.leave(at_rest.slot)
            for other in companions:
                fitter.leave(other.slot)
            if not known:
                found[MOMENT] = body.pose[MOMENT]
                cost += self._strain(body, found)
                if mode == FREE and body.lying:
                    cost += 4 * RISEN * search.count
            if cost < self.cost - (self.cost >> 2):
                self.cost = cost
                self.verdict = AT_REST if known else MOVED
                geometry.copy(search.best[0], found)
                for n, other in enumerate(companions):
                    geometry.copy(search.best[n + 1], other.pose)

    def _strain(self, body, pose):
        """What it costs to believe that a body has gone so far: discs are alike, and must not swap
        names."""
        start = body.rest if body.lying else body.slot.expected
        far = geometry.distance(pose, start) >> 8
        least = STRAIN_STRONG if body.is_red or body.held else STRAIN
        strain = far * self.search.count * least >> 4
        if body.lying and not body.leaning and geometry.face(pose) != geometry.face(start):
            strain += TURNED * self.search.count
        return strain

    def _lay(self, body, x, y, face, floor):
        pose = self.search.trials[0].pose
        geometry.copy(pose, body.pose)
        pose[X], pose[Y] = x, y
        lay_flat(pose, self.search.field.mat, face, floor)

    def _judge(self, verdict, body, mode, own, companions, rounds):
        """Evaluates trial 0 (if `own`) with the companions behind it, each free from where it is
        tracked."""
        search = self.search
        search.trials[0].mode = mode
        for n, other in enumerate(companions):
            trial = search.trials[own + n]
            geometry.copy(trial.pose, other.pose)
            trial.mode = FREE
            if other.lying and not other.leaning:
                # what lay flat lies flat until it is seen to rise
                lay_flat(trial.pose, search.field.mat, other.face)
                trial.mode = FLAT
                if other is self._pulled:
                    trial.pose[X], trial.pose[Y] = self._pulled_to
        count = own + len(companions)
        cost = search.evaluate(count, rounds)
        for n, other in enumerate(companions):
            cost += self._strain(other, search.trials[own + n].pose)
        if verdict == JOINED or verdict == JOINED_BOTH:
            cost += self._strain(self._hand, search.trials[0].pose)
        if verdict == MOVED:
            cost += self._strain(body, search.trials[0].pose)
            if mode == FREE and body.lying and not body.leaning:
                cost += RISEN * search.count
        if cost >= self.cost:
            return
        self.verdict, self.cost = verdict, cost
        for k in range(count):
            geometry.copy(search.best[k], search.trials[k].pose)
