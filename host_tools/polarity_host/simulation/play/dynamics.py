"""How bodies move that no hand holds: sliding, leaning, flying. PHYSICS.md lists the laws.

Each step takes a Body, the `wrench` of the magnets on it (N, N mm) and `dt` in seconds, and changes
the body. Lengths in mm: a force of 1 N gives 1 kg 1000 mm/s2.
"""

import math
from collections.abc import Sequence
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from polarity_host.simulation.twin.equilibrium import FRICTION, GRAVITY_M_S2

from .body import UPRIGHT, ZERO, Body, BodyState, Vec3

Wrench: TypeAlias = Sequence[float] | NDArray[np.float64]
"""Force (N) and torque about the centre (N mm): fx, fy, fz, tx, ty, tz."""

ROLLING = 0.05  # ASSUMPTION: force over weight that makes a rim roll on a soft mat
PIVOT_MM = 2.0  # ASSUMPTION: radius of the rim's footprint, on which it pivots
ROCKING_S = 0.12  # ASSUMPTION: a rocking leaner comes to rest in this time
REBOUND = 0.15  # ASSUMPTION: share of the speed that is left when it hits the mat
FASTEST_MM_S = 2500.0
LIES_BELOW = math.radians(0.5)
CREEP_MM_S, CREEP_RAD_S = 2.0, 0.05


def weight_n(body: Body) -> float:
    """Its weight in newtons."""
    return body.mass * GRAVITY_M_S2


def coulomb(speed: float, force_n: float, limit_n: float, mass_kg: float, dt: float) -> float:
    """The speed (mm/s) after `dt` under a force and dry friction of up to `limit_n`."""
    if speed == 0.0:
        if abs(force_n) <= limit_n:
            return 0.0
        return (force_n - math.copysign(limit_n, force_n)) / mass_kg * 1000.0 * dt
    new = speed + (force_n - math.copysign(limit_n, speed)) / mass_kg * 1000.0 * dt
    return 0.0 if new * speed < 0.0 else new


def lifts_off(body: Body, wrench: Wrench) -> bool:
    """Whether the magnets carry more than the weight of a body that lies."""
    return wrench[2] > weight_n(body)


def tips_towards(body: Body, wrench: Wrench) -> float | None:
    """Azimuth at which the rim stays on the mat while the rest of a lying body rises; None if it
    lies firmly. The pull acts at its centre; friction, which opposes it, at its base."""
    carried = weight_n(body) - wrench[2]
    pull = math.hypot(wrench[0], wrench[1])
    arm = body.height / 2 * min(1.0, FRICTION * max(0.0, carried) / max(pull, 1e-9))
    tx, ty = wrench[3] - arm * wrench[1], wrench[4] + arm * wrench[0]
    if math.hypot(tx, ty) <= carried * body.radius:
        return None
    return math.atan2(-tx, ty)


def wants_to_move(body: Body, wrench: Wrench) -> bool:
    """Whether a body at rest does not stay at rest."""
    if body.state is BodyState.LYING:
        carried = FRICTION * (weight_n(body) - wrench[2])
        if math.hypot(wrench[0], wrench[1]) > carried:
            return True
        return tips_towards(body, wrench) is not None
    turning, pivot, along, out, carried = on_rim(body, wrench)
    return (
        carried < 0.0
        or abs(turning) > 0.01 * weight_n(body) * body.radius
        or abs(along) > ROLLING * carried
        or abs(out) > FRICTION * carried
        or abs(pivot) > FRICTION * PIVOT_MM * carried
    )


def drags(bodies: Sequence[Body], wrenches: Sequence[Wrench]) -> bool:
    """Whether bodies that lie side by side and stick together slide off as one."""
    carried = sum(max(0.0, weight_n(b) - w[2]) for b, w in zip(bodies, wrenches))
    pull = math.hypot(sum(w[0] for w in wrenches), sum(w[1] for w in wrenches))
    return pull > FRICTION * carried


def slide(bodies: Sequence[Body], wrenches: Sequence[Wrench], dt: float) -> None:
    """A step of bodies that lie and stick together side by side, or of one alone: as one."""
    mass = sum(body.mass for body in bodies)
    carried = sum(max(0.0, weight_n(b) - w[2]) for b, w in zip(bodies, wrenches))
    fx, fy = (sum(w[k] for w in wrenches) for k in (0, 1))
    vx, vy = (sum(b.velocity[k] * b.mass for b in bodies) / mass for k in (0, 1))
    speed, force = math.hypot(vx, vy), math.hypot(fx, fy)
    grip = FRICTION * carried
    if speed == 0.0:
        share = max(0.0, 1.0 - grip / force) if force else 0.0
        vx, vy = (share * f / mass * 1000.0 * dt for f in (fx, fy))
    else:
        slowed = grip / mass * 1000.0 * dt
        vx += fx / mass * 1000.0 * dt
        vy += fy / mass * 1000.0 * dt
        speed = math.hypot(vx, vy)
        share = max(0.0, 1.0 - slowed / speed) if speed else 0.0
        vx, vy = share * vx, share * vy
    vx, vy, _ = _bounded((vx, vy, 0.0))
    for body in bodies:
        body.slide(vx, vy, dt, awake=vx != 0.0 or vy != 0.0 or force > grip)


def tip(body: Body, azimuth: float) -> None:
    """A lying body begins to rise about its rim at `azimuth`."""
    body.lean(azimuth)
    body.become(BodyState.LEANING)


def fly(body: Body, velocity: Vec3 = ZERO, turning: Vec3 = ZERO) -> None:
    """The body leaves the mat, or the hand."""
    body.become(BodyState.FLYING)
    body.set_velocity(_bounded(velocity), turning)


def rock(body: Body, wrench: Wrench, dt: float) -> bool:
    """A step of a body on its rim. Returns whether it has come to lie."""
    turning, pivot, along, out, carried = on_rim(body, wrench)
    back, high = body.reach()
    inertia = body.inertia + body.mass * (back * back + high * high)
    rise = turning * 1000.0 / inertia
    carried += body.mass * back * rise / 1000.0
    if carried < 0.0:
        _take_off(body, back, high)
        return False
    about = body.inertia + body.mass * back * back
    body.set_rim_speed(
        tilting=(body.tilting + rise * dt) * math.exp(-dt / ROCKING_S),
        pivoting=coulomb(body.pivoting, pivot, FRICTION * PIVOT_MM * carried, about, dt),
        rolling=coulomb(body.rolling, along, ROLLING * carried, 1.5 * body.mass, dt),
        slipping=coulomb(body.slipping, out, FRICTION * carried, body.mass, dt),
    )
    body.step_on_rim(dt)
    if body.tilt > UPRIGHT:
        body.over_its_side()
        if -body.tilting <= abs(rise) * dt + CREEP_RAD_S:
            body.on_its_side()
    if body.tilt <= LIES_BELOW and body.tilting <= 0.0:
        return _hit_the_mat(body)
    body.stand()
    if (
        abs(body.tilting) < CREEP_RAD_S
        and abs(rise) * ROCKING_S < CREEP_RAD_S
        and body.pivoting == body.rolling == body.slipping == 0.0
    ):
        body.rest()
    return False


def fall(body: Body, wrench: Wrench, dt: float) -> None:
    """A step of a body in the air. It leans or lies once it has met the mat."""
    push = 1000.0 * dt / body.mass
    vx, vy, vz = body.velocity
    vz -= GRAVITY_M_S2 * 1000.0 * dt
    vx, vy, vz = _bounded((vx + wrench[0] * push, vy + wrench[1] * push, vz + wrench[2] * push))
    turn = 1000.0 * dt / body.inertia
    calm = math.exp(-dt / ROCKING_S)
    wx, wy, wz = ((w + t * turn) * calm for w, t in zip(body.turning, wrench[3:]))
    body.set_velocity((vx, vy, vz), (wx, wy, wz))
    x, y, z = body.centre
    ax, ay, az = body.axis
    ax, ay, az = (
        ax + (wy * az - wz * ay) * dt,
        ay + (wz * ax - wx * az) * dt,
        az + (wx * ay - wy * ax) * dt,
    )
    size = math.sqrt(ax * ax + ay * ay + az * az)
    body.place((x + vx * dt, y + vy * dt, z + vz * dt), (ax / size, ay / size, az / size))
    if body.low_point <= 0.0:
        _land(body)


class RimLoad(NamedTuple):
    """What acts on a body on its rim, about the contact, weight included: N and N mm."""

    turning: float  # raises the tilt
    pivot: float  # about the upright
    along: float  # along the rim
    out: float  # the way the face looks
    carried: float  # by the mat


def on_rim(body: Body, wrench: Wrench) -> RimLoad:
    """The load of a body on its rim under a wrench of the magnets."""
    fx, fy, fz, tx, ty, tz = wrench
    c, s = math.cos(body.azimuth), math.sin(body.azimuth)
    back, high = body.reach()
    out = fx * c + fy * s
    along = fy * c - fx * s
    fz -= weight_n(body)
    turning = (ty * c - tx * s) + high * out + back * fz
    if body.tilt == UPRIGHT and 0.0 <= turning <= -fz * body.height:
        turning = 0.0  # between its two rims
    return RimLoad(turning, tz - back * along, along, out, -fz)


def _hit_the_mat(body: Body) -> bool:
    """Returns whether it has come to lie; else it bounces."""
    body.set_lean(tilt=0.0)
    body.stand()
    if abs(body.tilting) * REBOUND > 1.5:
        tilting = body.tilting * -REBOUND
        body.set_rim_speed(tilting, body.pivoting, body.rolling, body.slipping)
        return False
    c, s = math.cos(body.azimuth), math.sin(body.azimuth)
    back, _ = body.reach()
    along, out = body.rolling - back * body.pivoting, body.slipping
    body.lie()
    body.set_velocity((out * c - along * s, out * s + along * c, 0.0))
    body.wake()
    return True


def _take_off(body: Body, back: float, high: float) -> None:
    c, s = math.cos(body.azimuth), math.sin(body.azimuth)
    w = body.tilting
    out = body.slipping + w * high
    velocity = (out * c - body.rolling * s, out * s + body.rolling * c, max(0.0, w * back))
    x, y, z = body.centre
    body.place((x, y, z + 0.05))
    fly(body, velocity, (-s * w, c * w, body.pivoting))


def _land(body: Body) -> None:
    vx, vy, vz = body.velocity
    wx, wy, _ = body.turning
    body.become(BodyState.LEANING)
    body.lean()
    c, s = math.cos(body.azimuth), math.sin(body.azimuth)
    back, high = body.reach()
    out, along = vx * c + vy * s, vy * c - vx * s
    spin = body.inertia * (wy * c - wx * s) + body.mass * (back * vz + high * out)
    tilting = spin / (body.inertia + body.mass * (back * back + high * high))
    body.set_rim_speed(tilting, pivoting=0.0, rolling=along, slipping=0.0)


def _bounded(velocity: Vec3) -> Vec3:
    speed = math.sqrt(sum(v * v for v in velocity))
    if speed <= FASTEST_MM_S:
        return velocity
    x, y, z = (v * FASTEST_MM_S / speed for v in velocity)
    return x, y, z
