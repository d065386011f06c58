"""A hand over the virtual mat: it holds a disc or a stack where a pointer wants it."""

import math

from polarity_host.simulation.twin.motion import Tremble, minimum_jerk

from .body import HELD
from .dynamics import on_rim, weight_n

FOLLOWS_RAD_S = 30.0  # a hand is where it is wanted after some 0.15 s
FASTEST_MM_S = 650.0
LIFTS_MM_S = 180.0  # from the mat, before it carries anything away
LIFTED_MM = 15.0
TURNS_DEG_S = 270.0
FLIP_S = 0.5
YIELDS_DEG_S = 150.0  # how fast a disc that is held on its rim gives way to its magnets
STEADY = 0.15  # share of the tremble left when what is held touches the mat
HIGHEST_MM = 120.0
FROM_EDGE_MM = 60.0  # how far outside the circle discs are taken from a reserve, and put back
STEEPEST_DEG = 88.0


class Hand:
    """`goal`: x, y of the middle of what is held, and how high its lowest point is (mm).

    `tilt_goal` and `azimuth_goal`, degrees: how its upper face leans, and where that looks. Held on
    its rim, a disc gives way to the magnets in tilt, as between two fingers: it finds its balance.
    """

    def __init__(self, name, rng):
        self.name = name
        self.body = None
        self._speed = [0.0, 0.0, 0.0]
        self.goal = (0.0, 0.0, 60.0)
        self.tilt_goal = self.azimuth_goal = 0.0
        self.gathering = []  # bodies that the other hand's fingers bring to it, one by one
        self.balance = 0.0  # of a disc on its rim: the torque that raises it, over weight x radius
        self._rng = rng
        self._tremble = None

    def hold(self, body, height_mm):
        """Takes hold of `body`, to lift it to `height_mm`."""
        self.body = body
        self._face = body.face
        self._tilt = self.tilt_goal = body.tilt_deg
        self._azimuth = self.azimuth_goal = body.azimuth_deg if self._tilt > 1.0 else 0.0
        body.state, body.awake, body.stood = HELD, True, False
        x, y, _ = body.centre
        self._at = [x, y, max(0.0, body.low_point)]
        self._speed = [0.0, 0.0, 0.0]
        self.goal = (x, y, height_mm)
        self.tilt_goal = 0.0
        self._flip = None
        self._grip = 0.0
        self._lifting, self._taken = self._at[2] < LIFTED_MM, (x, y)
        self._tremble = Tremble(self._rng)

    def let_go(self):
        """Returns the body, and the speed of the hand (mm/s)."""
        for other, _ in self.gathering:
            other.pinned, other.awake = False, True
        body, self.body, self.gathering = self.body, None, []
        return body, tuple(self._speed)

    def regrip(self):
        """What it holds has grown: it is held as it is now, but not into the mat."""
        x, y, z = self.body.centre
        low = self.body.low_point
        self.body.centre = (x, y, z + max(0.0, -low))
        self._at = [x, y, max(0.0, low)]

    def flip(self):
        """Turns what it holds over."""
        if self._flip is None:
            self._flip = 0.0

    @property
    def moving(self):
        """Whether it has not come where it is wanted."""
        off = sum(abs(a - g) for a, g in zip(self._at, self.goal))
        return off > 1.0 or self._flip is not None or abs(self._tilt - self.tilt_goal) > 1.0

    def step(self, t_s, dt, wrench):
        """Moves what is held on by `dt` seconds; `wrench` of the magnets on it."""
        goal = self._goal_now()
        for k in range(3):
            pull = FOLLOWS_RAD_S**2 * (goal[k] - self._at[k])
            self._speed[k] += (pull - 2 * FOLLOWS_RAD_S * self._speed[k]) * dt
        if self._lifting:
            self._speed[2] = min(self._speed[2], LIFTS_MM_S)
        speed = math.sqrt(sum(v * v for v in self._speed))
        if speed > FASTEST_MM_S:
            self._speed = [v * FASTEST_MM_S / speed for v in self._speed]
        self._at = [a + v * dt for a, v in zip(self._at, self._speed)]
        self._at[2] = max(0.0, self._at[2])
        self._turn(dt)
        self._yield_to(wrench, dt)
        self._show(t_s)

    def _goal_now(self):
        """Where it moves first: up from the mat, and nowhere while others are gathered."""
        clear = LIFTED_MM + self.body.discs[0].thickness_mm * len(self.gathering)
        if self._lifting and not self.gathering and self._at[2] >= min(clear, self.goal[2]) - 1.0:
            self._lifting = False
        if not self._lifting:
            return self.goal
        return (*self._taken, clear if self.gathering else self.goal[2])

    def _turn(self, dt):
        most = TURNS_DEG_S * dt
        self._tilt += max(-most, min(most, self.tilt_goal - self._tilt))
        if self._tilt < 3.0:
            self._azimuth = self.azimuth_goal
        else:
            round_deg = (self.azimuth_goal - self._azimuth + 180.0) % 360.0 - 180.0
            self._azimuth += max(-most, min(most, round_deg))
        if self._flip is not None:
            self._flip += dt / FLIP_S
            if self._flip >= 1.0:
                self._flip = None
                self._face = -self._face

    def _yield_to(self, wrench, dt):
        """On its rim the disc turns about it as the magnets want, up to some angle a second."""
        body = self.body
        self.balance = 0.0
        if self._at[2] > 0.3 or self._tilt < 5.0 or self._flip is not None:
            return
        body.azimuth, body.tilt = math.radians(self._azimuth), math.radians(self._tilt)
        turning = on_rim(body, wrench)[0]
        self.balance = turning / (weight_n(body) * body.radius)
        by = YIELDS_DEG_S * dt * max(-1.0, min(1.0, 4.0 * self.balance))
        before, _ = body.reach()
        self._tilt = self.tilt_goal = max(5.0, min(STEEPEST_DEG, self._tilt + by))
        body.tilt = math.radians(self._tilt)
        back = body.reach()[0] - before
        x, y = back * math.cos(body.azimuth), back * math.sin(body.azimuth)
        self._at[:2] = self._at[0] - x, self._at[1] - y
        self.goal = (self.goal[0] - x, self.goal[1] - y, self.goal[2])

    def _show(self, t_s):
        body = self.body
        turn = minimum_jerk(self._flip) * 180.0 if self._flip is not None else 0.0
        tilt, azimuth = math.radians(self._tilt + turn), math.radians(self._azimuth)
        s, c = self._face * math.sin(tilt), self._face * math.cos(tilt)
        body.axis = (s * math.cos(azimuth), s * math.sin(azimuth), c)
        steady = STEADY + (1.0 - STEADY) * min(1.0, self._at[2] / 10.0)
        self._grip = min(1.0, self._grip + 0.03)
        dx, dy, dz = (float(v) for v in self._grip * steady * self._tremble.offset_mm(t_s))
        half = body.height / 2 * abs(c) + body.radius * abs(math.sin(tilt))
        high = max(0.0, self._at[2] + (dz if self._at[2] > 0.3 else 0.0))
        body.centre = (self._at[0] + dx, self._at[1] + dy, half + high)
