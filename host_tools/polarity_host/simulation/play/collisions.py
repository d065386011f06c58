"""Bodies that meet: kisses side by side, bounces, and magnets that draw others into a stack."""

import math

import numpy as np

from polarity_host.simulation.twin.motion import accelerating, turned

from .body import DRAWN, FLYING, HELD, LEANING, LYING

GAP_MM = 0.6  # nearer than this they touch
FLAT_AXIS = math.cos(math.radians(2.0))
BOUNCE = 0.4  # ASSUMPTION: share of the speed that two shells keep when they hit each other
DRAW_S = 0.045  # the last bit of a jump, which is drawn and not computed
HOP_MM = 4.0
_ANGLES = np.arange(16) * math.pi / 8
_RIM = np.column_stack([np.cos(_ANGLES), np.sin(_ANGLES)])


def side_by_side(a, b):
    """Distance of the axes of two bodies that lie flat at one level, or None if they do not."""
    if abs(a.axis[2]) < FLAT_AXIS or abs(b.axis[2]) < FLAT_AXIS:
        return None
    if abs(a.centre[2] - b.centre[2]) > (a.height + b.height) / 2 - 0.3:
        return None
    return math.hypot(a.centre[0] - b.centre[0], a.centre[1] - b.centre[1])


def touch(a, b):
    """Whether two cylinders in any pose touch: a point of one's rims lies in or at the other."""
    return _reaches_into(a, b) or _reaches_into(b, a)


def _reaches_into(a, b):
    x, y, z = a.axis
    across = math.hypot(x, y)
    u = (-y / across, x / across, 0.0) if across > 1e-9 else (1.0, 0.0, 0.0)
    v = (-z * u[1], z * u[0], x * u[1] - y * u[0])
    ring = a.radius * (_RIM @ np.array((u, v)))
    ends = a.height / 2 * np.array(a.axis)
    points = np.concatenate([ring + ends, ring - ends]) + np.subtract(a.centre, b.centre)
    along = points @ np.array(b.axis)
    across = np.einsum("pk,pk->p", points, points) - along * along
    inside = (np.abs(along) <= b.height / 2 + GAP_MM) & (across <= (b.radius + GAP_MM) ** 2)
    return bool(inside.any())


class Draw:
    """The end of a jump: `moving` comes to sit on `partner`, coaxial and turned the same way.

    Where it sits: on top of what rests on the mat, else on the side that it came from. From the
    start on they have the speed of what has met and hangs together.
    """

    def __init__(self, moving, partner):
        self.moving, self.partner = moving, partner
        self._start = np.array(moving.centre)
        self._start_axis = np.array(moving.axis)
        self._seconds = 0.0
        came = np.dot(np.subtract(moving.centre, partner.centre), partner.axis)
        if partner.state in (LYING, LEANING):
            came = partner.axis[2]
        self.side = 1 if came >= 0 else -1
        if partner.state in (LYING, LEANING, FLYING):
            share = moving.mass / (moving.mass + partner.mass)
            speeds = zip(partner.speed(), moving.speed())
            partner.go([(1.0 - share) * p + share * m for p, m in speeds])
        moving.state, moving.awake, moving.stood = DRAWN, True, False

    def step(self, dt):
        """Moves on. Returns True when it sits there."""
        self._seconds += dt
        q = accelerating(self._seconds / DRAW_S)
        moving, partner = self.moving, self.partner
        axis = np.array(partner.axis)
        goal = partner.centre + self.side * (moving.height + partner.height) / 2 * axis
        hop = HOP_MM * math.sin(math.pi * min(1.0, q)) if partner.state != HELD else 0.0
        x, y, z = self._start + q * (goal - self._start)
        moving.axis = tuple(turned(self._start_axis, axis, q).tolist())
        moving.centre = (float(x), float(y), float(z + hop))
        moving.centre = (*moving.centre[:2], moving.centre[2] + max(0.0, -moving.low_point))
        return self._seconds >= DRAW_S

    def join(self):
        """`partner` becomes the whole stack."""
        p, m = self.partner, self.moving
        p.discs = p.discs + m.discs if self.side > 0 else m.discs + p.discs
        shift = self.side * m.height / 2
        p.centre = tuple(c + shift * a for c, a in zip(p.centre, p.axis))
        p.restack()
        p.stood = False
        if p.state == LYING:
            p.centre = (*p.centre[:2], p.height / 2)
        elif p.state == LEANING:
            p.stand()
            p.awake = True


class Collisions:
    """Which lying bodies hang together side by side, and what follows when bodies meet.

    `drawn`: the Draws under way. `happened`: (kind, body, other) since it was last emptied: "kiss",
    "stack" (a jump that ended on the mat), "snap" (one that ended at a hand).
    """

    def __init__(self, magnets):
        self.magnets = magnets
        self.joined = set()  # frozenset of two bodies
        self.drawn = []
        self.happened = []

    def sledge(self, body):
        """`body` and all that hang together with it, a list."""
        found = [body]
        for one in found:
            for pair in self.joined:
                if one in pair:
                    found += [other for other in pair if other not in found]
        return found

    def loosen(self, body):
        """`body` touches nothing any more."""
        self.joined = {pair for pair in self.joined if body not in pair}

    def meet(self, bodies):
        """Looks at every body that moves, and at all near it."""
        for a in bodies:
            if a.state == DRAWN or a.still:
                continue
            for b in self._near(a, bodies):
                if b.state == DRAWN or a.state == DRAWN:
                    continue
                if a.state == b.state == HELD or HELD in (a.state, b.state) and b.pinned:
                    continue
                if b.still or a.slot < b.slot or a.state == HELD:
                    self._pair(a, b)

    def step(self, dt):
        """Moves what is drawn on. Returns the bodies that became part of another."""
        gone = []
        for draw in self.drawn[:]:
            if draw.partner in gone or draw.partner.state == DRAWN:
                self.drawn.remove(draw)
                draw.moving.state = FLYING
            elif draw.step(dt):
                self.drawn.remove(draw)
                draw.join()
                self.loosen(draw.moving)
                gone.append(draw.moving)
                kind = "snap" if draw.partner.state == HELD else "stack"
                self.happened.append((kind, draw.partner, draw.moving))
        return gone

    def draw(self, moving, partner):
        """`moving` jumps to `partner`."""
        self.loosen(moving)
        self.drawn.append(Draw(moving, partner))

    def _near(self, a, bodies):
        x, y, z = a.centre
        for b in bodies:
            if b is not a:
                bx, by, bz = b.centre
                reach = a.ball + b.ball + GAP_MM
                if (bx - x) ** 2 + (by - y) ** 2 + (bz - z) ** 2 < reach * reach:
                    yield b

    def _pair(self, a, b):
        apart = side_by_side(a, b)
        if apart is not None:
            if apart < a.radius + b.radius and LYING in (a.state, b.state):
                self._beside(a, b, apart)
        elif touch(a, b):
            self._meet_somehow(a, b)

    def _attract(self, a, b):
        force = self.magnets.wrench[a.slot, b.slot, :3]
        return float(np.dot(force, np.subtract(b.centre, a.centre))) > 0.0

    def _beside(self, a, b, apart):
        """Two that lie have come together: they end exactly two radii apart."""
        if apart < 1e-6:
            return
        nx, ny = ((b.centre[k] - a.centre[k]) / apart for k in (0, 1))
        overlap = a.radius + b.radius - apart
        for_a = 0.0 if a.state != LYING or (a.still and not b.still) else 1.0
        for_b = 0.0 if b.state != LYING or (b.still and not a.still) else 1.0
        if for_a + for_b == 0.0:
            return
        for body, share, sign in ((a, for_a, -1.0), (b, for_b, 1.0)):
            way = sign * overlap * share / (for_a + for_b)
            x, y, z = body.centre
            body.centre = (x + way * nx, y + way * ny, z)
        if not self._attract(a, b):
            self._bounce(a, b, nx, ny)
        elif a.state == b.state == LYING:
            pair = frozenset((a, b))
            if pair not in self.joined:
                self.joined.add(pair)
                self.happened.append(("kiss", a, b))
                a.awake = b.awake = True
        else:  # it sticks to the one in the hand
            (a if a.state == LYING else b).velocity = (0.0, 0.0, 0.0)

    def _bounce(self, a, b, nx, ny):
        va, vb = (body.velocity[0] * nx + body.velocity[1] * ny for body in (a, b))
        if va - vb <= 0.0:
            return
        mean = (va * a.mass + vb * b.mass) / (a.mass + b.mass)
        for body, speed in ((a, va), (b, vb)):
            if body.state == LYING:
                change = mean - BOUNCE * (speed - mean) - speed
                x, y, z = body.velocity
                body.velocity = (x + change * nx, y + change * ny, z)
                body.awake = True

    def _meet_somehow(self, a, b):
        """They touch, and at least one stands or flies: magnets jump, or push each other off."""
        if b.state == HELD:
            a, b = b, a
        loose = b if a.state == HELD or (b.state != LYING and a.state == LYING) else a
        fixed = a if loose is b else b
        if FLYING in (a.state, b.state) or self._attract(a, b) or _axes_meet(a, b):
            self.draw(loose, fixed)
        elif loose.state != HELD:
            self._push_off(loose, fixed)

    def _push_off(self, loose, fixed):
        x, y = (loose.centre[k] - fixed.centre[k] for k in (0, 1))
        size = math.hypot(x, y) or 1.0
        x, y = x / size * GAP_MM, y / size * GAP_MM
        loose.centre = (loose.centre[0] + x, loose.centre[1] + y, loose.centre[2])
        loose.contact = (loose.contact[0] + x, loose.contact[1] + y)
        loose.velocity = (0.0, 0.0, 0.0)
        loose.slipping = loose.rolling = 0.0
        loose.awake = True


def _axes_meet(a, b):
    """Whether one stands so far over the other that they can only end as a stack."""
    apart = np.subtract(a.centre, b.centre)
    return bool(math.hypot(apart[0], apart[1]) < (a.radius + b.radius) / 2)
