"""The world of a game played by hands: discs, hands and sensors, one frame at a time.

    world = World(load_mat(), seed=1)
    hand = world.hand("white")
    world.take(hand, "w")
    hand.aim(40.0, -60.0, 60.0)
    for _ in range(100):
        t_us, counts = world.step()

Everything happens in `step`; between two steps hands may get commands. The same seed and the same
calls give the same counts.
"""

import math
from collections.abc import Callable, Collection, Sequence

import numpy as np

from polarity_host.mats.description import Disc, Mat
from polarity_host.replay.recording import Counts
from polarity_host.simulation.twin.condition import MatCondition
from polarity_host.simulation.twin.motion import heading
from polarity_host.simulation.twin.pieces import TwinDisc
from polarity_host.simulation.twin.stage import PieceState
from polarity_host.simulation.twin.stage_state import SIDE_DEG
from polarity_host.simulation.twin.truth import LETTER, TruthLog

from . import dynamics
from .body import RESTING, Body, BodyState
from .collisions import Collisions
from .hand import FROM_EDGE_MM, Gathered, Hand
from .instruments import WorldInstruments
from .magnets import Magnets
from .physics import Physics
from .snapshot import Pose, Snapshot
from .witness import Witness

SUBSTEPS = 4
RESERVE_DEG = {LETTER[face]: azimuth for face, azimuth in SIDE_DEG.items()}
TABLE_MM = 250.0  # how far outside the circle the table ends: what rolls there is picked up
RED = "red"
CARRIED_MM = 60.0
CORRECTED_MM = 110.0  # how high discs are lifted that a correction takes away
GATHERS_S = 0.2  # between two discs that are gathered


def own_side(body: Body) -> str:
    """Whose discs these are: of a single disc the player from whose tray it came, of others the one
    whose colour is up."""
    return (body.side if len(body.discs) == 1 else "") or LETTER[body.face]


class World:
    """`reserves`: the discs that each player has left, and the red one, by "w", "b" and "red".

    `events`: (t_us, kind, ids) of what magnets did; kinds as of MagnetEvent. `truth`: the facts of
    what really happened, which `witness` notes.
    """

    def __init__(self, mat: Mat, seed: int = 0, condition: MatCondition | None = None):
        self.mat = mat
        self.t_us = 0
        self.frame_us = 1_000_000 // mat.frame_hz
        condition = condition or MatCondition()
        rng = np.random.default_rng([seed, 4])

        def discs(count: int, dimensions: Disc, is_red: bool = False) -> list[TwinDisc]:
            shares = rng.normal(1.0, condition.moment_sigma, count)
            return [TwinDisc(dimensions, s, mat.disc.white_up_counts, is_red) for s in shares]

        half = mat.disc_count // 2
        self.reserves = {side: discs(half, mat.disc) for side in "wb"}
        self.reserves[RED] = discs(1, mat.red_disc, True)
        self._physics = Physics(mat.disc_count + 1, mat.disc.diameter_mm / 2)
        self.truth = TruthLog()
        self._instruments = WorldInstruments(mat, seed, condition, self.truth)
        self.witness = Witness(mat, self.truth, self._physics.magnets, self._physics.collisions)
        self.hands: dict[str, Hand] = {}
        self.events: list[tuple[int, str, tuple[int, int]]] = []
        self._seed = seed
        self._table_mm = mat.circle_radius_mm + TABLE_MM
        self._hands_so_far = 0
        self._tray_of: Callable[[Body], str] = own_side

    def sort_by(self, tray_of: Callable[[Body], str]) -> None:
        """From now on this says to which reserve ("w", "b") a body goes that is put back."""
        self._tray_of = tray_of

    def play_beyond_circle(self) -> None:
        """What lies outside the circle is in play as well: the table has no end."""
        self._table_mm = math.inf
        self.witness.play_beyond_circle()

    # ---- what is there
    @property
    def bodies(self) -> list[Body]:
        """What is on the mat or in a hand."""
        return self._physics.bodies

    @property
    def magnets(self) -> Magnets:
        """Their magnets."""
        return self._physics.magnets

    @property
    def collisions(self) -> Collisions:
        """Which of them touch."""
        return self._physics.collisions

    def gap_mm(self, xy: Sequence[float], ignore: Collection[Body] = ()) -> float:
        """Rim to rim distance from a flat disc put at `xy` to the nearest body that rests."""
        return self._physics.gap_mm(xy, ignore, self.mat.disc.diameter_mm / 2)

    def touching(self, body: Body) -> list[Body]:
        """Bodies that lie against `body`, directly or through others, itself included."""
        return self.collisions.cluster(body)

    def scene(self) -> tuple[PieceState, ...]:
        """What is on the mat or in a hand, as the scenes of the scripted stage have it."""
        return tuple(self._state(body) for body in self.bodies)

    def _state(self, body: Body) -> PieceState:
        x, y, z = min(body.disc_centres(), key=lambda centre: centre[2])
        return PieceState(
            id=self.witness.id_of(body),
            shape=body.shape,
            face=body.face,
            discs=len(body.discs),
            held=body.held,
            x_mm=x,
            y_mm=y,
            z_mm=z,
            tilt_deg=body.tilt_deg,
            azimuth_deg=body.azimuth_deg,
            contact_xy=body.spot,
        )

    def forget_events(self, but: int) -> None:
        """Drops all events except the newest `but`."""
        del self.events[:-but]

    # ---- what hands do
    def hand(self, name: str) -> Hand:
        """The hand of that name; it is there from the first time on."""
        if name not in self.hands:
            rng = np.random.default_rng([self._seed, 20, self._hands_so_far])
            self.hands[name] = Hand(name, rng)
            self._hands_so_far += 1
        return self.hands[name]

    def remove_hand(self, name: str) -> None:
        """A hand that holds nothing is gone for good."""
        self.hands.pop(name, None)

    def take(self, hand: Hand, side: str, xy: Sequence[float] | None = None) -> Body | None:
        """An empty hand takes a disc from a reserve, that player's colour up."""
        if hand.body or not self.reserves.get(side):
            return None
        if xy is None:
            xy = self.reserve_xy(side)
        body = self._physics.add([self.reserves[side].pop()], (*xy, CARRIED_MM), 1)
        body.place(axis=(0.0, 0.0, -1.0 if side == "b" else 1.0))
        body.taken_from(side)
        hand.hold(body, CARRIED_MM)
        return body

    def reserve_xy(self, side: str) -> tuple[float, float]:
        """Where hands take discs from: beside the circle, in front of the player."""
        return self.place_outside(RESERVE_DEG.get(side, 180.0), FROM_EDGE_MM)

    def place_outside(self, azimuth_deg: float, from_edge_mm: float) -> tuple[float, float]:
        """So far outside the circle, in front of somebody who sits at that azimuth."""
        reach = self.mat.circle_radius_mm + from_edge_mm
        x, y, _ = reach * heading(azimuth_deg)
        return float(x), float(y)

    def grab(
        self,
        hand: Hand,
        number: int,
        discs: int | None = None,
        gather: bool | Sequence[Body] = False,
        height_mm: float = CARRIED_MM,
    ) -> Body | None:
        """An empty hand takes body `number`, or its top `discs`, and lifts it; with `gather` also
        these (and of a tower whose top it takes, the rest), or all that touch it, one after the
        other. None when it is not there to be taken."""
        body = next((b for b in self.bodies if b.id == number), None)
        if hand.body or body is None or body.state not in RESTING:
            return None
        group = self.collisions.cluster(body)[1:]
        left = None
        if discs is not None and 0 < discs < len(body.discs):
            left, group = body, []
            gather = [left, *gather] if isinstance(gather, Sequence) else False
            body = self._physics.split(body, discs)
        self.collisions.loosen(body)
        self.witness.lifted(self.t_us, body, left, group)
        hand.hold(body, height_mm)
        if gather is not True and gather is not False:
            group = [b for b in gather if b is not body and b in self.bodies]
        if gather:
            times_us = (self.t_us + (k + 2) * GATHERS_S * 1e6 for k in range(len(group)))
            hand.gather([Gathered(other, at_us) for other, at_us in zip(group, times_us)])
        for other in group if not gather else ():
            other.unpin()
        return body

    def release(self, hand: Hand) -> Body | None:
        """Lets go. Over the mat magnets and weight decide what happens to the body; well outside
        the circle it goes to a reserve, as by `put_back`. None if it is in the reserve."""
        if hand.body is None:
            return None
        if math.hypot(*hand.body.centre[:2]) > self.mat.circle_radius_mm + FROM_EDGE_MM / 2:
            self.put_back(hand)
            return None
        body, speed = hand.let_go()
        if body is None:
            return None
        if body.low_point > 0.5:
            dynamics.fly(body, speed)
        elif body.tilt_deg > 2.0:
            body.become(BodyState.LEANING)
            body.lean()
        else:
            body.lie()
            body.wake()
        return body

    def put_back(self, hand: Hand, side: str | None = None) -> None:
        """What the hand holds goes to a reserve: `side`, or as `sort_by` has it."""
        body, _ = hand.let_go()
        if body is not None:
            self._back(body, side)

    def hand_over(self, wanted: dict[str, int]) -> None:
        """Discs go from one tray to the other until each side has so many, or there are no more."""
        for side, count in wanted.items():
            mine, other = self.reserves[side], self.reserves["b" if side == "w" else "w"]
            while len(mine) < count and other:
                mine.append(other.pop())

    def clear(self) -> None:
        """All discs go back to where they were at the start, at once."""
        for hand in self.hands.values():
            hand.let_go()
        for body in self.bodies[:]:
            for disc in body.discs:
                short = min("wb", key=lambda side: len(self.reserves[side]))
                self.reserves[RED if disc.is_red else short].append(disc)
            self.witness.gone(self.t_us, body)
            self._physics.remove(body)

    def snapshot(self) -> Snapshot:
        """What lies on the mat and in the reserves now."""
        lying = [Pose.of(body) for body in self.bodies if body.state in RESTING]
        return Snapshot(lying, {side: list(discs) for side, discs in self.reserves.items()})

    def restore(self, snapshot: Snapshot) -> list[Hand]:
        """Everything lies again as it did then, and fingers hold it there. Discs that were in a
        reserve are each in a hand of its own now; returns these hands, which may take them there.
        """
        for hand in self.hands.values():
            hand.let_go()
        spare = [body for body in self.bodies if not snapshot.has(body)]
        for body in self.bodies[:]:
            self.witness.gone(self.t_us, body)
            self._physics.remove(body)
        taken = {id(disc) for body in spare for disc in body.discs}
        self.reserves = {
            side: [disc for disc in discs if id(disc) not in taken]
            for side, discs in snapshot.reserves.items()
        }
        for pose in snapshot.lying:
            pose.put(self._physics)
        return [self._lift(body, number) for number, body in enumerate(spare)]

    def _lift(self, spare: Body, number: int) -> Hand:
        x, y, z = spare.centre
        body = self._physics.add(spare.discs, (x, y, max(z, spare.height / 2)), spare.face)
        body.place(axis=(0.0, 0.0, float(spare.face)))
        body.taken_from(spare.side)
        hand = self.hand(f"correction {number}")
        hand.hold(body, CORRECTED_MM)
        return hand

    def free(self) -> None:
        """No finger holds anything down any more."""
        for body in self.bodies:
            if body.pinned:
                body.unpin(wake=False)

    def _back(self, body: Body, side: str | None = None) -> None:
        """The discs of a body go to a reserve: `side`, or as `sort_by` has it."""
        side = side or self._tray_of(body)
        for disc in body.discs:
            self.reserves[RED if disc.is_red else side].append(disc)
        self.witness.gone(self.t_us, body)
        self._physics.remove(body)

    # ---- time
    def step(self) -> tuple[int, Counts]:
        """Makes the next frame: (t_us, n counts)."""
        t_us = self.advance()
        return t_us, self._instruments.counts(t_us, self.bodies, self.reserves)

    def drops_frame(self, t_us: int) -> bool:
        """Whether the frame just made is missing from the stream."""
        return self._instruments.drops_frame(t_us)

    def advance(self) -> int:
        """`step` without sensors: everything moves on by a frame, and nothing is measured. Returns
        the frame's time."""
        dt = self.frame_us / 1e6
        self._move_hands(dt)
        self._physics.wake(self._physics.place_moved(far=True))
        if self._physics.moves:
            for _ in range(SUBSTEPS):
                self._physics.substep(dt / SUBSTEPS)
                self._regrip()
                for body in self._physics.beyond(self._table_mm):
                    self._back(body)
                self._physics.place_moved(far=False)
        events = self.collisions.take_events()
        resting = sum(body.state in RESTING for body in self.bodies)
        self._instruments.note(self.t_us - self.frame_us, self.t_us, resting)
        self.witness.look(self.t_us, self.bodies, events)
        for event in events:
            self.events.append((self.t_us, event.kind, (event.body.id, event.other.id)))
        t_us, self.t_us = self.t_us, self.t_us + self.frame_us
        return t_us

    def _move_hands(self, dt: float) -> None:
        for hand in self.hands.values():
            if hand.body is None:
                continue
            hand.step(self.t_us / 1e6, dt, self._physics.wrench(hand.body))
            other = hand.next_gathered(self.t_us)
            if other in self.bodies and other.state in RESTING:
                other.unpin(wake=False)
                self.collisions.jump(other, hand.body)

    def _regrip(self) -> None:
        """Hands to which something has jumped in this frame."""
        for event in self.collisions.events:
            if event.kind == "snap":
                next(hand for hand in self.hands.values() if hand.body is event.body).regrip()
