"""Gauss-Newton on several bodies in flight at once, each with five free parameters and a memory.

Discs that move near each other must be fitted together: one after the other, the first would
explain away what the second did. Each body is drawn toward where it was going: a hand moves
smoothly, a disc that falls may not.
"""

from array import array

from .. import kernels
from ..kernels import AX, X, Y, Z
from . import pose as geometry
from .fit import COARSE, STEP, WIDE, level_of

MOST = 3  # bodies fitted together
_FREE = 5
_PARAMS = MOST * _FREE
_SENSORS = 96
_MM = 256
_LONGEST = 8 * _MM  # a step moves a body no further, or tips it more than _LONGEST_TIP
_LONGEST_TIP = 1000
_ENOUGH = 40

# What is known of where a body is, as information per squared step of 0.5 mm (x and y, then z) and
# of 1/32 rad, against noise of 0.1 mT in units of 8 µT. A hand keeps to 1.5 mm and 2 degrees of
# its course; a newcomer is known by what its few sensors say; a loose disc may go anywhere, but
# one that lay flat is believed to lie flat as long as the sensors do not contradict.
HAND = (17, 17, 120)
NEWCOMER = (2, 2, 40)
LOOSE = (1, 1, 5)
LYING = (1, 6, 12)
OUTSIDE = (1, 1 << 20, 1 << 20)  # beyond the circle the sensors see one side only: it lies flat


class Joint:
    """Fits the poses of up to MOST bodies together. Scratch arrays are made once."""

    def __init__(self, field):
        self.field = field
        self.index = array("H", [0] * _SENSORS)
        self.count = 0
        self._some = array("H", [0] * _SENSORS)
        self._seen = bytearray(field.n)
        self._weight = array("B", [0] * _SENSORS)
        self._target = array("i", [0] * _SENSORS)
        self._own = array("i", [0] * _SENSORS)
        self._sum = array("i", [0] * _SENSORS)
        self._jacobian = array("i", [0] * (_PARAMS * _SENSORS))
        self._rows = [memoryview(self._jacobian)[k * _FREE * _SENSORS :] for k in range(MOST)]
        self._tangents = [array("i", [0] * 6) for _ in range(MOST)]
        self._a = array("i", [0] * (_PARAMS * _PARAMS))
        self._b = array("i", [0] * _PARAMS)
        self._delta = array("i", [0] * _PARAMS)
        self._root = array("i", [0] * _PARAMS)
        self._low = array("i", [0] * (_PARAMS * _PARAMS))

    def fit(self, bodies, steps):
        """Moves the poses of `bodies` (whose fields must be in the residual) to explain it best,
        up to `steps` steps, drawn toward each body's `expected` pose."""
        for _ in range(steps):
            if self._look(bodies) < 4 or self._step(bodies) < _ENOUGH:
                return

    def _look(self, bodies):
        """Chooses the sensors near any of the bodies; sets target and weight. Returns how many."""
        field, seen, index = self.field, self._seen, self.index
        each = _SENSORS // len(bodies)
        count = 0
        for body in bodies:
            pose = body.pose
            radius = min((48 << 8) + (pose[Z] >> 1), 84 << 8)
            some = field.gather(self._some, pose[X], pose[Y], radius, min(each, 48))
            for j in range(some):
                i = self._some[j]
                if not seen[i]:
                    seen[i] = 1
                    index[count] = i
                    count += 1
        for j in range(count):
            i = index[j]
            seen[i] = 0
            self._target[j] = field.resid[i]
        field.weigh(self._weight, index, count)
        self.count = count
        return count

    def _step(self, bodies):
        mat, count, own, total = self.field.mat, self.count, self._own, self._sum
        params = len(bodies) * _FREE
        for j in range(count):
            total[j] = 0
        coarse = 0
        for k, body in enumerate(bodies):
            level = level_of(body.pose)
            coarse = max(coarse, COARSE[level])
            geometry.tangents(body.pose, self._tangents[k])
            kernels.body_gradient(
                own, self._rows[k], _SENSORS, self.index, count, mat.SENSOR_X, mat.SENSOR_Y,
                mat.FIELD_TABLE, body.pose, self._tangents[k], WIDE[level],
            )  # fmt: skip
            for j in range(count):
                total[j] += own[j]
        a, b = self._a, self._b
        for k in range(params * params):
            a[k] = 0
        for k in range(params):
            b[k] = 0
        kernels.normal_equations(
            a, b, self._jacobian, _SENSORS, self._target, total, self._weight, coarse, count, params
        )
        for k, body in enumerate(bodies):
            self._remember(body, k, params, coarse)
        kernels.solve(a, b, params, 160, self._delta, self._root, self._low)
        moved = 0
        for k, body in enumerate(bodies):
            moved = max(moved, self._move(body, k))
        return moved

    def _remember(self, body, k, params, coarse):
        """Adds what is known of the body's course to the normal equations."""
        wide = WIDE[level_of(body.pose)]
        shift = 2 * (wide + 3 - coarse)
        near, height, turn = body.memory
        pose, expected, tangent = body.pose, body.expected, self._tangents[k]
        at = k * _FREE
        step = STEP << wide
        for p in range(3):
            information = (near if p < 2 else height) << shift
            self._a[(at + p) * params + at + p] += information
            self._b[at + p] += information * (expected[p] - pose[p]) // step
        for p in range(2):
            away = 0
            for c in range(3):
                away += (expected[AX + c] - pose[AX + c]) * tangent[3 * p + c]
            information = turn << shift
            q = at + 3 + p
            self._a[q * params + q] += information
            self._b[q] += information * (away >> 12) // step

    def _move(self, body, k):
        pose, delta = body.pose, self._delta
        at = k * _FREE
        step = STEP << WIDE[level_of(pose)]
        moved = 0
        for p in range(3):
            v = delta[at + p] * step >> 8
            v = _LONGEST if v > _LONGEST else -_LONGEST if v < -_LONGEST else v
            pose[p] += v
            moved = max(moved, abs(v))
        lowest = -self.field.mat.SENSOR_Z
        if pose[Z] < lowest:
            pose[Z] = lowest
        da, db = delta[at + 3] * step >> 8, delta[at + 4] * step >> 8
        longest = max(abs(da), abs(db))
        if longest > _LONGEST_TIP:
            da, db = da * _LONGEST_TIP // longest, db * _LONGEST_TIP // longest
        geometry.tip(pose, self._tangents[k], da, db)
        return max(moved, abs(da), abs(db))
