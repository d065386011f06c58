"""Land patterns of the parts on boards that have a layout, as KiCad's library has them.

Of each: KiCad's name, pads (number, x, y, width, height), courtyard (left, top, right, bottom), in
mm from the part's middle, x right and y DOWN, as seen from the side that the part is on. A test
holds them against KiCad's own library where that is installed.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import TypeAlias

from .outline import Extent

LandPad: TypeAlias = tuple[str, float, float, float, float]  # number, x, y, width, height
Pattern: TypeAlias = tuple[tuple[LandPad, ...], Extent]  # pads, courtyard


@dataclass(frozen=True)
class Land:
    """One land pattern; its courtyard is (left, top, right, bottom). `keep_out`: (name, extent) of
    where its own bare copper lies on the board: no copper may be below it."""

    name: str
    pads: tuple[LandPad, ...]
    courtyard: Extent
    keep_out: tuple[tuple[str, Extent], ...] = ()


def _two(off: float, width: float, height: float, reach: float, half: float = 0.73) -> Pattern:
    pads = (("1", -off, 0.0, width, height), ("2", off, 0.0, width, height))
    return pads, (-reach, -half, reach, half)


def _two_rows(
    pins: int, pitch: float, off: float, size: tuple[float, float], courtyard: Extent
) -> Pattern:
    """Pin 1 at the upper left, on down the left row, and up the right one."""
    half = pins // 2
    rows = [round((k - (half - 1) / 2) * pitch, 4) for k in range(half)]
    left = [(str(k + 1), -off, y, *size) for k, y in enumerate(rows)]
    right = [(str(pins - k), off, y, *size) for k, y in enumerate(rows)]
    return (*left, *right), courtyard


def _sot23_5() -> Pattern:
    rows = [("1", -1, -0.95), ("2", -1, 0.0), ("3", -1, 0.95), ("4", 1, 0.95), ("5", 1, -0.95)]
    pads = tuple((n, 1.1375 * side, y, 1.325, 0.6) for n, side, y in rows)
    return pads, (-2.05, -1.7, 2.05, 1.7)


def _sot23() -> Pattern:
    rows = [("1", -0.9375, -0.95), ("2", -0.9375, 0.95), ("3", 0.9375, 0.0)]
    return tuple((n, x, y, 1.475, 0.6) for n, x, y in rows), (-1.92, -1.7, 1.92, 1.7)


def _sot223() -> Pattern:
    pads = [(n, -3.15, y, 2.0, 1.5) for n, y in (("1", -2.3), ("2", 0.0), ("3", 2.3))]
    return (*pads, ("2", 3.15, 0.0, 2.0, 3.8)), (-4.4, -3.6, 4.4, 3.6)


def _x2son4() -> Pattern:
    """TI DMR0004A, example board layout."""
    at = {"1": (-0.25, -0.7), "2": (-0.25, 0.7), "3": (0.25, 0.7), "4": (0.25, -0.7)}
    pads = [(n, x, y, 0.22, 0.4) for n, (x, y) in at.items()]
    return (*pads, ("5", 0.0, 0.0, 0.8, 0.6)), (-0.81, -1.15, 0.81, 1.15)


def _ffc16() -> Pattern:
    """JUSHUO AFA07-S series, suggested pad layout. The cable comes from y > 0; MP hold it only."""
    pads = [(str(k + 1), k - 7.5, -3.375, 0.6, 1.8) for k in range(16)]
    tabs = [("MP", x, -1.205, 2.6, 3.0) for x in (-9.85, 9.85)]
    return (*pads, *tabs), (-12.0, -4.775, 12.0, 4.975)


def _ph_flat(ways: int) -> Pattern:
    """JST PH for boards' surface, its opening towards y > 0; MP hold it only."""
    pads = [(str(k + 1), 2.0 * k - ways + 1, -2.85, 1.0, 3.5) for k in range(ways)]
    tabs = [("MP", side * (ways + 1.35), 2.9, 1.5, 3.4) for side in (-1, 1)]
    return (*pads, *tabs), (-ways - 2.6, -5.1, ways + 2.6, 5.1)


def _sot23_6() -> Pattern:
    rows = [("1", -1, -0.95), ("2", -1, 0.0), ("3", -1, 0.95), ("4", 1, 0.95), ("5", 1, 0.0),
            ("6", 1, -0.95)]  # fmt: skip
    pads = tuple((n, 1.1375 * side, y, 1.325, 0.6) for n, side, y in rows)
    return pads, (-2.05, -1.7, 2.05, 1.7)


def _test_point() -> Pattern:
    return (("1", 0.0, 0.0, 1.5, 1.5),), (-1.25, -1.25, 1.25, 1.25)


def _ws2812b() -> Pattern:
    at = {"1": (-2.45, -1.65), "2": (-2.45, 1.65), "3": (2.45, 1.65), "4": (2.45, -1.65)}
    return tuple((n, x, y, 1.5, 0.9) for n, (x, y) in at.items()), (-3.45, -2.75, 3.45, 2.75)


def _wires(ways: int) -> Pattern:
    """Pads that wires are soldered to, flat on the board, the first at the top."""
    pads = tuple((str(k + 1), 0.0, 2.8 * k - 1.4 * (ways - 1), 2.2, 2.0) for k in range(ways))
    half = 1.4 * (ways - 1) + 1.2
    return pads, (-1.3, -half, 1.3, half)


def _pico() -> Pattern:
    """The Pico on its edges' half-holes, its plug at y < 0; USB are where the plug's tabs stand."""
    pads = [(str(k + 1), -9.69, 2.54 * k - 24.13, 3.2, 1.6) for k in range(20)]
    pads += [(str(k + 21), 9.69, 24.13 - 2.54 * k, 3.2, 1.6) for k in range(20)]
    tabs = [("USB", x, -24.0, 1.1, 1.8) for x in (-2.725, 2.725)]
    tabs += [("USB", x, -20.97, 1.05, 1.45) for x in (-2.425, 2.425)]
    return tuple((n, x, round(y, 4), w, h) for n, x, y, w, h in (*pads, *tabs)), (
        -11.54, -25.75, 11.54, 26.55,
    )  # fmt: skip


_MADE: dict[str, Callable[[], Pattern]] = {
    "Resistor_SMD:R_0603_1608Metric": lambda: _two(0.825, 0.8, 0.95, 1.48),
    "Capacitor_SMD:C_0603_1608Metric": lambda: _two(0.775, 0.9, 0.95, 1.48),
    "Capacitor_SMD:C_0402_1005Metric": lambda: _two(0.48, 0.56, 0.62, 0.91, 0.46),
    "Capacitor_SMD:C_0805_2012Metric": lambda: _two(0.95, 1.0, 1.45, 1.7, 0.98),
    "Capacitor_SMD:CP_Elec_6.3x5.8": lambda: _two(2.7, 3.5, 1.6, 4.7, 3.55),
    "Fuse:Fuse_1206_3216Metric": lambda: _two(1.4, 1.25, 1.75, 2.28, 1.12),
    "Diode_SMD:D_SMF": lambda: _two(1.45, 1.3, 1.4, 2.35, 1.15),
    "LED_SMD:LED_0603_1608Metric": lambda: _two(0.7875, 0.875, 0.95, 1.48),
    "TestPoint:TestPoint_Pad_1.5x1.5mm": _test_point,
    "Package_TO_SOT_SMD:SOT-23-6": _sot23_6,
    "Package_TO_SOT_SMD:SOT-23": _sot23,
    "Package_TO_SOT_SMD:SOT-23-5": _sot23_5,
    "Package_TO_SOT_SMD:SOT-223-3_TabPin2": _sot223,
    "Package_SO:TSSOP-16_4.4x5mm_P0.65mm": lambda: _two_rows(
        16, 0.65, 2.8625, (1.475, 0.4), (-3.85, -2.75, 3.85, 2.75)
    ),
    "Package_SO:TSSOP-24_4.4x7.8mm_P0.65mm": lambda: _two_rows(
        24, 0.65, 2.8625, (1.475, 0.4), (-3.85, -4.15, 3.85, 4.15)
    ),
    "Package_SON:Texas_X2SON-4-1EP_1.1x1.4mm_P0.5mm_EP0.8x0.6mm": _x2son4,
    "Connector_FFC-FPC:JUSHUO_AFA07-S16FCA-00_1x16-1MP_P1.0mm_Horizontal": _ffc16,
    "Connector_JST:JST_PH_S2B-PH-SM4-TB_1x02-1MP_P2.00mm_Horizontal": lambda: _ph_flat(2),
    "Connector_JST:JST_PH_S3B-PH-SM4-TB_1x03-1MP_P2.00mm_Horizontal": lambda: _ph_flat(3),
    "LED_SMD:LED_WS2812B_PLCC4_5.0x5.0mm_P3.2mm": _ws2812b,
    "Polarity:Wires_1x03_P2.8mm": lambda: _wires(3),
    "Module:RaspberryPi_Pico_SMD": _pico,
}  # fmt: skip
#: The Pico's own test points are bare copper on its lower side, which lies flat on the carrier: TP6
#: boots it into its loader when it touches ground. Rectangles of KiCad 9's footprint
#: RaspberryPi_Pico_SMD_HandSolder ("Pad Keep Out TP6" and its like).
_KEEP_OUT: dict[str, tuple[tuple[str, Extent], ...]] = {
    "Module:RaspberryPi_Pico_SMD": (
        ("TP1", (-0.95, -21.95, 0.95, -20.05)), ("TP2", (0.05, -25.25, 1.95, -23.34)),
        ("TP3", (-1.95, -25.25, -0.05, -23.35)), ("TP4, TP5", (-3.45, -18.45, -1.55, -14.25)),
        ("TP6", (-3.45, -14.25, -1.55, -10.05)), ("TP7", (0.05, -5.95, 1.95, -4.05)),
    ),
}  # fmt: skip


@cache
def land(footprint: str) -> Land:
    """The land pattern of a footprint as parts.toml names it. KeyError: there is none."""
    return Land(footprint, *_MADE[footprint](), _KEEP_OUT.get(footprint, ()))
