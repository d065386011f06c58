"""What magnets would do if a body stood elsewhere: a player's eye for where there is room.

Nothing moves here. A body is thought to lie or lean somewhere, and the forces on it and on all that
rests on the table are held against what keeps them still. The answer is a strain: 0 is peace, and
from 1 on something slides, tips, rolls or falls.
"""

import itertools
import math

import numpy as np

from .body import LEANING, LYING, Body
from .dynamics import FRICTION, PIVOT_MM, ROLLING, on_rim, weight_n
from .magnets import Magnets

STEP_RAD = math.radians(12.0)
TILTS_RAD = tuple(STEP_RAD * k for k in range(1, 7))
MOST_RAD = math.radians(10.0)
SWAY_RAD = math.radians(8.0)  # a leaner that would sway farther than this may fall
FIRM = 0.03  # of weight times radius: the torque by which a leaner should come back
ROLLS = 4.0  # times the resistance to rolling: it rolls a little and comes to rest
ON_THE_WAY_MM = (0.0, 10.0, 10.0, 20.0)  # so much higher it is looked at again
HOPELESS = 99.0
UNFELT_N = 1e-3


class Foresight:
    """One look at a world's table, without the bodies `leaving` and what hands hold."""

    def __init__(self, world, leaving=()):
        self._world = world
        self._ghost = world.mat.disc_count + 1
        self._magnets = Magnets(self._ghost + 1, world.mat.disc.diameter_mm / 2)
        self._pull, self._holds = {}, {}
        away = [b for b in world.bodies if b in leaving or b.state not in (LYING, LEANING)]
        pulls = world.magnets.wrench
        for body in world.bodies:
            if body not in away:
                self._place(body)
                gone = sum(pulls[body.slot, other.slot] for other in away)
                self._pull[body] = world.magnets.total(body.slot) - gone

    def lying(self, discs, face, xy):
        """The strain if a stack of these discs lay there with that face up."""
        ghost = Body(0, self._ghost, discs, (*xy, 0.0), face)
        ghost.lie()
        wrench = self._wrench(ghost)
        own = max(_slide_load(((ghost, wrench),)), _lift_load(ghost, wrench))
        return min(max(own, self._others()), HOPELESS)

    def carried(self, discs, face, xy, height_mm):
        """The strain on what rests if a hand held a stack there, so high above the mat."""
        ghost = Body(0, self._ghost, discs, (*xy, height_mm), face)
        self._wrench(ghost)
        return min(self._others(), HOPELESS)

    def leaning(self, disc, face, contact, azimuth, hopeless=HOPELESS):
        """(strain, azimuth, tilt) if the disc leaned there, its upper face looking about the way of
        `azimuth`: turned so that it does not roll, at the tilt at which it stays by itself.
        Degrees. HOPELESS where there is no such way to lean, or none with a strain below
        `hopeless`."""
        ghost = Body(0, self._ghost, [disc], (0.0, 0.0, 0.0), face)
        ghost.state, ghost.contact = LEANING, contact
        ghost.azimuth = math.radians(azimuth)
        tilt = self._balance(ghost, TILTS_RAD)
        if tilt is not None:
            self._turn_from_rolling(ghost, tilt)
            tilt = self._balance(ghost, (tilt - STEP_RAD / 2, tilt + STEP_RAD / 2))
        if tilt is None:
            return HOPELESS, azimuth, 0.0
        strain = self._own_strain(ghost, tilt)
        for higher_mm in ON_THE_WAY_MM:
            if strain >= hopeless:
                return HOPELESS, azimuth, 0.0
            ghost.centre = (*ghost.centre[:2], ghost.centre[2] + higher_mm)
            self._wrench(ghost)
            strain = max(strain, self._others())
        return strain, math.degrees(ghost.azimuth), math.degrees(tilt)

    def _own_strain(self, ghost, tilt):
        """How badly a leaner itself would stand."""
        firm = FIRM * weight_n(ghost) * ghost.radius
        wobbles = max(firm / torque for torque in self._holding(ghost, tilt))
        own = self._tilted(ghost, tilt)
        _, _, along, _, carried = on_rim(ghost, own)
        rolls = abs(along) / max(ROLLING * carried, 1e-9)
        return float(max(wobbles, rolls, _rim_load(ghost, own)))

    def _balance(self, ghost, tilts):
        """The tilt at which the torque that raises it ends, and comes back when it falls; None if
        there is no such tilt among `tilts`."""

        def rises(tilt):
            return on_rim(ghost, self._tilted(ghost, tilt))[0] > 0.0

        now = rises(tilts[0])
        for before, tilt in itertools.pairwise(tilts):
            rose, now = now, rises(tilt)
            if rose and not now:
                for _ in range(3):
                    middle = (before + tilt) / 2
                    before, tilt = (middle, tilt) if rises(middle) else (before, middle)
                return (before + tilt) / 2
        return None

    def _turn_from_rolling(self, ghost, tilt):
        """Turns it about its contact to where nothing pulls along its rim."""
        step, before = MOST_RAD / 5, None
        for _ in range(4):
            along = on_rim(ghost, self._tilted(ghost, tilt))[2]
            if before is not None and along != before:
                step = max(-MOST_RAD, min(MOST_RAD, step * along / (before - along)))
            before = along
            ghost.azimuth += step

    # ---- forces
    def _place(self, body):
        self._magnets.place(body.slot, body.centre, body.axis, body.height, body.pole)

    def _wrench(self, body):
        """What the magnets do to a body where it is thought to be."""
        self._place(body)
        self._magnets.update([body.slot])
        return self._magnets.total(body.slot)

    def _tilted(self, body, tilt):
        body.tilt = tilt
        body.stand()
        return self._wrench(body)

    def _others(self):
        """The strain on what rests, by the ghost where it is; none on what it barely moves."""
        worst = 0.0
        felt = np.abs(self._magnets.wrench[:, self._ghost]).max(axis=1) > UNFELT_N
        for body in self._pull:
            if not felt[body.slot]:
                continue
            by_ghost = self._magnets.wrench[body.slot, self._ghost].copy()
            wrench = self._pull[body] + by_ghost
            if body.state == LYING:
                load, before = self._slide_loads(body)
                worst = max(worst, _lift_load(body, wrench), _more(load, before))
            else:
                falls, rises = self._held_by(body)
                turning = on_rim(body, wrench)[0]
                load, before = _rim_load(body, wrench), _rim_load(body, self._pull[body])
                worst = max(worst, -turning / falls, turning / rises, _more(load, before))
        return worst

    def _slide_loads(self, body):
        """Of what hangs together with `body`: with the ghost, and without it."""
        sledge = [b for b in self._world.touching(body) if b in self._pull]
        ghost = self._magnets.wrench[:, self._ghost]
        now = _slide_load([(b, self._pull[b] + ghost[b.slot]) for b in sledge])
        return now, _slide_load([(b, self._pull[b]) for b in sledge])

    def _held_by(self, body):
        """(against falling, against rising): the torques (N mm) by which a leaner at rest would
        come back, swayed by SWAY_RAD."""
        if body not in self._holds:
            other = Body(0, body.slot, body.discs, body.centre, body.up)
            other.contact, other.azimuth = body.contact, body.azimuth
            self._holds[body] = self._holding(other, body.tilt)
            self._wrench(body)
        return self._holds[body]

    def _holding(self, body, tilt):
        low, high = (
            on_rim(body, self._tilted(body, at) - self._magnets.wrench[body.slot, self._ghost])[0]
            for at in (tilt - SWAY_RAD, tilt + SWAY_RAD)
        )
        return max(low, UNFELT_N), max(-high, UNFELT_N)


def _more(load, before):
    """What rests by friction may be near its limit: that counts where it comes nearer."""
    return load if load > before + 0.02 else 0.0


def _slide_load(pulled):
    """The pull along the mat over the friction that holds (body, wrench)s which hang together."""
    carried = sum(max(0.0, weight_n(body) - wrench[2]) for body, wrench in pulled)
    pull = math.hypot(*(sum(wrench[k] for _, wrench in pulled) for k in (0, 1)))
    return pull / max(FRICTION * carried, 1e-9)


def _lift_load(body, wrench):
    """How near a body that lies is to being lifted, or tipped over its rim."""
    weight = weight_n(body)
    tips = math.hypot(wrench[3], wrench[4]) / (max(weight - wrench[2], 1e-9) * body.radius)
    return max(wrench[2] / weight, tips)


def _rim_load(body, wrench):
    """How near the contact of a leaner is to slipping, spinning, rolling off or leaving the mat."""
    _, pivot, along, out, carried = on_rim(body, wrench)
    if carried <= 0.0:
        return HOPELESS
    slips = max(abs(out), abs(pivot) / PIVOT_MM) / (FRICTION * carried)
    return max(slips, abs(along) / (ROLLS * ROLLING * carried))
