"""What magnets would do if a body stood elsewhere: a player's eye for where there is room.

Nothing moves here. A body (the ghost) is assumed to lie or lean somewhere, and the forces on it and
on everything that rests on the table are compared with what keeps them still. The answer is a
strain: at 0 nothing is disturbed, and from 1 on something slides, tips, rolls or falls.
"""

import itertools
import math
from collections.abc import Collection, Sequence

import numpy as np

from polarity_host.simulation.twin.pieces import TwinDisc

from .body import RESTING, Body, BodyState
from .dynamics import FRICTION, PIVOT_MM, ROLLING, Wrench, on_rim, weight_n
from .magnets import Floats, Magnets
from .world import World

STEP_RAD = math.radians(12.0)
TILTS_RAD = tuple(STEP_RAD * k for k in range(1, 7))
MOST_RAD = math.radians(10.0)
SWAY_RAD = math.radians(8.0)  # a leaner that would sway farther than this may fall
FIRM = 0.03  # of weight times radius: the torque by which a leaner should come back
ROLLS = 4.0  # times the resistance to rolling: it rolls a little and comes to rest
ON_THE_WAY_MM = (0.0, 10.0, 10.0, 20.0)  # raised step by step, it is checked at each height
HOPELESS = 99.0
UNFELT_N = 1e-3


class Foresight:
    """The world at one moment, without the bodies `leaving` and what hands hold."""

    def __init__(self, world: World, leaving: Collection[Body] = ()):
        self._world = world
        self._ghost = world.mat.disc_count + 1
        self._magnets = Magnets(self._ghost + 1, world.mat.disc.diameter_mm / 2)
        self._pull: dict[Body, Floats] = {}
        self._holds: dict[Body, tuple[float, float]] = {}
        away = [b for b in world.bodies if b in leaving or b.state not in RESTING]
        pulls = world.magnets.wrench
        for body in world.bodies:
            if body not in away:
                self._place(body)
                gone = sum((pulls[body.slot, other.slot] for other in away), np.zeros(6))
                self._pull[body] = world.magnets.total(body.slot) - gone

    def lying(self, discs: Sequence[TwinDisc], face: int, xy: tuple[float, float]) -> float:
        """The strain if a stack of these discs lay there with that face up."""
        ghost = Body(0, self._ghost, discs, (*xy, 0.0), face)
        ghost.lie()
        wrench = self._wrench(ghost)
        own = max(_slide_load(((ghost, wrench),)), _lift_load(ghost, wrench))
        return min(max(own, self._others()), HOPELESS)

    def carried(
        self, discs: Sequence[TwinDisc], face: int, xy: Sequence[float], height_mm: float
    ) -> float:
        """The strain on what rests if a hand held a stack there, at that height above the mat."""
        ghost = Body(0, self._ghost, discs, (*xy, height_mm), face)
        self._wrench(ghost)
        return min(self._others(), HOPELESS)

    def leaning(
        self,
        disc: TwinDisc,
        face: int,
        contact: tuple[float, float],
        azimuth: float,
        hopeless: float = HOPELESS,
    ) -> tuple[float, float, float]:
        """(strain, azimuth, tilt) if the disc leaned there, its upper face looking roughly towards
        `azimuth`: turned so that it does not roll, at the tilt at which it stays by itself.
        Degrees. HOPELESS where there is no such pose, or none with a strain below `hopeless`."""
        ghost = Body(0, self._ghost, [disc], (0.0, 0.0, 0.0), face)
        ghost.become(BodyState.LEANING)
        ghost.set_lean(contact, math.radians(azimuth))
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
            x, y, z = ghost.centre
            ghost.place((x, y, z + higher_mm))
            self._wrench(ghost)
            strain = max(strain, self._others())
        return strain, math.degrees(ghost.azimuth), math.degrees(tilt)

    def _own_strain(self, ghost: Body, tilt: float) -> float:
        """The strain on the leaner itself."""
        firm = FIRM * weight_n(ghost) * ghost.radius
        wobbles = max(firm / torque for torque in self._holding(ghost, tilt))
        own = self._tilted(ghost, tilt)
        load = on_rim(ghost, own)
        rolls = abs(load.along) / max(ROLLING * load.carried, 1e-9)
        return float(max(wobbles, rolls, _rim_load(ghost, own)))

    def _balance(self, ghost: Body, tilts: Sequence[float]) -> float | None:
        """The tilt at which the torque that raises it vanishes, and returns when it falls; None if
        there is no such tilt among `tilts`."""

        def rises(tilt: float) -> bool:
            return on_rim(ghost, self._tilted(ghost, tilt)).turning > 0.0

        now = rises(tilts[0])
        for before, tilt in itertools.pairwise(tilts):
            rose, now = now, rises(tilt)
            if rose and not now:
                for _ in range(3):
                    middle = (before + tilt) / 2
                    before, tilt = (middle, tilt) if rises(middle) else (before, middle)
                return (before + tilt) / 2
        return None

    def _turn_from_rolling(self, ghost: Body, tilt: float) -> None:
        """Turns it about its contact until nothing pulls along its rim."""
        step, before = MOST_RAD / 5, None
        for _ in range(4):
            along = on_rim(ghost, self._tilted(ghost, tilt)).along
            if before is not None and along != before:
                step = max(-MOST_RAD, min(MOST_RAD, step * along / (before - along)))
            before = along
            ghost.set_lean(azimuth=ghost.azimuth + step)

    # ---- forces
    def _place(self, body: Body) -> None:
        self._magnets.place(body.slot, body.centre, body.axis, body.height, body.pole)

    def _wrench(self, body: Body) -> Floats:
        """What the magnets do to a body where it is assumed to be."""
        self._place(body)
        self._magnets.update([body.slot])
        return self._magnets.total(body.slot)

    def _tilted(self, body: Body, tilt: float) -> Floats:
        body.set_lean(tilt=tilt)
        body.stand()
        return self._wrench(body)

    def _others(self) -> float:
        """The strain that the ghost puts on what rests, without bodies that it barely affects."""
        worst = 0.0
        felt = np.abs(self._magnets.wrench[:, self._ghost]).max(axis=1) > UNFELT_N
        for body in self._pull:
            if not felt[body.slot]:
                continue
            by_ghost = self._magnets.wrench[body.slot, self._ghost].copy()
            wrench = self._pull[body] + by_ghost
            if body.state is BodyState.LYING:
                load, before = self._slide_loads(body)
                worst = max(worst, _lift_load(body, wrench), _more(load, before))
            else:
                falls, rises = self._held_by(body)
                turning = on_rim(body, wrench).turning
                load, before = _rim_load(body, wrench), _rim_load(body, self._pull[body])
                worst = max(worst, -turning / falls, turning / rises, _more(load, before))
        return worst

    def _slide_loads(self, body: Body) -> tuple[float, float]:
        """Of the cluster of `body`: with the ghost, and without it."""
        cluster = [b for b in self._world.touching(body) if b in self._pull]
        ghost = self._magnets.wrench[:, self._ghost]
        now = _slide_load([(b, self._pull[b] + ghost[b.slot]) for b in cluster])
        return now, _slide_load([(b, self._pull[b]) for b in cluster])

    def _held_by(self, body: Body) -> tuple[float, float]:
        """(against falling, against rising): the torques (N mm) that would bring a leaner at rest
        back after it has swayed by SWAY_RAD."""
        if body not in self._holds:
            other = Body(0, body.slot, body.discs, body.centre, body.up)
            other.set_lean(body.contact, body.azimuth)
            self._holds[body] = self._holding(other, body.tilt)
            self._wrench(body)
        return self._holds[body]

    def _holding(self, body: Body, tilt: float) -> tuple[float, float]:
        low, high = (
            on_rim(
                body, self._tilted(body, at) - self._magnets.wrench[body.slot, self._ghost]
            ).turning
            for at in (tilt - SWAY_RAD, tilt + SWAY_RAD)
        )
        return max(low, UNFELT_N), max(-high, UNFELT_N)


def _more(load: float, before: float) -> float:
    """Friction may be near its limit already; that counts only where it comes nearer."""
    return load if load > before + 0.02 else 0.0


def _slide_load(pulled: Sequence[tuple[Body, Wrench]]) -> float:
    """The pull along the mat over the friction that holds the (body, wrench)s of a cluster."""
    carried = sum(max(0.0, weight_n(body) - wrench[2]) for body, wrench in pulled)
    pull = math.hypot(*(sum(wrench[k] for _, wrench in pulled) for k in (0, 1)))
    return pull / max(FRICTION * carried, 1e-9)


def _lift_load(body: Body, wrench: Wrench) -> float:
    """How near a body that lies is to being lifted, or tipped over its rim."""
    weight = weight_n(body)
    tips = math.hypot(wrench[3], wrench[4]) / (max(weight - wrench[2], 1e-9) * body.radius)
    return max(wrench[2] / weight, tips)


def _rim_load(body: Body, wrench: Wrench) -> float:
    """How near the contact of a leaner is to slipping, spinning, rolling off or leaving the mat."""
    _, pivot, along, out, carried = on_rim(body, wrench)
    if carried <= 0.0:
        return HOPELESS
    slips = max(abs(out), abs(pivot) / PIVOT_MM) / (FRICTION * carried)
    return max(slips, abs(along) / (ROLLS * ROLLING * carried))
