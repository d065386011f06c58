"""The boards that have a layout: their outlines and holes, and where each part stands.

    layout_of("tile", mat, netlist_text)      and "led_arc", "carrier_standard"

Millimetres, x right, y up, seen from above, from a board's lower left corner: for the tile the
corner of the grid's squares (the board itself is `gap_mm` / 2 smaller at each edge), for an arc the
corner of the box round it, with the mat's middle straight below.

On a tile the sensors and their capacitors are on the upper side, "F", the rest is on the lower one,
"B". An arc has nothing below: it lies on the tiles. The carrier has its cables' connectors below,
where the cables run, the rest above.
"""

from math import cos, pi, radians, sin

from polarity_host.mats.description import Mat

from . import places
from .layout import Layout, Placed, laid_out, placed
from .outline import Box, Point, Sector
from .schematic import LEDS_AN_ARC, chains

#: Boards with a layout; all are the default mat's.
LAID_OUT = ("tile", "led_arc", "carrier_standard")
#: Nets whose tracks are wide from the start, and nets that are widened where there is room.
WIDE_NETS = {
    "tile": ((), ("GND", "+3V3")),
    "led_arc": (("VCC5", "GND"), ("VCC5", "GND")),
    "carrier_standard": (
        ("VBUS", "FUSED", "VCC5", "+3V3", "GND"), ("VBUS", "FUSED", "VCC5", "+3V3", "GND"),
    ),
}  # fmt: skip

#: From a tile's middle: 3.3 V, ground, the analogue wire, EN, and the tile's select line.
TILE_TEST_POINTS_MM = ((-22.0, 7.0), (-22.0, 1.0), (-22.0, -5.0), (22.0, 7.0), (22.0, 1.0))
#: On the carrier: the plug's 5 V, that behind the fuse, that behind the switch, 3.3 V, ground, the
#: LEDs' wire, the three inputs.
CARRIER_TEST_POINTS_MM = (
    (20.0, 15.0), (14.0, 15.0), (8.0, 48.0), (14.0, 48.0), (20.0, 48.0), (68.0, 60.0),
    (8.0, 36.0), (14.0, 36.0), (20.0, 36.0),
)  # fmt: skip
CAPACITOR_LEFT_MM = 1.9  # of a sensor's middle: beside its pins 1 and 2
FFC_IN_MM = 26.0  # of a tile's connector from its edge: then a cable of 60 mm lies nearly straight
FFC_DEEP_MM = 5.0  # from a connector's middle to where its cable comes out
HOLE_IN_MM = 6.0  # a tile's holes from its edges: between the sensors
PICO_MM = (34.0, 26.0)  # the Pico's middle on the carrier
ARC_SPARE_DEG = 2.2  # of a slot for an LED arc, beyond the arc's outermost LEDs
ARC_LESS_DEG, ARC_LESS_MM = 0.3, 0.3  # by which an arc is smaller than its slot


# ---- the tile
def tile_holes_mm(mat: Mat) -> list[Point]:
    """A tile's four holes."""
    side = places.side(mat) * mat.pitch_mm
    low, high = HOLE_IN_MM, side - HOLE_IN_MM
    return [(low, low), (high, low), (low, high), (high, high)]


def tile_outline(mat: Mat) -> Box:
    """A tile's edge."""
    side, gap = places.side(mat) * mat.pitch_mm, mat.build["gap_mm"] / 2
    return Box(gap, gap, side - gap, side - gap)


def tile_parts(mat: Mat) -> dict[str, Placed]:
    """Every part of a tile by its reference."""
    side = places.side(mat) * mat.pitch_mm
    middle = side / 2
    stand = {
        "U1": ("mux", "B", middle, middle, 0),
        "C1": ("c100n", "B", middle + 6.5, middle + 3.5, 90),
        "U2": ("inverter", "B", middle + 12.0, middle - 6.0, 0),
        "C2": ("c100n", "B", middle + 16.0, middle - 6.0, 90),
        "R1": ("resistor", "B", middle + 12.0, middle - 9.5, 0),
        "R2": ("resistor", "B", middle - 3.65, middle - 5.7, 270),
        "C3": ("c1u", "B", middle - 12.0, middle - 9.5, 0),
        "J1": ("ffc", "B", middle, FFC_IN_MM, 180),
        "J2": ("ffc", "B", middle, side - FFC_IN_MM, 0),
    }
    for k, (x, y) in enumerate(TILE_TEST_POINTS_MM):
        stand[f"TP{1 + k}"] = ("testpoint", "B", middle + x, middle + y, 0)
    for channel in range(places.side(mat) ** 2):
        x, y = places.sensor_on_tile_mm(mat, channel)
        number = places.FIRST_SENSOR + channel
        stand[f"U{number}"] = ("sensor", "F", x, y, 0)
        stand[f"C{number}"] = ("c100n_low", "F", x - CAPACITOR_LEFT_MM, y, 270)
    return {ref: placed(ref, *where) for ref, where in stand.items()}


# ---- an LED arc
def arc_outline(mat: Mat) -> Sector:
    """An arc's edge: a piece of the ring, its middle LED straight above the ring's middle."""
    build, half = mat.build, _arc_half_deg(mat)
    inner = build["led_radius_mm"] - build["slot_mm"] / 2 + ARC_LESS_MM
    outer = build["led_radius_mm"] + build["slot_mm"] / 2 - ARC_LESS_MM
    x, y = outer * sin(radians(half)), -inner * cos(radians(half))
    return Sector(x, y, inner, outer, 90.0 - half, 90.0 + half)


def _arc_half_deg(mat: Mat) -> float:
    step = 360.0 / mat.led_count
    return (LEDS_AN_ARC - 1) / 2 * step + ARC_SPARE_DEG - ARC_LESS_DEG


def arc_parts(mat: Mat) -> dict[str, Placed]:
    """Every part of an arc by its reference; the data come in at the right."""
    ring, radius = arc_outline(mat), mat.build["led_radius_mm"]
    step, middle = 360.0 / mat.led_count, (LEDS_AN_ARC - 1) / 2
    stand = {}
    for k in range(LEDS_AN_ARC):
        turn = 90.0 + (k - middle) * step
        stand[f"D{1 + k}"] = ("led", "F", *ring.at(radius, turn), 0)
        beside = turn + (1.3 if k < LEDS_AN_ARC - 1 else -1.3)  # the last one's left is the lead's
        stand[f"C{1 + k}"] = ("c100n", "F", *ring.at(radius, beside), 270)
    end = middle * step + 5.1 / radius * 180 / pi
    stand["J1"] = ("wires3", "F", *ring.at(radius, 90.0 - end), 0)
    stand["J2"] = ("wires3", "F", *ring.at(radius, 90.0 + end), 0)
    return {ref: placed(ref, *where) for ref, where in stand.items()}


# ---- the carrier
def carrier_outline(mat: Mat) -> Box:
    """The carrier's edge."""
    return Box(0.0, 0.0, *mat.build["carrier_mm"])


def carrier_holes_mm(mat: Mat) -> list[Point]:
    """Its holes: out of the way of the cables below it."""
    width, height = mat.build["carrier_mm"]
    return [(width - 4.0, 4.0), (4.0, 15.5), (4.0, height - 4.0), (width - 4.0, height - 4.0)]


def cable_ends_mm(mat: Mat) -> list[tuple[float, float, int]]:
    """(x, y, turn) of each chain's connector on the carrier: the chain above it leaves upwards,
    the others downwards, three in a row, to be folded along the plate's edge; the farthest chain
    is the first at the right."""
    width, height = mat.build["carrier_mm"]
    ends = {0: (width / 2 + 2.0, height - FFC_DEEP_MM - 0.5, 0)}
    for k, chain in enumerate(reversed(range(1, len(chains(mat))))):
        row, column = divmod(k, 3)
        ends[chain] = 12.6 + 24.2 * (2 - column), 5.4 + 10.4 * row, 180
    return [ends[chain] for chain in sorted(ends)]


def carrier_parts(mat: Mat) -> dict[str, Placed]:
    """Every part of the standard mat's carrier by its reference."""
    width, height = mat.build["carrier_mm"]
    pico_x, pico_y = PICO_MM
    stand = {
        "U1": ("pico", "F", pico_x, pico_y, 180),
        # 5 V: fuse, switch, and what makes it slow
        "F1": ("fuse", "F", 13.5, 3.0, 180), "Q1": ("switch", "F", 8.5, 9.0, 180),
        "C10": ("c4u7", "F", 13.0, 12.5, 0), "R1": ("resistor", "F", 14.0, 8.0, 0),
        # 3.3 V
        "U4": ("regulator", "F", 9.5, 62.0, 180), "C11": ("c4u7", "F", 9.5, 56.0, 0),
        "C12": ("c4u7", "F", 18.0, 62.0, 90), "C13": ("c4u7", "F", 23.5, 62.0, 90),
        # the lights
        "U5": ("shifter", "F", 58.0, 65.0, 0), "C14": ("c100n", "F", 58.0, 68.5, 0),
        "R2": ("resistor", "F", 65.0, 65.0, 0), "C15": ("c100u", "F", 66.0, 75.5, 0),
        "J20": ("leads3", "F", width - 5.5, 65.5, 90),
        "J21": ("leads2", "F", width - 5.5, 54.5, 90),
        "J22": ("leads2", "F", width - 5.5, 44.5, 90),
        # banks
        "U2": ("decoder", "F", 60.0, 22.0, 0), "C1": ("c100n", "F", 65.5, 24.0, 90),
        "U3": ("decoder", "F", 60.0, 34.0, 0), "C2": ("c100n", "F", 65.5, 36.0, 90),
        # sparks, and a light for 3.3 V
        "D1": ("tvs", "F", 18.8, 5.6, 90), "U6": ("esd", "F", 68.0, 49.5, 0),
        "R3": ("resistor", "F", 62.0, 51.5, 180), "R4": ("resistor", "F", 62.0, 47.5, 180),
        "R5": ("resistor", "F", 17.5, 70.0, 180), "D2": ("power_led", "F", 12.5, 70.0, 0),
    }  # fmt: skip
    for k, (x, y) in enumerate(CARRIER_TEST_POINTS_MM):
        stand[f"TP{1 + k}"] = ("testpoint", "B", x, y, 0)
    for k, pin in enumerate((4, 5, 6, 7, 9, 10, 11, 12)):  # beside the Pico's pins GP2 to GP9
        stand[f"R{10 + k}"] = ("resistor", "F", pico_x + 15.5, pico_y - 26.67 + 2.54 * pin, 0)
    for k in range(3):  # and, in their order, of GP26 to GP28
        y = 29.5 - 4.0 * k
        stand[f"C{30 + k}"] = ("c100p", "F", 17.0, y, 180)
        stand[f"R{30 + k}"] = ("resistor", "F", 11.2, y, 180)
        stand[f"R{40 + k}"] = ("resistor", "F", 5.2, y, 180)
    for k, end in enumerate(cable_ends_mm(mat)):
        stand[f"J{1 + k}"] = ("ffc", "B", *end)
    return {ref: placed(ref, *where) for ref, where in stand.items()}


# ---- all of them
def layout_of(name: str, mat: Mat, netlist: str) -> Layout:
    """A board's layout by its netlist's name. KeyError: a part has no place or no land pattern."""
    if name == "tile":
        outline, holes, parts, thick_mm = (
            tile_outline(mat),
            tile_holes_mm(mat),
            tile_parts(mat),
            1.6,
        )
    elif name == "led_arc":
        outline, holes, parts, thick_mm = arc_outline(mat), (), arc_parts(mat), 1.0
    else:
        outline, holes, thick_mm = carrier_outline(mat), carrier_holes_mm(mat), 1.6
        parts = carrier_parts(mat)
    dots = fiducials_mm(name, mat)
    return laid_out(name, outline, holes, parts, netlist, thick_mm, dots)


def fiducials_mm(name: str, mat: Mat) -> list[tuple[str, float, float]]:
    """(side, x, y): three on each side that a machine sets parts on, no two of them alike when the
    board is turned."""
    if name == "led_arc":
        ring, middle = arc_outline(mat), mat.build["led_radius_mm"]
        places_on = ((middle + 3.4, 87.0), (middle - 3.4, 81.6), (middle - 3.4, 98.2))
        return [("F", *ring.at(*at)) for at in places_on]
    if name == "tile":
        side = places.side(mat) * mat.pitch_mm
        left, right, low, high = 14.0, side - 14.0, 4.5, side - 4.5
        return [(layer, *at) for layer in "FB" for at in ((left, low), (right, low), (left, high))]
    upper, lower = (
        ((11.0, 80.0), (73.5, 80.5), (74.0, 10.0)),
        ((11.0, 79.0), (73.0, 74.0), (77.0, 24.0)),
    )
    return [(layer, *at) for layer, dots in (("F", upper), ("B", lower)) for at in dots]
