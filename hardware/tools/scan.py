"""How long the firmware lets inputs settle: what firmware/drivers/hall_grid.py chooses for a mat.

It gives at least mat.toml's times, and shares what is left of a frame's period among the address
steps. The constants are those of the driver, which only MicroPython can load; a test reads them
there.
"""

import math

import numpy as np

from polarity_host.mats.description import Mat

PIO_HZ = 15_625_000
SETTLE_CYCLES, CONVERT_CYCLES, SENSOR_CYCLES = 32, 34, 4
LONGEST_SETTLING = 32  # turns of the settling loop
RESTART_US, SOONER_US = 250, 100
TURN_US = SETTLE_CYCLES * 1e6 / PIO_HZ
CONVERT_US = CONVERT_CYCLES * 1e6 / PIO_HZ  # from one conversion of a sensor to the next


def given_us(mat: Mat, oversample: int = 0) -> tuple[float, float]:
    """(after a step to another channel, after one to another bank): from the step to the first
    conversion. ValueError where the scan does not fit into a frame."""
    conversions = oversample or mat.oversample
    turns, waking = (math.ceil(us / TURN_US - 1e-9) for us in (mat.settle_us, mat.wake_us))
    addresses = mat.address[mat.scan_order]
    before = np.roll(addresses, 1)
    steps = int((addresses != before).sum())
    banks = max(1, int((addresses >> 4 != before >> 4).sum()))
    cycles = mat.n * (SENSOR_CYCLES + SETTLE_CYCLES + CONVERT_CYCLES * conversions)
    period_us = 1_000_000 // mat.frame_hz
    spare_us = period_us - SOONER_US - RESTART_US - cycles * 1000 // (PIO_HZ // 1000)
    spare = int(spare_us * 1000 // (TURN_US * 1000))
    if (turns - 1) * (steps - banks) + (waking - 1) * banks > spare:
        raise ValueError("a scan would take longer than a frame")
    longer = 1 + spare // steps
    if longer < waking:
        longer = 1 + (spare - banks * (waking - 1)) // max(1, steps - banks)
    turns = max(turns, min(longer, LONGEST_SETTLING))
    return turns * TURN_US, max(turns, waking) * TURN_US
