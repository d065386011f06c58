"""Coarse search: where the residual is not explained, which body, or which change of known bodies, explains it.

Every guess starts from a seed, is refined by a few Gauss-Newton steps, and is judged by what it leaves over in
one fixed region around the surprise. The first pass over many seeds costs one look each.
"""

from array import array

from .. import kernels
from ..kernels import AX, AY, AZ, DISCS, X, Y, Z
from . import pose as geometry
from .fit import FLAT, FREE, LEAN, Slot, lay_flat

_MM = 256
_REGION = 80
_TILT = 2896  # sine and cosine of 45 degrees, Q12
_HEIGHTS = (18 * _MM, 36 * _MM, 58 * _MM)  # of a carried disc's centre above the mat
_SHIFTS = ((0, 0), (9 * _MM, 0), (-9 * _MM, 0), (0, 9 * _MM), (0, -9 * _MM))
_KEEP = 4  # seeds that are worth refining


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
        self.trials = [Trial(mat.DISC_THICKNESS), Trial(mat.DISC_THICKNESS)]
        self.best = [geometry.new_pose(mat.DISC_THICKNESS), geometry.new_pose(mat.DISC_THICKNESS)]

    def region(self, x, y, radius):
        """Sets the sensors by which guesses are judged; strong fields count less, for their gains are uncertain."""
        field = self.field
        self.count = field.gather(self.index, x, y, radius, _REGION)
        for j in range(self.count):
            v = field.field[self.index[j]]
            if v < 0:
                v = -v
            self.weight[j] = 0 if v < 6000 else 1 if v < 20000 else 2

    def cost(self):
        """What the residual leaves in the region now, (64 µT)^2 summed."""
        return kernels.cost(self.field.resid, self.index, self.weight, self.count)

    def evaluate(self, bodies, rounds):
        """Refines the first `bodies` trials together and returns the region's cost; poses stay in the trials."""
        fitter, trials = self.fitter, self.trials
        if bodies == 1:
            fitter.fit(trials[0].pose, trials[0].mode, rounds)
        for k in range(bodies):
            fitter.enter(trials[k].slot, trials[k].pose)
        if bodies > 1:
            for _ in range(rounds):
                for k in range(bodies):
                    fitter.refit(trials[k].slot, trials[k].pose, trials[k].mode, 1)
        cost = self.cost()
        for k in range(bodies):
            fitter.leave(trials[k].slot)
        return cost

    def new_disc(self, sensor):
        """The pose of one new disc near `sensor` that explains the residual best: (cost, pose, mode).

        Call `region` first.
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
        seed[DISCS] = 1
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
                # the same disc, free to be a little above or tipped, must be clearly better to be preferred
                if cost < best + (best >> 2):
                    best, mode = cost, FLAT
                    geometry.copy(self.best[0], trial.pose)
                continue
            if mode == FLAT and cost > best - (best >> 2):
                continue
            if cost < best:
                best, mode = cost, FREE
                geometry.copy(self.best[0], trial.pose)
        return best, self.best[0], mode

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
STAYS = 0  # nothing better was found
MOVED = 1  # it lies, leans or flies elsewhere: best[0]
JOINED = 2  # it snapped to the body in the hand: best[0] is the hand's
STACKED = 3  # it lies on top of a resting body
GONE = 4
AT_REST = 5  # it never moved; a new disc at best[0] explains the change
PARTED = 6  # what the hand holds has lost a disc, which is now at best[1]


class Rescue:
    """Finds out what became of a lost body. Its own field must be out of the base and out of no slot."""

    def __init__(self, search):
        self.search = search
        self.verdict = STAYS
        self.cost = 0
        self.partner = None

    def find(self, body, hand, resting, newcomer):
        """Judges the guesses for `body`; `hand` is the held body near it or None, `resting` its neighbours.

        Both bodies' fields must be in the residual. `newcomer` is the sensor near which a new disc may have
        come in, or -1. Leaves the verdict, its cost, the poses in search.best and the partner body.
        """
        search = self.search
        mat = search.field.mat
        self.verdict, self.partner = STAYS, None
        self.cost = 1 << 30
        discs = body.pose[DISCS]
        others = 0
        trials = search.trials
        if hand is not None:
            others = 1
        # as it is tracked now, and turned over
        for flip in (1, -1):
            geometry.copy(trials[0].pose, body.pose)
            for k in (AX, AY, AZ):
                trials[0].pose[k] *= flip
            trials[0].mode = FREE
            self._judge(MOVED, hand, 1, others, 6)
        # flat around where it last lay, either face; a leaner falls one radius to either side of its rim
        radius = mat.DISC_RADIUS
        rx, ry = geometry.low_rim(body.rest, radius)
        cx, cy = body.rest[X], body.rest[Y]
        dx, dy = cx - rx, cy - ry
        length = geometry.span(dx, dy) or 1
        spots = [(cx, cy), (body.pose[X], body.pose[Y])]
        if body.leaning:
            ox, oy = dx * radius // length, dy * radius // length
            spots = [(rx + ox, ry + oy), (rx - ox, ry - oy)] + spots
        for m in resting:
            ex, ey = body.rest[X] - m.pose[X], body.rest[Y] - m.pose[Y]
            far = geometry.span(ex, ey) or 1
            spots.append((m.pose[X] + ex * 2 * radius // far, m.pose[Y] + ey * 2 * radius // far))
        for sx, sy in spots:
            for face in (1, -1):
                self._flat(body, sx, sy, face, 0)
                self._judge(MOVED, hand, 1, others, 4)
        if body.leaning:
            geometry.copy(trials[0].pose, body.rest)
            trials[0].mode = LEAN
            self._judge(MOVED, hand, 1, others, 5)
        for m in resting:
            top = m.pose[DISCS] * m.pose[8]
            if not m.leaning:
                self._flat(body, m.pose[X], m.pose[Y], m.face, top)
                if self._judge(STACKED, hand, 1, others, 3):
                    self.partner = m
        # gone
        self._judge(GONE, hand, 0, others, 3)
        if hand is not None:
            trial = trials[0]
            geometry.copy(trial.pose, hand.pose)
            trial.pose[DISCS] += discs
            trial.mode = FREE
            if self._judge(JOINED, None, 1, 0, 6):
                self.partner = hand
        if body.lying and newcomer >= 0:
            geometry.copy(trials[1].pose, body.rest)
            fitter = search.fitter
            fitter.enter(trials[1].slot, trials[1].pose)
            cost, found, mode = search.new_disc(newcomer)
            fitter.leave(trials[1].slot)
            if cost < self.cost - (self.cost >> 2):
                self.verdict, self.cost, self.partner = AT_REST, cost, None
        return self.verdict

    def _flat(self, body, x, y, face, floor):
        trial = self.search.trials[0]
        geometry.copy(trial.pose, body.pose)
        trial.pose[X], trial.pose[Y] = x, y
        lay_flat(trial.pose, self.search.field.mat, face, floor)
        trial.mode = FLAT

    def _judge(self, verdict, hand, own, others, rounds):
        """Evaluates `own` trials and, behind them, the hand as it is tracked."""
        search = self.search
        if others and hand is not None:
            geometry.copy(search.trials[own].pose, hand.pose)
            search.trials[own].mode = FREE
        cost = search.evaluate(own + others, rounds)
        if cost >= self.cost:
            return False
        self.verdict, self.cost = verdict, cost
        for k in range(own + others):
            geometry.copy(search.best[k], search.trials[k].pose)
        return True
