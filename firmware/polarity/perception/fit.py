"""Gauss-Newton on one body's pose, in integers, against the residual its neighbours leave.

A body in flight holds a *slot*: the sensors its field reaches and its share there, already taken
out of the residual. A step looks at the nearest of them, tries each free parameter, solves the
damped normal equations and moves the pose; the residual follows.
"""

from array import array

from .. import kernels
from ..kernels import AX, AY, AZ, MOMENT, X, Y, Z
from . import pose as geometry
from .field import REACH_LIMIT

FREE = 5  # x, y, z and two tips: a body in a hand or falling
LEAN = 4  # x, y and two tips; the low rim is on the mat
FLAT = 2  # x, y; lying, at the height it has
MASS = 3  # x, y and the moment; lying

_MM = 256
STEP = 128  # 0.5 mm, or 1/32 rad
_MASS_STEP = 32  # 1/32 of the nominal moment
_NEAR_LIMIT = 48
# The higher a body flies, the weaker and the smoother its field: longer steps, finer units, and a
# prior that weighs the same in them. Levels by height above the sensor plane.
_LOW = 24 * _MM
_HIGH = 44 * _MM
WIDE = (0, 2, 3)
COARSE = (3, 2, 0)
_STRICT = (0, 6, 12)
_MOST = 6 * _MM  # a step moves no further, or tips more than _MOST_TIP
_MOST_TIP = 1000
_ENOUGH = 40  # a step shorter than this (0.15 mm or half a degree) ends the fit


class Slot:
    """What a body in flight takes out of the residual: `count` sensors, their indices and values
    (µT)."""

    def __init__(self):
        self.index = array("H", [0] * REACH_LIMIT)
        self.values = array("i", [0] * REACH_LIMIT)
        self.count = 0
        self.kept = array("i", [0] * REACH_LIMIT)  # bias set aside while the body is awake


class Fitter:
    """Fits poses against a Field. One set of scratch arrays, made once."""

    def __init__(self, field):
        self.field = field
        self.near = array("H", [0] * _NEAR_LIMIT)
        self.weight = array("B", [0] * _NEAR_LIMIT)
        self.count = 0
        self._target = array("i", [0] * _NEAR_LIMIT)
        self._own = array("i", [0] * _NEAR_LIMIT)
        self._jacobian = array("i", [0] * (FREE * _NEAR_LIMIT))
        self._tangent = array("i", [0] * 6)
        self._a = array("i", [0] * (FREE * FREE))
        self._b = array("i", [0] * FREE)
        self._delta = array("i", [0] * FREE)
        self._root = array("i", [0] * FREE)
        self._low = array("i", [0] * (FREE * FREE))
        self._tipped = geometry.new_pose(0)

    def enter(self, slot, pose):
        """Takes the body's field out of the residual."""
        field = self.field
        slot.count = field.gather(slot.index, pose[X], pose[Y], field.reach(pose), REACH_LIMIT)
        field.model(slot.values, slot.index, slot.count, pose)
        kernels.add_at(field.resid, slot.index, slot.values, slot.count, -1)

    def leave(self, slot):
        """Puts the body's field back into the residual."""
        kernels.add_at(self.field.resid, slot.index, slot.values, slot.count, 1)
        slot.count = 0

    def look(self, pose):
        """Chooses the sensors near the body and how much each counts: strong fields less, their
        gains are uncertain. Takes what the residual has there as the fit's target. Returns how
        many."""
        field = self.field
        radius = (48 << 8) + (pose[Z] >> 1)
        count = self.count = field.gather(
            self.near, pose[X], pose[Y], min(radius, 84 << 8), _NEAR_LIMIT
        )
        near, target, resid = self.near, self._target, field.resid
        for j in range(count):
            target[j] = resid[near[j]]
        field.weigh(self.weight, near, count)
        return count

    def fit(self, pose, mode, steps):
        """Up to `steps` Gauss-Newton steps of `pose`, whose field must be out of no slot (it is
        what the residual holds). Returns the last step's length, Q8 mm; the pose may have gone
        nowhere when fewer than three sensors see it."""
        moved = 0
        for _ in range(steps):
            if self.look(pose) < 3:
                return 0
            moved = self._step(pose, mode)
            if moved < _ENOUGH:
                break
        return moved

    def refit(self, slot, pose, mode, steps):
        """`fit` for a body whose field is out in `slot`; residual and slot follow."""
        self.leave(slot)
        moved = self.fit(pose, mode, steps)
        self.enter(slot, pose)
        return moved

    def _step(self, pose, mode):
        mat, count, jacobian = self.field.mat, self.count, self._jacobian
        level = level_of(pose)
        wide, coarse = WIDE[level], COARSE[level]
        step = STEP << wide
        geometry.tangents(pose, self._tangent)
        kernels.body_gradient(
            self._own, jacobian, _NEAR_LIMIT, self.near, count, mat.SENSOR_X, mat.SENSOR_Y,
            mat.FIELD_TABLE, pose, self._tangent, wide,
        )  # fmt: skip
        if mode == MASS:
            for j in range(count):
                jacobian[2 * _NEAR_LIMIT + j] = self._own[j] * _MASS_STEP // pose[MOMENT]
        elif mode == LEAN:
            self._ride(pose, step)
        for k in range(mode * mode):
            self._a[k] = 0
        for k in range(mode):
            self._b[k] = 0
        kernels.normal_equations(
            self._a,
            self._b,
            jacobian,
            _NEAR_LIMIT,
            self._target,
            self._own,
            self.weight,
            coarse,
            count,
            mode,
        )
        for k in range(mode):
            self._a[k * mode + k] += _PRIOR[mode][k] << _STRICT[level]
        kernels.solve(self._a, self._b, mode, 160, self._delta, self._root, self._low)
        return self._apply(pose, mode, step)

    def _ride(self, pose, step):
        """A leaner's height follows its tilt: each tip's row takes in its share of z, and both
        move up by one, over the row of z."""
        jacobian = self._jacobian
        rise_a, rise_b = self._rise(pose, step, 0), self._rise(pose, 0, step)
        for j in range(self.count):
            z = jacobian[2 * _NEAR_LIMIT + j]
            jacobian[2 * _NEAR_LIMIT + j] = jacobian[3 * _NEAR_LIMIT + j] + z * rise_a // step
            jacobian[3 * _NEAR_LIMIT + j] = jacobian[4 * _NEAR_LIMIT + j] + z * rise_b // step

    def _rise(self, pose, a, b):
        """How much a leaner's centre rises when it is tipped by (a, b), Q8 mm."""
        tipped, radius = self._tipped, self.field.mat.DISC_RADIUS
        geometry.copy(tipped, pose)
        geometry.tip(tipped, self._tangent, a, b)
        return geometry.height_of_centre(tipped, radius) - geometry.height_of_centre(pose, radius)

    def cost(self, pose):
        """Weighted squared residual near the body, (64 µT)^2 a sensor, mean."""
        count = self.look(pose)
        return kernels.cost(self.field.resid, self.near, self.weight, count) // (count or 1)

    def misfit(self, pose):
        """Largest residual near the body beyond 1/16 of the moving field there, µT."""
        field = self.field
        count = field.gather(self.near, pose[X], pose[Y], 48 << 8, _NEAR_LIMIT)
        worst = 0
        for j in range(count):
            i = self.near[j]
            v = field.resid[i]
            if v < 0:
                v = -v
            v -= field.moving[i] >> 4
            if v > worst:
                worst = v
        return worst

    def _apply(self, pose, mode, step):
        delta = self._delta
        dx = _cut(delta[0] * step >> 8, _MOST)
        dy = _cut(delta[1] * step >> 8, _MOST)
        pose[X] += dx
        pose[Y] += dy
        moved = max(abs(dx), abs(dy))
        if mode == MASS:
            pose[MOMENT] = min(1180, max(868, pose[MOMENT] + _cut(delta[2] * _MASS_STEP >> 8, 100)))
        elif mode == FREE or mode == LEAN:
            k = mode - 2
            if mode == FREE:
                dz = _cut(delta[2] * step >> 8, _MOST)
                pose[Z] = max(pose[Z] + dz, -self.field.mat.SENSOR_Z)
                moved = max(moved, abs(dz))
            da, db = (
                _cut(delta[k] * step >> 8, _MOST_TIP),
                _cut(delta[k + 1] * step >> 8, _MOST_TIP),
            )
            geometry.tip(pose, self._tangent, da, db)
            moved = max(moved, abs(da), abs(db))
            if mode == LEAN:
                pose[Z] = (
                    geometry.height_of_centre(pose, self.field.mat.DISC_RADIUS)
                    - self.field.mat.SENSOR_Z
                )
        return moved


# Information (per squared step, in units of the squared residual) that the last pose gives about
# the next: about 4 mm and 3 degrees a frame against 0.1 mT of noise. It only speaks where the
# sensors say little.
_PRIOR = {FREE: (2, 2, 2, 50, 50), LEAN: (2, 2, 50, 50), FLAT: (2, 2), MASS: (2, 2, 100)}


def level_of(pose):
    """Index into WIDE and COARSE for a body's height."""
    height = pose[Z]
    return 0 if height < _LOW else 1 if height < _HIGH else 2


def _cut(v, most):
    return most if v > most else -most if v < -most else v


def lay_flat(pose, mat, face, floor=0):
    """Lays the body flat with `face` up, its underside `floor` (Q8 mm) above the mat."""
    pose[AX] = pose[AY] = 0
    pose[AZ] = geometry.ONE * face
    pose[Z] = floor + (pose[kernels.DISCS] * pose[kernels.THICKNESS] >> 1) - mat.SENSOR_Z
