"""The world of the virtual mat: discs, hands and sensors, one frame at a time.

    world = World(load_mat(), seed=1)
    hand = world.hand("white")
    world.take(hand, "w")
    hand.goal = (40.0, -60.0, 60.0)
    for _ in range(100):
        t_us, counts = world.step()

Everything happens in `step`; between two steps hands may be told what to do. The same seed and
the same calls give the same counts.
"""

import math

import numpy as np

from polarity_host.simulation.twin.condition import MatCondition
from polarity_host.simulation.twin.field import DiscPose, Move, SceneField
from polarity_host.simulation.twin.motion import heading
from polarity_host.simulation.twin.pieces import TwinDisc
from polarity_host.simulation.twin.sensors import SensorArray
from polarity_host.simulation.twin.surroundings import Surroundings

from . import dynamics
from .body import FLYING, HELD, LEANING, LYING, Body
from .collisions import Collisions
from .hand import FROM_EDGE_MM, Hand
from .magnets import Magnets

SUBSTEPS = 4
RESERVE_DEG = {"w": -90.0, "b": 90.0}
TABLE_MM = 250.0  # how far outside the circle the table ends: what rolls there is picked up
RED = "red"
FREE = (LYING, LEANING, FLYING)
CARRIED_MM = 60.0
GATHERS_S = 0.2  # between two discs that are gathered


class World:
    """`reserves`: the TwinDiscs that each player has left, and the red one, by "w", "b" and "red".

    `bodies`: what is on the mat or in a hand. `events`: (t_us, kind, ids) of what magnets did, for
    whoever wants to hear it; kinds as in Collisions.happened, and "fell".
    """

    def __init__(self, mat, seed=0, condition=None):
        self.mat = mat
        self.t_us = 0
        self.frame_us = 1_000_000 // mat.frame_hz
        condition = condition or MatCondition()
        surroundings = Surroundings(mat, condition, seed)
        self._sensors = SensorArray(mat, seed, condition, surroundings)
        self._field = SceneField(mat.sensor_xyz_mm)
        rng = np.random.default_rng([seed, 4])

        def discs(count, dimensions, is_red=False):
            shares = rng.normal(1.0, condition.moment_sigma, count)
            return [TwinDisc(dimensions, s, mat.disc.white_up_counts, is_red) for s in shares]

        half = mat.disc_count // 2
        self.reserves = {side: discs(half, mat.disc) for side in "wb"}
        self.reserves[RED] = discs(1, mat.red_disc, True)
        capacity = mat.disc_count + 1
        self.magnets = Magnets(capacity, mat.disc.diameter_mm / 2)
        self.contacts = Collisions(self.magnets)
        self.bodies = []
        self.hands = {}
        self.events = []
        self._seed = seed
        self._table_mm = mat.circle_radius_mm + TABLE_MM
        self._next_id = 1
        self._came = 0  # hands until now
        self._slots = list(range(capacity))[::-1]
        self._shown = {}  # disc -> (centre, axis) as the sensors' field has it
        self._placed = {}  # slot -> (centre, axis, discs) as the magnets have it
        self._disturbed = False

    # ---- what hands do
    def hand(self, name):
        """The hand called so; it is there from the first time on."""
        if name not in self.hands:
            self.hands[name] = Hand(name, np.random.default_rng([self._seed, 20, self._came]))
            self._came += 1
        return self.hands[name]

    def take(self, hand, side, xy=None):
        """An empty hand takes a disc from a reserve, that player's colour up. -> Body or None"""
        if hand.body or not self.reserves.get(side):
            return None
        if xy is None:
            xy = self.reserve_xy(side)
        body = self._new_body([self.reserves[side].pop()], (*xy, CARRIED_MM), 1)
        body.axis = (0.0, 0.0, -1.0 if side == "b" else 1.0)
        hand.hold(body, CARRIED_MM)
        return body

    def reserve_xy(self, side):
        """Where hands take discs from: beside the circle, before the player."""
        reach = self.mat.circle_radius_mm + FROM_EDGE_MM
        x, y, _ = reach * heading(RESERVE_DEG.get(side, 180.0))
        return float(x), float(y)

    def grab(self, hand, number, discs=None, gather=False, height_mm=CARRIED_MM):
        """An empty hand takes body `number`, or its top `discs`, and lifts it; with `gather` also
        all that touch it, one after the other. -> Body or None when it is not there to be taken."""
        body = next((b for b in self.bodies if b.id == number), None)
        if hand.body or body is None or body.state not in (LYING, LEANING):
            return None
        group = self.contacts.sledge(body)[1:]
        self.contacts.loosen(body)
        if discs is not None and 0 < discs < len(body.discs):
            body = self._split(body, discs)
        hand.hold(body, height_mm)
        hand.gathering = [(g, self.t_us + (k + 2) * GATHERS_S * 1e6) for k, g in enumerate(group)]
        if not gather:
            hand.gathering = []
        for other in group:
            other.pinned, other.awake = gather, not gather
        return body

    def release(self, hand):
        """Lets go. Over the mat magnets and weight decide what becomes of it; well outside of the
        circle it goes to the reserve of that side. -> Body, or None if it is in the reserve."""
        if hand.body is None:
            return None
        if math.hypot(*hand.body.centre[:2]) > self.mat.circle_radius_mm + FROM_EDGE_MM / 2:
            self.put_back(hand)
            return None
        body, speed = hand.let_go()
        if body.low_point > 0.5:
            dynamics.fly(body, speed)
        elif body.tilt_deg > 2.0:
            body.state, body.awake = LEANING, True
            body.lean()
        else:
            body.lie()
            body.awake = True
        return body

    def put_back(self, hand, side=None):
        """What the hand holds goes to a reserve: the nearest, unless `side` says which."""
        body, _ = hand.let_go()
        self._back(body, side)

    def clear(self):
        """All discs go back to where they were at the start, at once."""
        for hand in self.hands.values():
            hand.let_go()
        for body in self.bodies[:]:
            for disc in body.discs:
                short = min("wb", key=lambda side: len(self.reserves[side]))
                self.reserves[RED if disc.is_red else short].append(disc)
            self._remove(body)

    # ---- time
    def step(self):
        """Makes the next frame. -> (t_us, counts): n uint16"""
        dt = self.frame_us / 1e6
        self._move_hands(dt)
        moved = self._place_moved(far=True)
        if moved or self._disturbed:
            self._wake()
        if self.contacts.drawn or any(not b.still for b in self.bodies):
            for _ in range(SUBSTEPS):
                self._substep(dt / SUBSTEPS)
        self._tell()
        t_us, self.t_us = self.t_us, self.t_us + self.frame_us
        field = self._field.frames([self._moves()])
        return t_us, self._sensors.counts([t_us], field)[0]

    def _move_hands(self, dt):
        for hand in self.hands.values():
            if hand.body is None:
                continue
            hand.step(self.t_us / 1e6, dt, self._wrench(hand.body))
            if hand.gathering and hand.gathering[0][1] <= self.t_us:
                other, _ = hand.gathering.pop(0)
                if other in self.bodies and other.state in (LYING, LEANING):
                    other.pinned = False
                    self.contacts.draw(other, hand.body)

    def _wake(self):
        """Bodies at rest that the magnets have come to move."""
        self._disturbed = False
        for body in self.bodies:
            if body.state not in (LYING, LEANING) or body.pinned:
                continue
            wrench = self._wrench(body)
            if body.state == LYING:
                if dynamics.lifts_off(body, wrench):
                    self.contacts.loosen(body)
                    dynamics.fly(body)
                    continue
                azimuth = dynamics.tips_towards(body, wrench)
                if azimuth is not None:
                    self.contacts.loosen(body)
                    dynamics.tip(body, azimuth)
                    continue
            if not body.awake and self._moves_off(body, wrench):
                body.awake = True

    def _moves_off(self, body, wrench):
        if body.state == LYING:
            sledge = self.contacts.sledge(body)
            if len(sledge) > 1:
                return dynamics.drags(sledge, [self._wrench(b) for b in sledge])
        return dynamics.wants_to_move(body, wrench)

    def _substep(self, dt):
        done = set()
        for body in self.bodies:
            if body in done or not body.awake or body.state not in FREE:
                continue
            if body.state == LYING:
                sledge = [b for b in self.contacts.sledge(body) if b.state == LYING]
                done.update(sledge)
                dynamics.slide(sledge, [self._wrench(b) for b in sledge], dt)
            elif body.state == LEANING:
                self._rock(body, dt)
            else:
                dynamics.fall(body, self._wrench(body), dt)
        self.contacts.meet(self.bodies)
        for body in self.contacts.step(dt):
            self._remove(body)
        for kind, body, _ in self.contacts.happened:
            if kind == "snap":
                next(hand for hand in self.hands.values() if hand.body is body).regrip()
        for body in self.bodies[:]:
            if body.awake and body.state in FREE and math.hypot(*body.centre[:2]) > self._table_mm:
                self._back(body)
        self._place_moved(far=False)

    def _rock(self, body, dt):
        stood, face = body.stood, body.up
        if dynamics.rock(body, self._wrench(body), dt) and stood:
            kind = "fell" if body.face == face else "flipped"
            self.contacts.happened.append((kind, body, body))

    def _wrench(self, body):
        """Of the magnets on a body. One that is drawn to it does not pull at it: the last of a jump
        is not computed, so that nothing would pull back."""
        wrench = self.magnets.total(body.slot)
        for draw in self.contacts.drawn:
            if draw.partner is body:
                wrench = wrench - self.magnets.wrench[body.slot, draw.moving.slot]
        return wrench.tolist()

    # ---- bookkeeping
    def _new_body(self, discs, centre, face):
        body = Body(self._next_id, self._slots.pop(), discs, centre, face)
        self._next_id += 1
        self.bodies.append(body)
        return body

    def _remove(self, body):
        self.bodies.remove(body)
        self.contacts.loosen(body)
        self.magnets.remove(body.slot)
        self._slots.append(body.slot)
        self._placed.pop(body.slot, None)
        self._disturbed = True

    def _back(self, body, side=None):
        """The discs of a body go to a reserve: that of its side of the table, if not said."""
        side = side or ("b" if body.centre[1] > 0 else "w")
        for disc in body.discs:
            self.reserves[RED if disc.is_red else side].append(disc)
        self._remove(body)

    def _split(self, body, discs):
        """The top `discs` of a stack as a body of their own."""
        centres = body.disc_centres()
        order = list(range(len(body.discs)))
        if body.face < 0:
            order = order[::-1]
        low, top = order[:-discs], order[-discs:]
        axis = body.axis
        part = self._new_body([body.discs[k] for k in sorted(top)], (0, 0, 0), 1)
        part.axis = axis
        part.centre = tuple(np.mean([centres[k] for k in top], axis=0).tolist())
        body.discs = [body.discs[k] for k in sorted(low)]
        body.centre = tuple(np.mean([centres[k] for k in low], axis=0).tolist())
        body.restack()
        return part

    def _place_moved(self, far):
        """Tells the magnets which bodies are elsewhere now. -> their slots"""
        moved = []
        for body in self.bodies:
            now = (body.centre, body.axis, len(body.discs))
            if self._placed.get(body.slot) != now:
                self._placed[body.slot] = now
                self.magnets.place(body.slot, body.centre, body.axis, body.height, body.pole)
                moved.append(body.slot)
        self.magnets.update(moved, far)
        return moved

    def _moves(self):
        """What the sensors' field has to know: discs that are elsewhere, or gone."""
        now = {}
        for body in self.bodies:
            for disc, centre in zip(body.discs, body.disc_centres()):
                now[disc] = (centre, body.axis)
        moves = [Move(disc, None) for disc in self._shown if disc not in now]
        for disc, pose in now.items():
            if self._shown.get(disc) != pose:
                moves.append(Move(disc, DiscPose(np.array(pose[0]), np.array(pose[1]))))
        self._shown = now
        return moves

    def _tell(self):
        for kind, body, other in self.contacts.happened:
            self.events.append((self.t_us, kind, (body.id, other.id)))
        self.contacts.happened.clear()

    def gap_mm(self, xy, ignore=()):
        """Rim to rim distance from a flat disc put at `xy` to the nearest body that rests."""
        radius = self.mat.disc.diameter_mm / 2
        gaps = [
            math.hypot(b.centre[0] - xy[0], b.centre[1] - xy[1]) - b.radius - radius
            for b in self.bodies
            if b.state != HELD and b not in ignore
        ]
        return min(gaps, default=math.inf)

    def touching(self, body):
        """Bodies that lie against `body`, directly or by others, itself included."""
        return self.contacts.sledge(body)
