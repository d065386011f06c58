"""What each kind of part looks like on a schematic: a box with its pins, or the usual sign.

Millimetres from the part's middle, x right, y up, as KiCad's libraries have it. A pin's angle is
the way from its end to the part: 0 is right, 90 up.
"""

from dataclasses import dataclass
from functools import cache

from .outline import Point
from .parts import part_kinds

GRID_MM = 2.54
PIN_MM = 2.54
TWO_ENDED_MM = 3.81  # from the middle of a resistor to its pins' ends
#: (left, right, top, bottom): the names of an IC's pins, downwards or to the right; half its width.
SIDES: dict[str, tuple[str, str, str, str]] = {
    "sensor": ("EN", "OUT", "VCC", "GND EP"),
    "mux": (
        "Z - S0 S1 S2 S3 - E",
        "Y0 Y1 Y2 Y3 Y4 Y5 Y6 Y7 Y8 Y9 Y10 Y11 Y12 Y13 Y14 Y15", "VCC", "GND",
    ),
    "inverter": ("A NC", "Y", "VCC", "GND"),
    "decoder": ("A0 A1 A2 - E1 E2 E3", "Y0 Y1 Y2 Y3 Y4 Y5 Y6 Y7", "VCC", "GND"),
    "regulator": ("IN", "OUT", "", "GND"),
    "switch": ("S", "D", "", "G"),
    "shifter": ("A OE", "Y", "VCC", "GND"),
    "esd": ("IO1_1 - IO2_3", "IO1_6 - IO2_4", "VBUS", "GND"),
    "led": ("DIN", "DOUT", "VDD", "VSS"),
    "pico": (
        "GP0 GP1 GP2 GP3 GP4 GP5 GP6 GP7 GP8 GP9 GP10 GP11 GP12 GP13 GP14 GP15 RUN",
        "GP16 GP17 GP18 GP19 GP20 GP21 GP22 GP26 GP27 GP28",
        "VBUS VSYS 3V3_EN 3V3 ADC_VREF",
        "GND3 GND8 GND13 GND18 GND23 GND28 GND38 AGND",
    ),
}  # fmt: skip
HALF_WIDE_MM = {"pico": 27.94, "mux": 10.16, "decoder": 10.16}
PLAIN_HALF_MM = 7.62
TOP_STEP_MM = 5.08  # between pins at the top and at the bottom
CONNECTOR_HALF_MM = 2.54
DIODES = ("tvs", "power_led")


@dataclass(frozen=True)
class SymbolPin:
    """A pin: where its end is, and its angle."""

    number: str
    name: str
    sort: str
    end: Point
    angle: int


@dataclass(frozen=True)
class Symbol:
    """A part's sign: its pins, lines of its picture, half its width and height; `plain`: its pins'
    names are not shown."""

    pins: tuple[SymbolPin, ...]
    lines: tuple[tuple[Point, ...], ...]
    half: Point
    plain: bool


@cache
def symbol(kind: str) -> Symbol:
    """A kind's sign. KeyError: no such kind, or a pin has no side."""
    listed = part_kinds()[kind]
    if kind in SIDES:
        return _box(kind, listed.pins)
    if len(listed.pins) == 2 and not kind.startswith("leads"):
        return _two_ended(kind, listed.pins)
    half = len(listed.pins) * GRID_MM / 2
    top = half - GRID_MM / 2
    pins = tuple(
        SymbolPin(number, name, sort, (CONNECTOR_HALF_MM + PIN_MM, top - k * GRID_MM), 180)
        for k, (number, name, sort) in enumerate(listed.pins)
    )
    return Symbol(pins, (_frame(CONNECTOR_HALF_MM, half),), (CONNECTOR_HALF_MM, half), True)


def _frame(x: float, y: float) -> tuple[Point, ...]:
    return (-x, y), (x, y), (x, -y), (-x, -y), (-x, y)


def _box(kind: str, listed: tuple[tuple[str, str, str], ...]) -> Symbol:
    left, right, top, bottom = (side.split() for side in SIDES[kind])
    wide = HALF_WIDE_MM.get(kind, PLAIN_HALF_MM)
    rows = max(len(left), len(right))
    high = GRID_MM * (rows // 2 + (3 if kind == "pico" else 2))  # names at the top need the room
    ends: dict[str, tuple[Point, int]] = {}
    first = GRID_MM * (rows // 2)
    for k, name in enumerate(left):
        ends[name] = (-wide - PIN_MM, first - k * GRID_MM), 0
    for k, name in enumerate(right):
        ends[name] = (wide + PIN_MM, first - k * GRID_MM), 180
    for names, y, angle in ((top, high + PIN_MM, 270), (bottom, -high - PIN_MM, 90)):
        for k, name in enumerate(names):
            x = (k - len(names) // 2) * TOP_STEP_MM if len(names) > 1 else 0.0
            ends[name] = (x, y), angle
    pins = tuple(SymbolPin(number, name, sort, *ends[name]) for number, name, sort in listed)
    return Symbol(pins, (_frame(wide, high),), (wide, high), False)


def _two_ended(kind: str, listed: tuple[tuple[str, str, str], ...]) -> Symbol:
    """A is at the top; capacitors have two plates, the one of C15 a plus."""
    (first, one, sort), (second, other, _) = listed
    pins = (
        SymbolPin(first, one, sort, (0.0, TWO_ENDED_MM), 270),
        SymbolPin(second, other, sort, (0.0, -TWO_ENDED_MM), 90),
    )
    if kind in DIODES:  # K is at the top
        near = 1.27
        lines: tuple[tuple[Point, ...], ...] = (
            ((-1.27, -near), (1.27, -near), (0.0, near), (-1.27, -near)),
            ((-1.27, near), (1.27, near)),
        )  # fmt: skip
    elif not kind.startswith("c"):
        lines = (_frame(1.016, 2.54),)
        near = 2.54
        if kind == "fuse":
            lines += (((0.0, near), (0.0, -near)),)
    else:
        near = 0.508
        lines = tuple(((-2.032, y), (2.032, y)) for y in (near, -near))
        if one == "P":
            lines += (((-2.032, 1.524), (-1.016, 1.524)), ((-1.524, 2.032), (-1.524, 1.016)))
    if near != TWO_ENDED_MM - PIN_MM:
        lines += tuple(((0.0, s * (TWO_ENDED_MM - PIN_MM)), (0.0, s * near)) for s in (1, -1))
    return Symbol(pins, lines, (2.032, TWO_ENDED_MM), True)
