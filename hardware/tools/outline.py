"""Outlines of boards: what is inside, how far from the edge, and what to mill.

    Box(left, bottom, right, top)
    Sector(x, y, inner, outer, from_deg, to_deg)     a piece of a ring round (x, y)

Millimetres, x right, y up; angles counter-clockwise from the x axis, less than 180 degrees apart.
"""

from dataclasses import dataclass
from math import cos, radians, sin
from typing import Literal, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

Point: TypeAlias = tuple[float, float]
Extent: TypeAlias = tuple[float, float, float, float]  # left, bottom, right, top


class LineSide(NamedTuple):
    """A straight side of an outline."""

    kind: Literal["line"]
    start: Point
    end: Point


class ArcSide(NamedTuple):
    """A side of an outline that is an arc: through `middle`."""

    kind: Literal["arc"]
    start: Point
    middle: Point
    end: Point


Side: TypeAlias = LineSide | ArcSide


@dataclass(frozen=True)
class Box:
    """A rectangle."""

    left: float
    bottom: float
    right: float
    top: float

    def extent(self) -> Extent:
        """(left, bottom, right, top)."""
        return self.left, self.bottom, self.right, self.top

    def inside_mm(self, x: ArrayLike, y: ArrayLike) -> NDArray[np.float64]:
        """How far from the edge, negative outside; x and y may be arrays."""
        x, y = np.asarray(x), np.asarray(y)
        return np.minimum.reduce([x - self.left, self.right - x, y - self.bottom, self.top - y])

    def line_inside_mm(self, a: Point, b: Point) -> float:
        """The least of `inside_mm` along a straight line."""
        return float(min(self.inside_mm(*a), self.inside_mm(*b)))

    def sides(self) -> list[Side]:
        """The sides, all round."""
        corners = self.corners(0.0)
        return [LineSide("line", a, b) for a, b in zip(corners, corners[1:] + corners[:1])]

    def corners(self, within_mm: float) -> list[Point]:
        """A polygon that keeps so far from the edge."""
        left, bottom, right, top = self.extent()
        left, bottom, right, top = (
            left + within_mm, bottom + within_mm, right - within_mm, top - within_mm,
        )  # fmt: skip
        return [(left, bottom), (right, bottom), (right, top), (left, top)]


@dataclass(frozen=True)
class Sector:
    """A piece of a ring."""

    x: float
    y: float
    inner: float
    outer: float
    from_deg: float
    to_deg: float

    def extent(self) -> Extent:
        """(left, bottom, right, top)."""
        turns = [self.from_deg, self.to_deg]
        turns += [turn for turn in range(-360, 361, 90) if self.from_deg < turn < self.to_deg]
        ends = [self.at(r, turn) for r in (self.inner, self.outer) for turn in turns]
        xs, ys = zip(*ends)
        return min(xs), min(ys), max(xs), max(ys)

    def at(self, radius: float, deg: float) -> Point:
        """The point there."""
        return self.x + radius * cos(radians(deg)), self.y + radius * sin(radians(deg))

    def inside_mm(self, x: ArrayLike, y: ArrayLike) -> NDArray[np.float64]:
        """How far from the edge, negative outside; x and y may be arrays."""
        u, v = np.asarray(x) - self.x, np.asarray(y) - self.y
        away = np.hypot(u, v)
        a, b = radians(self.from_deg), radians(self.to_deg)
        return np.minimum.reduce(
            [away - self.inner, self.outer - away, v * cos(a) - u * sin(a), u * sin(b) - v * cos(b)]
        )

    def line_inside_mm(self, a: Point, b: Point) -> float:
        """The least of `inside_mm` along a straight line: at an end, or nearest to the middle."""
        dx, dy = b[0] - a[0], b[1] - a[1]
        length = dx * dx + dy * dy
        along = ((self.x - a[0]) * dx + (self.y - a[1]) * dy) / length if length else 0.0
        along = min(1.0, max(0.0, along))
        nearest = a[0] + along * dx, a[1] + along * dy
        return float(min(self.inside_mm(*point) for point in (a, b, nearest)))

    def sides(self) -> list[Side]:
        """The sides, all round."""
        turns = self.from_deg, (self.from_deg + self.to_deg) / 2, self.to_deg
        outer = [self.at(self.outer, turn) for turn in turns]
        inner = [self.at(self.inner, turn) for turn in turns[::-1]]
        return [
            ArcSide("arc", *outer), LineSide("line", outer[2], inner[0]),
            ArcSide("arc", *inner), LineSide("line", inner[2], outer[0]),
        ]  # fmt: skip

    def corners(self, within_mm: float) -> list[Point]:
        """A polygon that keeps so far from the edge, or a little more."""
        inner, outer = self.inner + within_mm + 0.1, self.outer - within_mm
        less = np.degrees(within_mm / self.inner)
        turns = np.linspace(self.from_deg + less, self.to_deg - less, 25)
        points = [self.at(outer, turn) for turn in turns]
        points += [self.at(inner, turn) for turn in turns[::-1]]
        return [(float(x), float(y)) for x, y in points]
