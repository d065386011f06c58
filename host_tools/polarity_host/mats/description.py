"""The mats as `hardware/mat.toml` describes them: geometry, sensors, wiring and discs.

`load_mat()` is the one reader of that file. The generator of the firmware's data, the digital twin
and the host tools all take their geometry from the `Mat` it returns. Millimetres from the circle's
centre, z up from the mat's surface.
"""

import copy
import tomllib
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, TypedDict

import numpy as np
from numpy.typing import NDArray

from polarity_host.errors import SaidError
from polarity_host.mats.tiles import CHANNELS, Tile, TileError, cut_into_tiles
from polarity_host.sources import MAT_TOML


class MatError(SaidError):
    """There is no mat of that name, or its description contradicts itself. One line."""


#: The tables of one mat, as tomllib reads them.
Tables = dict[str, Any]


class Build(TypedDict):
    """The plates and boards: hardware/mat.toml says what each length is."""

    cloth_mm: float
    plate_mm: float
    gap_mm: float
    standoff_mm: float
    base_mm: float
    edge_mm: float
    led_radius_mm: float
    slot_mm: float
    carrier_mm: list[float]  # width, height
    spacer_mm: float
    screw_mm: float
    carrier_screw_mm: float
    edge_standoff_mm: float
    foot_mm: float
    notch_mm: list[float]  # width, depth
    base_seam_mm: float
    top_seam_mm: float


@dataclass(frozen=True)
class Disc:
    """A magnetic disc: a cylinder magnetised along its axis, remanence `br_t` in tesla."""

    diameter_mm: float
    thickness_mm: float
    br_t: float
    white_up_counts: int = 1  # +1: a count rises under a disc with white up


@dataclass(frozen=True)
class Mat:
    """One mat. `sensor_xyz_mm`, `adc` and `address` are in frame order, that of its counts."""

    id: str
    title: str
    edition: str
    circle_radius_mm: float
    dot_radius_mm: float
    frame_hz: int
    pitch_mm: float
    sensor_xyz_mm: NDArray[np.float64]  # (n, 3)
    adc: NDArray[np.int_]  # (n,) which ADC input, 0-based
    address: NDArray[np.int_]  # (n,) value on the address lines
    tiles: tuple[Tile, ...]
    chain: int  # select lines of a chain of tiles
    adc_pins: tuple[int, ...]
    address_pins: tuple[int, ...]
    mux_channels: int
    led_pin: int
    led_count: int
    port_ma: int
    led_most_ma: int
    button_pins: tuple[int, ...]
    build: Build
    disc: Disc
    red_disc: Disc
    disc_count: int
    counts_per_mt: float
    zero_count: int
    bits: int
    bits_per_conversion: int
    oversample: int
    conversion_us: float
    settle_us: float
    wake_us: float
    saturation_mt: float
    vref_mv: float
    mv_per_mt: float

    @property
    def n(self) -> int:
        """Counts in a frame."""
        return len(self.adc)

    @property
    def scan_order(self) -> NDArray[np.int_]:
        """Indices of the frame in the order in which the scan reads them: by address, then ADC."""
        return np.lexsort((self.adc, self.address))

    @property
    def age(self) -> NDArray[np.float64]:
        """(n,) how long before a frame's end each sensor was read, as a share of the scan."""
        age = np.empty(self.n)
        age[self.scan_order] = 1.0 - np.arange(1, self.n + 1) / self.n
        return age

    def to_json(self) -> dict[str, Any]:
        """What `polarity mat --json` prints, for programs that cannot import this."""
        sensors = [
            {"x_mm": float(x), "y_mm": float(y), "z_mm": float(z), "adc": int(a), "address": int(s)}
            for (x, y, z), a, s in zip(self.sensor_xyz_mm, self.adc, self.address, strict=True)
        ]
        red = {k: getattr(self.red_disc, k) for k in ("diameter_mm", "thickness_mm", "br_t")}
        disc = {k: getattr(self.disc, k) for k in ("diameter_mm", "thickness_mm", "br_t")}
        return {
            "mat": self.id,
            "title": self.title,
            "sensors": sensors,
            "circle_radius_mm": self.circle_radius_mm,
            "dot_radius_mm": self.dot_radius_mm,
            "disc": {**disc, "white_up_counts": self.disc.white_up_counts},
            "red_disc": red,
            "adc": {
                "counts_per_mt": self.counts_per_mt,
                "zero_count": self.zero_count,
                "bits": self.bits,
                "oversample": self.oversample,
            },
            "frame_hz": self.frame_hz,
        }


def grid_points_mm(pitch_mm: float, radius_mm: float) -> NDArray[np.float64]:
    """(n, 2) points within `radius_mm` of a square grid with one on the centre. Every other row
    runs backwards: this is the order of a frame's counts, whatever the wiring."""
    reach = int(radius_mm // pitch_mm)
    steps = range(-reach, reach + 1)
    rows = []
    for j in steps:
        row = [
            (i * pitch_mm, j * pitch_mm) for i in steps if np.hypot(i, j) * pitch_mm <= radius_mm
        ]
        rows.extend(reversed(row) if j % 2 else row)
    return np.array(rows)


def mat_names(path: Path = MAT_TOML) -> list[str]:
    """The names of all mats that the file describes."""
    return list(_read(path)["mats"])


def default_mat_name(path: Path = MAT_TOML) -> str:
    """The name of the default mat."""
    return _read(path)["default"]


@cache
def _read(path: Path) -> Tables:
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise MatError(
            "cannot read {path}: {why}; install polarity-mat again", path=path, why=error.strerror
        ) from error


@cache
def load_mat(name: str | None = None, path: Path = MAT_TOML) -> Mat:
    """The mat called `name` (the default mat when None).

    Raises MatError when there is no such mat or its sensors do not fit its address lines.
    """
    name = name or default_mat_name(path)
    return mat_from_tables(name, mat_tables(name, path))


def mat_tables(name: str, path: Path = MAT_TOML) -> Tables:
    """A copy of the tables of a mat in the file. MatError when there is no such mat."""
    mats = _read(path)["mats"]
    if name not in mats:
        raise MatError(
            "no mat called {name!r}; choose one of: {known}", name=name, known=", ".join(mats)
        )
    return copy.deepcopy(mats[name])


def mat_from_tables(name: str, raw: Tables) -> Mat:
    """The mat of these tables. MatError when its sensors do not fit its address lines."""
    wiring, adc, sensor, grid = raw["wiring"], raw["adc"], raw["sensor"], raw["grid"]
    points = grid_points_mm(grid["pitch_mm"], grid["sensor_radius_mm"])
    places = np.rint(points / grid["pitch_mm"]).astype(int)
    banks = 2 ** len(wiring["address_pins"]) // CHANNELS
    try:
        tiles = tuple(cut_into_tiles(places, len(wiring["adc_pins"]), **raw["tiles"], banks=banks))
    except TileError as error:
        raise MatError("mat {name!r}: {error}", name=name, error=error) from error
    adc_index, address = np.empty(len(points), int), np.empty(len(points), int)
    for tile in tiles:
        for index, channel in tile.sensors:
            adc_index[index], address[index] = tile.adc, CHANNELS * tile.bank + channel
    codes = 2 ** adc["bits_per_conversion"]
    oversample = adc["oversample"]
    disc = {k: raw["disc"][k] for k in ("diameter_mm", "thickness_mm", "br_t", "white_up_counts")}
    return Mat(
        id=name,
        title=raw["title"],
        edition=raw["edition"],
        circle_radius_mm=raw["circle_radius_mm"],
        dot_radius_mm=raw["dot_radius_mm"],
        frame_hz=raw["frame_hz"],
        pitch_mm=grid["pitch_mm"],
        sensor_xyz_mm=np.column_stack([points, np.full(len(points), grid["sensor_z_mm"])]),
        adc=adc_index,
        address=address,
        tiles=tiles,
        chain=raw["tiles"]["chain"],
        adc_pins=tuple(wiring["adc_pins"]),
        address_pins=tuple(wiring["address_pins"]),
        mux_channels=wiring["mux_channels"],
        led_pin=wiring["led_pin"],
        led_count=wiring["led_count"],
        port_ma=raw["power"]["port_ma"],
        led_most_ma=raw["power"]["led_most_ma"],
        button_pins=tuple(wiring["button_pins"]),
        build=raw["build"],
        disc=Disc(**disc),
        red_disc=Disc(**raw["red_disc"]),
        disc_count=raw["disc"]["count"],
        counts_per_mt=oversample * codes * sensor["mv_per_mt"] / adc["vref_mv"],
        zero_count=oversample * codes // 2,
        bits=adc["bits_per_conversion"] + (oversample - 1).bit_length(),
        bits_per_conversion=adc["bits_per_conversion"],
        oversample=oversample,
        conversion_us=adc["conversion_us"],
        settle_us=adc["settle_us"],
        wake_us=adc["wake_us"],
        saturation_mt=sensor["saturation_mt"],
        vref_mv=adc["vref_mv"],
        mv_per_mt=sensor["mv_per_mt"],
    )
