"""A hand over the mat: it holds a disc or a stack where a pointer wants it."""

import math
from dataclasses import dataclass

import numpy as np

from polarity_host.simulation.twin.motion import Tremble, minimum_jerk

from .body import Body, BodyState, Vec3
from .dynamics import Wrench, on_rim, weight_n

FOLLOWS_RAD_S = 30.0  # a hand reaches its goal after some 0.15 s
FASTEST_MM_S = 650.0
LIFTS_MM_S = 180.0  # from the mat, before it carries anything away
LIFTED_MM = 15.0
TURNS_DEG_S = 270.0
FLIP_S = 0.5
YIELDS_DEG_S = 150.0  # how fast a disc that is held on its rim gives way to its magnets
JOINS_S = 0.15  # a hand that gathers keeps low until what it was brought sticks to the rest
STEADY = 0.15  # share of the tremble left when what is held touches the mat
HIGHEST_MM = 120.0
FROM_EDGE_MM = 60.0  # how far outside the circle discs are taken from a reserve, and put back
STEEPEST_DEG = 88.0


@dataclass
class Gathered:
    """A body that the other hand's fingers bring to this one, at that time."""

    body: Body
    at_us: float


class Hand:
    """`goal`: x, y of the middle of what is held, and how high its lowest point is (mm).

    `tilt_goal` and `azimuth_goal`, degrees: how its upper face leans, and where that looks. Held on
    its rim, a disc gives way to the magnets in tilt, as between two fingers: it finds its balance.
    `balance` of such a disc: the torque that raises it, over weight x radius.
    """

    def __init__(self, name: str, rng: np.random.Generator):
        self.name = name
        self.goal: Vec3 = (0.0, 0.0, 60.0)
        self.tilt_goal = self.azimuth_goal = 0.0
        self.gathering: list[Gathered] = []
        self.balance = 0.0
        self._joins_until_s = -1.0
        self._rng = rng
        self._tremble = 1.0
        self._held: _Held | None = None

    @property
    def body(self) -> Body | None:
        """What it holds."""
        return self._held.body if self._held else None

    def unsteady(self, tremble: float) -> None:
        """From now on it trembles so many times as much as a hand that is held out."""
        self._tremble = tremble

    def hold(self, body: Body, height_mm: float) -> None:
        """Takes hold of `body`, to lift it to `height_mm`."""
        self._held = held = _Held(body, Tremble(self._rng), self._tremble)
        body.become(BodyState.HELD)
        x, y, _ = body.centre
        self.goal = (x, y, height_mm)
        self.tilt_goal, self.azimuth_goal = 0.0, held.azimuth

    def gather(self, gathering: list[Gathered]) -> None:
        """These are to join what it holds, one by one; until then fingers pin them to the mat."""
        self.gathering = gathering
        for other in gathering:
            other.body.pin()

    def next_gathered(self, t_us: float) -> Body | None:
        """The body whose time to join has come; None if there is none."""
        if not self.gathering or self.gathering[0].at_us > t_us:
            return None
        self._joins_until_s = t_us / 1e6 + JOINS_S
        return self.gathering.pop(0).body

    def aim(
        self,
        x: float | None = None,
        y: float | None = None,
        z: float | None = None,
        tilt: float | None = None,
        azimuth: float | None = None,
    ) -> None:
        """Sets the goals that are given: mm, degrees."""
        gx, gy, gz = self.goal
        self.goal = (gx if x is None else x, gy if y is None else y, gz if z is None else z)
        self.tilt_goal = self.tilt_goal if tilt is None else tilt
        self.azimuth_goal = self.azimuth_goal if azimuth is None else azimuth

    def let_go(self) -> tuple[Body | None, Vec3]:
        """Returns what it held, and the speed of the hand (mm/s)."""
        for other in self.gathering:
            other.body.unpin()
        held, self._held, self.gathering = self._held, None, []
        if held is None:
            return None, (0.0, 0.0, 0.0)
        x, y, z = held.speed
        return held.body, (x, y, z)

    def regrip(self) -> None:
        """What it holds has grown: it is held where it is now, but not into the mat."""
        if self._held:
            self._held.regrip()

    def flip(self) -> None:
        """Turns what it holds over."""
        if self._held:
            self._held.begin_flip()

    @property
    def moving(self) -> bool:
        """Whether what it holds has not reached its goal."""
        held = self._held
        if held is None:
            return False
        off = sum(abs(a - g) for a, g in zip(held.at, self.goal))
        return off > 1.0 or held.flipped is not None or abs(held.tilt - self.tilt_goal) > 1.0

    def step(self, t_s: float, dt: float, wrench: Wrench) -> None:
        """Moves what is held on by `dt` seconds; `wrench` of the magnets on it."""
        held = self._held
        if held is None:
            return
        held.move(self.goal, len(self.gathering) + (t_s < self._joins_until_s), dt)
        held.turn(self.tilt_goal, self.azimuth_goal, dt)
        self._yield_to(held, wrench, dt)
        held.show(t_s)

    def _yield_to(self, held: "_Held", wrench: Wrench, dt: float) -> None:
        """On its rim the disc turns about it as the magnets want, up to some angle a second."""
        self.balance = 0.0
        if not held.on_rim:
            return
        self.balance = held.rim_balance(wrench)
        by = YIELDS_DEG_S * dt * max(-1.0, min(1.0, 4.0 * self.balance))
        x, y = held.tilt_on_rim(by)
        self.tilt_goal = held.tilt
        self.goal = (self.goal[0] - x, self.goal[1] - y, self.goal[2])


class _Held:
    """A body in a hand: where the hand has it, without the tremble. mm, mm/s, degrees."""

    def __init__(self, body: Body, tremble: Tremble, unsteady: float):
        self.body = body
        self.tilt = body.tilt_deg
        self.azimuth = body.azimuth_deg if self.tilt > 1.0 else 0.0
        x, y, _ = body.centre
        self.at = [x, y, max(0.0, body.low_point)]
        self.speed = [0.0, 0.0, 0.0]
        self.flipped: float | None = None  # share of a flip that is done
        self._face = body.face
        self._grip = 0.0
        self._lifting, self._taken = self.at[2] < LIFTED_MM, (x, y)
        self._tremble, self._unsteady = tremble, unsteady

    @property
    def on_rim(self) -> bool:
        """Whether it stands on its rim, held."""
        return not (self.at[2] > 0.3 or self.tilt < 5.0 or self.flipped is not None)

    def regrip(self) -> None:
        """It has grown: see Hand."""
        x, y, z = self.body.centre
        low = self.body.low_point
        self.body.place((x, y, z + max(0.0, -low)))
        self.at = [x, y, max(0.0, low)]

    def begin_flip(self) -> None:
        """It is turned over from now on."""
        if self.flipped is None:
            self.flipped = 0.0

    def move(self, goal: Vec3, gathering: int, dt: float) -> None:
        """A step towards `goal`, while so many more are gathered."""
        goal = self._goal_now(goal, gathering)
        for k in range(3):
            pull = FOLLOWS_RAD_S**2 * (goal[k] - self.at[k])
            self.speed[k] += (pull - 2 * FOLLOWS_RAD_S * self.speed[k]) * dt
        if self._lifting:
            self.speed[2] = min(self.speed[2], LIFTS_MM_S)
        speed = math.sqrt(sum(v * v for v in self.speed))
        if speed > FASTEST_MM_S:
            self.speed = [v * FASTEST_MM_S / speed for v in self.speed]
        self.at = [a + v * dt for a, v in zip(self.at, self.speed)]
        self.at[2] = max(0.0, self.at[2])

    def _goal_now(self, goal: Vec3, gathering: int) -> Vec3:
        """First straight up from the mat, and no farther while others are gathered."""
        clear = LIFTED_MM + self.body.discs[0].thickness_mm * gathering
        if self._lifting and not gathering and self.at[2] >= min(clear, goal[2]) - 1.0:
            self._lifting = False
        if not self._lifting:
            return goal
        x, y = self._taken
        return x, y, clear if gathering else goal[2]

    def turn(self, tilt_goal: float, azimuth_goal: float, dt: float) -> None:
        """A step towards that tilt and azimuth, and of a flip."""
        most = TURNS_DEG_S * dt
        self.tilt += max(-most, min(most, tilt_goal - self.tilt))
        if self.tilt < 3.0:
            self.azimuth = azimuth_goal
        else:
            round_deg = (azimuth_goal - self.azimuth + 180.0) % 360.0 - 180.0
            self.azimuth += max(-most, min(most, round_deg))
        if self.flipped is not None:
            self.flipped += dt / FLIP_S
            if self.flipped >= 1.0:
                self.flipped = None
                self._face = -self._face

    def rim_balance(self, wrench: Wrench) -> float:
        """The torque that raises it on its rim, over weight x radius."""
        body = self.body
        body.set_lean(azimuth=math.radians(self.azimuth), tilt=math.radians(self.tilt))
        return on_rim(body, wrench).turning / (weight_n(body) * body.radius)

    def tilt_on_rim(self, by_deg: float) -> tuple[float, float]:
        """Tilts it about its contact. Returns how far its middle moves back, (x, y) mm."""
        body = self.body
        before, _ = body.reach()
        self.tilt = max(5.0, min(STEEPEST_DEG, self.tilt + by_deg))
        body.set_lean(tilt=math.radians(self.tilt))
        back = body.reach()[0] - before
        x, y = back * math.cos(body.azimuth), back * math.sin(body.azimuth)
        self.at[:2] = self.at[0] - x, self.at[1] - y
        return x, y

    def show(self, t_s: float) -> None:
        """Puts the body where the hand has it, with the tremble."""
        body = self.body
        turn = minimum_jerk(self.flipped) * 180.0 if self.flipped is not None else 0.0
        tilt, azimuth = math.radians(self.tilt + turn), math.radians(self.azimuth)
        s, c = self._face * math.sin(tilt), self._face * math.cos(tilt)
        steady = STEADY + (1.0 - STEADY) * min(1.0, self.at[2] / 10.0)
        self._grip = min(1.0, self._grip + 0.03)
        shakes = self._grip * self._unsteady * steady
        dx, dy, dz = (float(v) for v in shakes * self._tremble.offset_mm(t_s))
        half = body.height / 2 * abs(c) + body.radius * abs(math.sin(tilt))
        high = max(0.0, self.at[2] + (dz if self.at[2] > 0.3 else 0.0))
        body.place(
            (self.at[0] + dx, self.at[1] + dy, half + high),
            (s * math.cos(azimuth), s * math.sin(azimuth), c),
        )
