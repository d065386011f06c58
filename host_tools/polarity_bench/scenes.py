"""Random scenes for `bench perception`, built up by a hand as games build theirs.

First the red disc, then towers (gathered from discs that kissed, as captures make them), then flat
discs, pairs that touch or lie 1 mm apart, and leaners over foundations, towers and leaners, in any
order. A *look* is a moment at which everything rests and no hand is about.
"""

from collections.abc import Callable, Generator, Iterator
from dataclasses import dataclass, field

import numpy as np

from polarity_host.mats.description import Mat
from polarity_host.mats.disc_field import bz_mt
from polarity_host.simulation.twin.condition import MatCondition
from polarity_host.simulation.twin.motion import Place, Vector
from polarity_host.simulation.twin.pieces import Piece
from polarity_host.simulation.twin.sites import XY, Sites, unit
from polarity_host.simulation.twin.stage import Counts, PieceState, Stage
from polarity_host.simulation.twin.stage_state import Action

BARE_S = 1.0
SETTLED_S = 0.6  # after each piece
BEFORE_LOOK_S = 1.0
LOOKS = 3
BODIES = (10, 24)  # besides the red disc and the towers
APART_MM = 54.0  # nearer, flat discs would move by themselves (twin/equilibrium.py: 53.5 mm)
CROWDED_MM = 40.0  # between a leaner and what it does not lean over
RED_OFF_MM = 8.0  # the red disc lies this far from the dot's middle at most
PAIR_GAPS_MM = (0.0, 1.0)
HEIGHTS = {2: 0.3, 3: 0.25, 4: 0.2, 5: 0.06, 6: 0.06, 7: 0.06, 8: 0.07}
AT_ONCE = 3  # pieces that are gathered at once: farther away nothing jumps to a hand
KINDS = {"flat": 0.32, "pair": 0.2, "on_flat": 0.28, "on_tower": 0.1, "on_leaner": 0.1}
HAND_MM_S = 600.0
TRIES = 300


@dataclass(frozen=True)
class Look:
    """The truth and the measurements of one moment: the `truth` (all pieces on the mat, the red
    disc included), the mean `bare_counts` and `counts` (n,) of some frames, and the `noise_counts`
    (n,), rms of one frame on the bare mat. `background_mt` (n,): how much of the change since then
    is not the pieces' but drift, reserves, the phone and the earth."""

    t_us: int
    truth: tuple[PieceState, ...]
    bare_counts: Vector
    counts: Vector
    noise_counts: Vector
    background_mt: Vector


@dataclass
class NothingOwed:
    """Books in which no group is to be captured."""

    owed: list[tuple[int, set[int]]] = field(default_factory=list)


class Scene:
    """One scene to play: `frames()` yields (t_us, counts, Look or None)."""

    AVERAGED = 16  # frames that a look takes the mean of

    def __init__(self, seed: int, mat: Mat, condition: MatCondition):
        self.seed = seed
        self.mat = mat
        self.stage = Stage(mat, seed, condition)
        self.rng = np.random.default_rng([seed, 21])
        self.sites = Sites(self.stage, self.rng, NothingOwed())
        # by the time of the frame: the pieces, and the background in mT
        self._looks: dict[int, tuple[tuple[PieceState, ...], Vector]] = {}
        self._bare_mt = self._background_mt()

    def frames(self) -> Iterator[tuple[int, Counts, Look | None]]:
        """Yield (t_us, counts, look) of every frame; look is None but in the last of a look."""
        recent, bare = [], []
        for t_us, counts in self.stage.stream(self._script()):
            if t_us < BARE_S * 1e6:
                bare.append(counts)
            recent = [*recent[1 - self.AVERAGED :], counts]
            look = None
            if self._looks and min(self._looks) <= t_us:  # the very frame may be lost
                truth, background_mt = self._looks.pop(min(self._looks))
                look = Look(
                    t_us,
                    truth,
                    np.mean(bare, axis=0),
                    np.mean(recent, axis=0),
                    np.std(np.array(bare, float), axis=0),
                    background_mt,
                )
            yield t_us, counts, look

    def _background_mt(self) -> Vector:
        """(n,) the field that the sensors show but no piece on the mat makes."""
        stage, sensors = self.stage, self.stage.instruments.sensors
        c, t_us = stage.condition, max(0, stage.t_us - stage.frame_us)
        warm_c = c.warming_c * (1 - np.exp(-t_us / 1e6 / c.warming_time_s))
        total = (
            sensors.offset_drift_mt_per_c * warm_c + stage.instruments.surroundings.bz_mt([t_us])[0]
        )
        for stack in stage.reserves.stacks.values():
            places = stack.disc_centres(*stack.pose(0.0))
            for disc, place in zip(stack.discs, places):
                total += bz_mt(
                    place, stack.axis, disc.radius_mm, disc.thickness_mm, disc.polarisation_t,
                    self.mat.sensor_xyz_mm,
                )[0]  # fmt: skip
        return total

    # ---- the script
    def _script(self) -> Action:
        stage, rng = self.stage, self.rng
        yield from stage.rest(BARE_S + 0.2)
        red = stage.new_disc(int(rng.choice((1, -1))), is_red=True)
        xy = RED_OFF_MM * np.sqrt(rng.uniform()) * unit(rng.uniform(0, 360))
        yield from self._bring(red, xy)
        yield from stage.set_flat(red, _pair(xy))
        yield from stage.rest(SETTLED_S)
        for _ in range(int(rng.integers(0, 3))):
            discs = int(rng.choice(list(HEIGHTS), p=list(HEIGHTS.values())))
            yield from self._tower(discs)
        bodies = int(rng.integers(*BODIES))
        stops = {bodies * (k + 1) // LOOKS for k in range(LOOKS)}
        for number in range(1, bodies + 1):
            yield from self._piece(str(rng.choice(list(KINDS), p=list(KINDS.values()))))
            if number in stops:
                yield from stage.rest(BEFORE_LOOK_S)
                lying = tuple(p for p in stage.scene() if p.id and not p.held)
                background_mt = self._background_mt() - self._bare_mt
                self._looks[stage.t_us - stage.frame_us] = lying, background_mt
        yield from stage.rest(0.1)

    def _piece(self, kind: str) -> Action:
        if kind == "flat":
            yield from self._flat()
        elif kind == "pair":
            yield from self._pair_of()
        else:
            yield from self._leaner(kind)

    def _bring(self, piece: Piece, xy: Place) -> Action:
        height = self.rng.uniform(46.0, 58.0)
        yield from self.stage.carry_in(piece, _pair(xy), height, speed_mm_s=HAND_MM_S)

    def _lay(self, face: int, xy: Place) -> Generator[None, None, Piece]:
        disc = self.stage.new_disc(face)
        yield from self._bring(disc, xy)
        yield from self.stage.set_flat(disc, _pair(xy), self.rng.uniform(0.35, 0.5))
        yield from self.stage.rest(SETTLED_S)
        return disc

    def _flat(self) -> Action:
        xy = self._place(lambda xy: self.sites.clearance(xy) >= APART_MM)
        if xy is not None:
            yield from self._lay(self._face(), xy)

    def _pair_of(self) -> Action:
        """A disc beside one that lies already; mostly their faces differ, as magnets want it."""
        gap = float(self.rng.choice(PAIR_GAPS_MM))
        for other in self.sites.shuffled(self.sites.flats(movable=True)):
            for _ in range(24):
                distance = 2 * self.sites.radius_mm + gap
                xy = np.add(_foot(other), distance * unit(self.rng.uniform(0, 360)))
                if self.sites.inside(xy) and self.sites.clearance(xy, (other,)) >= APART_MM:
                    face = -other.face if self.rng.random() < 0.75 else other.face
                    disc = yield from self._lay(face, xy)
                    self.sites.spared.update((disc, other))
                    return
        yield from self._flat()

    def _leaner(self, kind: str) -> Action:
        bases = self.sites.leaners() if kind == "on_leaner" else self.sites.flats()
        if kind != "on_leaner":
            bases = [b for b in bases if (len(b.discs) > 1) == (kind == "on_tower")]
        for base in self.sites.shuffled(bases):
            site = self._lean_over(base)
            if site:
                yield from self._stand(base, *site)
                return
        yield from self._flat()

    def _lean_over(self, base: Piece) -> tuple[XY, float, float] | None:
        """(contact_xy, azimuth_deg, tilt_deg) of a leaner over `base`, or None."""
        for _ in range(30):
            if base.leaning:
                azimuth = base.azimuth_deg + self.rng.uniform(-40, 40)
                tilt = self.rng.uniform(25, 62)
                contact = np.add(base.contact_xy, self.rng.uniform(44, 50) * unit(azimuth))
            else:
                azimuth = self.rng.uniform(0, 360)
                tilt, reach = self.sites.balance(base)
                contact = np.add(base.xy, reach * unit(azimuth))
            centre = contact - self.sites.radius_mm * np.cos(np.radians(tilt)) * unit(azimuth)
            if (
                self.sites.inside(contact, 10)
                and self.sites.clearance(centre, (base,)) >= CROWDED_MM
                and self.sites.clearance(contact, (base,)) >= 34.0
            ):
                return _pair(contact), float(azimuth), float(tilt)
        return None

    def _stand(self, base: Piece, contact: XY, azimuth: float, tilt: float) -> Action:
        disc = self.stage.new_disc(base.face)
        yield from self._bring(disc, contact)
        yield from self.stage.set_leaner(
            disc, contact, azimuth, tilt, over=(base,), seconds=self.rng.uniform(0.5, 0.8)
        )
        self.sites.over[disc] = base
        yield from self.stage.rest(SETTLED_S)

    def _tower(self, discs: int) -> Action:
        """A tower somewhere: three discs kiss and are gathered, then that tower and two more."""
        stage, left, tower = self.stage, discs, None
        while left:
            count = min(left, AT_ONCE - 1 if tower else AT_ONCE)
            left -= count
            row = self._row(count, tower)
            if row is None:
                return
            pieces = [tower] if tower else []
            for number in range(count):
                face = -pieces[-1].face if pieces else self._face()
                disc = yield from self._lay(face, row[number])
                if pieces:
                    yield from stage.snap_kiss(disc, pieces[-1])
                    yield from stage.rest(SETTLED_S)
                pieces.append(disc)
            last, *others = reversed(pieces)
            if not others:
                return
            tower = yield from stage.lift_group(last, others)
            yield from stage.rest(0.3)
            xy = self._place(lambda xy: self.sites.clearance(xy) >= APART_MM + 10.0)
            xy = tower.xy if xy is None else xy
            yield from stage.carry_to(tower, _pair(xy), 50.0, speed_mm_s=300.0)
            yield from stage.set_tower(tower, _pair(xy), face=self._face())
            yield from stage.rest(2 * SETTLED_S)

    def _row(self, count: int, beside: Piece | None) -> list[XY] | None:
        """Places of a row of discs with room round each, that jump together one after another: the
        first against the tower `beside`, if there is one. None when there is no such row."""
        step = 2 * self.sites.radius_mm
        for _ in range(TRIES):
            way = unit(self.rng.uniform(0, 360))
            start = np.array(beside.xy) if beside else self.sites.somewhere() - step * way
            row = [start + (step * (k + 1) + 8.0) * way for k in range(count)]
            ignore = (beside,) if beside else ()
            if all(self.sites.inside(xy, 30) for xy in row) and all(
                self.sites.clearance(xy, ignore) >= APART_MM for xy in row
            ):
                return [_pair(xy) for xy in row]
        return None

    def _place(self, fits: Callable[[Place], bool]) -> XY | None:
        for _ in range(TRIES):
            xy = self.sites.somewhere()
            if self.sites.inside(xy) and fits(xy):
                return _pair(xy)
        return None

    def _face(self) -> int:
        return int(self.rng.choice((1, -1)))


def _pair(xy: Place) -> XY:
    return float(xy[0]), float(xy[1])


def _foot(piece: Piece) -> Place:
    """(x, y) of its lowest disc: a crease tips a tower."""
    return min(piece.disc_centres(*piece.pose(0.0)), key=lambda centre: centre[2])[:2]
