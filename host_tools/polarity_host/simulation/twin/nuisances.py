"""Named conditions: a sound mat, one nuisance alone, or all that may happen in a living room.

`usual` is the mat of the demo and of the bench's games: sorted parts, discs as they are bought, a
quiet table. `unsorted` is the usual with sensors' gains as they are bought, which `polarity
calibrate` corrects; `oversample` is the usual with four conversions summed into a count instead of
eight, which is a setting. `none` has no spread and no drift. Every other name is `none` with that
one nuisance, and `all` is all of them on top of the usual.
"""

from dataclasses import replace
from typing import Any

from .condition import CLEAN, MatCondition

USUAL, UNSORTED, OVERSAMPLE, NONE, ALL = "usual", "unsorted", "oversample", "none", "all"
UNSORTED_SIGMA = 0.05  # the TMAG5253's limits of 15 % (hardware/SOURCES.md) taken as three sigma

NUISANCES: dict[str, dict[str, Any]] = {
    "warming": {
        "warming_c": 10.0,
        "warming_time_s": 100.0,  # 9 of the 10 degrees come within a game of four minutes
    },
    "gains": {"gain_sigma": 0.01},
    "moments": {"moment_sigma": 0.03},
    "earth": {"earth_bz_mt": -0.044, "table_slope_deg": 10.0},  # a table on a lawn
    "phone": {"phone_gap_mm": 150.0},
    "watch": {"watch_radius_mm": 12.0},  # ASSUMPTION: 57 g, a heavy steel watch
    "reserve": {"reserve_gap_mm": 60.0},
    "creases": {"crease_tilt_deg": 2.0},
    "broken": {"dead_sensors": 4, "stuck_sensors": 2},
    "noisy-adc": {
        "noisy_adc": 1,
        "noisy_adc_lsb": 2.0,  # ASSUMPTION: 1.6 mV, twice what the converter has by itself
    },
    "jolts": {"jolts_per_minute": 1.0},
    "drops": {"dropped_frames": 0.002},  # ASSUMPTION: one in five seconds
}
NAMES = (USUAL, UNSORTED, OVERSAMPLE, NONE, ALL, *NUISANCES)


def condition(name: str) -> MatCondition:
    """The MatCondition of that name, one of NAMES. Raises KeyError for any other."""
    if name == USUAL:
        return MatCondition()
    if name == UNSORTED:
        return MatCondition(gain_sigma=UNSORTED_SIGMA)
    if name == OVERSAMPLE:
        return MatCondition(conversions=4)
    if name == NONE:
        return CLEAN
    if name == ALL:
        merged = {field: v for fields in NUISANCES.values() for field, v in fields.items()}
        return MatCondition(**merged)
    return replace(CLEAN, **NUISANCES[name])
