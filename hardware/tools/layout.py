"""Boards without their tracks: parts in their places, and what every pad is joined to.

    layout = laid_out(name, outline, holes, parts, netlist_text)

Millimetres, x right, y up, seen from above; "F" is the upper side, "B" the lower one. Where parts
stand is in boards.py, where the tracks run is found by route.py.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import TypeAlias

from . import trace
from .design_rules import HOLE_MM
from .lands import Land, land
from .outline import Box, Extent, Point, Sector
from .parts import part_kinds

Outline: TypeAlias = Box | Sector
Hole: TypeAlias = tuple[float, float, float]  # x, y, diameter


@dataclass(frozen=True)
class Pad:
    """One pad: `net` is "" where it is joined to nothing. Width and height are along x and y."""

    ref: str
    number: str
    net: str
    layer: str
    x: float
    y: float
    width: float
    height: float


@dataclass(frozen=True)
class Placed:
    """A part: `turn` degrees counter-clockwise as seen from above; "B": mirrored below first."""

    ref: str
    kind: str
    value: str
    layer: str
    x: float
    y: float
    turn: int
    land: Land

    def at(self, x: float, y: float) -> tuple[float, float]:
        """A place of the land pattern (y down) on the board."""
        u, v = x, (y if self.layer == "B" else -y)
        for _ in range(self.turn // 90):
            u, v = -v, u
        return self.x + u, self.y + v

    def back(self, x: float, y: float) -> tuple[float, float]:
        """A place of the board on the land pattern (y down)."""
        u, v = x - self.x, y - self.y
        for _ in range(self.turn // 90):
            u, v = v, -u
        return u, (v if self.layer == "B" else -v)

    def box(self) -> tuple[float, float, float, float]:
        """(left, bottom, right, top) of its courtyard."""
        return self.extent(self.land.courtyard)

    def extent(self, within: Extent) -> Extent:
        """(left, bottom, right, top) on the board of a rectangle (left, top, right, bottom) of the
        land pattern."""
        left, top, right, bottom = within
        (a, b), (c, d) = self.at(left, top), self.at(right, bottom)
        return min(a, c), min(b, d), max(a, c), max(b, d)


@dataclass(frozen=True)
class Fiducial:
    """A bare dot of copper, by which a machine that sets parts finds where the board lies."""

    layer: str
    x: float
    y: float


@dataclass(frozen=True)
class KeepOut:
    """A rectangle (left, bottom, right, top) on a side where no copper may be, nor a via."""

    name: str
    layer: str
    box: Extent


@dataclass(frozen=True)
class Layout:
    """A board without its tracks. `holes`: (x, y, diameter); `thick_mm`: of the bare board."""

    name: str
    outline: Outline
    holes: tuple[Hole, ...]
    parts: tuple[Placed, ...]
    pads: tuple[Pad, ...]
    thick_mm: float = 1.6
    fiducials: tuple[Fiducial, ...] = ()

    def keep_outs(self) -> list[KeepOut]:
        """Where no copper may be, for a part's own bare copper lies there."""
        return [
            KeepOut(f"{part.ref}'s {name}", part.layer, part.extent(where))
            for part in self.parts
            for name, where in part.land.keep_out
        ]

    def nets(self) -> list[str]:
        """Every net, by name."""
        return sorted({pad.net for pad in self.pads} - {""})


def placed(ref: str, kind: str, layer: str, x: float, y: float, turn: int) -> Placed:
    """A part at its place, with its land pattern. KeyError: that is not known."""
    return Placed(ref, kind, "", layer, x, y, turn, land(part_kinds()[kind].footprint))


def laid_out(
    name: str,
    outline: Outline,
    holes: Iterable[Point],
    stand: Mapping[str, Placed],
    netlist: str,
    thick_mm: float = 1.6,
    fiducials: Iterable[tuple[str, float, float]] = (),
) -> Layout:
    """The layout of a netlist's board. KeyError: a part of it has no place in `stand`."""
    read = trace.read(netlist)
    parts, pads = [], []
    for ref in sorted(read.kind, key=_by_letter):
        part = stand[ref]
        if part.kind != read.kind[ref]:
            raise KeyError(f"{ref} is a {read.kind[ref]}, but stands as a {part.kind}")
        part = replace(part, value=read.value[ref])
        parts.append(part)
        for number, px, py, width, height in part.land.pads:
            net = read.net.get((ref, int(number)), "") if number.isdigit() else ""
            if part.turn % 180:
                width, height = height, width
            x, y = part.at(px, py)
            pads.append(Pad(ref, number, net, part.layer, x, y, width, height))
    drilled = tuple((x, y, HOLE_MM) for x, y in holes)
    dots = tuple(Fiducial(*dot) for dot in fiducials)
    return Layout(name, outline, drilled, tuple(parts), tuple(pads), thick_mm, dots)


def _by_letter(ref: str) -> tuple[str, int]:
    letters = re.sub(r"\d+$", "", ref)
    return letters, int(ref[len(letters) :])
