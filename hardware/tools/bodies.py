"""What boards and the whole mat are made of, as plain solids: flat shapes with a height.

    board_bodies(layout)      a board and its parts, its lower side at z = 0
    stack(mat, layouts)       everything that a mat is made of, where it lies

Millimetres, x right, y up, z up. models.py makes STEP, VRML and pictures of them. A part is a box
as large as its case, or two: for how it looks and what room it takes, not for its leads.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import cos, pi, sin
from typing import NamedTuple, TypeAlias

from polarity_host.mats.description import Mat

from . import boards, drawings, places
from .clearances import size
from .drawing import Circle, Shape
from .layout import Layout, Placed
from .outline import Box, LineSide, Point, Sector, Side
from .schematic import LEDS_AN_ARC

Round: TypeAlias = tuple[float, float, float]  # x, y, diameter

BLACK, METAL, BEIGE, WHITE, TAN = "#202124", "#b9bcc2", "#d9d2bd", "#f2f2f2", "#a8845a"
GREEN, WOOD, CLOTH, NYLON = "#1f7a4c", "#b98a5e", "#4a6076", "#f0eee6"
#: Cases: (width along x of the land pattern, along y, height), colour. Heights that clearances
#: depend on are those of sizes.toml; the others are of the case's usual drawing.
CASES: dict[str, tuple[float, float, float, str]] = {
    "sensor": (1.1, 1.4, size("sensor_high"), BLACK),
    "mux": (4.4, 7.8, size("mux_high"), BLACK),
    "decoder": (4.4, 5.0, size("mux_high"), BLACK),
    "inverter": (1.6, 2.9, 1.1, BLACK),
    "shifter": (1.6, 2.9, 1.1, BLACK),
    "esd": (1.6, 2.9, 1.1, BLACK),
    "switch": (1.3, 2.9, 1.0, BLACK),
    "regulator": (3.5, 6.5, size("regulator_high"), BLACK),
    "fuse": (3.2, 1.6, 0.6, "#3f6b3a"),
    "tvs": (2.8, 1.8, 1.1, BLACK),
    "power_led": (1.6, 0.8, 0.6, "#7ed37e"),
    "led": (5.0, 5.0, 1.57, WHITE),
    "ffc": (22.5, 6.0, size("connector_high"), BEIGE),
    "leads2": (5.9, 7.6, size("ph_header_high"), WHITE),
    "leads3": (7.9, 7.6, size("ph_header_high"), WHITE),
    "resistor": (1.6, 0.8, 0.45, BLACK),
    "c100n": (1.6, 0.8, 0.8, TAN),
    "c100p": (1.6, 0.8, 0.8, TAN),
    "c1u": (1.6, 0.8, 0.8, TAN),
    "c100n_low": (1.0, 0.5, size("capacitor_0402_high"), TAN),
    "c4u7": (2.0, 1.25, 1.25, TAN),
    "c100u": (6.6, 6.6, 0.8, BLACK),
    "pico": (21.0, size("pico_long"), size("pico_thick"), "#24563b"),
}  # fmt: skip


@dataclass(frozen=True)
class Body:
    """A flat shape from `low` to `high`: within `sides` or, where that is None, `disc`; with round
    `holes` and `cutouts` through it."""

    name: str
    colour: str
    low: float
    high: float
    sides: tuple[Side, ...] | None = None
    disc: Round | None = None
    holes: tuple[Round, ...] = ()
    cutouts: tuple[tuple[Side, ...], ...] = ()


class Item(NamedTuple):
    """Bodies that lie together: turned by `turn` degrees about their origin, then moved. `level`:
    how high they rise in an exploded view, in steps."""

    name: str
    bodies: tuple[Body, ...]
    x: float
    y: float
    z: float
    turn: float
    level: float


def _box(name: str, colour: str, box: tuple[float, ...], low: float, high: float) -> Body:
    left, bottom, right, top = box
    return Body(name, colour, low, high, tuple(Box(left, bottom, right, top).sides()))


def board_bodies(layout: Layout) -> tuple[Body, ...]:
    """The board, named as its layout, then its parts by reference. KeyError: a part has no case."""
    board = Body(
        layout.name, GREEN, 0.0, layout.thick_mm, tuple(layout.outline.sides()), holes=layout.holes
    )
    found = [board]
    for part in layout.parts:
        if part.kind in CASES:
            found += _part(part, layout.thick_mm)
        elif part.kind not in ("wires3", "testpoint"):
            raise KeyError(f"{part.kind} has no case in bodies.py")
    return tuple(found)


def _part(part: Placed, thick_mm: float) -> list[Body]:
    width, deep, high, colour = CASES[part.kind]
    found = [_on_board(part, part.ref, colour, (-width / 2, -deep / 2, width / 2, deep / 2), 0.0,
                       high, thick_mm)]  # fmt: skip
    more: list[tuple[str, str, tuple[float, float, float, float], float, float]] = []
    if part.kind == "pico":  # its plug and its chip, in the land pattern's coordinates (y down)
        more = [
            ("plug", METAL, (-3.8, -26.8, 3.8, -21.2), high, high + 2 * size("usb_middle")),
            ("chip", BLACK, (-3.5, -4.5, 3.5, 2.5), high, high + 0.9),
            ("button", WHITE, (-6.5, -14.5, -3.5, -10.3), high, high + 1.5),
        ]
    elif part.kind == "led":
        more = [("chip", "#caa64b", (-1.2, -1.2, 1.2, 1.2), high, high + 0.02)]
    elif part.kind == "ffc":
        more = [("lock", BLACK, (-11.0, 3.0, 11.0, 3.0 + size("connector_lock")), 0.3, high - 0.2)]
    found += [
        _on_board(part, f"{part.ref} {name}", paint, box, low, top, thick_mm)
        for name, paint, box, low, top in more
    ]
    if part.kind == "c100u":
        can = (part.x, part.y, 6.3)
        found.append(Body(f"{part.ref} can", METAL, thick_mm + high,
                          thick_mm + size("electrolytic_high"), disc=can))  # fmt: skip
    return found


def _on_board(
    part: Placed,
    name: str,
    colour: str,
    box: tuple[float, float, float, float],
    low: float,
    high: float,
    thick_mm: float,
) -> Body:
    """A box of a land pattern (y down), on the side that the part is on."""
    low, high = (thick_mm + low, thick_mm + high) if part.layer == "F" else (-high, -low)
    return _box(name, colour, part.extent(box), low, high)


# ---- the whole mat
def stack(mat: Mat, layouts: Mapping[str, Layout]) -> list[Item]:
    """Everything from the feet to the cloth; z = 0 is the cloth's upper side. All tiles are shown
    with all their sensors. Cables, screws and leads are left out."""
    build = mat.build
    plate = -build["cloth_mm"] - build["plate_mm"]  # the top plate's lower side
    tile_z = plate - size("capacitor_0402_high") - size("tile_board")
    base_z = tile_z - build["standoff_mm"] - build["base_mm"]
    tile = board_bodies(layouts["tile"])
    found = [
        Item("base plate", (_base_plate(mat),), 0.0, 0.0, base_z, 0.0, 0.0),
        Item("feet", _posts(drawings.feet_mm(mat), drawings.FOOT_MM, build["foot_mm"], BLACK),
             0.0, 0.0, base_z - build["foot_mm"], 0.0, -0.5),
        Item("standoffs", _standoffs(mat), 0.0, 0.0, base_z + build["base_mm"], 0.0, 0.6),
    ]  # fmt: skip
    x, y = drawings.carrier_corner_mm(mat)
    carrier = board_bodies(layouts[f"carrier_{mat.id}"])
    carrier_z = base_z + build["base_mm"] + build["spacer_mm"]
    found.append(Item("carrier", carrier, x, y, carrier_z, 0.0, 1.2))
    for one in mat.tiles:
        found.append(Item(f"tile {one.name}", tile, *places.corner_mm(mat, one), tile_z, 0.0, 1.6))
    found += _lights(mat, layouts["led_arc"], tile_z + size("tile_board") + size("tape_thick"))
    found.append(Item("top plate", (_top_plate(mat),), 0.0, 0.0, plate, 0.0, 3.2))
    cloth = Body(
        "cloth", CLOTH, 0.0, build["cloth_mm"], disc=(0.0, 0.0, 2 * drawings.cloth_radius_mm(mat))
    )
    found.append(Item("cloth", (cloth,), 0.0, 0.0, -build["cloth_mm"], 0.0, 4.2))
    return found


def _lights(mat: Mat, layout: Layout, z: float) -> list[Item]:
    """The arcs, each turned about the ring's middle into its slot (drawings.top_plate)."""
    ring, arc = boards.arc_outline(mat), board_bodies(layout)
    step, found = 360.0 / mat.led_count, []
    for k, first in enumerate(range(0, mat.led_count, LEDS_AN_ARC)):
        turn = (first + (LEDS_AN_ARC - 1) / 2) * step - 90.0
        c, s = cos(turn * pi / 180), sin(turn * pi / 180)
        x, y = -ring.x * c + ring.y * s, -ring.x * s - ring.y * c
        found.append(Item(f"LED arc {k + 1}", arc, x, y, z, turn, 2.4))
    return found


def _posts(at: list[Point], across: float, high: float, colour: str) -> tuple[Body, ...]:
    return tuple(
        Body(f"post {k}", colour, 0.0, high, disc=(x, y, across)) for k, (x, y) in enumerate(at, 1)
    )


def _standoffs(mat: Mat) -> tuple[Body, ...]:
    at = [
        (x + u, y + v)
        for x, y in (places.corner_mm(mat, tile) for tile in mat.tiles)
        for u, v in boards.tile_holes_mm(mat)
    ]
    across, build = size("standoff_across"), mat.build
    return (
        *_posts(at, across, build["standoff_mm"], NYLON),
        *_posts(drawings.plate_screws_mm(mat), across, build["edge_standoff_mm"], NYLON),
    )


def _drilled(shapes: Sequence[Shape]) -> tuple[Round, ...]:
    return tuple(
        (*shape.centre, 2 * shape.radius_mm)
        for shape in shapes
        if isinstance(shape, Circle) and shape.layer == "drill"
    )


def _base_plate(mat: Mat) -> Body:
    half = drawings.half_mm(mat)
    holes = _drilled(drawings.base_plate(mat).shapes)
    sides = tuple(Box(-half, -half, half, half).sides())
    return Body("base plate", WOOD, 0.0, mat.build["base_mm"], sides, holes=holes)


def _top_plate(mat: Mat) -> Body:
    """With its notch for the plug, and a slot for each arc."""
    half, (left, right, top) = drawings.half_mm(mat), drawings.notch_mm(mat)
    corners = [
        (-half, -half), (left, -half), (left, top), (right, top), (right, -half), (half, -half),
        (half, half), (-half, half),
    ]  # fmt: skip
    sides = tuple(LineSide("line", a, b) for a, b in zip(corners, corners[1:] + corners[:1]))
    step, ring = 360.0 / mat.led_count, mat.build["led_radius_mm"]
    slots = []
    for first in range(0, mat.led_count, LEDS_AN_ARC):
        a, b = first * step, (first + LEDS_AN_ARC - 1) * step
        slot = Sector(0.0, 0.0, ring - mat.build["slot_mm"] / 2, ring + mat.build["slot_mm"] / 2,
                      a - boards.ARC_SPARE_DEG, b + boards.ARC_SPARE_DEG)  # fmt: skip
        slots.append(tuple(slot.sides()))
    holes = _drilled(drawings.top_plate(mat).shapes)
    return Body("top plate", WOOD, 0.0, mat.build["plate_mm"], sides, None, holes, tuple(slots))
