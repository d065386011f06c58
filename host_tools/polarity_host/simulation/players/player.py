"""A practice player: lays foundations, captures what he owes, leans his discs, fells his leaners.

He knows where the discs on the table are and what the referee reports, as people do, and moves
discs as people do: by a hand.
"""

import math
from collections.abc import Generator, Sequence
from typing import Any, Protocol, TypeAlias

import numpy as np

from polarity_host.simulation.draw import one_of
from polarity_host.simulation.play.body import RESTING, Body, BodyState
from polarity_host.simulation.play.world import World

from .fumbles import BEFORE, Fumble
from .motions import TRAY_MM, Found, Motions, Script
from .places import Felling, Places, Site
from .skill import CAREFUL, Skill

State: TypeAlias = dict[str, Any]
"""The referee's state, as PROTOCOL.md describes it."""
Played: TypeAlias = Generator[None, None, Body | None]
"""A script that returns the body that the player let go of, or None."""

FEELS_S = 0.05  # between two small movements of a hand that looks for a disc's balance
JUDGED_S = 1.5  # after so long a disc that stands is not a leaner for the referee
LEAN_AT_MM = 25.0  # the height at which a disc is tilted
GIVES_UP = 2  # times his attempts: from then on he looks for no place any more
PATIENCE_S = 20.0  # so long he waits for what moves yet
FACE = {"w": 1, "b": -1}
SEATS_DEG = {"w": -90.0, "b": 90.0}
OTHER = {"w": "b", "b": "w"}


class Judge(Protocol):
    """What players know of the rules, and of which piece is which."""

    def state(self) -> State:
        """The referee's state."""
        ...

    def faulted(self) -> bool:
        """Whether the player whose turn it is has committed a fault."""
        ...

    def due(self) -> list[tuple[int, int]]:
        """(piece, player) of the discs that ought to go back to a reserve: those that must not have
        been played, and the action disc that fell flat on trial."""
        ...

    def body_of(self, piece: int) -> Body | None:
        """The body on the table that is this piece; None if it is not there."""
        ...


class Player(Motions):
    """One player with one hand; he may play either colour."""

    def __init__(
        self,
        world: World,
        name: str,
        judge: Judge,
        seed: int = 0,
        seat_deg: float = SEATS_DEG["w"],
        skill: Skill = CAREFUL,
    ):
        rng = np.random.default_rng([seed, 31, *name.encode()])
        super().__init__(world, name, seat_deg, skill, rng)
        self.judge = judge
        self.places = Places(world, rng, skill.looks)
        self._in_place = self._may_leave = False
        self._lifts_whole = True
        # of this turn's captures those that he leaves, and the discs that he saw there
        self._left: list[tuple[list[int], list[tuple[int, int]]]] = []
        self.fumbled: list[str] = []  # the names of his blunders

    def plays_by(self, in_place: bool, may_leave: bool, lifts_whole: bool) -> None:
        """The rules that he must know: whether a tower of his colour is captured where it stands,
        whether he may leave a leaner that was flipped, and whether he may begin a capture with a
        whole tower, and not only with a part of it."""
        self._in_place, self._may_leave, self._lifts_whole = in_place, may_leave, lifts_whole

    # ---- what people ask of a practice opponent
    def set_up(self) -> Script:
        """Red disc and foundations, as the referee asks for them."""
        for _ in range(40):
            side = self._due()
            if side is None or not (yield from self.lay(side)):
                return
            yield from self.wait(0.6)

    def play(self, side: str) -> Script:
        """Plays `side` for ever: waits for its turn, and plays it."""
        while True:
            yield from self.wait(0.3)
            due = self._due()
            if self._others_busy():
                continue
            if due in ("red", side):
                yield from self.wait(0.4)
                if not self._others_busy():
                    yield from self.lay(due)
                    yield from self.wait(0.6)
            elif self.goes_on(side):
                yield from self.wait(0.8)
                if not self._others_busy() and self.goes_on(side):
                    yield from self.turn(side)
                    if self.hand.body:
                        yield from self.take_back(side)
                    yield from self.wait(1.0)

    def _due(self) -> str | None:
        """Whose disc is to be laid in the set-up; None when it is over."""
        state = self.judge.state()
        if state["phase"] == "red_disc":
            return "red"
        return state["active"] if state["phase"] == "foundations" else None

    def _others_busy(self) -> bool:
        world = self.world
        held = any(h.body for h in world.hands.values() if h is not self.hand)
        return held or any(b.awake for b in world.bodies)

    # ---- the set-up
    def lay(self, side: str) -> Found:
        """A disc from a reserve is laid flat where there is room. Returns whether there was one."""
        face = FACE.get(side, 0)
        reserve = self.world.reserves[side]
        if not reserve:
            return False
        xy = (0.0, 0.0)
        if face:
            xy = yield from self.places.to_lie(reserve[-1:], face, near_side=face)
        self.world.take(self.hand, side, self.world.place_outside(self.seat_deg, TRAY_MM))
        yield from self.carry(xy, self.hover_mm)
        yield from self.set_down()
        return True

    # ---- a turn
    def turn(self, side: str) -> Script:
        """Captures what is owed, then leans a disc or fells a leaner, until the turn is played."""
        self._left = []
        yield from self.capture_all(side)
        if self.goes_on(side) and self.rng.random() < self.skill.fumbles:
            yield from self.fumble(BEFORE, side)
        for attempt in range(1, 4 * self.skill.attempts + 8):
            yield from self.capture_all(side)  # something may have fallen while he looked
            if not self.goes_on(side):
                break
            yield from self.take_flat(side)
            yield from self.calm()
            if not self.goes_on(side):
                break
            body = yield from self.play_disc(side, attempt)
            yield from self.settle(0.5)
            if body is not None and self._rolled_out(body):
                yield from self.take_up(body, side)
            if body is not None and body.state is BodyState.LEANING:
                yield from self.until_over(side, JUDGED_S)  # it takes the mat a moment to be sure

    def calm(self) -> Script:
        """Who takes his time waits until nothing moves any more: what rolls yet may end in contact,
        or in a group that he has to capture first."""
        if self.skill.waits:
            yield from self.settle(0.3, PATIENCE_S)

    def fumble(self, blunders: dict[str, Fumble], side: str) -> Script:
        """Makes one of these blunders."""
        name = one_of(self.rng, sorted(blunders))
        self.fumbled.append(name)
        yield from blunders[name](self, side)

    def until_over(self, side: str, seconds: float) -> Script:
        """Waits until his turn is over, at most so long."""
        for _ in range(round(seconds * self.world.mat.frame_hz)):
            if not self.goes_on(side):
                return
            yield

    def take_flat(self, side: str) -> Script:
        """A disc of his that fell flat, nothing else reacting, is taken up again (001 Game Play 4);
        so is one that he must not have played."""
        for piece, owner in self.judge.due():
            body = self.judge.body_of(piece)
            if owner == FACE[side] and body and body.state in RESTING:
                yield from self.take_up(body, side)
                yield from self.settle()

    def _rolled_out(self, body: Body) -> bool:
        """Whether what he has let go of rests outside the circle, alone."""
        there = body in self.world.bodies and body.state in RESTING
        alone = there and len(body.discs) == 1 and len(self.world.touching(body)) == 1
        return alone and self.world.witness.lies_outside(body)

    def goes_on(self, side: str) -> bool:
        """Whether it is this side's turn, or will be with his next act."""
        state = self.judge.state()
        mine = state["active"] == side
        return state["phase"] == "play" and mine != bool(state["done"])

    def play_disc(self, side: str, attempt: int) -> Played:
        """Leans a disc, or fells one of his leaners. Returns the disc that he let go of, if any.

        He may try as often as he likes (001 Game Play 4). Where no disc stands he has to make a
        fault in the end, and makes one with a disc of his own, or else with any.
        """
        face, world = FACE[side], self.world
        reserve = world.reserves[side]
        if not reserve:
            return None
        disc = reserve[-1]
        in_any_case = attempt >= self.skill.attempts
        if attempt > GIVES_UP * self.skill.attempts:
            site = self.places.too_near(face)
            if site is None:
                yield from self.snap(side)
                return None
            return (yield from self.lean(side, site, True))
        site = yield from self.places.to_lean(disc, face)
        if site is None or site.strain > self.skill.strain:
            felling = yield from self.places.to_fell(disc, face)
            if felling and (site is None or felling.strain < site.strain):
                yield from self.fell(side, felling)
                return None
        if site is None:
            return None
        return (yield from self.lean(side, site, in_any_case))

    def snap(self, side: str) -> Script:
        """Lowers a disc over what lies in the circle furthest from red, and flips it so that it is
        attracted: a fault."""
        world, hand = self.world, self.hand
        red = next((b.centre for b in world.bodies if b.is_red), (0.0, 0.0, 0.0))
        lying = [b for face in FACE.values() for b in self.places.bases(face)]
        if not lying or world.take(hand, side, world.place_outside(self.seat_deg, TRAY_MM)) is None:
            return
        body = max(lying, key=lambda b: math.dist(b.centre, red))
        yield from self.carry(body.centre[:2], self.hover_mm)
        if hand.body and hand.body.face != body.face:
            hand.flip()
            yield from self.wait(0.6)
        yield from self.carry(body.centre[:2], 0.0)
        yield from self.take_back(side)

    def way_out(self, held: Body) -> Generator[None, None, tuple[float, float]]:
        """A script that returns where he takes away what he holds: not over others if there is
        another way."""
        x, y, _ = held.centre
        return (yield from self.places.way_out(held.discs, held.face, (x, y), self.high_mm()))

    # ---- captures
    def capture_all(self, side: str) -> Script:
        """Captures group by group, until a fault ends that or nothing is left that he must."""
        for _ in range(12):
            owed = self._owes(side)
            if not owed or not self.goes_on(side):
                return
            group = self._group(owed[0])
            if not group or self._leaves(group, side):
                self._left.append((owed[0], _as_seen(group)))
                continue
            yield from self.capture(group, side)
            yield from self.settle(0.5)

    def _owes(self, side: str) -> list[list[int]]:
        """The groups that he has to capture, without those that he leaves and that are as they were
        when he decided so."""
        owed = [ids for player, ids in self.judge.state()["owed"] if player == side]
        return [ids for ids in owed if (ids, _as_seen(self._group(ids))) not in self._left]

    def _group(self, ids: Sequence[int]) -> list[Body]:
        """The bodies on the table that are these pieces."""
        return [body for body in map(self.judge.body_of, ids) if body]

    def _leaves(self, group: Sequence[Body], side: str) -> bool:
        """Whether he need not lift it: a tower that is captured where it stands, or a leaner of his
        that was flipped, which in some editions he may leave."""
        body = group[0]
        if len(group) > 1 or len(self.world.touching(body)) > 1:
            return False
        if len(body.discs) > 1:
            return body.face == FACE[side] and self._in_place
        return self._may_leave and (
            self.world.witness.lies_outside(body) or self.rng.random() < 0.5
        )

    def capture(self, group: Sequence[Body], side: str) -> Script:
        """Gathers a group and sets it down as a tower, or a disc, of his colour."""
        world, hand, face = self.world, self.hand, FACE[side]
        discs = [disc for body in group for disc in body.discs]
        xy = yield from self.places.to_lie(discs, face, group)
        outside = world.witness.lies_outside
        first, *others = sorted(group, key=lambda b: (outside(b), -len(world.touching(b))))
        top = None if self._lifts_whole else len(first.discs) - 1 or None
        if world.grab(hand, first.id, top, gather=others, height_mm=self.hover_mm) is None:
            return
        yield from self.wait(0.8 + 0.3 * (len(group) + (top is not None)))
        if not self.goes_on(side):  # a fault: what he holds goes to his reserve
            yield from self.take_back(side)
            return
        hand.aim(z=self.high_mm())
        yield from self.wait(0.3)
        yield from self.carry(xy, self.high_mm())
        if hand.body and hand.body.face != face:
            hand.flip()
            yield from self.wait(0.6)
        if not self.goes_on(side):
            yield from self.take_back(side)
            return
        yield from self.set_down()

    # ---- leaning
    def lean(self, side: str, site: Site, in_any_case: bool) -> Played:
        """Takes a disc and makes it lean there. If it does not stand it goes back to the reserve,
        unless `in_any_case`. Returns the disc if he has let go of it."""
        world, hand, face = self.world, self.hand, FACE[side]
        contact, azimuth, tilt = site.lean
        contact, azimuth = self.aimed(contact), azimuth + self.rng.normal(0.0, self.skill.aim_deg)
        discs = world.reserves[side][-1:]
        start = yield from self.places.way_in(discs, face, contact, self.seat_deg, self.hover_mm)
        taken = None if self._owes(side) else world.take(hand, side, start)
        if taken is None:
            return None
        taken.set_lean(tilt=math.radians(tilt))
        back, _ = taken.reach()
        out = math.cos(math.radians(azimuth)), math.sin(math.radians(azimuth))
        middle = contact[0] - back * out[0], contact[1] - back * out[1]
        yield from self.carry(middle, self.hover_mm)
        hand.aim(tilt=tilt, azimuth=azimuth)
        for height_mm in (LEAN_AT_MM * self.scale, 0.0):
            yield from self.carry(middle, height_mm)
            if not self._alone(side):
                yield from self.take_back(side)
                return None
        stands = yield from self._finds_balance(out)
        if self._alone(side) and (stands or in_any_case) and self.places.inside(hand.goal[:2]):
            return world.release(hand)
        yield from self.take_back(side)
        return None

    def _alone(self, side: str) -> bool:
        """Whether he still plays, and holds nothing but his own disc. A mat may take a disc that
        stands still in his hand for one that he has let go of."""
        body, state = self.hand.body, self.judge.state()
        fault = state["active"] == side and self.judge.faulted()
        plays = state["phase"] == "play" and not fault
        return body is not None and len(body.discs) == 1 and plays

    def _finds_balance(self, out: tuple[float, float]) -> Found:
        """Held on its rim, the disc is moved in or out until it would stand by itself. Returns
        whether it would. A disc that stood still for longer a mat would take for one that he has
        let go of."""
        hand = self.hand
        for _ in range(40):
            yield from self.wait(FEELS_S)
            if hand.body is None or not 8.0 < hand.tilt_goal < 80.0:
                return False
            if abs(hand.balance) < 0.01:
                return True
            way = 0.5 * self.places.scale * (1.0 if hand.tilt_goal > 60.0 else -1.0)
            x, y, _ = hand.goal
            hand.aim(x + way * out[0], y + way * out[1])
        return False

    # ---- conversions
    def fell(self, side: str, felling: Felling) -> Script:
        """Makes one of his leaners fall by the disc in his hand, and withdraws it at once."""
        world, hand, face = self.world, self.hand, FACE[side]
        pose, leaner = felling.hand, felling.leaner
        xy = pose.centre[:2]
        discs = world.reserves[side][-1:]
        start = yield from self.places.way_in(discs, face, xy, self.seat_deg, self.hover_mm)
        if self._owes(side) or world.take(hand, side, start) is None:
            return
        yield from self.carry(xy, self.hover_mm)
        discs_low = world.mat.disc.diameter_mm / 2 * math.sin(math.radians(pose.tilt))
        low_mm = max(0.0, pose.centre[2] - discs_low - 3.0)
        hand.aim(z=low_mm, tilt=pose.tilt, azimuth=pose.azimuth)
        leaned_deg = leaner.tilt_deg
        for _ in range(2 * world.mat.frame_hz):
            yield
            if leaner.tilt_deg < 0.5 * leaned_deg or leaner.state not in RESTING:
                break
        yield from self.take_back(side)


def _as_seen(group: Sequence[Body]) -> list[tuple[int, int]]:
    """What somebody sees of a group: (face, discs) of each."""
    return [(body.face, len(body.discs)) for body in group]
