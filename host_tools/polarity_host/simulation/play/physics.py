"""All bodies of a world, and what magnets, weight and friction do to them in a step."""

import math
from collections.abc import Collection, Iterable, Sequence

import numpy as np

from polarity_host.simulation.twin.pieces import TwinDisc

from . import dynamics
from .body import RESTING, Body, BodyState, Vec3
from .collisions import Collisions
from .magnets import Magnets

FREE = (*RESTING, BodyState.FLYING)


class Physics:
    """`bodies`: what is on the mat or in a hand. At most `capacity` of them, of one radius."""

    def __init__(self, capacity: int, radius_mm: float):
        self.magnets = Magnets(capacity, radius_mm)
        self.collisions = Collisions(self.magnets)
        self.bodies: list[Body] = []
        self._next_id = 1
        self._slots = list(range(capacity))[::-1]
        # slot -> (centre, axis, discs) as the magnets have it
        self._placed: dict[int, tuple[Vec3, Vec3, int]] = {}
        self._disturbed = False  # a body was removed since the last look at those at rest
        self._moved: set[int] = set()  # slots whose far pairs are as they were before they moved

    # ---- which bodies there are
    def add(self, discs: Iterable[TwinDisc], centre: Iterable[float], face: int) -> Body:
        """A new body."""
        body = Body(self._next_id, self._slots.pop(), discs, centre, face)
        self._next_id += 1
        self.bodies.append(body)
        return body

    def remove(self, body: Body) -> None:
        """The body is no more, or no body of its own."""
        self.bodies.remove(body)
        self.collisions.loosen(body)
        self.magnets.remove(body.slot)
        self._slots.append(body.slot)
        self._placed.pop(body.slot, None)
        self._moved.discard(body.slot)
        self._disturbed = True

    def split(self, body: Body, discs: int) -> Body:
        """The top `discs` of a stack as a body of their own."""
        centres = body.disc_centres()
        order = list(range(len(body.discs)))
        if body.face < 0:
            order = order[::-1]
        low, top = order[:-discs], order[-discs:]
        part = self.add([body.discs[k] for k in sorted(top)], (0, 0, 0), 1)
        part.place(_mean([centres[k] for k in top]), body.axis)
        body.restack([body.discs[k] for k in sorted(low)])
        body.place(_mean([centres[k] for k in low]))
        return part

    def gap_mm(self, xy: Sequence[float], ignore: Collection[Body], radius_mm: float) -> float:
        """Rim to rim distance from a flat disc put at `xy` to the nearest body that rests."""
        gaps = [
            math.hypot(b.centre[0] - xy[0], b.centre[1] - xy[1]) - b.radius - radius_mm
            for b in self.bodies
            if b.state is not BodyState.HELD and b not in ignore
        ]
        return min(gaps, default=math.inf)

    # ---- steps
    @property
    def moves(self) -> bool:
        """Whether anything moves or is held."""
        return bool(self.collisions.jumps) or any(not b.still for b in self.bodies)

    def substep(self, dt: float) -> None:
        """Moves everything that no hand holds; `place_moved` is to follow."""
        done: set[Body] = set()
        for body in self.bodies:
            if body in done or not body.awake or body.state not in FREE:
                continue
            if body.state is BodyState.LYING:
                cluster = self.collisions.cluster(body)
                lying = [b for b in cluster if b.state is BodyState.LYING]
                done.update(lying)
                dynamics.slide(lying, [self.wrench(b) for b in lying], dt)
            elif body.state is BodyState.LEANING:
                self._rock(body, dt)
            else:
                dynamics.fall(body, self.wrench(body), dt)
        self.collisions.meet(self.bodies)
        for body in self.collisions.step(dt):
            self.remove(body)

    def beyond(self, radius_mm: float) -> list[Body]:
        """Bodies that move by themselves and have left a circle of that radius."""
        return [
            body
            for body in self.bodies
            if body.awake and body.state in FREE and math.hypot(*body.centre[:2]) > radius_mm
        ]

    def place_moved(self, far: bool) -> bool:
        """Updates the magnets of bodies that have moved; with `far` also what they and others do to
        each other from afar. Returns whether any have moved since that was last done."""
        for body in self.bodies:
            now = (body.centre, body.axis, len(body.discs))
            if self._placed.get(body.slot) != now:
                self._placed[body.slot] = now
                self.magnets.place(body.slot, body.centre, body.axis, body.height, body.pole)
                self._moved.add(body.slot)
        moved = sorted(self._moved)
        self.magnets.update(moved, far)
        if far:
            self._moved.clear()
        return bool(moved)

    def wake(self, moved: bool) -> None:
        """Wakes bodies at rest that the magnets move now; `moved`: whether others have moved."""
        if not (moved or self._disturbed):
            return
        self._disturbed = False
        for body in self.bodies:
            if body.state not in RESTING or body.pinned:
                continue
            wrench = self.wrench(body)
            if body.state is BodyState.LYING:
                if dynamics.lifts_off(body, wrench):
                    self.collisions.loosen(body)
                    dynamics.fly(body)
                    continue
                azimuth = dynamics.tips_towards(body, wrench)
                if azimuth is not None:
                    self.collisions.loosen(body)
                    dynamics.tip(body, azimuth)
                    continue
            if not body.awake and self._moves_off(body, wrench):
                body.wake()

    def _moves_off(self, body: Body, wrench: dynamics.Wrench) -> bool:
        if body.state is BodyState.LYING:
            cluster = self.collisions.cluster(body)
            if len(cluster) > 1:
                return dynamics.drags(cluster, [self.wrench(b) for b in cluster])
        return dynamics.wants_to_move(body, wrench)

    def _rock(self, body: Body, dt: float) -> None:
        stood = body.stood
        if dynamics.rock(body, self.wrench(body), dt) and stood:
            self.collisions.note("fell" if body.face == stood else "flipped", body, body)

    def wrench(self, body: Body) -> list[float]:
        """Of the magnets on a body, without those that jump to it: the end of a jump is not
        computed, so nothing would balance their pull."""
        wrench = self.magnets.total(body.slot)
        for jump in self.collisions.jumps:
            if jump.partner is body:
                wrench = wrench - self.magnets.wrench[body.slot, jump.moving.slot]
        return wrench.tolist()


def _mean(centres: Sequence[Vec3]) -> Vec3:
    x, y, z = np.mean(centres, axis=0).tolist()
    return x, y, z
