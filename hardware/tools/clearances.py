"""Whether everything has the room that it needs, and the mat can be put together as BUILD.md says.

    python -m hardware.tools.clearances      how much room each has; exit 1 when some has not

Lengths are those of mat.toml, of the boards' layouts, and of hardware/sizes.toml, each of which
names its source. BUILD.md's order is face down: top plate, lights, tiles, cables, carrier, test,
and the base last. So nothing may need a hand where something already lies.
"""

import math
import sys
import tomllib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache

from polarity_host.mats.description import MAT_TOML, Mat, load_mat

from . import boards, drawings, places
from .design_rules import HOLE_MM
from .layout import Placed
from .outline import Point
from .schematic import chains

SIZES_TOML = MAT_TOML.parent / "sizes.toml"


@dataclass(frozen=True)
class Clearance:
    """`has` mm are there where `needs` mm must be; `most`: more than this is wrong as well."""

    what: str
    has: float
    needs: float
    most: float = math.inf

    def fits(self) -> bool:
        """Whether it is enough, and not too much."""
        return self.needs - 1e-9 <= self.has <= self.most + 1e-9


@cache
def _sizes() -> dict[str, dict[str, float | str]]:
    return tomllib.loads(SIZES_TOML.read_text(encoding="utf-8"))


def size(name: str) -> float:
    """One size of sizes.toml, in mm."""
    return float(_sizes()[name]["value"])


def room_mm(mat: Mat) -> float:
    """Between the base and the top plate: the plate lies on the capacitors of the tiles."""
    return mat.build["standoff_mm"] + size("tile_board") + size("capacitor_0402_high")


def clearances(mat: Mat) -> list[Clearance]:
    """All of them. A mat whose boards have no layout has those of its plates only."""
    found = [*_tiles(mat), *_screws(mat), *_plates(mat), *_lights(mat)]
    if "carrier_" + mat.id in boards.LAID_OUT:
        found += [*_carrier(mat), *_around(mat)]
    return found


def _tiles(mat: Mat) -> list[Clearance]:
    build, plate = mat.build, mat.build["plate_mm"]
    above = plate + size("capacitor_0402_high")
    side = places.side(mat) * mat.pitch_mm
    mouths = 2 * (boards.FFC_IN_MM - boards.FFC_DEEP_MM)
    slack = 60.0 - 2 * size("cable_pushed_in") - mouths
    found = [
        Clearance("head of a tile's screw below the cloth", above - size("screw_head_high"), 0.3),
        Clearance(
            "head of a tile's screw in its hole of the top plate, all round",
            (drawings.HEAD_HOLE_MM - size("screw_head")) / 2, 0.3,
        ),
        Clearance(
            "tile's connector above the base",
            build["standoff_mm"] - size("connector_high") - size("cable_thick"), 2.0,
        ),
        Clearance("tiles side by side", build["gap_mm"], 0.3),
        Clearance(
            "slide lock of a tile's connector, open, to the board's edge",
            boards.FFC_IN_MM - boards.FFC_DEEP_MM - size("connector_lock"), 5.0,
        ),
    ]  # fmt: skip
    if mat.pitch_mm == 22.0:  # the tile board that is laid out
        found.append(Clearance("slack of a cable of 60 mm from tile to tile", slack, 4.0, 12.0))
    holes = boards.tile_holes_mm(mat)
    seam = mat.build["base_seam_mm"]
    bridging = [x for x, _ in (places.corner_mm(mat, t) for t in mat.tiles) if x < seam < x + side]
    screws = [x + hx for x in bridging for hx, _ in holes]
    found.append(
        Clearance(
            "screws of the tiles that bridge the base's seam, from it",
            min((abs(x - seam) for x in screws), default=0.0), 10.0,
        )
    )  # fmt: skip
    return found


def _screws(mat: Mat) -> list[Clearance]:
    build, least = mat.build, size("thread_least")
    screw, base = build["screw_mm"], build["base_mm"]
    above, below = screw - size("tile_board"), screw - base
    edge_above, edge_below = screw - build["plate_mm"], screw - base
    carrier = build["carrier_screw_mm"] - 1.6 - build["spacer_mm"] - base
    return [
        Clearance("thread of a tile's screw in its standoff", above, least),
        Clearance("thread of the base's screw in a standoff", below, least),
        Clearance("between both screws in a standoff", build["standoff_mm"] - above - below, 0.5),
        Clearance("thread of the top plate's screw in an edge standoff", edge_above, least),
        Clearance("thread of the base's screw in an edge standoff", edge_below, least),
        Clearance(
            "between both screws in an edge standoff",
            build["edge_standoff_mm"] - edge_above - edge_below, 0.5,
        ),
        Clearance(
            "an edge standoff against the room between the plates: 0.3 mm bend unseen",
            0.3 - abs(build["edge_standoff_mm"] - room_mm(mat)), 0.0,
        ),
        Clearance(
            "the carrier's screws out of their nuts", carrier - size("nut_high"),
            size("pitch_of_thread"),
        ),
        Clearance("feet below the carrier's screws", build["foot_mm"] - carrier, 1.0),
        Clearance(
            "feet below the heads of the base's screws",
            build["foot_mm"] - size("screw_head_high"), 1.0,
        ),
    ]  # fmt: skip


def _plates(mat: Mat) -> list[Clearance]:
    left, right, top = drawings.notch_mm(mat)
    half, middle = drawings.half_mm(mat), drawings.plug_mm(mat)
    corner = drawings.carrier_corner_mm(mat)[1]
    drilled = [*drawings.plate_screws_mm(mat), *drawings.tile_screws_mm(mat)]
    away = min(_outside((left, -half, right, top), hole) for hole in drilled)
    foot = drawings.FOOT_MM / 2
    holes = [
        *drawings.plate_screws_mm(mat),
        *((x + u, y + v) for x, y in _corners(mat) for u, v in boards.tile_holes_mm(mat)),
    ]
    feet = min(math.dist(a, b) for a in drawings.feet_mm(mat) for b in holes)
    inside = half - max(max(abs(x), abs(y)) for x, y in drawings.feet_mm(mat))
    return [
        Clearance(
            "USB plug's overmould in the top plate's notch, each side",
            min(middle - left, right - middle) - size("overmould_wide") / 2, 1.0,
        ),
        Clearance(
            "the notch reaches the Pico's socket",
            top - (corner + boards.PICO_MM[1] - size("pico_long") / 2 - size("usb_over_edge")), 1.0,
        ),
        Clearance(
            "the notch from the screws' holes", away - drawings.HEAD_HOLE_MM / 2, 3.0,
        ),
        Clearance("feet beside the screws' heads", feet - foot - size("screw_head") / 2, 0.5),
        Clearance("feet within the base", inside - foot, 2.0),
        Clearance("button below the top plate", room_mm(mat) - size("button_high"), 1.0),
        Clearance(
            "button's cap in its hole, all round",
            (drawings.BUTTON_HOLE_MM - size("button_cap")) / 2, 0.5,
        ),
    ]  # fmt: skip


def _lights(mat: Mat) -> list[Clearance]:
    high = size("tape_thick") + size("arc_board") + size("led_high")
    ring, slot = mat.build["led_radius_mm"], mat.build["slot_mm"]
    heads = [
        abs(math.hypot(*hole) - ring) - slot / 2 - size("screw_head") / 2
        for hole in drawings.tile_screws_mm(mat)
    ]
    return [
        Clearance(
            "LEDs below the top plate's upper side",
            mat.build["plate_mm"] + size("capacitor_0402_high") - high, 0.1,
        ),
        Clearance("LED arcs from the heads of the tiles' screws", min(heads), 1.0),
        Clearance(
            "the cloth within the LEDs, all round", ring - slot / 2 - drawings.cloth_radius_mm(mat),
            0.5, 2.0,
        ),
        Clearance(
            "the cloth beyond the playing circle", drawings.cloth_radius_mm(mat)
            - mat.circle_radius_mm, 10.0,
        ),
    ]  # fmt: skip


def _carrier(mat: Mat) -> list[Clearance]:
    build, room = mat.build, room_mm(mat)
    upper = build["spacer_mm"] + 1.6
    plug = upper + size("pico_thick") + size("usb_middle")
    cables = (len(chains(mat)) - 1) * size("cable_thick")
    return [
        Clearance(
            "capacitor C15 below the top plate", room - upper - size("electrolytic_high"), 0.5
        ),
        Clearance(
            "plugs J20 to J22 below the top plate", room - upper - size("ph_header_high"), 0.5
        ),
        Clearance(
            "carrier's connectors above the base, a cable between",
            build["spacer_mm"] - size("connector_high") - size("cable_thick"), 0.5,
        ),
        Clearance(
            "folded cables (twice as thick at a fold) below the USB plug's overmould",
            plug - size("overmould_high") / 2 - cables - size("cable_thick"), 0.5,
        ),
    ]  # fmt: skip


def _around(mat: Mat) -> list[Clearance]:
    """Standoffs, spacers and heads beside the parts of their boards."""
    found = []
    tile, carrier = boards.tile_parts(mat), boards.carrier_parts(mat)
    for what, parts, holes, side, across in (
        ("standoffs beside the parts below a tile", tile, boards.tile_holes_mm(mat), "B",
         size("standoff_across")),
        ("screws' heads beside the sensors of a tile", tile, boards.tile_holes_mm(mat), "F",
         size("screw_head")),
        ("spacers beside the parts below the carrier", carrier, boards.carrier_holes_mm(mat), "B",
         size("standoff_across")),
        ("screws' heads beside the parts on the carrier", carrier, boards.carrier_holes_mm(mat),
         "F", size("screw_head")),
    ):  # fmt: skip
        found.append(Clearance(what, _nearest(parts.values(), holes, side) - across / 2, 0.2))
    width, height = mat.build["carrier_mm"]
    inner = min(min(x, y, width - x, height - y) for x, y in boards.carrier_holes_mm(mat))
    found.append(Clearance("the carrier's holes from its edge", inner - HOLE_MM / 2, 2.0))
    return found


def _nearest(parts: Iterable[Placed], holes: Sequence[Point], side: str) -> float:
    """From the middle of a hole to the nearest courtyard on that side."""
    boxes = [part.box() for part in parts if part.layer == side]
    return min(_outside(box, hole) for box in boxes for hole in holes)


def _outside(box: tuple[float, float, float, float], at: Point) -> float:
    """How far a point is outside of a box."""
    left, low, right, high = box
    x, y = at
    return math.hypot(max(left - x, 0.0, x - right), max(low - y, 0.0, y - high))


def _corners(mat: Mat) -> list[Point]:
    return [places.corner_mm(mat, tile) for tile in mat.tiles]


def findings(mat: Mat) -> list[str]:
    """What has no room, a line each."""
    return [
        f"{one.what}: {one.has:.2f} mm, it needs {one.needs:g}"
        + ("" if one.most == math.inf else f" to {one.most:g}")
        for one in clearances(mat)
        if not one.fits()
    ]


def main() -> int:
    """Prints all of the default mat; 1 when something has no room."""
    mat = load_mat()
    for one in clearances(mat):
        mark = "" if one.fits() else "   <- no"
        print(f"{one.has:7.2f} mm, needs {one.needs:4.1f}: {one.what}{mark}")
    return 1 if findings(mat) else 0


if __name__ == "__main__":
    sys.exit(main())
