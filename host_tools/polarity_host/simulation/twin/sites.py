"""Where on the mat there is room: for flat discs, leaners, falls, slides and jumps.

Everything is measured against the pieces at rest at this moment. A site is None when there is no
room. Distances are from centre to centre in mm for discs of 34 mm, and scale with the mat's disc.
`ignore`: pieces that do not count; `keep`: further places (x, y) to keep clear of.
"""

from collections.abc import Collection, Iterable
from typing import NamedTuple, Protocol, TypeAlias, TypeVar

import numpy as np

from polarity_host.simulation.draw import one_of

from .equilibrium import pick_lean
from .motion import Place, Vector, heading
from .pieces import Piece
from .stage_state import StageState

XY: TypeAlias = tuple[float, float]
T = TypeVar("T")

TRIES = 240
STANDARD_DISC_MM = 34.0
STANDARD_CIRCLE_MM = 225.0
APART_MM = 58.0  # flat discs that are not to disturb each other
LEANER_APART_MM = 50.0  # a leaner and whatever it does not lean over
LEANER_CROWDED_MM = 44.0  # the same late in a game
FALLEN_APART_MM = 54.0  # nearer, flat discs pull or push each other (equilibrium.py: 53.5 mm)
PASSING_MM = 42.0  # a disc that slides past another does not pull it along
RIM_MM = 20.0  # flat discs stay this far inside the circle
LEANERS_ON_ONE = 4


class LeanerSite(NamedTuple):
    """A pose for a leaner over `base`."""

    base: Piece
    contact_xy: XY
    azimuth_deg: float
    tilt_deg: float


class RollSite(NamedTuple):
    """A pose that a leaner can roll to."""

    contact_xy: XY
    azimuth_deg: float
    tilt_deg: float


class Owed(Protocol):
    """The part of Books that matters here: (player, piece ids) of the groups to be captured."""

    owed: list[tuple[int, set[int]]]


def unit(azimuth_deg: float) -> Vector:
    """Horizontal unit vector (2,)."""
    return heading(azimuth_deg)[:2]


def apart(a: Place, b: Place) -> float:
    """Distance between two places."""
    return float(np.hypot(a[0] - b[0], a[1] - b[1]))


def _pair(xy: Place) -> XY:
    return float(xy[0]), float(xy[1])


class Sites:
    """Finds room on a stage. `over`: leaner -> the piece that it leans over, entered by the script.

    Pieces that are owed in the `books` are left alone, and those in `spared`.
    """

    def __init__(self, stage: StageState, rng: np.random.Generator, books: Owed):
        self.stage = stage
        self.rng = rng
        self.books = books
        self.over: dict[Piece, Piece] = {}
        self.spared: set[Piece] = set()
        disc, circle = stage.mat.disc, stage.mat.circle_radius_mm
        self.radius_mm = disc.diameter_mm / 2
        self.scale = disc.diameter_mm / STANDARD_DISC_MM
        self.circle_mm = circle

    def mm(self, length: float) -> float:
        """A length for the standard disc, scaled to this one."""
        return float(length * self.scale)

    def shuffled(self, items: Iterable[T]) -> list[T]:
        """The items in an order drawn from the game's seed."""
        listed = list(items)
        return [listed[i] for i in self.rng.permutation(len(listed))]

    # ---- what lies there
    def free(self, piece: Piece) -> bool:
        """Whether it touches nothing and nobody has to capture it."""
        owed = any(piece.id in ids for _, ids in self.books.owed)
        return not owed and piece not in self.spared and len(self.stage.group_of(piece)) == 1

    def flats(self, face: int | None = None, movable: bool = False) -> list[Piece]:
        """Free flat discs and towers inside; `movable`: nothing leans over them."""
        return [
            p
            for p in self.stage.resting()
            if p.shape in ("flat", "tower")
            and face in (None, p.face)
            and self.free(p)
            and not (movable and self.leaners_on(p))
        ]

    def leaners(self, face: int | None = None) -> list[Piece]:
        """Free leaners inside."""
        resting = self.stage.resting()
        standing = [p for p in resting if p.shape == "leaner" and face in (None, p.face)]
        return [p for p in standing if self.free(p)]

    def leaners_on(self, piece: Piece) -> list[Piece]:
        """Leaners that lean over `piece`."""
        return [p for p in self.stage.resting() if p.leaning and self.over.get(p) is piece]

    def base_of(self, leaner: Piece) -> Piece | None:
        """The free piece that the leaner leans over, or None."""
        base = self.over.get(leaner)
        return base if base in self.flats() else None

    # ---- distances
    def clearance(
        self, xy: Place, ignore: Collection[Piece] = (), keep: Iterable[Place] = ()
    ) -> float:
        """Distance from `xy` to the nearest piece at rest (the red disc too) or place to keep."""
        places = [p.xy for p in self.stage.pieces if not p.held and p not in ignore]
        return min((apart(xy, place) for place in [*places, *keep]), default=np.inf)

    def path_clearance(
        self,
        start: Place,
        end: Place,
        ignore: Collection[Piece] = (),
        keep: Collection[Place] = (),
    ) -> float:
        """The least clearance along the straight line from `start` to `end`."""
        steps = max(2, int(apart(start, end) / self.mm(4)))
        way = np.subtract(end, start)
        line = (np.add(start, way * k / steps) for k in range(steps + 1))
        return min(self.clearance(at, ignore, keep) for at in line)

    def inside(self, xy: Place, rim_mm: float = RIM_MM) -> bool:
        """Whether `xy` lies in the circle by at least `rim_mm`."""
        return bool(np.hypot(xy[0], xy[1]) <= self.circle_mm - self.mm(rim_mm))

    def somewhere(self, share: float = 0.9) -> Vector:
        """A random place in the inner `share` of the circle."""
        return self.circle_mm * share * np.sqrt(self.rng.uniform()) * unit(self.rng.uniform(0, 360))

    # ---- room
    def foundation(self, face: int, near: Piece | None = None) -> XY:
        """(x, y) for a foundation, preferably on the player's own side and with room around it; one
        jump from the piece `near` if there is such a place."""
        places = [self._around(near) for _ in range(TRIES)] if near else []
        clear = [xy for xy in places if self._fits(xy)]
        if not clear:
            places = [self.somewhere(0.86) for _ in range(TRIES)]
            clear = [xy for xy in places if self._fits(xy)]
        if not clear:
            raise ValueError("no room for a foundation: the mat is too small for this edition")
        preference = [self.rng.uniform(0, 1.2) - face * xy[1] / self.circle_mm for xy in clear]
        return _pair(clear[int(np.argmax(preference))])

    def _around(self, piece: Piece) -> Vector:
        """A place just far enough from `piece` that the two discs do not disturb each other."""
        reach = self.mm(APART_MM + self.rng.uniform(0.2, 4.0))
        return np.add(piece.xy, reach * unit(self.rng.uniform(0, 360)))

    def _fits(self, xy: Place) -> bool:
        return self.inside(xy) and self.clearance(xy) >= self.mm(APART_MM)

    def flat(self, keep: Collection[Place] = ()) -> XY:
        """(x, y) where a tower or disc can be set down; when crowded, the widest place found."""
        best: tuple[float, XY] = (0.0, (0.0, 0.0))
        for _ in range(TRIES):
            xy = self.somewhere()
            free = self.clearance(xy, keep=keep)
            if free >= self.mm(APART_MM):
                return _pair(xy)
            best = max(best, (free, _pair(xy)))
        return best[1]

    def leaner(
        self, face: int, keep: Collection[Place] = (), not_on: Collection[Piece] = ()
    ) -> LeanerSite | None:
        """A pose for a leaner over one of the player's own flat pieces; with less room around it if
        there is no other."""
        bases = [p for p in self.flats(face) if p not in not_on]
        for apart_mm in (LEANER_APART_MM, LEANER_CROWDED_MM):
            for base in self.shuffled(p for p in bases if len(self.leaners_on(p)) < LEANERS_ON_ONE):
                site = self._leaner_over(base, apart_mm, keep)
                if site:
                    return site
        return None

    def _leaner_over(
        self, base: Piece, apart_mm: float, keep: Collection[Place]
    ) -> LeanerSite | None:
        for _ in range(TRIES // 6):
            azimuth = float(self.rng.uniform(0, 360))
            tilt, reach = self.balance(base)
            contact = np.array(base.xy) + reach * unit(azimuth)
            centre = contact - self.radius_mm * np.cos(np.radians(tilt)) * unit(azimuth)
            if (
                self.inside(contact, 10)
                and self.clearance(centre, (base,), keep) >= self.mm(apart_mm)
                and self.clearance(contact, (base,), keep) >= self.mm(34)
            ):
                return LeanerSite(base, _pair(contact), azimuth, tilt)
        return None

    def balance(self, base: Piece) -> tuple[float, float]:
        """(tilt_deg, distance of the contact from the base's centre in mm) of a disc that stands:
        half of the time where it would stand alone, else nearer, as with neighbours."""
        if len(base.discs) == 1 and self.rng.random() < 0.5:
            lean = pick_lean(self.rng, self.stage.mat.disc)
            return lean.tilt_deg, lean.distance_mm
        tilt = float(self.rng.uniform(22, 62))
        return tilt, self.mm(self.rng.uniform(40, 50) + 2.0 * (len(base.discs) - 1))

    def beside(self, base: Piece, keep: Collection[Place] = ()) -> XY | None:
        """(x, y) near a base where an action disc may fall flat."""
        for _ in range(TRIES // 4):
            away = unit(self.rng.uniform(0, 360))
            xy = np.array(base.xy) + self.mm(self.rng.uniform(55, 65)) * away
            if self.inside(xy) and self.clearance(xy, (), keep) >= self.mm(FALLEN_APART_MM):
                return _pair(xy)
        return None

    def landing(
        self,
        leaner: Piece,
        flip: bool = False,
        ignore: Collection[Piece] = (),
        keep: Collection[Place] = (),
    ) -> XY | None:
        """(x, y) where a falling leaner may come to lie, clear of everything."""
        out, contact = leaner.azimuth_deg, np.array(leaner.contact_xy)
        base = self.over.get(leaner)
        from_xy = np.array(base.xy) if base else contact - self.mm(40) * unit(out)
        near, far = (60, 75) if flip else (55, 68)
        for _ in range(TRIES // 4):
            away = unit(out + self.rng.uniform(-28, 28))
            xy = from_xy + self.mm(self.rng.uniform(near, far)) * away
            clear = self.clearance(xy, (leaner, *ignore), keep)
            if self.inside(xy) and clear >= self.mm(FALLEN_APART_MM):
                return _pair(xy)
        return None

    def slide(
        self,
        piece: Piece,
        least_mm: float,
        most_mm: float,
        keep: Collection[Place] = (),
    ) -> XY | None:
        """(x, y) that a flat piece can slide to, by a distance between the two bounds (true mm)."""
        for _ in range(TRIES // 4):
            way = self.rng.uniform(least_mm, most_mm) * unit(self.rng.uniform(0, 360))
            to = np.add(piece.xy, way)
            if (
                self.inside(to)
                and self.clearance(to, (piece,), keep) >= self.mm(FALLEN_APART_MM)
                and self.path_clearance(piece.xy, to, (piece,)) >= self.mm(PASSING_MM)
            ):
                return _pair(to)
        return None

    def outside(self, piece: Piece) -> XY | None:
        """(x, y) just out of the circle that a flat piece near its edge can be pushed to."""
        radius = np.hypot(*piece.xy)
        if radius < self.circle_mm - self.mm(75):
            return None
        to = np.multiply(
            piece.xy, (self.circle_mm + self.radius_mm + self.mm(self.rng.uniform(4, 8))) / radius
        )
        if self.path_clearance(piece.xy, to, (piece,)) < self.mm(PASSING_MM):
            return None
        return _pair(to)

    def roll(self, leaner: Piece) -> RollSite | None:
        """A pose that a leaner can roll to, around its base."""
        base = self.over.get(leaner)
        if base is None:
            return None
        reach = apart(leaner.contact_xy, base.xy)
        for _ in range(TRIES // 8):
            step = self.rng.uniform(25, 50) * one_of(self.rng, (-1, 1))
            azimuth = float(leaner.azimuth_deg + step)
            tilt = float(np.clip(leaner.tilt_deg + self.rng.uniform(-6, 6), 20, 64))
            contact = np.array(base.xy) + reach * unit(azimuth)
            centre = contact - self.radius_mm * np.cos(np.radians(tilt)) * unit(azimuth)
            if self.inside(contact, 10) and self.clearance(centre, (base, leaner)) >= self.mm(
                LEANER_APART_MM
            ):
                return RollSite(_pair(contact), azimuth, tilt)
        return None

    def can_kiss(
        self,
        a: Piece,
        b: Piece,
        from_xy: XY | None = None,
        ignore: Collection[Piece] = (),
        keep: Collection[Place] = (),
    ) -> bool:
        """Whether flat `a` (now or soon at `from_xy`) can jump along the mat against `b` with
        nothing in the way."""
        start = a.xy if from_xy is None else from_xy
        distance = apart(start, b.xy)
        if a is b or (a.face == b.face and not b.is_red) or distance < 2 * self.radius_mm:
            return False
        end = self.kissing_place(start, b)
        return self.path_clearance(start, end, (a, b, *ignore), keep) >= self.mm(PASSING_MM)

    def kissing_place(self, start: Place, b: Piece) -> XY:
        """(x, y) at which a flat disc from `start` comes to touch `b`, which does not move."""
        way = np.subtract(start, b.xy)
        return _pair(np.add(b.xy, way * 2 * self.radius_mm / np.hypot(*way)))

    def gap(self, a_xy: Place, b: Piece) -> float:
        """Rim to rim distance in standard-disc mm from a flat disc at `a_xy` to piece `b`."""
        return (apart(a_xy, b.xy) - 2 * self.radius_mm) / self.scale
