"""Where a player puts a disc: looked for at random, and judged by what the magnets would do there.

Every search is a generator that yields once a frame, because a person takes a moment to look, and
returns the place. Lengths are for discs of 34 mm and scale with the mat's.
"""

import itertools
import math
from collections.abc import Callable, Collection, Generator, Iterator, Sequence
from typing import NamedTuple, TypeAlias, TypeVar

import numpy as np

from polarity_host.simulation.play.body import RESTING, Body, BodyState
from polarity_host.simulation.play.world import World
from polarity_host.simulation.twin.pieces import TwinDisc

from .foresight import HOPELESS, Foresight, HandPose
from .motions import STANDARD_MM, TRAY_MM

XY: TypeAlias = tuple[float, float]
Rim: TypeAlias = tuple[XY, float]
"""(contact, azimuth in degrees) of a disc that leans."""
Lean: TypeAlias = tuple[XY, float, float]
"""(contact, azimuth, tilt), in degrees."""
T = TypeVar("T")


class Site(NamedTuple):
    """Where a disc may lean, and the `strain` on it and all others there."""

    strain: float
    lean: Lean


class Felling(NamedTuple):
    """How a hand may hold a disc to fell a leaner, and the `strain` on all others."""

    strain: float
    leaner: Body
    hand: HandPose


APART_MM = 80.0  # rim to rim, for discs that lie: room for others to lean over them
AT_EDGE = 0.7  # share of the circle's radius: beyond, a disc has less than a whole ring around it
NEAREST_MM = 8.0  # rim to rim, whatever the forces are
LEANS_AT_MM = (52.0, 70.0)  # contact from the centre of a single disc, see twin/equilibrium.py
JUMPS_AT_MM = (53.0, 57.0)  # from there it jumps to the disc that it leans over once it is let go
FROM_LINE_MM = 8.0  # a hand that holds a disc there is inside the circle beyond doubt
FROM_RED_MM = 95.0  # nearer, what falls or is drawn aside may hit the red disc
PER_DISC_MM = 2.0  # farther from a tower
ASKEW_DEG, NEAR_MM = 4.0, 3.0
TRIED_DEG = 40.0
IN_PEACE = 0.8  # a strain that is low enough
WAYS_DEG = (0, 20, -20, 40, -40, 60, -60)  # off the middle of the player's side
TRIES, LOOKS, ENOUGH = 600, 100, 30
FELLS, AT_A_TIME = 200, 4  # places from which a leaner might be felled; looked at in a frame
OVER_LEANER_MM = (20.0, 75.0)
INNER = 0.88  # share of the circle's radius where discs are laid


class Places:
    """Finds room on a world's table, at random. `looks`: share of the LOOKS that he takes."""

    def __init__(self, world: World, rng: np.random.Generator, looks: float = 1.0):
        self.world = world
        self.rng = rng
        self._most = max(1, round(looks * LOOKS))
        self.scale = world.mat.disc.diameter_mm / STANDARD_MM

    def to_lie(
        self,
        discs: Sequence[TwinDisc],
        face: int,
        leaving: Collection[Body] = (),
        near_side: int = 0,
    ) -> Generator[None, None, XY]:
        """A script that returns (x, y) for a stack with that face up: undisturbed if there is such
        a place, preferably on the side of the player `near_side` (a face); else with the least
        strain."""
        foresight = Foresight(self.world, leaving)
        best: tuple[float, XY] = (math.inf, (0.0, 0.0))
        for looked, xy in enumerate(self._looks(lambda: self._somewhere(leaving))):
            yield
            room = self.world.gap_mm(xy, leaving) / self.scale
            out = math.hypot(*xy) / self.world.mat.circle_radius_mm
            strain = max(foresight.lying(discs, face, xy), IN_PEACE)
            dislike = strain + 0.03 * max(0.0, APART_MM - room) + max(0.0, out - AT_EDGE)
            dislike += 0.1 * near_side * xy[1] / self.world.mat.circle_radius_mm
            best = min(best, (dislike + self.rng.uniform(0.0, 0.1), xy))
            if looked >= ENOUGH and best[0] < IN_PEACE + 0.1:
                break
        return best[1]

    def to_lean(self, disc: TwinDisc, face: int) -> Generator[None, None, Site | None]:
        """A script that returns a pose for a disc that leans over one of its own colour; None when
        there is none to lean over. If it would stand nowhere, it is a pose to try nevertheless:
        a player must play."""
        bases = self.bases(face) or self._any_of(face)
        foresight = Foresight(self.world)
        if not bases:
            return None
        best: tuple[float, Lean] = (HOPELESS, (*self._over(bases), TRIED_DEG))
        for looked, site in enumerate(self._looks(lambda: self._beside(bases))):
            yield
            if looked > ENOUGH and best[0] < HOPELESS and looked % 3:
                site = self._near(*best[1][:2])
            strain, azimuth, tilt = foresight.leaning(disc, face, *site, best[0])
            if strain < best[0] and self.inside(_middle(disc, site[0], azimuth, tilt)):
                best = strain, (site[0], azimuth, tilt)
            if strain < IN_PEACE:
                break
        return Site(*best)

    def too_near(self, face: int) -> Site | None:
        """A pose so near to a disc of this colour, not near red, that the one that leans there
        jumps to it; None where there is no such disc."""
        bases = self.bases(face) or self._any_of(face)
        for _ in range(TRIES if bases else 0):
            base = bases[int(self.rng.integers(len(bases)))]
            a = self.rng.uniform(0, 2 * math.pi)
            reach = self.rng.uniform(*JUMPS_AT_MM) + PER_DISC_MM * (len(base.discs) - 1)
            x, y, _ = base.centre
            contact = (
                x + reach * self.scale * math.cos(a),
                y + reach * self.scale * math.sin(a),
            )
            if self.inside(contact) and not self._near_red(contact):
                return Site(HOPELESS, (contact, math.degrees(a), TRIED_DEG))
        return None

    def inside(self, middle: Sequence[float]) -> bool:
        """Whether a disc whose middle is there is inside the circle beyond doubt."""
        within = self.world.mat.circle_radius_mm - FROM_LINE_MM * self.scale
        return math.hypot(middle[0], middle[1]) < within

    def bases(self, face: int) -> list[Body]:
        """The discs and towers of this colour that a disc may lean over."""
        return [
            body
            for body in self.world.bodies
            if body.state is BodyState.LYING
            and body.face == face
            and not body.is_red
            and not self.world.witness.lies_outside(body)
            and len(self.world.touching(body)) == 1
        ]

    def _any_of(self, face: int) -> list[Body]:
        """Whatever shows this colour, for a player who has nothing better to lean over."""
        outside = self.world.witness.lies_outside
        bodies = [b for b in self.world.bodies if b.state in RESTING and not b.is_red]
        return [b for b in bodies if b.face == face and not outside(b)]

    def to_fell(self, disc: TwinDisc, face: int) -> Generator[None, None, Felling | None]:
        """A script that returns how a hand with this disc would fell one of the leaners of this
        colour with the least disturbance of the rest; None if there is no way."""
        own = [b for b in self.world.bodies if b.state is BodyState.LEANING and b.still]
        own = [b for b in own if b.face == face and len(b.discs) == 1]
        foresight = Foresight(self.world)
        best: tuple[float, Felling] | None = None
        for looked in range(FELLS if own else 0):
            if looked % AT_A_TIME == 0:
                yield
            leaner = own[int(self.rng.integers(len(own)))]
            hand = self._over_leaner(leaner)
            strain = foresight.felling(leaner, disc, face, hand)
            if strain < (best[0] if best else HOPELESS):
                best = strain, Felling(strain, leaner, hand)
            if best and best[0] < 0.5 * IN_PEACE:
                break
        return best[1] if best else None

    def _over_leaner(self, leaner: Body) -> HandPose:
        """Somewhere near a leaner, for a disc in the hand."""
        away, a = 45.0 * self.scale * self.rng.uniform(), self.rng.uniform(0, 2 * math.pi)
        x, y, _ = leaner.centre
        return HandPose(
            (
                x + away * math.cos(a),
                y + away * math.sin(a),
                self.scale * self.rng.uniform(*OVER_LEANER_MM),
            ),
            self.rng.uniform(0.0, 80.0),
            self.rng.uniform(0.0, 360.0),
        )

    def way_in(
        self, discs: Sequence[TwinDisc], face: int, xy: XY, side_deg: float, height_mm: float
    ) -> Generator[None, None, XY]:
        """A script that returns (x, y) outside the circle from where a hand can bring a stack to
        `xy` with the least disturbance; not far from the player's side of the table."""
        return (yield from self._way(discs, face, xy, side_deg, height_mm, (0.4, 0.6, 0.8, 1.0)))

    def way_out(
        self, discs: Sequence[TwinDisc], face: int, xy: XY, height_mm: float
    ) -> Generator[None, None, XY]:
        """A script that returns (x, y) outside the circle to where a hand can bring a stack from
        `xy` with the least disturbance; not far from the shortest way."""
        side_deg = math.degrees(math.atan2(xy[1], xy[0]))
        return (yield from self._way(discs, face, xy, side_deg, height_mm, (0.3, 0.5, 0.7, 0.9)))

    def _way(
        self,
        discs: Sequence[TwinDisc],
        face: int,
        xy: XY,
        side_deg: float,
        height_mm: float,
        shares: Sequence[float],
    ) -> Generator[None, None, XY]:
        """A script that returns the (x, y) outside the circle between which and `xy` a stack
        disturbs least, at these shares of the way from there."""
        foresight = Foresight(self.world)
        reach = self.world.mat.circle_radius_mm + TRAY_MM
        best: tuple[float, XY] = (math.inf, (0.0, 0.0))
        for turn in WAYS_DEG:
            yield
            a = math.radians(side_deg + turn)
            start = np.array((reach * math.cos(a), reach * math.sin(a)))
            way = [start + share * (np.array(xy) - start) for share in shares]
            strains = foresight.carried(discs, face, [at.tolist() for at in way], height_mm)
            x, y = start.tolist()
            best = min(best, (max(strains) + 0.1 * sum(strains), (x, y)))
        return best[1]

    def _near(self, contact: XY, azimuth: float) -> Rim:
        """A place not far from one that was good."""
        shift = self.rng.normal(0.0, NEAR_MM * self.scale, 2)
        x, y = (np.array(contact) + shift).tolist()
        return (x, y), azimuth

    def _looks(self, somewhere: Callable[[], T | None]) -> Iterator[T]:
        """So many places where there is room."""
        places = (somewhere() for _ in range(TRIES))
        return itertools.islice((place for place in places if place), self._most)

    def _somewhere(self, leaving: Collection[Body]) -> XY | None:
        """(x, y) for a disc that lies; None if others are in its way."""
        reach = self.world.mat.circle_radius_mm * INNER * math.sqrt(self.rng.uniform())
        a = self.rng.uniform(0, 2 * math.pi)
        xy = reach * math.cos(a), reach * math.sin(a)
        if self._near_red(xy):
            return None
        return xy if self.world.gap_mm(xy, leaving) >= NEAREST_MM * self.scale else None

    def _near_red(self, xy: XY) -> bool:
        """Whether what lies or falls there might hit the red disc."""
        red = (body.centre for body in self.world.bodies if body.is_red)
        return any(math.dist(xy, at[:2]) < FROM_RED_MM * self.scale for at in red)

    def _beside(self, bases: Sequence[Body]) -> Rim | None:
        """A place for a disc to lean over one of them; None if others are in its way."""
        contact, azimuth = self._over(bases)
        scale, world = self.scale, self.world
        if self._near_red(contact):
            return None
        if math.hypot(*contact) > world.mat.circle_radius_mm:
            return None
        back, a = 0.7 * STANDARD_MM / 2 * scale, math.radians(azimuth)
        middle = contact[0] - back * math.cos(a), contact[1] - back * math.sin(a)
        if not self.inside(middle):
            return None
        return (contact, azimuth) if world.gap_mm(middle) >= NEAREST_MM * scale else None

    def _over(self, bases: Sequence[Body]) -> Rim:
        """A random place over one of them, whether or not there is room."""
        base = bases[int(self.rng.integers(len(bases)))]
        a = self.rng.uniform(0, 2 * math.pi)
        reach = self.rng.uniform(*LEANS_AT_MM) + PER_DISC_MM * (len(base.discs) - 1)
        way = reach * self.scale * math.cos(a), reach * self.scale * math.sin(a)
        contact = base.centre[0] + way[0], base.centre[1] + way[1]
        return contact, math.degrees(a) + self.rng.normal(0.0, ASKEW_DEG)


def _middle(disc: TwinDisc, contact: XY, azimuth: float, tilt: float) -> XY:
    """The middle of a disc that leans there; degrees."""
    a, t = math.radians(azimuth), math.radians(tilt)
    back = disc.radius_mm * math.cos(t) - disc.thickness_mm / 2 * math.sin(t)
    return contact[0] - back * math.cos(a), contact[1] - back * math.sin(a)
