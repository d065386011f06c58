"""The current that the mat draws from its USB port, and what that leaves for its lights.

The regulator is linear: the port supplies all the current that its 3.3 V side draws. Sensors are
asleep except those of one tile on each ADC input; a scan is always in progress.
"""

import math

from polarity_host.mats.description import Mat

from .figures import figure

RESERVE_MA = 10.0  # of what a port gives, left alone


class PowerError(Exception):
    """A port that cannot feed the mat. One line."""


def awake_sensors(mat: Mat) -> int:
    """Most sensors that are awake at once."""
    banks = {tile.bank for tile in mat.tiles}
    return max(sum(len(t.sensors) for t in mat.tiles if t.bank == bank) for bank in banks)


def budget(mat: Mat, port_ma: int, worst: bool = True) -> dict[str, float]:
    """mA of each consumer, "lights" last: as much as the firmware lets them draw at this port. With
    `worst` sensors draw their largest current, else their typical one. PowerError."""
    of_one = figure("sensor_max_ma") if worst else figure("sensor_ma")
    asleep = mat.n - awake_sensors(mat)
    found = {
        "Pico": figure("pico_ma"),
        "sensors awake": awake_sensors(mat) * of_one,
        "sensors asleep": asleep * figure("sensor_off_ua") / 1000,
        "logic": figure("logic_ma"),
        "power LED": figure("power_led_ma"),
        "regulator": figure("regulator_ma"),
    }
    found["lights"] = float(min(port_ma - rest_ma(mat), mat.led_most_ma))
    if found["lights"] < mat.led_count * figure("led_dark_ma"):
        raise PowerError(f"a port of {port_ma} mA does not even feed the lights when they are dark")
    return found


def rest_ma(mat: Mat) -> int:
    """The most that everything but the lights draws, in whole mA, and RESERVE_MA."""
    asleep = (mat.n - awake_sensors(mat)) * figure("sensor_off_ua") / 1000
    awake = awake_sensors(mat) * figure("sensor_max_ma")
    others = sum(map(figure, ("pico_ma", "logic_ma", "power_led_ma", "regulator_ma")))
    return math.ceil(others + awake + asleep + RESERVE_MA)


def current_ma(mat: Mat, port_ma: int) -> float:
    """All together at this port, the worst case."""
    return sum(budget(mat, port_ma).values())
