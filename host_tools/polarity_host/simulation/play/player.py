"""Hands that play by themselves: the set-up, and the practice opponent.

They know where the discs on the table are and what the referee reports, as people do, and move
discs as people do: by a Hand. A script is a generator that yields once a frame.
"""

import math
from collections.abc import Callable, Generator, Sequence
from typing import Any, TypeAlias

import numpy as np

from .body import RESTING, Body, BodyState
from .hand import FROM_EDGE_MM, HIGHEST_MM, Hand
from .places import Places
from .world import RESERVE_DEG, World

Script: TypeAlias = Generator[None, None, None]
Found: TypeAlias = Generator[None, None, bool]
"""A script that returns whether it succeeded."""
State: TypeAlias = dict[str, Any]
"""The referee's state, as PROTOCOL.md describes it."""

HOVER_MM = 82.0  # a disc passes over most leaners, and the mat still detects it
LEAN_AT_MM = 25.0  # the height at which it is tilted
ATTEMPTS = 3  # to lean a disc, in a turn
OWED_MM = 25.0  # largest error of the place that the referee reports for a piece
FACE = {"w": 1, "b": -1}


class Player:
    """One hand that plays by itself. `referee()` returns the referee's state."""

    def __init__(self, world: World, name: str, referee: Callable[[], State], seed: int = 0):
        self.world = world
        self.hand = world.hand(name)
        self.referee = referee
        rng = np.random.default_rng([seed, 31, *name.encode()])
        self.places = Places(world, rng)

    # ---- what people ask of it
    def set_up(self) -> Script:
        """Red disc and foundations, as the referee asks for them."""
        for _ in range(40):
            side = self._due()
            if side is None or not (yield from self.lay(side)):
                return
            yield from self.wait(0.6)

    def play(self, side: str) -> Script:
        """Plays `side` for ever: waits for its turn, captures, and leans a disc."""
        while True:
            yield from self.wait(0.3)
            state = self.referee()
            if self._others_busy():
                continue
            if state["phase"] in ("red_disc", "foundations"):
                due = self._due()
                if due is not None and due in ("red", side):
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
    def _due(self) -> str | None:
        """Whose disc is to be laid in the set-up; None when it is over."""
        state = self.referee()
        if state["phase"] == "red_disc":
            return "red"
        return state["active"] if state["phase"] == "foundations" else None

    def _my_turn(self, state: State, side: str) -> bool:
        return state["active"] == side if not state["done"] else state["active"] != side

    def _others_busy(self) -> bool:
        world = self.world
        held = any(h.body for h in world.hands.values() if h is not self.hand)
        return held or any(b.awake for b in world.bodies)

    def _turn(self, side: str) -> Script:
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

    def _body_of(self, number: int) -> Body | None:
        """The body on the table that has this number with the referee."""
        for ident, _, _, _, x, y in self.referee()["pieces"]:
            if ident == number:
                near = [b for b in self.world.bodies if b.state in RESTING]
                far = [(math.hypot(_x(b) - x / 100.0, _y(b) - y / 100.0), b.id, b) for b in near]
                away_mm, _, body = min(far, default=(math.inf, 0, None))
                return body if away_mm < OWED_MM else None
        return None

    def _capture(self, body: Body, face: int) -> Script:
        """Gathers all that touch `body` and sets them down as a tower of the colour `face`."""
        world, hand = self.world, self.hand
        group = world.touching(body)
        discs = [disc for one in group for disc in one.discs]
        xy = yield from self.places.to_lie(discs, face, group)
        if world.grab(hand, body.id, gather=True) is None:
            return
        high_mm = min(HIGHEST_MM, HOVER_MM * len(discs) ** 0.25)  # its pull is the same there
        hand.aim(z=high_mm)
        yield from self.wait(0.8 + 0.3 * len(group))
        yield from self.carry(xy, high_mm)
        if hand.body and hand.body.face != face:
            hand.flip()
            yield from self.wait(0.6)
        yield from self.set_down()

    def lay(self, side: str) -> Found:
        """A disc from a reserve is laid flat where there is room. Returns whether there was one."""
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

    def _lean(self, side: str, in_any_case: bool) -> Script:
        """Takes a disc and makes it lean where it stands by itself and disturbs nothing. If it does
        not stand it goes back to the reserve, unless `in_any_case`."""
        world, hand, face = self.world, self.hand, FACE[side]
        reserve = world.reserves[side]
        site = (yield from self.places.to_lean(reserve[-1], face)) if reserve else None
        if not site:
            return
        contact, azimuth, tilt = site
        start = yield from self.places.way_in(
            reserve[-1:], face, contact, RESERVE_DEG[side], HOVER_MM
        )
        taken = world.take(hand, side, start)
        if taken is None:
            return
        taken.set_lean(tilt=math.radians(tilt))
        back, _ = taken.reach()
        out = math.cos(math.radians(azimuth)), math.sin(math.radians(azimuth))
        middle = contact[0] - back * out[0], contact[1] - back * out[1]
        yield from self.carry(middle, HOVER_MM)
        hand.aim(tilt=tilt, azimuth=azimuth)
        yield from self.carry(middle, LEAN_AT_MM)
        yield from self.carry(middle, 0.0)
        stands = yield from self._finds_balance(out)
        alone = hand.body and len(hand.body.discs) == 1  # else others have jumped to the hand
        if alone and (stands or in_any_case):
            world.release(hand)
        else:
            yield from self._take_back(side)

    def _take_back(self, side: str) -> Script:
        """What it holds goes to the reserve again, out of the circle by the shortest way."""
        hand = self.hand
        if hand.body is None:
            return
        hand.aim(z=HOVER_MM, tilt=0.0)
        yield from self.wait(0.5)
        x, y = hand.goal[:2]
        outwards = self.world.mat.circle_radius_mm + FROM_EDGE_MM
        share = outwards / max(math.hypot(x, y), 1.0)
        yield from self.carry((share * x, share * y), HOVER_MM)
        if hand.body:
            self.world.put_back(hand, side)

    def _finds_balance(self, out: tuple[float, float]) -> Found:
        """Held on its rim, the disc is moved in or out until it would stand by itself. Returns
        whether it would."""
        hand = self.hand
        for _ in range(8):
            yield from self.wait(0.25)
            if hand.body is None or not 8.0 < hand.tilt_goal < 80.0:
                return False
            if abs(hand.balance) < 0.01:
                yield from self.wait(0.2)
                return True
            way = 1.5 * self.places.scale * (1.0 if hand.tilt_goal > 60.0 else -1.0)
            x, y, _ = hand.goal
            hand.aim(x + way * out[0], y + way * out[1])
        return False

    # ---- motions
    def wait(self, seconds: float) -> Script:
        """Does nothing for a while."""
        for _ in range(round(seconds * self.world.mat.frame_hz)):
            yield

    def carry(self, xy: Sequence[float], height_mm: float) -> Script:
        """Moves what it holds there, and waits until it has arrived."""
        hand = self.hand
        hand.aim(float(xy[0]), float(xy[1]), height_mm)
        for _ in range(3 * self.world.mat.frame_hz):
            if hand.body is None or not hand.moving:
                return
            yield

    def set_down(self) -> Script:
        """Lowers what it holds, and lets go."""
        yield from set_down(self.world, self.hand)


def set_down(world: World, hand: Hand) -> Script:
    """The hand lowers what it holds to the mat, lets a disc that leans find its balance, and lets
    go."""
    if hand.body is None:
        return
    hand.aim(z=0.0)
    frames = 0
    while hand.body and hand.body.low_point > 0.2 and frames < 2 * world.mat.frame_hz:
        frames += 1
        yield
    for _ in range(round((0.8 if hand.tilt_goal > 5.0 else 0.15) * world.mat.frame_hz)):
        yield
    world.release(hand)


def _x(body: Body) -> float:
    return body.contact[0] if body.state is BodyState.LEANING else body.centre[0]


def _y(body: Body) -> float:
    return body.contact[1] if body.state is BodyState.LEANING else body.centre[1]
