"""Hands that play by themselves: the set-up, and the practice opponent.

They see the discs on the table and hear the referee, as people do, and have no other way to move a
disc than a person's: a Hand. A script is a generator that yields once a frame.
"""

import math

import numpy as np

from .body import LEANING, LYING
from .hand import FROM_EDGE_MM, HIGHEST_MM
from .places import Places
from .world import RESERVE_DEG

HOVER_MM = 82.0  # so high a disc passes over most leaners, and the mat still sees it
LEAN_AT_MM = 25.0  # so high it is tilted
ATTEMPTS = 3  # to lean a disc, in a turn
OWED_MM = 25.0  # as far as the referee may be out about where a piece lies
FACE = {"w": 1, "b": -1}


class Player:
    """One hand with a will. `referee()` gives the state that PROTOCOL.md describes."""

    def __init__(self, world, name, referee, seed=0):
        self.world = world
        self.hand = world.hand(name)
        self.referee = referee
        rng = np.random.default_rng([seed, 31, *name.encode()])
        self.places = Places(world, rng)

    # ---- what people want of it
    def set_up(self):
        """Red disc and foundations, as the referee asks for them."""
        for _ in range(40):
            phase, side = self._due()
            if phase is None or not (yield from self.lay(side)):
                return
            yield from self.wait(0.6)

    def play(self, side):
        """Plays `side` for ever: waits for its turn, captures, and leans a disc."""
        while True:
            yield from self.wait(0.3)
            state = self.referee()
            if self._others_busy():
                continue
            if state["phase"] in ("red_disc", "foundations"):
                phase, due = self._due()
                if due in ("red", side):
                    yield from self.wait(0.4)
                    if not self._others_busy():
                        yield from self.lay(due)
                        yield from self.wait(0.6)
            elif state["phase"] == "play" and self._my_turn(state, side):
                yield from self.wait(0.8)
                if not self._others_busy() and self._my_turn(self.referee(), side):
                    yield from self._turn(side)
                    yield from self.wait(1.0)

    # ---- a turn
    def _due(self):
        state = self.referee()
        phase = state["phase"]
        if phase == "red_disc":
            return phase, "red"
        return (phase, state["active"]) if phase == "foundations" else (None, None)

    def _my_turn(self, state, side):
        return state["active"] == side if not state["done"] else state["active"] != side

    def _others_busy(self):
        world = self.world
        held = any(h.body for h in world.hands.values() if h is not self.hand)
        return held or any(b.awake for b in world.bodies)

    def _turn(self, side):
        for _ in range(6):
            owed = [ids for player, ids in self.referee()["owed"] if player == side]
            bodies = [self._body_of(number) for ids in owed for number in ids]
            body = next((b for b in bodies if b), None)
            if body is None:
                break
            yield from self._capture(body, FACE[side])
            yield from self.wait(0.8)
            if self.referee()["active"] != side or self.referee()["done"]:
                return
        for attempt in range(ATTEMPTS):
            yield from self._lean(side, attempt == ATTEMPTS - 1)
            yield from self.wait(1.0)
            state = self.referee()
            if state["phase"] != "play" or state["done"] or state["active"] != side:
                return

    def _body_of(self, number):
        """The body on the table that the referee calls so."""
        for ident, _, _, _, x, y in self.referee()["pieces"]:
            if ident == number:
                near = [b for b in self.world.bodies if b.state in (LYING, LEANING)]
                far = [(math.hypot(_x(b) - x / 100.0, _y(b) - y / 100.0), b.id, b) for b in near]
                away_mm, _, body = min(far, default=(math.inf, 0, None))
                return body if away_mm < OWED_MM else None
        return None

    def _capture(self, body, face):
        """Gathers all that touches `body` and sets it down as a tower of the colour `face`."""
        world, hand = self.world, self.hand
        group = world.touching(body)
        discs = [disc for one in group for disc in one.discs]
        xy = yield from self.places.to_lie(discs, face, group)
        if world.grab(hand, body.id, gather=True) is None:
            return
        high_mm = min(HIGHEST_MM, HOVER_MM * len(discs) ** 0.25)  # its pull is the same there
        hand.goal = (*hand.goal[:2], high_mm)
        yield from self.wait(0.8 + 0.3 * len(group))
        yield from self.carry(xy, high_mm)
        if hand.body and hand.body.face != face:
            hand.flip()
            yield from self.wait(0.6)
        yield from self.set_down()

    def lay(self, side):
        """A disc from a reserve is laid flat where there is room. -> whether there was one"""
        face = FACE.get(side, 0)
        reserve = self.world.reserves[side]
        if not reserve:
            return False
        xy = (0.0, 0.0)
        if face:
            xy = yield from self.places.to_lie(reserve[-1:], face, near_side=face)
        self.world.take(self.hand, side)
        yield from self.carry(xy, HOVER_MM)
        yield from self.set_down()
        return True

    def _lean(self, side, come_what_may):
        """Takes a disc and makes it lean, where it stands by itself and disturbs nobody; back to
        the reserve with one that does not stand, but for `come_what_may`."""
        world, hand, face = self.world, self.hand, FACE[side]
        reserve = world.reserves[side]
        site = (yield from self.places.to_lean(reserve[-1], face)) if reserve else None
        if not site:
            return
        contact, azimuth, tilt = site
        start = yield from self.places.way_in(
            reserve[-1:], face, contact, RESERVE_DEG[side], HOVER_MM
        )
        world.take(hand, side, start)
        hand.body.tilt = math.radians(tilt)
        back, _ = hand.body.reach()
        out = math.cos(math.radians(azimuth)), math.sin(math.radians(azimuth))
        middle = contact[0] - back * out[0], contact[1] - back * out[1]
        yield from self.carry(middle, HOVER_MM)
        hand.tilt_goal, hand.azimuth_goal = tilt, azimuth
        yield from self.carry(middle, LEAN_AT_MM)
        yield from self.carry(middle, 0.0)
        stands = yield from self._finds_balance(out)
        alone = hand.body and len(hand.body.discs) == 1  # else it has drawn others to the hand
        if alone and (stands or come_what_may):
            world.release(hand)
        else:
            yield from self._take_back(side)

    def _take_back(self, side):
        """What it holds goes to the reserve again, out of the circle by the shortest way."""
        hand = self.hand
        if hand.body is None:
            return
        hand.goal = (*hand.goal[:2], HOVER_MM)
        hand.tilt_goal = 0.0
        yield from self.wait(0.5)
        x, y = hand.goal[:2]
        outwards = self.world.mat.circle_radius_mm + FROM_EDGE_MM
        share = outwards / max(math.hypot(x, y), 1.0)
        yield from self.carry((share * x, share * y), HOVER_MM)
        if hand.body:
            self.world.put_back(hand, side)

    def _finds_balance(self, out):
        """Held on its rim, the disc is moved in or out until it would stand by itself. -> whether
        it would"""
        hand = self.hand
        for _ in range(8):
            yield from self.wait(0.25)
            if hand.body is None or not 8.0 < hand.tilt_goal < 80.0:
                return False
            if abs(hand.balance) < 0.01:
                yield from self.wait(0.2)
                return True
            way = 1.5 * self.places.scale * (1.0 if hand.tilt_goal > 60.0 else -1.0)
            x, y, z = hand.goal
            hand.goal = (x + way * out[0], y + way * out[1], z)
        return False

    # ---- motions
    def wait(self, seconds):
        """Does nothing for a while."""
        for _ in range(round(seconds * self.world.mat.frame_hz)):
            yield

    def carry(self, xy, height_mm):
        """Moves what it holds there, not through what stands on the way."""
        hand = self.hand
        hand.goal = (float(xy[0]), float(xy[1]), height_mm)
        for _ in range(3 * self.world.mat.frame_hz):
            if hand.body is None or not hand.moving:
                return
            yield

    def set_down(self):
        """Lowers what it holds, and lets go."""
        yield from set_down(self.world, self.hand)


def set_down(world, hand):
    """A script: the hand lowers what it holds to the mat, lets a disc that leans find its balance,
    and lets go."""
    if hand.body is None:
        return
    hand.goal = (*hand.goal[:2], 0.0)
    frames = 0
    while hand.body and hand.body.low_point > 0.2 and frames < 2 * world.mat.frame_hz:
        frames += 1
        yield
    for _ in range(round((0.8 if hand.tilt_goal > 5.0 else 0.15) * world.mat.frame_hz)):
        yield
    world.release(hand)


def _x(body):
    return body.contact[0] if body.state == LEANING else body.centre[0]


def _y(body):
    return body.contact[1] if body.state == LEANING else body.centre[1]
