"""Checks the copper of a routed board by its geometry alone, whoever laid the tracks.

    findings(layout, routing)       a line for each thing that is wrong; [] when nothing is
    widened(layout, routing, ...)   the tracks of some nets as wide as their neighbours let them be

Shapes are exact: a track is a line with round ends, a via a disc on both layers with a hole, a pad
a rectangle (a rounded one is inside it). Copper of two nets keeps CLEAR_MM, holes HOLE_APART_MM,
all copper keeps away from the edge and from screws' heads; all pads of a net are joined; no parts
overlap.
"""

from collections.abc import Container, Iterator, Sequence
from dataclasses import dataclass, replace
from math import hypot
from typing import TypeAlias

import numpy as np

from .design_rules import (
    CLEAR_MM,
    DRILL_MM,
    EDGE_MM,
    FIDUCIAL_FREE_MM,
    HEAD_MM,
    HOLE_APART_MM,
    VIA_MM,
)
from .layout import Layout
from .outline import Extent, Point
from .tracks import Routing, Track

SLACK_MM = 1e-6

Line: TypeAlias = tuple[Point, Point]


@dataclass(frozen=True)
class Shape:
    """A line from `a` to `b` with round ends of `radius`, or, if that is None, the rectangle with
    these opposite corners (left, bottom), (right, top)."""

    net: str
    layers: str
    a: Point
    b: Point
    radius: float | None
    name: str

    def box(self) -> Extent:
        """(left, bottom, right, top)."""
        r = self.radius or 0.0
        xs, ys = sorted((self.a[0], self.b[0])), sorted((self.a[1], self.b[1]))
        return xs[0] - r, ys[0] - r, xs[1] + r, ys[1] + r


def shapes(layout: Layout, routing: Routing) -> list[Shape]:
    """All copper: pads, tracks, vias, and fiducials with what must be free round them."""
    found = []
    for pad in layout.pads:
        w, h = pad.width / 2, pad.height / 2
        corners = (pad.x - w, pad.y - h), (pad.x + w, pad.y + h)
        net = pad.net or f"{pad.ref}.{pad.number} {pad.x:g} {pad.y:g}"  # joined to nothing
        found.append(Shape(net, pad.layer, *corners, None, f"{pad.ref} pin {pad.number}"))
    for net, layer, width, x, y, u, v in routing.tracks:
        found.append(Shape(net, layer, (x, y), (u, v), width / 2, f"track of {net}"))
    for net, x, y in routing.vias:
        found.append(Shape(net, "FB", (x, y), (x, y), VIA_MM / 2, f"via of {net}"))
    for dot in layout.fiducials:
        at, name = (dot.x, dot.y), f"fiducial {dot.layer} {dot.x:g} {dot.y:g}"
        found.append(Shape(name, dot.layer, at, at, FIDUCIAL_FREE_MM / 2, name))
    return found


def apart_mm(one: Shape, other: Shape) -> float:
    """The gap between two shapes; 0 or less where they touch."""
    lines = [_lines(one), _lines(other)]
    if _inside(one, other) or _inside(other, one):
        return 0.0
    gap = min(_segments(*p, *q) for p in lines[0] for q in lines[1])
    return gap - (one.radius or 0.0) - (other.radius or 0.0)


def _lines(shape: Shape) -> list[Line]:
    if shape.radius is not None:
        return [(shape.a, shape.b)]
    (left, low), (right, high) = shape.a, shape.b
    corners = [(left, low), (right, low), (right, high), (left, high)]
    return list(zip(corners, corners[1:] + corners[:1]))


def _inside(shape: Shape, other: Shape) -> bool:
    """Whether a point of the one is within the rectangle that the other is."""
    if other.radius is not None:
        return False
    (left, low), (right, high) = other.a, other.b
    return left <= shape.a[0] <= right and low <= shape.a[1] <= high


def _segments(p: Point, q: Point, r: Point, s: Point) -> float:
    """Distance of the line from p to q and the one from r to s."""
    if _cross(p, q, r, s):
        return 0.0
    return min(_point(p, r, s), _point(q, r, s), _point(r, p, q), _point(s, p, q))


def _cross(p: Point, q: Point, r: Point, s: Point) -> bool:
    def side(a: Point, b: Point, c: Point) -> float:
        return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])

    return side(p, q, r) * side(p, q, s) < 0 and side(r, s, p) * side(r, s, q) < 0


def _point(p: Point, a: Point, b: Point) -> float:
    dx, dy = b[0] - a[0], b[1] - a[1]
    length = dx * dx + dy * dy
    along = ((p[0] - a[0]) * dx + (p[1] - a[1]) * dy) / length if length else 0.0
    along = min(1.0, max(0.0, along))
    return hypot(p[0] - a[0] - along * dx, p[1] - a[1] - along * dy)


def _near_pairs(found: Sequence[Shape], reach_mm: float) -> Iterator[tuple[int, int]]:
    """Indices (i, j > i) of shapes on a common layer whose boxes are no farther apart than that."""
    boxes = np.array([shape.box() for shape in found])
    on = np.array([["F" in s.layers, "B" in s.layers] for s in found])
    for i in range(len(found)):
        rest = boxes[i + 1 :]
        near = (
            (rest[:, 0] <= boxes[i, 2] + reach_mm) & (rest[:, 2] >= boxes[i, 0] - reach_mm)
            & (rest[:, 1] <= boxes[i, 3] + reach_mm) & (rest[:, 3] >= boxes[i, 1] - reach_mm)
            & (on[i + 1 :] & on[i]).any(axis=1)
        )  # fmt: skip
        for j in np.flatnonzero(near):
            yield i, i + 1 + int(j)


def findings(layout: Layout, routing: Routing) -> list[str]:
    """What is wrong with the board, a line each."""
    found, wrong = shapes(layout, routing), []
    joined = list(range(len(found)))

    def root(i: int) -> int:
        while joined[i] != i:
            joined[i] = joined[joined[i]]
            i = joined[i]
        return i

    for i, j in _near_pairs(found, CLEAR_MM):
        a, b = found[i], found[j]
        gap = apart_mm(a, b)
        if a.net == b.net:
            if gap <= SLACK_MM:
                joined[root(i)] = root(j)
        elif gap < CLEAR_MM - SLACK_MM:
            wrong.append(f"{a.name} and {b.name} are {max(gap, 0):.3f} mm apart at {_at(a)}")
    pieces: dict[str, set[int]] = {}
    for i, shape in enumerate(found):
        pieces.setdefault(shape.net, set()).add(root(i))
    wrong += [f"{net} is in {len(p)} pieces" for net, p in sorted(pieces.items()) if len(p) > 1]
    known = set(layout.nets())
    wrong += [
        f"{s.name}: no such net"
        for s in found
        if s.name.startswith(("track", "via")) and s.net not in known
    ]
    wrong += _at_edges(layout, found) + _holes(layout, routing) + _crowded(layout)
    return wrong + _kept_out(layout, found)


def _kept_out(layout: Layout, found: Sequence[Shape]) -> list[str]:
    """Copper where a part's own bare copper lies on the board."""
    return [
        f"{shape.name} is below {area.name} at {_at(shape)}"
        for area in _areas(layout)
        for shape in found
        if set(area.layers) & set(shape.layers) and apart_mm(shape, area) < SLACK_MM
    ]


def _areas(layout: Layout) -> list[Shape]:
    return [
        Shape("", area.layer, area.box[:2], area.box[2:], None, area.name)
        for area in layout.keep_outs()
    ]


def _at(shape: Shape) -> str:
    return f"{shape.a[0]:.2f}, {shape.a[1]:.2f} mm"


def _edge_mm(layout: Layout, shape: Shape) -> float:
    """How far a shape is from the board's edge."""
    return min(layout.outline.line_inside_mm(*line) for line in _lines(shape)) - (shape.radius or 0)


def _at_edges(layout: Layout, found: Sequence[Shape]) -> list[str]:
    wrong = []
    for shape in found:
        if _edge_mm(layout, shape) < EDGE_MM - SLACK_MM:
            wrong.append(f"{shape.name} is too near to the edge at {_at(shape)}")
        for x, y, _ in layout.holes:
            screw = Shape("", "FB", (x, y), (x, y), HEAD_MM, "screw")
            if apart_mm(screw, shape) < -SLACK_MM:
                wrong.append(f"{shape.name} is under a screw's head at {x:g}, {y:g} mm")
    return wrong


def _holes(layout: Layout, routing: Routing) -> list[str]:
    holes = [(x, y, DRILL_MM / 2, net) for net, x, y in routing.vias]
    holes += [(x, y, diameter / 2, "screw") for x, y, diameter in layout.holes]
    return [
        f"holes of {a[3]} and {b[3]} are too near at {a[0]:g}, {a[1]:g} mm"
        for k, a in enumerate(holes)
        for b in holes[:k]
        if hypot(a[0] - b[0], a[1] - b[1]) - a[2] - b[2] < HOLE_APART_MM - SLACK_MM
    ]


def _crowded(layout: Layout) -> list[str]:
    """Parts whose courtyards overlap, or reach over the edge, or under a screw's head."""
    wrong, boxes = [], [(part, part.box()) for part in layout.parts]
    for k, (one, a) in enumerate(boxes):
        for other, b in boxes[:k]:
            overlap = min(a[2], b[2]) - max(a[0], b[0]), min(a[3], b[3]) - max(a[1], b[1])
            if one.layer == other.layer and min(overlap) > SLACK_MM:
                wrong.append(f"{one.ref} and {other.ref} overlap")
        courtyard = Shape("", "", a[:2], a[2:], None, "")
        if _edge_mm(layout, courtyard) < 0:
            wrong.append(f"{one.ref} reaches over the edge")
        for x, y, _ in layout.holes:
            dx, dy = max(a[0] - x, 0, x - a[2]), max(a[1] - y, 0, y - a[3])
            if hypot(dx, dy) < HEAD_MM:
                wrong.append(f"{one.ref} is under a screw's head")
        for dot in layout.fiducials:
            dx, dy = max(a[0] - dot.x, 0, dot.x - a[2]), max(a[1] - dot.y, 0, dot.y - a[3])
            if dot.layer == one.layer and hypot(dx, dy) < FIDUCIAL_FREE_MM / 2:
                wrong.append(f"{one.ref} stands on a fiducial")
    return wrong


def widened(
    layout: Layout, routing: Routing, nets: Container[str], widths_mm: Sequence[float]
) -> list[Track]:
    """The tracks, those of `nets` with the first of `widths_mm` that keeps its distances."""
    found = shapes(layout, routing)
    boxes = np.array([shape.box() for shape in found])
    tracks = list(routing.tracks)
    first = len(layout.pads)
    most = max(widths_mm)
    for k, track in enumerate(tracks):
        if track.net not in nets:
            continue
        own, half = found[first + k], track.width / 2
        low_x, low_y, high_x, high_y = own.box()
        near = (
            (boxes[:, 0] < high_x + most) & (boxes[:, 2] > low_x - most)
            & (boxes[:, 1] < high_y + most) & (boxes[:, 3] > low_y - most)
        )  # fmt: skip
        others = [
            found[j]
            for j in np.flatnonzero(near)
            if found[j].net != own.net and set(found[j].layers) & set(own.layers)
        ]
        gap = min((apart_mm(own, other) for other in others), default=most) + half - CLEAR_MM
        edge = _edge_mm(layout, own) + half - EDGE_MM
        screws = [
            apart_mm(own, Shape("", "FB", (x, y), (x, y), HEAD_MM, "")) for x, y, _ in layout.holes
        ]
        kept = [apart_mm(own, area) for area in _areas(layout) if area.layers == own.layers]
        room = min(gap, edge, min(screws + kept, default=most) + half)
        width = next((w for w in widths_mm if track.width < w <= 2 * room), track.width)
        tracks[k] = track._replace(width=width)
        found[first + k] = replace(own, radius=width / 2)
        boxes[first + k] = found[first + k].box()
    return tracks
