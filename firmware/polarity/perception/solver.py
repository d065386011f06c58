"""Levenberg-Marquardt on the poses of up to four bodies at once, in integers.

Discs that move near each other must be fitted together: one after the other, the first would
explain away what the second did. Each body has as many free parameters as its *mode* gives it, and
may be drawn toward where it is expected: a hand moves smoothly, a disc that falls may not.
"""

from array import array

from .. import kernels
from ..kernels import AX, AY, AZ, DISCS, MOMENT, THICKNESS, Z
from . import pose as geometry

MOST = 4  # bodies fitted together
FLAT = 2  # x, y; lying, at the height it has
MASS = 3  # x, y and the moment; lying
LEAN = 4  # x, y and two tips; the low rim is on the mat
FREE = 5  # x, y, z and two tips: a body in a hand or falling
LEAN_MASS = 6  # as LEAN, and the moment
_FREEDOM = {FLAT: 2, MASS: 3, LEAN: 4, FREE: 5, LEAN_MASS: 5}

_MM = 256
_SENSORS = 96
_EACH = 48
_PARAMS = MOST * 5
_STEP = 128  # 0.5 mm, or 1/32 rad
_MASS_STEP = 32  # 1/32 of the nominal moment
# The higher a body flies, the weaker and the smoother its field: longer steps, finer units.
# Levels by height above the sensor plane.
_LOW = 24 * _MM
_HIGH = 44 * _MM
_WIDE = (0, 2, 3)
_COARSE = (3, 2, 0)
_LONGEST = 8 * _MM  # a step moves a body no further, or tips it more than _LONGEST_TIP
_LONGEST_TIP = 1000
_ENOUGH = 40  # a step shorter than this (0.15 mm or half a degree) ends the fit
_GENTLE = 160  # damping, of the unit diagonal in Q14
_STIFF = 40960
_SUNK = 128  # how deep a loose body may seem to be in the mat

# What is known of where a body is, as information per squared step of 0.5 mm (x and y, then z) and
# of 1/32 rad, against noise of 0.1 mT in units of 8 µT. A hand keeps to 0.8 mm and 2 degrees of
# its course; a newcomer is known by what its few sensors say; a loose disc may go anywhere, but
# one that lay flat is believed to lie flat as long as the sensors do not contradict.
HAND = (60, 60, 150)
NEWCOMER = (2, 2, 20)
LOOSE = (4, 4, 30)
LYING = (4, 40, 150)
OUTSIDE = (1, 1 << 9, 1 << 9)  # beyond the circle the sensors see one side only: it lies flat
ANYWHERE = (1, 1, 1)


class _Part:
    """One body of a fit."""

    def __init__(self):
        self.pose = self.expected = self.memory = None
        self.mode = FREE
        self.sunk = True
        self.strict = 0
        self.at = 0  # its first parameter
        self.params = 0
        self.level = 0
        self.tangent = array("i", [0] * 6)
        self.saved = geometry.new_pose(0)


class Solver:
    """Fits poses against the residual of a Field. Scratch arrays are made once."""

    def __init__(self, field):
        self.field = field
        self.index = array("H", [0] * _SENSORS)
        self.count = 0
        self._some = array("H", [0] * _EACH)
        self._seen = bytearray(field.n)
        self._weight = array("B", [0] * _SENSORS)
        self._target = array("i", [0] * _SENSORS)
        self._own = array("i", [0] * _SENSORS)
        self._sum = array("i", [0] * _SENSORS)
        self._jacobian = array("i", [0] * (_PARAMS * _SENSORS))
        self._rows = [memoryview(self._jacobian)[k * _SENSORS :] for k in range(_PARAMS)]
        self._parts = [_Part() for _ in range(MOST)]
        self._used = 0
        self._params = 0
        self._coarse = 0
        self._a = array("i", [0] * (_PARAMS * _PARAMS))
        self._b = array("i", [0] * _PARAMS)
        self._delta = array("i", [0] * _PARAMS)
        self._root = array("i", [0] * _PARAMS)
        self._low = array("i", [0] * (_PARAMS * _PARAMS))
        self._tipped = geometry.new_pose(0)

    def clear(self):
        """A new fit, of no body yet."""
        self._used = 0

    def add(self, pose, mode, expected=None, memory=ANYWHERE, strict=0, sunk=True):
        """Puts a body into the fit: `pose` will follow. With `expected` (a pose) it is drawn there
        by `memory`, 2**strict times as much; unless `sunk` it cannot be below the mat."""
        part = self._parts[self._used]
        self._used += 1
        part.pose, part.mode, part.expected, part.memory = pose, mode, expected, memory
        part.sunk, part.strict = sunk, strict
        if mode == LEAN or mode == LEAN_MASS:
            self._stand(pose)

    def _stand(self, pose):
        """Sets the lowest rim on the mat."""
        mat = self.field.mat
        pose[Z] = geometry.height_of_centre(pose, mat.DISC_RADIUS) - mat.SENSOR_Z

    def solve(self, steps):
        """Moves the poses of the bodies put in (whose fields must be in the residual) to explain it
        best, looking at their fields up to `steps` times.

        Returns what stays unexplained, (64 µT)^2 a sensor, mean; 0 when hardly any sensor sees
        them.
        """
        if self._look() < 3:
            return 0
        best = -1
        damping = _GENTLE
        while steps:
            steps -= 1
            cost = self._evaluate()
            if best >= 0 and cost > best + (best >> 6):
                self._restore()
                damping <<= 3
                if damping > _STIFF:
                    return self._mean(best)
            else:
                best = cost
                self._save()
                damping = max(_GENTLE, damping >> 2)
                if not steps:
                    break
                self._linearise()
            if not steps:
                break
            kernels.solve(
                self._a, self._b, self._params, damping, self._delta, self._root, self._low
            )
            if self._move() < _ENOUGH:
                break
        return self._mean(best)

    def _mean(self, cost):
        return (cost // self.count << 2 * self._coarse) >> 12

    def _look(self):
        """Chooses the sensors near any of the bodies; sets target and weight. Returns how many."""
        field, seen, index = self.field, self._seen, self.index
        far = (84 if self._used < 3 else 62) * _MM
        count = self._params = self._coarse = 0
        for k in range(self._used):
            part = self._parts[k]
            height = part.pose[Z]
            part.level = 0 if height < _LOW else 1 if height < _HIGH else 2
            part.at = self._params
            part.params = _FREEDOM[part.mode]
            self._params += part.params
            self._coarse = max(self._coarse, _COARSE[part.level])
            some = field.look(self._some, part.pose, _EACH, far)
            count = kernels.unite(index, count, self._some, some, seen, _SENSORS)
        kernels.pick(self._target, field.resid, index, count, seen)
        field.weigh(self._weight, index, count)
        self.count = count
        return count

    def _evaluate(self):
        """The bodies' fields and their slopes at the present poses. Returns the cost."""
        mat, count, own, total = self.field.mat, self.count, self._own, self._sum
        kernels.clear(total, count)
        for k in range(self._used):
            part = self._parts[k]
            rows = self._rows[part.at]
            geometry.tangents(part.pose, part.tangent)
            kernels.body_gradient(
                own, rows, _SENSORS, self.index, count, mat.SENSOR_X, mat.SENSOR_Y,
                self.field.table, part.pose, part.tangent, _WIDE[part.level],
            )  # fmt: skip
            mode = part.mode
            if mode == LEAN or mode == LEAN_MASS:
                self._ride(part, rows)
            if mode == MASS or mode == LEAN_MASS:
                row = (part.params - 1) * _SENSORS
                for j in range(count):
                    rows[row + j] = own[j] * _MASS_STEP // part.pose[MOMENT]
            kernels.add(total, own, count)
        cost = kernels.gap(self._target, total, self._weight, self._coarse, count)
        for k in range(self._used):
            if self._parts[k].expected is not None:
                cost += self._remember(self._parts[k], False)
        return cost

    def _linearise(self):
        """The normal equations at the poses last evaluated."""
        a, b, params = self._a, self._b, self._params
        kernels.clear(a, params * params)
        kernels.clear(b, params)
        kernels.normal_equations(
            a, b, self._jacobian, _SENSORS, self._target, self._sum, self._weight,
            self._coarse, self.count, params,
        )  # fmt: skip
        for k in range(self._used):
            if self._parts[k].expected is not None:
                self._remember(self._parts[k], True)
        for k in range(params):
            a[k * params + k] += 2

    def _remember(self, part, into):
        """What it costs to be away from where the body is expected; with `into`, adds that to the
        normal equations."""
        wide = _WIDE[part.level]
        near, height, turn = part.memory
        return kernels.remember(
            part.pose, part.expected, part.tangent, near, height, turn,
            5 if part.mode == FREE else 2, 2 * (wide + 3 - self._coarse) + part.strict, wide,
            self._a, self._b, self._params if into else 0, part.at,
        )  # fmt: skip

    def _save(self):
        for k in range(self._used):
            part = self._parts[k]
            geometry.copy(part.saved, part.pose)

    def _restore(self):
        for k in range(self._used):
            part = self._parts[k]
            geometry.copy(part.pose, part.saved)

    def _ride(self, part, rows):
        """A leaner's height follows its tilt: each tip's row takes in its share of z, and both
        move up by one, over the row of z."""
        step = _STEP << _WIDE[part.level]
        rise_a, rise_b = self._rise(part, step, 0), self._rise(part, 0, step)
        for j in range(self.count):
            z = rows[2 * _SENSORS + j]
            rows[2 * _SENSORS + j] = rows[3 * _SENSORS + j] + z * rise_a // step
            rows[3 * _SENSORS + j] = rows[4 * _SENSORS + j] + z * rise_b // step

    def _rise(self, part, a, b):
        """How much a leaner's centre rises when it is tipped by (a, b), Q8 mm."""
        tipped, radius = self._tipped, self.field.mat.DISC_RADIUS
        geometry.copy(tipped, part.pose)
        geometry.tip(tipped, part.tangent, a, b)
        return geometry.height_of_centre(tipped, radius) - geometry.height_of_centre(
            part.pose, radius
        )

    def _move(self):
        """Moves every body by its share of the step; returns the longest."""
        moved = 0
        for k in range(self._used):
            moved = max(moved, self._move_part(self._parts[k]))
        return moved

    def _move_part(self, part):
        pose, delta, at, mode = part.pose, self._delta, part.at, part.mode
        step = _STEP << _WIDE[part.level]
        moved = 0
        for p in range(3 if mode == FREE else 2):
            v = delta[at + p] * step >> 8
            v = _LONGEST if v > _LONGEST else -_LONGEST if v < -_LONGEST else v
            pose[p] += v
            moved = max(moved, abs(v))
        if mode == MASS or mode == LEAN_MASS:
            v = delta[at + part.params - 1] * _MASS_STEP >> 8
            pose[MOMENT] = min(1180, max(868, pose[MOMENT] + min(100, max(-100, v))))
            moved = max(moved, abs(v))
        mat = self.field.mat
        if mode != FLAT and mode != MASS:
            p = at + (3 if mode == FREE else 2)
            da, db = delta[p] * step >> 8, delta[p + 1] * step >> 8
            longest = max(abs(da), abs(db))
            if longest > _LONGEST_TIP:
                da, db = da * _LONGEST_TIP // longest, db * _LONGEST_TIP // longest
            geometry.tip(pose, part.tangent, da, db)
            moved = max(moved, abs(da), abs(db))
            if mode != FREE:
                self._stand(pose)
                return moved
            lowest = -mat.SENSOR_Z
            if not part.sunk:
                lowest += geometry.height_of_centre(pose, mat.DISC_RADIUS)
            if pose[Z] < lowest - (0 if part.sunk else _SUNK):
                pose[Z] = lowest
        return moved


def lay_flat(pose, mat, face, floor=0):
    """Lays the body flat with `face` up, its underside `floor` (Q8 mm) above the mat."""
    pose[AX] = pose[AY] = 0
    pose[AZ] = geometry.ONE * face
    pose[Z] = floor + (pose[DISCS] * pose[THICKNESS] >> 1) - mat.SENSOR_Z
