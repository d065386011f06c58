"""Where each part stands on its board's schematic, and the headings beside them.

    at = stands("tile", ["U1", "J1", ...])

In steps of 2.54 mm from the sheet's upper left corner, x right, y down; `turn` in degrees,
counter-clockwise. Pins of one net that face each other in a row or column are joined by a wire
(kicad_sch.py): a series of parts stands in a row, and what goes from it to ground stands half a
part, 1.5 steps, below. All other wires are labels of the same name.
"""

from typing import NamedTuple


class Stand(NamedTuple):
    """A part's middle, and how far it is turned."""

    x: float
    y: float
    turn: int = 0


class Heading(NamedTuple):
    """Words above a group of parts."""

    x: float
    y: float
    words: str


#: Height of a group of a tile's sensors, and how many stand in a row.
SENSORS_A_ROW, SENSOR_WIDE, SENSOR_HIGH = 4, 25, 22

TILE = {
    "J1": Stand(12, 25), "J2": Stand(12, 57),
    "U1": Stand(40, 30), "R2": Stand(30.5, 22, 270), "C1": Stand(56, 22),
    "R1": Stand(29, 60.5), "U2": Stand(39, 60), "C2": Stand(50, 60), "C3": Stand(56, 60),
    **{f"TP{1 + k}": Stand(20 + 9 * k, 76) for k in range(5)},
}  # fmt: skip
LED_ARC = {"J1": Stand(14, 31), "J2": Stand(122, 31, 180)}
CARRIER = {
    "F1": Stand(16, 14, 90), "Q1": Stand(28, 14), "C10": Stand(22, 15.5), "R1": Stand(28, 19.5),
    "C15": Stand(38, 15.5), "C11": Stand(45, 15.5), "U4": Stand(54, 14),
    "C12": Stand(62, 15.5), "C13": Stand(68, 15.5),
    "J20": Stand(68, 97), "U5": Stand(42, 96), "R2": Stand(54, 95, 90), "C14": Stand(26, 96),
    "J21": Stand(96, 91), "J22": Stand(96, 99),
    "U1": Stand(40, 49),
    "U2": Stand(94, 48), "C1": Stand(108, 48), "U3": Stand(94, 71), "C2": Stand(108, 71),
    "D1": Stand(10, 15.5), "D2": Stand(76, 21.5, 180), "R5": Stand(76, 15.5),
    "R3": Stand(106, 91, 90), "R4": Stand(106, 99, 90), "U6": Stand(118, 95),
    **{f"TP{1 + k}": Stand(128 + 9 * (k % 3), 88 + 4 * (k // 3)) for k in range(9)},
}  # fmt: skip
HEADINGS = {
    "tile": (
        Heading(17, 14, "Cable from the carrier's side"),
        Heading(17, 43, "Cable to the next tile"),
        Heading(40, 11, "Multiplexer"),
        Heading(44, 50, "The select line wakes the sensors"),
        Heading(105, 8, "Sensors, by channel"),
        Heading(38, 72, "Test points"),
    ),
    "led_arc": (
        Heading(18, 22, "From the arc before"), Heading(122, 22, "To the next arc"),
        Heading(66, 15, "Lights"),
    ),
    "carrier": (
        Heading(40, 7, "5 V, switched on slowly, and the sensors' 3.3 V"),
        Heading(40, 31, "Raspberry Pi Pico"),
        Heading(92, 7, "Address lines"),
        Heading(94, 38, "Select lines of the banks"),
        Heading(45, 88, "Lights: 5 V level"),
        Heading(100, 86, "Buttons, and what keeps sparks from the Pico"),
        Heading(140, 84, "Test points"),
        Heading(40, 71, "ADC inputs"),
        Heading(135, 7, "Cables to the chains"),
    ),
}  # fmt: skip


def stands(board: str, refs: list[str]) -> dict[str, Stand]:
    """Where each of these parts of a board stands. KeyError: one has no place."""
    found = {"tile": _tile, "led_arc": _led_arc}.get(board, _carrier)()
    return {ref: found[ref] for ref in refs}


def headings(board: str) -> tuple[Heading, ...]:
    """A board's headings."""
    return HEADINGS[board if board in HEADINGS else "carrier"]


def _tile() -> dict[str, Stand]:
    found = dict(TILE)
    for channel in range(SENSORS_A_ROW**2):
        row, column = divmod(channel, SENSORS_A_ROW)
        x, y = 74 + SENSOR_WIDE * column, 18 + SENSOR_HIGH * row
        found[f"U{101 + channel}"] = Stand(x, y)
        found[f"C{101 + channel}"] = Stand(x - 10, y)
    return found


def _led_arc() -> dict[str, Stand]:
    found = dict(LED_ARC)
    for k in range(5):
        found[f"D{1 + k}"] = Stand(30 + 19 * k, 31)
        found[f"C{1 + k}"] = Stand(30 + 19 * k, 45)
    return found


def _carrier() -> dict[str, Stand]:
    found = dict(CARRIER)
    for k in range(8):
        found[f"R{10 + k}"] = Stand(92, 11 + 3 * k, 90)
    for k in range(3):
        x = 14 + 27 * k
        found[f"R{30 + k}"] = Stand(x, 77, 90)
        found[f"R{40 + k}"] = Stand(x - 5, 78.5)
        found[f"C{30 + k}"] = Stand(x + 5, 78.5)
    for k in range(6):
        row, column = divmod(k, 2)
        found[f"J{1 + k}"] = Stand(128 + 19 * column, 20 + 24 * row)
    return found
