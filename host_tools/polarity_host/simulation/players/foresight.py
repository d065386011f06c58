"""What magnets would do if a body stood elsewhere: a player's eye for where there is room.

Nothing moves here. A body (the ghost) is assumed to lie or lean somewhere, and the forces on it and
on everything that rests on the table are compared with what keeps them still. The answer is a
strain: at 0 nothing is disturbed, and from 1 on something slides, tips, rolls or falls.
"""

import math
from collections.abc import Collection, Sequence
from typing import NamedTuple

import numpy as np

from polarity_host.simulation.play.body import RESTING, Body, BodyState
from polarity_host.simulation.play.dynamics import (
    FRICTION,
    PIVOT_MM,
    ROLLING,
    RimLoad,
    Wrench,
    on_rim,
    weight_n,
)
from polarity_host.simulation.play.magnets import Floats, Magnets
from polarity_host.simulation.play.world import World
from polarity_host.simulation.twin.pieces import TwinDisc

STEP_RAD = math.radians(12.0)
TILTS_RAD = tuple(STEP_RAD * k for k in range(1, 7))
ABOUT_RAD = tuple(math.radians(step) for step in (-6.0, -2.0, 2.0, 6.0))
FINE_RAD = math.radians(5.0)
TURNS_RAD = tuple(math.radians(turn) for turn in (-12.0, -6.0, 0.0, 6.0, 12.0))
GHOSTS, SWAYED = 6, 2  # bodies that are looked at at a time
SWAY_RAD = math.radians(8.0)  # a leaner that would sway farther than this may fall
FIRM = 0.03  # of weight times radius: the torque by which a leaner should come back
ROLLS = 4.0  # times the resistance to rolling: it rolls a little and comes to rest
ON_THE_WAY_MM = (0.0, 10.0, 20.0, 40.0)  # above the mat: it is checked at each height
HOPELESS = 99.0
UNFELT_N = 1e-3
FALLS_BY = 4  # steps in which a leaner that is to fall is looked at
FELLS = 0.08  # of weight times radius: the torque that makes it fall without delay
LEAST_CARRIED = 0.2  # of its weight, by the mat, while it falls
CLEAR_MM = 1.0  # rim to rim, where it comes to lie
OTHERS_SHARE = 0.2  # of the torque that holds a leaner up, from a disc that is not his own
NO_WRENCH = (0.0,) * 6


class HandPose(NamedTuple):
    """Where a hand holds a single disc: `centre` mm; its upper face tilted, degrees."""

    centre: tuple[float, float, float]
    tilt: float
    azimuth: float

    def axis(self, face: int) -> tuple[float, float, float]:
        """The normal of the white face when `face` is up."""
        tilt, azimuth = math.radians(self.tilt), math.radians(self.azimuth)
        across = face * math.sin(tilt)
        return across * math.cos(azimuth), across * math.sin(azimuth), face * math.cos(tilt)


class Foresight:
    """The world at one moment, without the bodies `leaving` and what hands hold."""

    def __init__(self, world: World, leaving: Collection[Body] = ()):
        self._world = world
        self._first = world.mat.disc_count + 1  # slot of the first ghost
        self._magnets = Magnets(self._first + GHOSTS + SWAYED, world.mat.disc.diameter_mm / 2)
        self._pull: dict[Body, Floats] = {}
        self._holds: dict[Body, tuple[float, float]] = {}
        self._falling: dict[Body, tuple[Magnets, list[tuple[float, Floats]]]] = {}
        away = [b for b in world.bodies if b in leaving or b.state not in RESTING]
        pulls = world.magnets.wrench
        for body in world.bodies:
            if body not in away:
                self._magnets.place(body.slot, body.centre, body.axis, body.height, body.pole)
                gone = sum((pulls[body.slot, other.slot] for other in away), np.zeros(6))
                self._pull[body] = world.magnets.total(body.slot) - gone

    def lying(self, discs: Sequence[TwinDisc], face: int, xy: tuple[float, float]) -> float:
        """The strain if a stack of these discs lay there with that face up."""
        ghost = Body(0, self._first, discs, (*xy, 0.0), face)
        ghost.lie()
        (wrench,) = self._wrenches([ghost])
        own = max(_slide_load(((ghost, wrench),)), _lift_load(ghost, wrench))
        return min(max(own, self._others(0)), HOPELESS)

    def carried(
        self,
        discs: Sequence[TwinDisc],
        face: int,
        way: Sequence[Sequence[float]],
        height_mm: float,
    ) -> list[float]:
        """The strain on what rests if a hand held a stack at these places (x, y), at that height
        above the mat."""
        self._wrenches([Body(0, 0, discs, (xy[0], xy[1], height_mm), face) for xy in way])
        return [min(self._others(at), HOPELESS) for at in range(len(way))]

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
        ghost = Body(0, self._first, [disc], (0.0, 0.0, 0.0), face)
        ghost.become(BodyState.LEANING)
        ghost.set_lean(contact, math.radians(azimuth))
        tilt = self._balance(ghost, TILTS_RAD)
        if tilt is not None:
            self._turn_from_rolling(ghost, tilt)
            tilt = self._balance(ghost, [tilt + step for step in ABOUT_RAD])
        if tilt is None:
            return HOPELESS, azimuth, 0.0
        strain = self._own_strain(ghost, tilt)
        if strain < hopeless:
            ghost.stand()
            x, y, z = ghost.centre
            raised = [_copy(ghost) for _ in ON_THE_WAY_MM]
            for one, higher_mm in zip(raised, ON_THE_WAY_MM):
                one.place((x, y, z + higher_mm), ghost.axis)
            self._wrenches(raised)
            for at in range(len(raised)):
                strain = max(strain, self._others(at))
        if strain >= hopeless:
            return HOPELESS, azimuth, 0.0
        return strain, math.degrees(ghost.azimuth), math.degrees(tilt)

    def pulls(
        self, disc: TwinDisc, face: int, contact: tuple[float, float], azimuth: float, tilt: float
    ) -> list[tuple[Body, float]]:
        """What raises a disc that leans there, at angles in degrees: the torque of each body on it
        over its weight times radius, below 0 where the body presses it down."""
        ghost = Body(0, self._first, [disc], (0.0, 0.0, 0.0), face)
        ghost.become(BodyState.LEANING)
        ghost.set_lean(contact, math.radians(azimuth), math.radians(tilt))
        ghost.stand()
        self._wrenches([ghost])
        wrenches = self._magnets.wrench[self._first]
        none = on_rim(ghost, NO_WRENCH).turning
        whole = weight_n(ghost) * ghost.radius
        return [
            (body, (on_rim(ghost, wrenches[body.slot].tolist()).turning - none) / whole)
            for body in self._pull
        ]

    def felling(self, leaner: Body, disc: TwinDisc, face: int, hand: HandPose) -> float:
        """The strain on everything else if a hand held the disc there, provided that this makes the
        leaner fall flat on its own face where it stands; else HOPELESS."""
        if leaner not in self._falling:
            self._falling[leaner] = self._fall_of(leaner)
        magnets, falls = self._falling[leaner]
        if not falls:
            return HOPELESS
        ghost = Body(0, self._first, [disc], (0.0, 0.0, 0.0), face)
        ghost.place(hand.centre, hand.axis(face))
        slot = len(falls)
        magnets.place(slot, ghost.centre, ghost.axis, ghost.height, ghost.pole)
        magnets.update([slot])
        fallen = _copy(leaner)
        fallen.set_lean(leaner.contact, leaner.azimuth)
        weight = weight_n(leaner)
        for at, (tilt, own) in enumerate(falls):
            fallen.set_lean(tilt=tilt)
            load = on_rim(fallen, (magnets.wrench[at, slot] + own).tolist())
            slips = math.hypot(load.out, load.along)
            firm = load.carried > LEAST_CARRIED * weight and slips < FRICTION * load.carried
            if load.turning > -FELLS * weight * leaner.radius or not firm:
                return HOPELESS
        self._wrenches([ghost])
        return min(self._others(0, leaner), HOPELESS)

    def _fall_of(self, leaner: Body) -> tuple[Magnets, list[tuple[float, Floats]]]:
        """Magnets with the leaner in its first slots as it is tilted less and less, and (tilt, what
        all others do to it then) for each; none where it cannot lie without touching another."""
        magnets = Magnets(FALLS_BY + 1, leaner.radius)
        falling = []
        for at in range(FALLS_BY):
            one = _copy(leaner)
            one.set_lean(leaner.contact, leaner.azimuth, leaner.tilt * (1.0 - at / FALLS_BY))
            one.stand()
            falling.append(one)
            magnets.place(at, one.centre, one.axis, one.height, one.pole)
        ends = falling[-1].centre
        others = [b for b in self._pull if b is not leaner]
        if any(math.dist(ends[:2], b.centre[:2]) < b.radius + leaner.radius + CLEAR_MM
               for b in others):  # fmt: skip
            return magnets, []
        wrenches = self._wrenches(falling, but=leaner)
        return magnets, [(one.tilt, w) for one, w in zip(falling, wrenches)]

    # ---- leaners
    def _own_strain(self, ghost: Body, tilt: float) -> float:
        """The strain on the leaner itself: HOPELESS where not its own colour holds it up."""
        own, low, high = self._tilted(ghost, (tilt, tilt - SWAY_RAD, tilt + SWAY_RAD))
        ghost.set_lean(tilt=tilt)
        if not self._own_discs_carry(ghost):
            return HOPELESS
        firm = FIRM * weight_n(ghost) * ghost.radius
        holds = max(low.turning, UNFELT_N), max(-high.turning, UNFELT_N)
        wobbles = max(firm / torque for torque in holds)
        rolls = abs(own.along) / max(ROLLING * own.carried, 1e-9)
        return float(max(wobbles, rolls, _rim_load(own)))

    def _own_discs_carry(self, ghost: Body) -> bool:
        """Whether it is held up by discs of its own colour (001 Game Play 1), and not by red."""
        wrenches = self._magnets.wrench[self._first]
        none = on_rim(ghost, NO_WRENCH).turning
        own = others = 0.0
        for body in self._pull:
            raises = on_rim(ghost, wrenches[body.slot].tolist()).turning - none
            if raises > 0.0 and body.face == ghost.up and not body.is_red:
                own += raises
            elif raises > 0.0:
                others = max(others, raises)
        return own > 0.0 and others < OTHERS_SHARE * (own + others)

    def _balance(self, ghost: Body, tilts: Sequence[float]) -> float | None:
        """The tilt at which the torque that raises it vanishes, and returns when it falls; None if
        there is no such tilt among `tilts`."""
        for wide in (True, False):
            turning = [load.turning for load in self._tilted(ghost, tilts)]
            for k in range(len(tilts) - 1):
                if turning[k] > 0.0 >= turning[k + 1]:
                    break
            else:
                return None
            low, high = tilts[k], tilts[k + 1]
            share = turning[k] / (turning[k] - turning[k + 1])
            if wide and high - low > FINE_RAD:
                tilts = [low + step * (high - low) / 3 for step in range(4)]
            else:
                return low + share * (high - low)
        return low + share * (high - low)

    def _turn_from_rolling(self, ghost: Body, tilt: float) -> None:
        """Turns it about its contact until nothing pulls along its rim."""
        turns = [ghost.azimuth + turn for turn in TURNS_RAD]
        turned = []
        for azimuth in turns:
            one = _copy(ghost)
            one.set_lean(ghost.contact, azimuth, tilt)
            one.stand()
            turned.append(one)
        wrenches = self._wrenches(turned)
        along = [on_rim(one, w.tolist()).along for one, w in zip(turned, wrenches)]
        best = min(range(len(turns)), key=lambda k: abs(along[k]))
        azimuth = turns[best]
        for k in range(len(turns) - 1):
            if along[k] * along[k + 1] < 0.0:
                share = along[k] / (along[k] - along[k + 1])
                azimuth = turns[k] + share * (turns[k + 1] - turns[k])
                break
        ghost.set_lean(azimuth=azimuth)

    def _tilted(self, ghost: Body, tilts: Sequence[float]) -> list[RimLoad]:
        """The loads on a leaner at these tilts."""
        copies = []
        for tilt in tilts:
            one = _copy(ghost)
            one.set_lean(ghost.contact, ghost.azimuth, tilt)
            one.stand()
            copies.append(one)
        return [on_rim(one, w.tolist()) for one, w in zip(copies, self._wrenches(copies))]

    # ---- forces
    def _wrenches(
        self, ghosts: Sequence[Body], but: Body | None = None, first: int | None = None
    ) -> Floats:
        """What the magnets, `but` for one, do to bodies where they are assumed to be, one at a
        time: (ghosts, 6). They are in slots from `first` on, by default those of the ghosts."""
        first = self._first if first is None else first
        slots = range(first, first + len(ghosts))
        for slot, ghost in zip(slots, ghosts):
            self._magnets.place(
                slot, ghost.centre, ghost.axis, ghost.height, ghost.pole, probe=True
            )
        self._magnets.update(slots)
        on_ghosts = self._magnets.wrench[slots.start : slots.stop, : self._first]
        total = on_ghosts.sum(axis=1)
        return total if but is None else total - on_ghosts[:, but.slot]

    def _others(self, ghost: int, but: Body | None = None) -> float:
        """The strain that a ghost puts on what rests, without bodies that it barely affects."""
        worst = 0.0
        by_ghost = self._magnets.wrench[:, self._first + ghost]
        felt = (np.abs(by_ghost).max(axis=1) > UNFELT_N).tolist()
        for body in self._pull:
            if not felt[body.slot] or body is but:
                continue
            wrench = (self._pull[body] + by_ghost[body.slot]).tolist()
            if body.state is BodyState.LYING:
                load, before = self._slide_loads(body, by_ghost)
                worst = max(worst, _lift_load(body, wrench), _more(load, before))
            else:
                falls, rises = self._held_by(body)
                load = on_rim(body, wrench)
                before = _rim_load(on_rim(body, self._pull[body].tolist()))
                turning = load.turning
                worst = max(
                    worst, -turning / falls, turning / rises, _more(_rim_load(load), before)
                )
        return worst

    def _slide_loads(self, body: Body, by_ghost: Floats) -> tuple[float, float]:
        """Of the cluster of `body`: with the ghost, and without it."""
        cluster = [b for b in self._world.touching(body) if b in self._pull]
        now = _slide_load([(b, (self._pull[b] + by_ghost[b.slot]).tolist()) for b in cluster])
        return now, _slide_load([(b, self._pull[b].tolist()) for b in cluster])

    def _held_by(self, body: Body) -> tuple[float, float]:
        """(against falling, against rising): the torques (N mm) that would bring a leaner at rest
        back after it has swayed by SWAY_RAD."""
        if body not in self._holds:
            swayed = []
            for tilt in (body.tilt - SWAY_RAD, body.tilt + SWAY_RAD):
                one = _copy(body)
                one.set_lean(body.contact, body.azimuth, tilt)
                one.stand()
                swayed.append(one)
            wrenches = self._wrenches(swayed, but=body, first=self._first + GHOSTS)
            low, high = (
                on_rim(one, wrench.tolist()).turning for one, wrench in zip(swayed, wrenches)
            )
            self._holds[body] = max(low, UNFELT_N), max(-high, UNFELT_N)
        return self._holds[body]


def _copy(body: Body) -> Body:
    """A body like it that leans where it does."""
    copy = Body(0, 0, body.discs, body.centre, body.up)
    copy.become(BodyState.LEANING)
    copy.place(axis=body.axis)
    return copy


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


def _rim_load(load: RimLoad) -> float:
    """How near the contact of a leaner is to slipping, spinning, rolling off or leaving the mat."""
    _, pivot, along, out, carried = load
    if carried <= 0.0:
        return HOPELESS
    slips = max(abs(out), abs(pivot) / PIVOT_MM) / (FRICTION * carried)
    return max(slips, abs(along) / (ROLLS * ROLLING * carried))
