"""Mats that might be built instead: another grid, Hall plane or sensor, whole enough to play on.

mat = variant(pitch_mm=25.0)             a Mat for the twin
data = firmware_data(mat)                its data for an Engine, by hardware/tools/generate.py
"""

from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, TypedDict, cast

import numpy as np

from hardware.tools import generate
from polarity_host.mats.description import (
    Mat,
    MatError,
    default_mat_name,
    grid_points_mm,
    mat_from_tables,
    mat_tables,
)

if TYPE_CHECKING:
    from polarity.mat_data.mat import Mat as FirmwareMat

OVERSAMPLES = (8, 6, 4, 3, 2, 1)
MORE_LINES = (None, 10)  # of address: those there are, and one more


class Changes(TypedDict, total=False):
    """What is changed of the default mat, as `variant` takes it."""

    pitch_mm: float
    depth_mm: float
    mv_per_mt: float
    saturation_mt: float


def changed(changes: Changes) -> Mat:
    """The default mat with these changes, see `variant`."""
    return variant(**changes)


def variant(
    pitch_mm: float | None = None,
    depth_mm: float | None = None,
    mv_per_mt: float | None = None,
    saturation_mt: float | None = None,
    name: str | None = None,
) -> Mat:
    """The mat called `name` (default: the default mat) with what is given changed.

    Another pitch has its tiles cut where they are fewest, one more address line if it takes one,
    and fewer conversions a sensor where a frame's time is too short for all. MatError when no
    cut into tiles serves it.
    """
    name = name or default_mat_name()
    raw = mat_tables(name)
    if depth_mm is not None:
        raw["grid"]["sensor_z_mm"] = -float(depth_mm)
    if mv_per_mt is not None:
        raw["sensor"]["mv_per_mt"] = float(mv_per_mt)
    if saturation_mt is not None:
        raw["sensor"]["saturation_mt"] = float(saturation_mt)
    if pitch_mm is None or pitch_mm == raw["grid"]["pitch_mm"]:
        return mat_from_tables(name, raw)
    raw["grid"]["pitch_mm"] = float(pitch_mm)
    return _in_time(name, _with_tiles(name, raw))


def _with_tiles(name: str, raw: dict[str, Any]) -> dict[str, Any]:
    """The description with the tiles that need the fewest address lines, then the fewest boards."""
    grid, side = raw["grid"], raw["tiles"]["side"]
    points = grid_points_mm(grid["pitch_mm"], grid["sensor_radius_mm"])
    low = round(points.min() / grid["pitch_mm"])
    found = []
    for more in MORE_LINES:
        lines = [*raw["wiring"]["address_pins"], *([more] if more else [])]
        for first in range(low - side + 1, low + 1):
            chain = -(-(-low + 1 - first) // side)
            tried = {
                **raw,
                "wiring": {**raw["wiring"], "address_pins": lines},
                "tiles": {"side": side, "first": first, "chain": chain},
            }
            try:
                found.append((len(lines), len(mat_from_tables(name, tried).tiles), first, tried))
            except MatError:
                continue
    if not found:
        raise MatError(f"no cut into tiles serves a pitch of {grid['pitch_mm']:g} mm")
    return min(found, key=lambda one: one[:3])[3]


def _in_time(name: str, raw: dict[str, Any]) -> Mat:
    """The mat with the most conversions a sensor for which the scan fits into a frame's time."""
    mat = mat_from_tables(name, raw)
    for oversample in OVERSAMPLES:
        raw["adc"]["oversample"] = oversample
        mat = mat_from_tables(name, raw)
        if scan_ms(mat) < 1000.0 / mat.frame_hz:
            return mat
    raise MatError(f"the scan of {mat.n} sensors takes longer than a frame")


def scan_ms(mat: Mat) -> float:
    """How long a scan of the mat takes."""
    banks = {tile.bank for tile in mat.tiles}
    us = mat.n * mat.oversample * mat.conversion_us
    us += len(np.unique(mat.address)) * mat.settle_us + len(banks) * mat.wake_us
    return us / 1000.0


def firmware_data(mat: Mat) -> "FirmwareMat":
    """The firmware's data as the generator would write them, as an Engine takes them."""
    names: dict[str, Any] = {}
    exec(generate.field_text(mat), names)
    exec(generate.tables_text(mat), names)
    text = generate.module_text(mat).splitlines()
    exec("\n".join(line for line in text if not line.startswith("from .")), names)
    data = SimpleNamespace(**{key: value for key, value in names.items() if key.isupper()})
    return cast("FirmwareMat", data)
