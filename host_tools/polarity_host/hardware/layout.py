"""Where the tile's parts stand on their board, and what every pad is joined to.

    board = tile_layout(mat, netlist_text)

Millimetres from the tile's lower left corner (a corner of the grid's squares: the board itself is
`gap_mm` / 2 smaller at each edge), x right, y up, seen from above. Sensors and their capacitors are
on the upper side, "F", the rest is on the lower one, "B". Where the tracks run is not here: see
route.py.
"""

from dataclasses import dataclass, replace

from . import places, trace
from .lands import Land, land
from .parts import part_kinds

CAPACITOR_LEFT_MM = 1.9  # of a sensor's middle: beside its pins 1 and 2
FFC_IN_MM = (
    26.0  # of a connector's middle from its edge: then a cable of 60 mm lies nearly straight
)
HEAD_MM = 3.2  # a screw's head keeps copper this far from a hole's middle


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

    def box(self) -> tuple[float, float, float, float]:
        """(left, bottom, right, top) of its courtyard."""
        left, top, right, bottom = self.land.courtyard
        (a, b), (c, d) = self.at(left, top), self.at(right, bottom)
        return min(a, c), min(b, d), max(a, c), max(b, d)


@dataclass(frozen=True)
class Layout:
    """A board without its tracks. `box`: (left, bottom, right, top); `holes`: (x, y, diameter)."""

    name: str
    box: tuple
    holes: tuple
    parts: tuple
    pads: tuple

    def nets(self) -> list[str]:
        """Every net, by name."""
        return sorted({pad.net for pad in self.pads} - {""})


def tile_layout(mat, netlist: str) -> Layout:
    """The tile's layout. KeyError: a part of the netlist has no place here or no land pattern."""
    from .drawings import HOLE_MM, tile_holes_mm

    read, stand = trace.read(netlist), tile_parts(mat)
    parts, pads = [], []
    for ref in sorted(read.kind, key=lambda ref: (ref[0], int(ref[1:]))):
        part = stand[ref]
        if part.kind != read.kind[ref]:
            raise KeyError(f"{ref} is a {read.kind[ref]}, but stands as a {part.kind}")
        part = replace(part, value=read.value[ref])
        parts.append(part)
        for number, px, py, width, height in part.land.pads:
            net = read.net.get((ref, int(number)), "") if number.isdigit() else ""
            if part.turn % 180:
                width, height = height, width
            pads.append(Pad(ref, number, net, part.layer, *part.at(px, py), width, height))
    side, gap = places.side(mat) * mat.pitch_mm, mat.build["gap_mm"] / 2
    holes = tuple((x, y, HOLE_MM) for x, y in tile_holes_mm(mat))
    box = (gap, gap, side - gap, side - gap)
    return Layout("tile", box, holes, tuple(parts), tuple(pads))


def tile_parts(mat) -> dict[str, Placed]:
    """Every part of a tile by its reference."""
    side = places.side(mat) * mat.pitch_mm
    middle = side / 2
    below = {
        "U1": ("mux", middle, middle, 0),
        "C1": ("c100n", middle + 6.5, middle + 3.5, 90),
        "U2": ("inverter", middle + 12.0, middle - 6.0, 0),
        "C2": ("c100n", middle + 16.0, middle - 6.0, 90),
        "R1": ("resistor", middle + 12.0, middle - 9.5, 0),
        "C3": ("c1u", middle - 12.0, middle - 9.5, 0),
        "J1": ("ffc", middle, FFC_IN_MM, 180),
        "J2": ("ffc", middle, side - FFC_IN_MM, 0),
    }
    stand = {ref: (kind, "B", x, y, turn) for ref, (kind, x, y, turn) in below.items()}
    for channel in range(places.side(mat) ** 2):
        x, y = places.sensor_on_tile_mm(mat, channel)
        number = places.FIRST_SENSOR + channel
        stand[f"U{number}"] = ("sensor", "F", x, y, 0)
        stand[f"C{number}"] = ("c100n_low", "F", x - CAPACITOR_LEFT_MM, y, 270)
    kinds = part_kinds()
    return {
        ref: Placed(ref, kind, "", layer, x, y, turn, land(kinds[kind].footprint))
        for ref, (kind, layer, x, y, turn) in stand.items()
    }
