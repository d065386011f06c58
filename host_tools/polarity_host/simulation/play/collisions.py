"""Bodies that meet: kisses side by side, bounces, and magnets that pull others into a stack."""

import math
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

import numpy as np

from polarity_host.simulation.twin.motion import accelerating, turned

from .body import RESTING, ZERO, Body, BodyState
from .magnets import Magnets

GAP_MM = 0.6  # nearer than this they touch
FLAT_AXIS = math.cos(math.radians(2.0))
BOUNCE = 0.4  # ASSUMPTION: share of the speed that two shells keep when they hit each other
JUMP_S = 0.045  # the last part of a jump, which follows a fixed path and is not computed
HOP_MM = 4.0
_ANGLES = np.arange(16) * math.pi / 8
_RIM = np.column_stack([np.cos(_ANGLES), np.sin(_ANGLES)])


class MagnetEvent(NamedTuple):
    """Something that magnets did: "kiss", "stack" (a jump that ended on the mat), "snap" (one that
    ended at a hand), "fell" or "flipped" (of a leaner, `other` is itself)."""

    kind: str
    body: Body
    other: Body


def side_by_side(a: Body, b: Body) -> float | None:
    """Distance of the axes of two bodies that lie flat at one level, or None if they do not."""
    if abs(a.axis[2]) < FLAT_AXIS or abs(b.axis[2]) < FLAT_AXIS:
        return None
    if abs(a.centre[2] - b.centre[2]) > (a.height + b.height) / 2 - 0.3:
        return None
    return math.hypot(a.centre[0] - b.centre[0], a.centre[1] - b.centre[1])


def touch(a: Body, b: Body) -> bool:
    """Whether two cylinders in any pose touch: a point of one's rims is in or at the other."""
    return _reaches_into(a, b) or _reaches_into(b, a)


def _reaches_into(a: Body, b: Body) -> bool:
    x, y, z = a.axis
    across = math.hypot(x, y)
    u = (-y / across, x / across, 0.0) if across > 1e-9 else (1.0, 0.0, 0.0)
    v = (-z * u[1], z * u[0], x * u[1] - y * u[0])
    ring = a.radius * (_RIM @ np.array((u, v)))
    ends = a.height / 2 * np.array(a.axis)
    points = np.concatenate([ring + ends, ring - ends]) + np.subtract(a.centre, b.centre)
    along = points @ np.array(b.axis)
    square = np.einsum("pk,pk->p", points, points) - along * along
    inside = (np.abs(along) <= b.height / 2 + GAP_MM) & (square <= (b.radius + GAP_MM) ** 2)
    return bool(inside.any())


class Jump:
    """The end of a jump: `moving` comes to sit on `partner`, coaxial and facing the same way.

    Where it sits: on top of what rests on the mat, else on the side that it came from. From the
    start on both have the speed of their common centre of mass.
    """

    def __init__(self, moving: Body, partner: Body):
        self.moving, self.partner = moving, partner
        self._start = np.array(moving.centre)
        self._start_axis = np.array(moving.axis)
        self._seconds = 0.0
        came = np.dot(np.subtract(moving.centre, partner.centre), partner.axis)
        if partner.state in RESTING:
            came = partner.axis[2]
        self.side = 1 if came >= 0 else -1
        if partner.state in (*RESTING, BodyState.FLYING):
            share = moving.mass / (moving.mass + partner.mass)
            speeds = zip(partner.speed(), moving.speed())
            partner.go([(1.0 - share) * p + share * m for p, m in speeds])
        moving.become(BodyState.JUMPING)

    def step(self, dt: float) -> bool:
        """Moves on. Returns whether it sits there now."""
        self._seconds += dt
        q = accelerating(self._seconds / JUMP_S)
        moving, partner = self.moving, self.partner
        axis = np.array(partner.axis)
        goal = partner.centre + self.side * (moving.height + partner.height) / 2 * axis
        held = partner.state is BodyState.HELD
        hop = 0.0 if held else HOP_MM * math.sin(math.pi * min(1.0, q))
        x, y, z = (self._start + q * (goal - self._start)).tolist()
        ax, ay, az = turned(self._start_axis, axis, q).tolist()
        moving.place((x, y, z + hop), (ax, ay, az))
        moving.place((x, y, moving.centre[2] + max(0.0, -moving.low_point)))
        return self._seconds >= JUMP_S

    def join(self) -> None:
        """`partner` becomes the whole stack."""
        p, m = self.partner, self.moving
        shift = self.side * m.height / 2
        (x, y, z), (ax, ay, az) = p.centre, p.axis
        p.restack(p.discs + m.discs if self.side > 0 else m.discs + p.discs)
        p.place((x + shift * ax, y + shift * ay, z + shift * az))
        p.end_standing()
        if p.state is BodyState.LYING:
            p.place((p.centre[0], p.centre[1], p.height / 2))
        elif p.state is BodyState.LEANING:
            p.stand()
            p.wake()


class Collisions:
    """Which lying bodies stick together side by side, and what follows when bodies meet.

    `jumps`: those under way. `events`: since they were last taken.
    """

    def __init__(self, magnets: Magnets):
        self.magnets = magnets
        self.joined: set[frozenset[Body]] = set()  # pairs
        self.jumps: list[Jump] = []
        self.events: list[MagnetEvent] = []

    def cluster(self, body: Body) -> list[Body]:
        """`body` and all that stick to it side by side, directly or through others."""
        found = [body]
        for one in found:
            for pair in self.joined:
                if one in pair:
                    found += [other for other in pair if other not in found]
        return found

    def loosen(self, body: Body) -> None:
        """`body` touches nothing any more."""
        self.joined = {pair for pair in self.joined if body not in pair}

    def note(self, kind: str, body: Body, other: Body) -> None:
        """Adds an event."""
        self.events.append(MagnetEvent(kind, body, other))

    def take_events(self) -> list[MagnetEvent]:
        """The events since the last time."""
        taken, self.events = self.events, []
        return taken

    def meet(self, bodies: Sequence[Body]) -> None:
        """Checks every body that moves against all near it."""
        for a in bodies:
            if a.state is BodyState.JUMPING or a.still:
                continue
            for b in self._near(a, bodies):
                if b.state is BodyState.JUMPING or a.state is BodyState.JUMPING:
                    continue
                if a.state is b.state is BodyState.HELD:
                    continue
                if b.pinned and BodyState.HELD in (a.state, b.state):
                    continue
                if b.still or a.slot < b.slot or a.state is BodyState.HELD:
                    self._pair(a, b)

    def step(self, dt: float) -> list[Body]:
        """Moves the jumps on. Returns the bodies that became part of another."""
        gone: list[Body] = []
        for jump in self.jumps[:]:
            if jump.partner in gone or jump.partner.state is BodyState.JUMPING:
                self.jumps.remove(jump)
                jump.moving.become(BodyState.FLYING)
            elif jump.step(dt):
                self.jumps.remove(jump)
                jump.join()
                self.loosen(jump.moving)
                gone.append(jump.moving)
                kind = "snap" if jump.partner.state is BodyState.HELD else "stack"
                self.note(kind, jump.partner, jump.moving)
        return gone

    def jump(self, moving: Body, partner: Body) -> None:
        """`moving` jumps to `partner`."""
        self.loosen(moving)
        self.jumps.append(Jump(moving, partner))

    def _near(self, a: Body, bodies: Iterable[Body]) -> Iterator[Body]:
        x, y, z = a.centre
        for b in bodies:
            if b is not a:
                bx, by, bz = b.centre
                reach = a.ball + b.ball + GAP_MM
                if (bx - x) ** 2 + (by - y) ** 2 + (bz - z) ** 2 < reach * reach:
                    yield b

    def _pair(self, a: Body, b: Body) -> None:
        apart = side_by_side(a, b)
        if apart is not None:
            if apart < a.radius + b.radius and BodyState.LYING in (a.state, b.state):
                self._beside(a, b, apart)
        elif touch(a, b):
            self._meet_in_any_pose(a, b)

    def _attract(self, a: Body, b: Body) -> bool:
        force = self.magnets.wrench[a.slot, b.slot, :3]
        return float(np.dot(force, np.subtract(b.centre, a.centre))) > 0.0

    def _beside(self, a: Body, b: Body, apart: float) -> None:
        """Two that lie have come together: they end exactly two radii apart."""
        if apart < 1e-6:
            return
        nx, ny = ((b.centre[k] - a.centre[k]) / apart for k in (0, 1))
        overlap = a.radius + b.radius - apart
        lying = BodyState.LYING
        for_a = 0.0 if a.state is not lying or (a.still and not b.still) else 1.0
        for_b = 0.0 if b.state is not lying or (b.still and not a.still) else 1.0
        if for_a + for_b == 0.0:
            return
        for body, share, sign in ((a, for_a, -1.0), (b, for_b, 1.0)):
            way = sign * overlap * share / (for_a + for_b)
            x, y, z = body.centre
            body.place((x + way * nx, y + way * ny, z))
        if not self._attract(a, b):
            self._bounce(a, b, nx, ny)
        elif a.state is b.state is lying:
            pair = frozenset((a, b))
            if pair not in self.joined:
                self.joined.add(pair)
                self.note("kiss", a, b)
                a.wake()
                b.wake()
        else:  # it sticks to the one in the hand
            (a if a.state is lying else b).set_velocity(ZERO)

    def _bounce(self, a: Body, b: Body, nx: float, ny: float) -> None:
        va, vb = (body.velocity[0] * nx + body.velocity[1] * ny for body in (a, b))
        if va - vb <= 0.0:
            return
        mean = (va * a.mass + vb * b.mass) / (a.mass + b.mass)
        for body, speed in ((a, va), (b, vb)):
            if body.state is BodyState.LYING:
                change = mean - BOUNCE * (speed - mean) - speed
                x, y, z = body.velocity
                body.set_velocity((x + change * nx, y + change * ny, z))
                body.wake()

    def _meet_in_any_pose(self, a: Body, b: Body) -> None:
        """They touch, and at least one stands or flies: magnets jump, or push each other off."""
        if b.state is BodyState.HELD:
            a, b = b, a
        held, lying = BodyState.HELD, BodyState.LYING
        loose = b if a.state is held or (b.state is not lying and a.state is lying) else a
        fixed = a if loose is b else b
        if BodyState.FLYING in (a.state, b.state) or self._attract(a, b) or _axes_meet(a, b):
            self.jump(loose, fixed)
        elif loose.state is not held:
            self._push_off(loose, fixed)

    def _push_off(self, loose: Body, fixed: Body) -> None:
        x, y = (loose.centre[k] - fixed.centre[k] for k in (0, 1))
        size = math.hypot(x, y) or 1.0
        loose.push_off(x / size * GAP_MM, y / size * GAP_MM)


def _axes_meet(a: Body, b: Body) -> bool:
    """Whether one stands so far over the other that they can only end as a stack."""
    apart = np.subtract(a.centre, b.centre)
    return bool(math.hypot(apart[0], apart[1]) < (a.radius + b.radius) / 2)
