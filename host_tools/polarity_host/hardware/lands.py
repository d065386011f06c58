"""Land patterns of the parts on boards that have a layout, as KiCad's library has them.

Of each: KiCad's name, pads (number, x, y, width, height), courtyard (left, top, right, bottom), in
mm from the part's middle, x right and y DOWN, as seen from the side that the part is on. A test
holds them against KiCad's own library where that is installed.
"""

from dataclasses import dataclass
from functools import cache


@dataclass(frozen=True)
class Land:
    """One land pattern."""

    name: str
    pads: tuple
    courtyard: tuple


def _two(name, off, width, height, reach, half=0.73):
    pads = (("1", -off, 0.0, width, height), ("2", off, 0.0, width, height))
    return Land(name, pads, (-reach, -half, reach, half))


def _two_rows(name, pins, pitch, off, size, courtyard):
    """Pin 1 at the upper left, on down the left row, and up the right one."""
    half = pins // 2
    rows = [round((k - (half - 1) / 2) * pitch, 4) for k in range(half)]
    left = [(str(k + 1), -off, y, *size) for k, y in enumerate(rows)]
    right = [(str(pins - k), off, y, *size) for k, y in enumerate(rows)]
    return Land(name, (*left, *right), courtyard)


def _sot23_5(name):
    rows = [("1", -1, -0.95), ("2", -1, 0.0), ("3", -1, 0.95), ("4", 1, 0.95), ("5", 1, -0.95)]
    pads = tuple((n, 1.1375 * side, y, 1.325, 0.6) for n, side, y in rows)
    return Land(name, pads, (-2.05, -1.7, 2.05, 1.7))


def _x2son4(name):
    """TI DMR0004A, example board layout."""
    at = {"1": (-0.25, -0.7), "2": (-0.25, 0.7), "3": (0.25, 0.7), "4": (0.25, -0.7)}
    pads = [(n, x, y, 0.22, 0.4) for n, (x, y) in at.items()]
    return Land(name, (*pads, ("5", 0.0, 0.0, 0.8, 0.6)), (-0.81, -1.15, 0.81, 1.15))


def _ffc16(name):
    """JUSHUO AFA07-S series, suggested pad layout. The cable comes from y > 0; MP hold it only."""
    pads = [(str(k + 1), k - 7.5, -3.375, 0.6, 1.8) for k in range(16)]
    tabs = [("MP", x, -1.205, 2.6, 3.0) for x in (-9.85, 9.85)]
    return Land(name, (*pads, *tabs), (-12.0, -4.775, 12.0, 4.975))


@cache
def land(footprint: str) -> Land:
    """The land pattern of a footprint as parts.toml names it. KeyError: there is none."""
    made = {
        "Resistor_SMD:R_0603_1608Metric": lambda n: _two(n, 0.825, 0.8, 0.95, 1.48),
        "Capacitor_SMD:C_0603_1608Metric": lambda n: _two(n, 0.775, 0.9, 0.95, 1.48),
        "Capacitor_SMD:C_0402_1005Metric": lambda n: _two(n, 0.48, 0.56, 0.62, 0.91, 0.46),
        "Package_TO_SOT_SMD:SOT-23-5": _sot23_5,
        "Package_SO:TSSOP-24_4.4x7.8mm_P0.65mm": lambda n: _two_rows(
            n, 24, 0.65, 2.8625, (1.475, 0.4), (-3.85, -4.15, 3.85, 4.15)
        ),
        "Package_SON:Texas_X2SON-4-1EP_1.1x1.4mm_P0.5mm_EP0.8x0.6mm": _x2son4,
        "Connector_FFC-FPC:JUSHUO_AFA07-S16FCA-00_1x16-1MP_P1.0mm_Horizontal": _ffc16,
    }
    return made[footprint](footprint)
