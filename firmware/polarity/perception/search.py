"""Coarse search: which new body, where the residual is not explained, explains it.

Every guess starts from a seed, is refined by a few steps of the solver, and is judged by what it
leaves over in one fixed region around the surprise. The first pass over many seeds costs one look
each.
"""

from array import array

from .. import kernels
from ..kernels import DISCS, X, Y, Z
from . import pose as geometry
from .fit import Slot
from .solver import FLAT, FREE, lay_flat

_MM = 256
_REGION = 96
_TILT = 2896  # sine and cosine of 45 degrees, Q12
_HEIGHTS = (18 * _MM, 36 * _MM, 58 * _MM)  # of a carried disc's centre above the mat
_SHIFTS = ((0, 0), (9 * _MM, 0), (-9 * _MM, 0), (0, 9 * _MM), (0, -9 * _MM))
NONE = 1 << 29  # more than any cost
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
        self._worst = 0  # of them
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
        kernels.loudest_first(self.index, self.count, field.resid)
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
        for k in range(1, bodies):
            fitter.enter(trials[k].slot, trials[k].pose)
        cost = self._rival(trials[0].pose, NONE)
        for k in range(1, bodies):
            fitter.leave(trials[k].slot)
        return cost

    def _rival(self, pose, most):
        """cost() without the body's field, or `most` where it reaches that."""
        field, mat = self.field, self.field.mat
        return kernels.rival(
            field.resid, self.index, self.weight, self.count, self._values, mat.SENSOR_X,
            mat.SENSOR_Y, field.table, pose, most,
        )  # fmt: skip

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
            self._costs[k] = NONE
        self._worst = 0
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
        best, mode = NONE, FREE
        trial = self.trials[0]
        for k in range(_KEEP):
            if self._costs[k] == NONE:
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
        costs, worst = self._costs, self._worst
        cost = self._rival(self._seed, costs[worst])
        if cost < costs[worst]:
            costs[worst] = cost
            self._modes[worst] = mode
            geometry.copy(self._seeds[worst], self._seed)
            worst = 0
            for k in range(_KEEP):
                if costs[k] > costs[worst]:
                    worst = k
            self._worst = worst
