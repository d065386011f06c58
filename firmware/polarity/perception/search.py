"""Coarse search: which new body, where the residual is not explained, explains it.

Every guess starts from a seed, is refined by a few steps of the solver, and is judged by what it
leaves over in one fixed region around the surprise. The first pass over many seeds costs one look
each.
"""

from array import array

from .. import kernels
from ..kernels import AX, AY, AZ, DISCS, THICKNESS, X, Y, Z
from ..kernels._records import KEPT, REGION_COUNT, REGION_FROM_X, REGION_FROM_Y, REGION_MODE, SEED
from . import pose as geometry
from .fit import Slot
from .parameters import (
    AT_EDGE_MM_Q8,
    EDGE_DISCS,
    EDGE_STEPS,
    HYPOTHESIS_BODIES,
    REGION_SENSORS,
    SEED_ALONG_MM_Q8,
    SEED_HEIGHTS_MM_Q8,
    SEED_OUTWARD_MM_Q8,
    SEED_RIM_MM_Q8,
    SEED_SHIFT_MM_Q8,
    TOWER_4THS,
    TOWER_DISCS,
    TOWER_STEPS,
    UNEXPLAINED_COST,
)
from .solver import FLAT, FREE, LEAN, lay_flat

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..mat_data.mat import Mat
    from .field import Field
    from .fit import Fitter

_SHIFT = SEED_SHIFT_MM_Q8
_SHIFTS = ((0, 0), (_SHIFT, 0), (-_SHIFT, 0), (0, _SHIFT), (0, -_SHIFT))
_FLAT_SEEDS = 2 * len(_SHIFTS)  # poses, of both faces
_SEEDS = _FLAT_SEEDS + 2 * len(SEED_HEIGHTS_MM_Q8) * (1 + len(SEED_OUTWARD_MM_Q8) + 8)  # poses
NONE = 1 << 29  # more than any cost


class Trial:
    """One body of a guess: a pose, and the mode in which it may move."""

    def __init__(self, thickness: int) -> None:
        self.pose = geometry.new_pose(thickness)
        self.mode = FREE


class Search:
    """Guesses against the residual as it stands; it is left as it was found."""

    def __init__(self, field: "Field", fitter: "Fitter") -> None:
        self.field = field
        self.fitter = fitter
        mat = field.mat
        self.index = array("H", [0] * REGION_SENSORS)
        self.weight = array("B", [0] * REGION_SENSORS)
        self.count = 0
        self.guesses = self.searches = 0  # bodies fitted in guesses, and coarse searches, so far
        self._costs, self._places = array("i", [0] * KEPT), array("i", [0] * KEPT)
        self._seed = geometry.new_pose(mat.DISC_THICKNESS)
        self._seeds = _seeds(self._seed, mat)
        self._lying = 0  # face times discs of those seeds that lie flat
        self._outside = True  # whether there are seeds further out than the sensors
        self.record = kernels.record(
            [
                field.record, self.index, 0, self.weight, self._seeds, len(self._seeds) // SEED,
                self._costs, self._places, 0, 0, _FLAT_SEEDS, 0, fitter.solver.record,
            ]
            + kernels.links()[:2]
        )  # fmt: skip
        self.trials = [Trial(mat.DISC_THICKNESS) for _ in range(HYPOTHESIS_BODIES)]
        self.slots = Slot(), Slot(field.share)  # of all but the first
        self.found = geometry.new_pose(mat.DISC_THICKNESS)
        self.best = [geometry.new_pose(mat.DISC_THICKNESS) for _ in range(HYPOTHESIS_BODIES)]

    def region(self, x: int, y: int, radius: int) -> None:
        """Sets the sensors by which guesses are judged; strong fields count less, for their gains
        are uncertain."""
        field = self.field
        self.count = field.gather(self.index, x, y, radius, REGION_SENSORS)
        kernels.loudest_first(field.record, self.index, self.count)
        field.weigh(self.weight, self.index, self.count)
        self.record[REGION_COUNT] = self.count

    def cost(self) -> int:
        """What the residual leaves in the region now, (64 µT)^2 summed."""
        return kernels.cost(self.record)

    def evaluate(self, bodies: int, rounds: int) -> int:
        """Refines the first `bodies` trials together and returns the region's cost; poses stay in
        the trials."""
        kernels.lock_heap()
        try:
            cost = self._evaluate(bodies, rounds)
        finally:
            kernels.unlock_heap()
        return cost

    def _evaluate(self, bodies: int, rounds: int) -> int:
        fitter, trials, solver = self.fitter, self.trials, self.fitter.solver
        self.guesses += bodies
        solver.clear()
        for k in range(bodies):
            solver.add(trials[k].pose, trials[k].mode)
        solver.solve(rounds)
        for k in range(1, bodies):
            fitter.enter(self.slots[k - 1], trials[k].pose)
        cost = kernels.rival(self.record, trials[0].pose, NONE)
        for k in range(1, bodies):
            fitter.leave(self.slots[k - 1])
        return cost

    def new_disc(
        self, sensor: int, discs: int = 1, towers: bool = False, on_edge: bool = False
    ) -> "tuple[int, array[int], int]":
        """The pose of one more disc (or tower) near `sensor` that explains the residual best:
        (cost, pose, mode).

        With `towers`, a tower that lies there is tried too; with `on_edge`, one on its edge, or
        beyond the outermost sensors, as well. Call `region` first.
        """
        self.searches += 1
        x, y = self.field.spot(sensor)
        sign = 1 if self.field.resid[sensor] >= 0 else -1
        self._look_at(x, y, sign, discs)
        trial = self.trials[0]
        geometry.copy(trial.pose, self._seed)
        kernels.lock_heap()
        try:
            best = kernels.refine(self.record, trial.pose, self.found)
        finally:
            kernels.unlock_heap()
        mode = trial.mode = self.record[REGION_MODE]
        if towers and best > UNEXPLAINED_COST * self.count:
            best, mode = self._new_tower(x, y, sign, best, mode, on_edge)
        if on_edge and best > UNEXPLAINED_COST * self.count:
            best, mode = self._new_on_edge(x, y, sign, best, mode)
        return best, self.found, mode

    def _new_tower(
        self, x: int, y: int, face: int, best: int, mode: int, beyond: bool
    ) -> tuple[int, int]:
        """Where one disc explains little, a tower that lies near (x, y) may; or, `beyond` the
        outermost sensors, a disc."""
        near = [(x + dx, y + dy) for dx, dy in _SHIFTS]
        if beyond and geometry.span(x, y) > self.field.mat.CIRCLE_RADIUS - AT_EDGE_MM_Q8:
            for place in self._beyond():  # beside a disc its field points the other way
                best, mode = self._tower_from([place], -face, 1, best, mode)
        return self._tower_from(near, face, 2, best, mode)

    def _tower_from(
        self, places: "list[tuple[int, int]]", face: int, fewest: int, best: int, mode: int
    ) -> tuple[int, int]:
        """The tower of `fewest` discs or more that explains most, from the likeliest of the
        `places` (x, y), or from where it was with a disc fewer."""
        trial, seed, least = self.trials[0], self._seed, NONE
        for discs in range(fewest, TOWER_DISCS + 1):
            seed[DISCS] = discs
            likeliest = NONE
            for seed[X], seed[Y] in places:
                lay_flat(seed, self.field.mat, face)
                cost = kernels.rival(self.record, seed, likeliest)
                if cost < likeliest:
                    likeliest = cost
                    geometry.copy(trial.pose, seed)
            trial.mode = FLAT
            before, least = least, self.evaluate(1, TOWER_STEPS)
            if least >= before:
                break  # with each disc more it explains less
            places.append((trial.pose[X], trial.pose[Y]))
            if least * 4 < best * TOWER_4THS:
                best, mode = least, FLAT
                geometry.copy(self.found, trial.pose)
        return best, mode

    def _beyond(self) -> "list[tuple[int, int]]":
        """(x, y) of where a disc may lie that is further out than any sensor: outward of the middle
        of what is left over."""
        mat, resid = self.field.mat, self.field.resid
        sum_x = sum_y = weight = 0
        for k in range(self.count):
            i = self.index[k]
            ut = abs(resid[i])
            sum_x += mat.SENSOR_X[i] * ut
            sum_y += mat.SENSOR_Y[i] * ut
            weight += ut
        x, y = sum_x // weight, sum_y // weight
        r = geometry.span(x, y)
        return [(x + x * out // r, y + y * out // r) for out in SEED_OUTWARD_MM_Q8]

    def _new_on_edge(self, x: int, y: int, face: int, best: int, mode: int) -> tuple[int, int]:
        """Where no upright tower explains it, one on its edge may: one of its ends is near (x, y),
        the other in any direction from there."""
        trial, seed, mat = self.trials[0], self._seed, self.field.mat
        around = [(ux, uy) for ux in (1, 0, -1) for uy in (1, 0, -1) if ux or uy]
        for discs in EDGE_DISCS:
            seed[DISCS] = discs
            half = face * discs * seed[THICKNESS] >> 1
            likeliest = NONE
            for ux, uy in around:
                geometry.set_axis(seed, ux << 12, uy << 12, 0)
                seed[X], seed[Y] = x + (half * seed[AX] >> 12), y + (half * seed[AY] >> 12)
                seed[Z] = mat.DISC_RADIUS - mat.SENSOR_Z
                cost = kernels.rival(self.record, seed, likeliest)
                if cost < likeliest:
                    likeliest = cost
                    geometry.copy(trial.pose, seed)
            trial.mode = LEAN
            cost = self.evaluate(1, EDGE_STEPS)
            if cost * 4 < best * TOWER_4THS:
                best, mode = cost, LEAN
                geometry.copy(self.found, trial.pose)
        return best, mode

    def _look_at(self, x: int, y: int, sign: int, discs: int) -> None:
        """Finds the seeds near (x, y) that are worth refining: their `_costs` and `_places`.
        `sign`: the face that is tried first of a disc that lies flat."""
        mat, seeds, seed = self.field.mat, self._seeds, self._seed
        seed[DISCS] = discs
        lay_flat(seed, mat, sign)
        if sign * discs != self._lying:
            self._lying = sign * discs
            for n in range(0, _FLAT_SEEDS * SEED, 2 * SEED):
                seeds[n + Z] = seeds[n + SEED + Z] = seed[Z]
                seeds[n + AZ], seeds[n + SEED + AZ] = seed[AZ], -seed[AZ]
        # at the rim the disc may still be further out than any sensor
        r = geometry.span(x, y)
        at_rim = r > mat.CIRCLE_RADIUS - SEED_RIM_MM_Q8
        if at_rim or self._outside:
            self._outside = at_rim
            risen = _FLAT_SEEDS * SEED
            each = (len(seeds) - risen) // (2 * len(SEED_HEIGHTS_MM_Q8))  # of a height and a face
            for level in range(risen, len(seeds), each):
                n = level
                for out in SEED_OUTWARD_MM_Q8:
                    n += SEED
                    seeds[n + AZ] = seeds[level + AZ] if at_rim else 0
                    if at_rim:
                        seeds[n + X], seeds[n + Y] = x * out // r, y * out // r
        for k in range(KEPT):
            self._costs[k] = NONE
        record = self.record
        record[REGION_FROM_X], record[REGION_FROM_Y] = x, y
        kernels.offer(record, seed)


def _seeds(seed: "array[int]", mat: "Mat") -> "array[int]":
    """Where a disc may be, as kernels.offer takes it: lying; then of each height and face level,
    level and further out than the sensor, and tilted."""
    seeds = array("h", [0] * (_SEEDS * SEED))
    at, tilt = 0, geometry.SIN_45
    for x, y in _SHIFTS:
        for _ in range(2):
            seeds[at], seeds[at + Y] = x, y
            at += SEED
    for height in SEED_HEIGHTS_MM_Q8:
        for face in (1, -1):
            for _ in range(1 + len(SEED_OUTWARD_MM_Q8)):
                seeds[at + Z], seeds[at + AZ] = height - mat.SENSOR_Z, face * geometry.ONE
                at += SEED
            for ux, uy in ((1, 0), (-1, 0), (0, 1), (0, -1)):
                geometry.set_axis(seed, ux * tilt, uy * tilt, face * tilt)
                for along in (0, SEED_ALONG_MM_Q8):
                    seeds[at], seeds[at + Y] = ux * along * face, uy * along * face
                    seeds[at + Z] = height - mat.SENSOR_Z
                    for k in (AX, AY, AZ):
                        seeds[at + k] = seed[k]
                    at += SEED
    return seeds
