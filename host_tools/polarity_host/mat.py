"""The mats as `hardware/mat.toml` describes them: geometry, sensors, wiring and discs.

`load_mat()` is the one reader of that file. The generator of the firmware's data, the digital twin
and the host tools all take their geometry from the `Mat` it returns. Millimetres from the circle's
centre, z up from the mat's surface.
"""

import tomllib
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np

MAT_TOML = Path(__file__).resolve().parents[2] / "hardware" / "mat.toml"


class MatError(Exception):
    """A mat that cannot be had: no such name, or a description at odds with itself. One line."""


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
    sensor_xyz_mm: np.ndarray  # (n, 3)
    adc: np.ndarray  # (n,) which ADC input, 0-based
    address: np.ndarray  # (n,) value on the address lines
    adc_pins: tuple
    address_pins: tuple
    mux_channels: int
    led_pin: int
    led_count: int
    button_pins: tuple
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
    saturation_mt: float
    vref_mv: float
    mv_per_mt: float

    @property
    def n(self) -> int:
        """Counts in a frame."""
        return len(self.adc)

    def to_json(self) -> dict:
        """What `polarity mat --json` prints: the mat for programs that cannot import this."""
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


def grid_points_mm(pitch_mm: float, radius_mm: float) -> np.ndarray:
    """(n, 2) points within `radius_mm` of a square grid with one on the centre, rows in a snake."""
    reach = int(radius_mm // pitch_mm)
    steps = range(-reach, reach + 1)
    rows = []
    for j in steps:
        row = [
            (i * pitch_mm, j * pitch_mm) for i in steps if np.hypot(i, j) * pitch_mm <= radius_mm
        ]
        rows.extend(reversed(row) if j % 2 else row)
    return np.array(rows)


def _wire(points: np.ndarray, adc_count: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Orders points into a frame: index = address x ADCs + ADC, each ADC with its block of rows.

    The scan steps the address and reads every ADC in turn, so a frame's counts arrive in this
    order, and unused places are only at its end.
    """
    share = [len(points[i::adc_count]) for i in range(adc_count)]
    starts = np.concatenate([[0], np.cumsum(share)])
    adc = np.arange(len(points)) % adc_count
    address = np.arange(len(points)) // adc_count
    return points[starts[adc] + address], adc, address


def mat_names(path: Path = MAT_TOML) -> list[str]:
    """The mats that the description knows."""
    return list(_read(path)["mats"])


def default_mat_name(path: Path = MAT_TOML) -> str:
    """The mat that is meant when none is named."""
    return _read(path)["default"]


@cache
def _read(path: Path) -> dict:
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise MatError(
            f"cannot read {path}: {error.strerror}; install from a checkout with `make`"
        ) from error


@cache
def load_mat(name: str | None = None, path: Path = MAT_TOML) -> Mat:
    """The mat called `name` (the default mat when None).

    Raises MatError when there is no such mat or its sensors do not fit its address lines.
    """
    mats = _read(path)["mats"]
    name = name or default_mat_name(path)
    if name not in mats:
        raise MatError(f"no mat called {name!r}; choose one of: {', '.join(mats)}")
    raw = mats[name]
    wiring, adc, sensor, grid = raw["wiring"], raw["adc"], raw["sensor"], raw["grid"]
    points, adc_index, address = _wire(
        grid_points_mm(grid["pitch_mm"], grid["sensor_radius_mm"]), len(wiring["adc_pins"])
    )
    if address.max() >= 2 ** len(wiring["address_pins"]):
        raise MatError(f"mat {name!r}: {len(points)} sensors need more address lines than it has")
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
        adc_pins=tuple(wiring["adc_pins"]),
        address_pins=tuple(wiring["address_pins"]),
        mux_channels=wiring["mux_channels"],
        led_pin=wiring["led_pin"],
        led_count=wiring["led_count"],
        button_pins=tuple(wiring["button_pins"]),
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
        saturation_mt=sensor["saturation_mt"],
        vref_mv=adc["vref_mv"],
        mv_per_mt=sensor["mv_per_mt"],
    )
