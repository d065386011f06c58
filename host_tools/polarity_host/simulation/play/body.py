"""A rigid body of the world: a disc, or discs stuck in a stack, as a cylinder.

Millimetres from the circle's centre, z up from the mat; radians; seconds; kilograms.
"""

import math
from collections.abc import Iterable, Sequence
from enum import Enum
from typing import TypeAlias

from polarity_host.simulation.twin.equilibrium import DENSITY_KG_M3
from polarity_host.simulation.twin.motion import Vector
from polarity_host.simulation.twin.pieces import FLAT, LEANER, RED, TOWER, TwinDisc

from .magnets import pole_am

Vec3: TypeAlias = tuple[float, float, float]
UPRIGHT = math.pi / 2
ZERO: Vec3 = (0.0, 0.0, 0.0)


class BodyState(Enum):
    """What moves a body, and which of its attributes count."""

    LYING = "lying"  # `velocity`, horizontal
    LEANING = "leaning"  # on its rim: `contact`, `azimuth`, `tilt` and their rates
    FLYING = "flying"  # `velocity` and `turning` (rad/s)
    HELD = "held"  # a hand decides
    JUMPING = "jumping"  # a magnet draws it to itself


RESTING = (BodyState.LYING, BodyState.LEANING)


class Body:
    """`discs` are ordered along `axis`, the unit normal of their white faces; `centre` is that of
    the whole stack. `slot` is its place among the Magnets. `awake` is False while it lies or leans
    still.
    """

    def __init__(
        self, number: int, slot: int, discs: Iterable[TwinDisc], centre: Iterable[float], face: int
    ):
        x, y, z = map(float, centre)
        self.id = number
        self.slot = slot
        self.discs = list(discs)
        self.centre: Vec3 = (x, y, z)
        self.axis: Vec3 = (0.0, 0.0, float(face))
        self.state = BodyState.LYING
        self.awake = False
        self.stood = 0  # the face that was up when it came to rest leaning; 0 if it has not since
        self.side = ""  # "w" or "b": the tray that a hand took it from
        self.pinned = False  # fingers of a hand that gathers hold it down on the mat
        self.velocity = ZERO
        self.turning = ZERO
        self.contact: tuple[float, float] = (0.0, 0.0)  # where the rim touches the mat
        self.azimuth = 0.0  # where the upper face looks
        self.tilt = 0.0  # of that face, from upright; at UPRIGHT it may lie on its side
        self.up = int(face)  # which face that is
        self.tilting = 0.0  # rad/s
        self.pivoting = 0.0  # rad/s about the upright through the contact
        self.rolling = 0.0  # mm/s along the rim
        self.slipping = 0.0  # mm/s the way the upper face looks
        self.restack(self.discs)

    def restack(self, discs: Iterable[TwinDisc]) -> None:
        """It consists of these discs now."""
        self.discs = list(discs)
        disc = self.discs[0]
        self.radius = disc.radius_mm
        self.height = disc.thickness_mm * len(self.discs)
        self.mass = DENSITY_KG_M3 * math.pi * self.radius**2 * self.height * 1e-9
        self.ball = math.hypot(self.radius, self.height / 2)  # radius of the sphere around it
        self.pole = sum(pole_am(d) for d in self.discs) / len(self.discs)
        across = self.mass * (self.radius**2 / 4 + self.height**2 / 12)
        self.inertia = across  # kg mm2, about a diameter
        self.is_red = any(d.is_red for d in self.discs)

    # ---- what it is
    @property
    def face(self) -> int:
        """+1 white up, -1 black up."""
        return 1 if self.axis[2] >= 0 else -1

    @property
    def tilt_deg(self) -> float:
        """Of the upper face, 0 to 90."""
        return math.degrees(math.acos(min(1.0, abs(self.axis[2]))))

    @property
    def azimuth_deg(self) -> float:
        """Where the upper face looks."""
        return math.degrees(math.atan2(self.axis[1] * self.face, self.axis[0] * self.face))

    @property
    def shape(self) -> str:
        if self.is_red:
            return RED
        if self.state is BodyState.LEANING or self.tilt_deg > 10.0:
            return LEANER
        return TOWER if len(self.discs) > 1 else FLAT

    @property
    def spot(self) -> tuple[float, float]:
        """What a fact reports as its place: a leaner's is where its rim touches the mat, but the
        middle of one that stands on its side."""
        if self.state is BodyState.LEANING and self.tilt < UPRIGHT:
            return self.contact
        return self.centre[0], self.centre[1]

    @property
    def held(self) -> bool:
        """Whether a hand holds it."""
        return self.state is BodyState.HELD

    @property
    def leaning(self) -> bool:
        """Whether it stands on its rim."""
        return self.state is BodyState.LEANING

    @property
    def low_point(self) -> float:
        """Height of the lowest point of its rims."""
        return self.lowest_mm(self.centre, self.axis)

    def lowest_mm(self, centre: Sequence[float] | Vector, axis: Sequence[float] | Vector) -> float:
        """Height of the lowest point of its rims in another pose."""
        upright = abs(axis[2])
        rim = self.radius * math.sqrt(max(0.0, 1.0 - upright * upright))
        return float(centre[2] - self.height / 2 * upright - rim)

    @property
    def still(self) -> bool:
        """Nobody and nothing moves it."""
        return self.state in RESTING and not self.awake

    def disc_centres(self) -> list[Vec3]:
        """Centre of every disc."""
        step, middle = self.discs[0].thickness_mm, (len(self.discs) - 1) / 2
        (x, y, z), (ax, ay, az) = self.centre, self.axis
        return [
            (
                x + (k - middle) * step * ax,
                y + (k - middle) * step * ay,
                z + (k - middle) * step * az,
            )
            for k in range(len(self.discs))
        ]

    def speed(self) -> Vec3:
        """(x, y, z) in mm/s; on its rim, that of the contact."""
        if self.state is not BodyState.LEANING:
            return self.velocity
        c, s = math.cos(self.azimuth), math.sin(self.azimuth)
        return (self.slipping * c - self.rolling * s, self.slipping * s + self.rolling * c, 0.0)

    def reach(self) -> tuple[float, float]:
        """(along, height) on its rim at its `tilt`: from the contact to the centre, back and up."""
        c, s, half = math.cos(self.tilt), math.sin(self.tilt), self.height / 2
        return self.radius * c - half * s, self.radius * s + half * c

    # ---- what happens to it
    def place(self, centre: Vec3 | None = None, axis: Vec3 | None = None) -> None:
        """Takes a new pose; None leaves that part of it as it is."""
        if centre is not None:
            self.centre = centre
        if axis is not None:
            self.axis = axis

    def become(self, state: BodyState) -> None:
        """Something moves it that did not before: it is awake, in this state."""
        self.state, self.awake, self.stood = state, True, 0

    def taken_from(self, side: str) -> None:
        """A hand took it from that player's tray."""
        self.side = side

    def wake(self) -> None:
        """It may move from now on."""
        self.awake = True

    def rest(self) -> None:
        """It has come to rest on its rim."""
        self.awake, self.stood, self.tilting = False, self.face, 0.0

    def end_standing(self) -> None:
        """A leaner that changed has to come to rest again."""
        self.stood = 0

    def pin(self) -> None:
        """Fingers hold it down on the mat."""
        self.pinned, self.awake = True, False

    def unpin(self, wake: bool = True) -> None:
        """No finger holds it down any more."""
        self.pinned = False
        self.awake = self.awake or wake

    def go(self, speed: Sequence[float]) -> None:
        """It moves with that speed from now on; along the mat, if it lies or leans."""
        if self.state is BodyState.LEANING:
            c, s = math.cos(self.azimuth), math.sin(self.azimuth)
            self.slipping = speed[0] * c + speed[1] * s
            self.rolling = speed[1] * c - speed[0] * s
        else:
            up = speed[2] if self.state is BodyState.FLYING else 0.0
            self.velocity = (speed[0], speed[1], up)
        self.awake = self.awake or any(speed)

    def set_velocity(self, velocity: Vec3, turning: Vec3 | None = None) -> None:
        """Off its rim: mm/s and rad/s; None leaves the turning as it is."""
        self.velocity = velocity
        if turning is not None:
            self.turning = turning

    def slide(self, vx: float, vy: float, dt: float, awake: bool) -> None:
        """A step along the mat with this speed; `awake`: whether it goes on moving."""
        self.velocity = (vx, vy, 0.0)
        self.centre = (self.centre[0] + vx * dt, self.centre[1] + vy * dt, self.height / 2)
        self.awake = awake

    def lie(self) -> None:
        """Flat, where it is, with the face up that is nearer to being up."""
        self.axis = (0.0, 0.0, float(self.face))
        self.centre = (self.centre[0], self.centre[1], self.height / 2)
        self.state, self.velocity = BodyState.LYING, ZERO
        self.tilt = self.tilting = 0.0

    # ---- on its rim
    def set_lean(
        self,
        contact: tuple[float, float] | None = None,
        azimuth: float | None = None,
        tilt: float | None = None,
    ) -> None:
        """How it leans; None leaves that as it is. `stand` moves the cylinder there."""
        if contact is not None:
            self.contact = contact
        if azimuth is not None:
            self.azimuth = azimuth
        if tilt is not None:
            self.tilt = tilt

    def set_rim_speed(
        self, tilting: float, pivoting: float, rolling: float, slipping: float
    ) -> None:
        """How it moves on its rim: rad/s, rad/s, mm/s, mm/s."""
        self.tilting, self.pivoting = tilting, pivoting
        self.rolling, self.slipping = rolling, slipping

    def step_on_rim(self, dt: float) -> None:
        """Tilt, azimuth and contact after `dt`; `stand` moves the cylinder there."""
        self.tilt += self.tilting * dt
        self.azimuth += self.pivoting * dt
        c, s = math.cos(self.azimuth), math.sin(self.azimuth)
        self.contact = (
            self.contact[0] + (self.slipping * c - self.rolling * s) * dt,
            self.contact[1] + (self.slipping * s + self.rolling * c) * dt,
        )

    def over_its_side(self) -> None:
        """It is tilted beyond UPRIGHT: from now on it stands on the rim of its other face. When its
        side hits the mat, the angular momentum about the new contact stays; what would make it
        rebound is lost."""
        half, flat = self.height / 2, self.inertia + self.mass * self.radius**2
        across = self.mass * half * half
        self.contact = (
            self.contact[0] + self.height * math.cos(self.azimuth),
            self.contact[1] + self.height * math.sin(self.azimuth),
        )
        self.rolling = -self.rolling - self.pivoting * self.height
        self.slipping = -self.slipping
        self.tilting *= -max(0.0, (flat - across) / (flat + across))
        self.up, self.tilt = -self.up, math.pi - self.tilt
        self.azimuth = math.remainder(self.azimuth + math.pi, 2 * math.pi)

    def on_its_side(self) -> None:
        """It has come to lie on its side, on which it may roll."""
        self.tilt, self.tilting = UPRIGHT, 0.0

    def stand(self) -> None:
        """Moves the cylinder to the pose of `contact`, `azimuth` and `tilt`."""
        along, high = self.reach()
        out = math.cos(self.azimuth), math.sin(self.azimuth)
        self.centre = (
            self.contact[0] - along * out[0],
            self.contact[1] - along * out[1],
            high,
        )
        s, c = math.sin(self.tilt) * self.up, math.cos(self.tilt) * self.up
        self.axis = (s * out[0], s * out[1], c)

    def lean(self, azimuth: float | None = None) -> None:
        """Takes `contact`, `azimuth` and `tilt` from the pose; its low rim comes to the mat.
        `azimuth`: the direction, for a body that lies flat."""
        self.up = self.face
        across = math.hypot(self.axis[0], self.axis[1])
        self.tilt = math.atan2(across, abs(self.axis[2]))
        if azimuth is not None:
            self.azimuth = azimuth
        elif across > 1e-6:
            self.azimuth = math.atan2(self.axis[1] * self.up, self.axis[0] * self.up)
        along, _ = self.reach()
        self.contact = (
            self.centre[0] + along * math.cos(self.azimuth),
            self.centre[1] + along * math.sin(self.azimuth),
        )
        self.tilting = self.pivoting = self.rolling = self.slipping = 0.0
        self.stand()

    def push_off(self, dx: float, dy: float) -> None:
        """Another body pushes it aside by (dx, dy) mm, and it loses its speed."""
        self.centre = (self.centre[0] + dx, self.centre[1] + dy, self.centre[2])
        self.contact = (self.contact[0] + dx, self.contact[1] + dy)
        self.velocity = ZERO
        self.slipping = self.rolling = 0.0
        self.awake = True
