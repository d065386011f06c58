"""A rigid body on the virtual table: a disc, or discs stuck in a stack, as a cylinder.

Millimetres from the circle's centre, z up from the mat; radians; seconds; kilograms.
"""

import math

from polarity_host.simulation.twin.equilibrium import DENSITY_KG_M3
from polarity_host.simulation.twin.pieces import FLAT, LEANER, RED, TOWER

from .magnets import pole_am

LYING, LEANING, FLYING, HELD, DRAWN = "lying", "leaning", "flying", "held", "drawn"
UPRIGHT = math.pi / 2


class Body:
    """`discs` are ordered along `axis`, the unit normal of their white faces; `centre` is that of
    the whole stack.

    `state` says what else counts. LYING: `vx`, `vy`. LEANING: on its rim, see `lean`. FLYING:
    `velocity` and `turning` (rad/s). HELD: a hand decides. DRAWN: a magnet draws it to itself.
    `awake` is False while it lies or leans still.
    """

    def __init__(self, number, slot, discs, centre, face):
        self.id = number
        self.slot = slot
        self.discs = list(discs)
        self.centre = tuple(map(float, centre))
        self.axis = (0.0, 0.0, float(face))
        self.state = LYING
        self.awake = False
        self.stood = False  # has come to rest leaning
        self.pinned = False  # fingers of a hand that gathers keep it on the mat
        self.velocity = (0.0, 0.0, 0.0)
        self.turning = (0.0, 0.0, 0.0)
        self.contact = (0.0, 0.0)  # where the rim touches the mat
        self.azimuth = 0.0  # where the upper face looks
        self.tilt = 0.0  # of that face, from upright; beyond UPRIGHT it looks down
        self.up = int(face)  # which face that is
        self.tilting = 0.0  # rad/s
        self.pivoting = 0.0  # rad/s about the upright through the contact
        self.rolling = 0.0  # mm/s along the rim
        self.slipping = 0.0  # mm/s the way the upper face looks
        self.restack()

    def restack(self):
        """To be called when `discs` has changed."""
        disc = self.discs[0]
        self.radius = disc.radius_mm
        self.height = disc.thickness_mm * len(self.discs)
        self.mass = DENSITY_KG_M3 * math.pi * self.radius**2 * self.height * 1e-9
        self.ball = math.hypot(self.radius, self.height / 2)  # radius of the sphere around it
        self.pole = sum(pole_am(d) for d in self.discs) / len(self.discs)
        across = self.mass * (self.radius**2 / 4 + self.height**2 / 12)
        self.inertia = across  # kg mm2, about a diameter
        self.is_red = any(d.is_red for d in self.discs)

    @property
    def face(self):
        """+1 white up, -1 black up."""
        return 1 if self.axis[2] >= 0 else -1

    @property
    def tilt_deg(self):
        """Of the upper face, 0 to 90."""
        return math.degrees(math.acos(min(1.0, abs(self.axis[2]))))

    @property
    def azimuth_deg(self):
        """Where the upper face looks."""
        return math.degrees(math.atan2(self.axis[1] * self.face, self.axis[0] * self.face))

    @property
    def shape(self):
        if self.is_red:
            return RED
        if self.state == LEANING or self.tilt_deg > 10.0:
            return LEANER
        return TOWER if len(self.discs) > 1 else FLAT

    @property
    def low_point(self):
        """Height of the lowest point of its rims."""
        upright = abs(self.axis[2])
        rim = self.radius * math.sqrt(max(0.0, 1.0 - upright * upright))
        return self.centre[2] - self.height / 2 * upright - rim

    @property
    def still(self):
        """Nobody and nothing moves it."""
        return self.state in (LYING, LEANING) and not self.awake

    def disc_centres(self):
        """Centre of every disc, a list of (x, y, z)."""
        step, middle = self.discs[0].thickness_mm, (len(self.discs) - 1) / 2
        return [
            tuple(c + (k - middle) * step * a for c, a in zip(self.centre, self.axis))
            for k in range(len(self.discs))
        ]

    def speed(self):
        """(x, y, z) in mm/s; on its rim, that of the contact."""
        if self.state != LEANING:
            return self.velocity
        c, s = math.cos(self.azimuth), math.sin(self.azimuth)
        return (self.slipping * c - self.rolling * s, self.slipping * s + self.rolling * c, 0.0)

    def go(self, speed):
        """It moves with that speed from now on; along the mat, if it lies or leans."""
        if self.state == LEANING:
            c, s = math.cos(self.azimuth), math.sin(self.azimuth)
            self.slipping = speed[0] * c + speed[1] * s
            self.rolling = speed[1] * c - speed[0] * s
        else:
            self.velocity = (*speed[:2], speed[2] if self.state == FLYING else 0.0)
        self.awake = self.awake or any(speed)

    # ---- on its rim
    def reach(self):
        """(along, height): from the contact back to the centre, and up."""
        c, s, half = math.cos(self.tilt), math.sin(self.tilt), self.height / 2
        if self.tilt <= UPRIGHT:
            return self.radius * c - half * s, self.radius * s + half * c
        return self.radius * c + half * s - self.height, self.radius * s - half * c

    def stand(self):
        """Puts the cylinder where `contact`, `azimuth` and `tilt` say."""
        along, high = self.reach()
        out = math.cos(self.azimuth), math.sin(self.azimuth)
        self.centre = (
            self.contact[0] - along * out[0],
            self.contact[1] - along * out[1],
            high,
        )
        s, c = math.sin(self.tilt) * self.up, math.cos(self.tilt) * self.up
        self.axis = (s * out[0], s * out[1], c)

    def lean(self, azimuth=None):
        """Reads `contact`, `azimuth` and `tilt` from the pose; its low rim comes to the mat.
        `azimuth`: which way, of one that lies flat."""
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

    def lie(self):
        """Flat, where it is, with the face up that is nearer to being so."""
        self.axis = (0.0, 0.0, float(self.face))
        self.centre = (self.centre[0], self.centre[1], self.height / 2)
        self.state, self.velocity = LYING, (0.0, 0.0, 0.0)
        self.tilt = self.tilting = 0.0
