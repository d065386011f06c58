"""Hands that play by themselves: the set-up, and the practice opponent.

They see the discs on the table and hear the referee, as people do, and have no other way to move a
disc than a person's: a Hand. A script is a generator that yields once a frame.
"""

import math

import numpy as np

from .body import LEANING, LYING

APART_MM = 26.0  # rim to rim, for flat discs that are not to disturb each other
LEANER_APART_MM = 17.0
HOVER_MM = 70.0
LEANS_AT_MM = (58.0, 67.0)  # contact from the centre of a single disc, see twin/equilibrium.py
LEAN_DEG = 40.0
TRIES = 200
STANDARD_MM = 34.0  # the disc that these lengths are for
FACE = {"w": 1, "b": -1}


class Player:
    """One hand with a will. `referee()` gives the state that PROTOCOL.md describes."""

    def __init__(self, stage, name, referee, seed=0):
        self.stage = stage
        self.hand = stage.hand(name)
        self.referee = referee
        self.rng = np.random.default_rng([seed, 31])
        self.scale = stage.mat.disc.diameter_mm / STANDARD_MM

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
        stage = self.stage
        held = any(h.body for h in stage.hands.values() if h is not self.hand)
        return held or any(b.awake for b in stage.bodies)

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
        for _ in range(3):
            yield from self._lean(side)
            yield from self.wait(1.0)
            state = self.referee()
            if state["phase"] != "play" or state["done"] or state["active"] != side:
                return

    def _body_of(self, number):
        """The body on the table that the referee calls so."""
        for ident, _, _, _, x, y in self.referee()["pieces"]:
            if ident == number:
                near = [b for b in self.stage.bodies if b.state in (LYING, LEANING)]
                near.sort(key=lambda b: math.hypot(_x(b) - x / 100.0, _y(b) - y / 100.0))
                return near[0] if near else None
        return None

    def _capture(self, body, face):
        """Gathers all that touches `body` and sets it down as a tower of the colour `face`."""
        stage, hand = self.stage, self.hand
        count = len(stage.touching(body))
        if stage.grab(hand, body.id, gather=True) is None:
            return
        hand.goal = (*hand.goal[:2], HOVER_MM)
        yield from self.wait(0.8 + 0.3 * count)
        yield from self.carry(self._free_place(APART_MM), HOVER_MM)
        if hand.body and hand.body.face != face:
            hand.flip()
            yield from self.wait(0.6)
        yield from self.set_down()

    def lay(self, side):
        """A disc from a reserve is laid flat where there is room. -> whether there was one"""
        if self.stage.take(self.hand, side) is None:
            return False
        xy = (0.0, 0.0) if side == "red" else self._free_place(APART_MM, FACE[side])
        yield from self.carry(xy, HOVER_MM)
        yield from self.set_down()
        return True

    def _lean(self, side):
        """Takes a disc, or the one of this turn that fell flat, and makes it lean."""
        stage, hand = self.stage, self.hand
        site = self._lean_site(FACE[side])
        if site is None:
            site = (*self._free_place(LEANER_APART_MM), 0.0)
        if stage.take(hand, side) is None:
            return
        x, y, azimuth = site
        yield from self.carry((x, y), HOVER_MM)
        hand.tilt_goal, hand.azimuth_goal = LEAN_DEG, azimuth
        yield from self.wait(0.3)
        yield from self.carry((x, y), 0.0)
        yield from self._find_balance(azimuth)
        stage.release(hand)

    def _find_balance(self, azimuth):
        """Held on its rim, the disc is moved in or out until it would stand by itself."""
        hand = self.hand
        out = math.cos(math.radians(azimuth)), math.sin(math.radians(azimuth))
        for _ in range(12):
            yield from self.wait(0.25)
            if hand.body is None or (abs(hand.balance) < 0.01 and 8.0 < hand.tilt_goal < 80.0):
                break
            way = 1.5 * self.scale * (1.0 if hand.tilt_goal > 60.0 else -1.0)
            x, y, z = hand.goal
            hand.goal = (x + way * out[0], y + way * out[1], z)
        yield from self.wait(0.2)

    # ---- motions
    def wait(self, seconds):
        """Does nothing for a while."""
        for _ in range(round(seconds * self.stage.mat.frame_hz)):
            yield

    def carry(self, xy, height_mm):
        """Moves what it holds there, not through what stands on the way."""
        hand = self.hand
        hand.goal = (float(xy[0]), float(xy[1]), height_mm)
        for _ in range(3 * self.stage.mat.frame_hz):
            if hand.body is None or not hand.moving:
                return
            yield

    def set_down(self):
        """Lowers what it holds, and lets go."""
        yield from set_down(self.stage, self.hand)

    # ---- places
    def _free_place(self, apart_mm, face=0):
        """(x, y) with that much room, rather on the side of `face`; else the widest found."""
        best = (-math.inf, (0.0, 0.0))
        for _ in range(TRIES):
            reach = self.stage.mat.circle_radius_mm * 0.86 * math.sqrt(self.rng.uniform())
            a = self.rng.uniform(0, 2 * math.pi)
            xy = (reach * math.cos(a), reach * math.sin(a))
            room = min(self.stage.gap_mm(xy), apart_mm * self.scale * 1.3)
            liking = room + self.rng.uniform(0, 1.0)
            if room >= apart_mm * self.scale:
                liking += 50.0 - 30.0 * face * xy[1] / self.stage.mat.circle_radius_mm
            best = max(best, (liking, xy))
        return best[1]

    def _lean_site(self, face):
        """(x, y of the middle, azimuth) beside a flat disc of one's own, with room; or None."""
        bases = [b for b in self.stage.bodies if b.state == LYING and b.face == face]
        bases = [b for b in bases if not b.is_red and len(self.stage.touching(b)) == 1]
        best = (-math.inf, None)
        for _ in range(TRIES if bases else 0):
            base = bases[self.rng.integers(len(bases))]
            a = self.rng.uniform(0, 2 * math.pi)
            more = 2.0 * (len(base.discs) - 1)
            contact = self.scale * (self.rng.uniform(*LEANS_AT_MM) + more)
            back = base.radius * math.cos(math.radians(LEAN_DEG))
            x, y = (
                c + (contact - back) * f for c, f in zip(base.centre, (math.cos(a), math.sin(a)))
            )
            outside = math.hypot(x, y) + base.radius > self.stage.mat.circle_radius_mm
            room = self.stage.gap_mm((x, y), (base,))
            if not outside and room >= LEANER_APART_MM * self.scale:
                best = max(
                    best, (self.rng.uniform(0, 20) + min(room, 40.0), (x, y, math.degrees(a)))
                )
        return best[1]


def set_down(stage, hand):
    """A script: the hand lowers what it holds to the mat, lets a disc that leans find its balance,
    and lets go."""
    if hand.body is None:
        return
    hand.goal = (*hand.goal[:2], 0.0)
    frames = 0
    while hand.body and hand.body.low_point > 0.2 and frames < 2 * stage.mat.frame_hz:
        frames += 1
        yield
    for _ in range(round((0.8 if hand.tilt_goal > 5.0 else 0.15) * stage.mat.frame_hz)):
        yield
    stage.release(hand)


def _x(body):
    return body.contact[0] if body.state == LEANING else body.centre[0]


def _y(body):
    return body.contact[1] if body.state == LEANING else body.centre[1]
