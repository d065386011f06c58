"""Measures on a real mat how long its inputs take to settle after an address step.

The firmware's own driver scans the mat with less and less time between an address step and the
first conversion, and four conversions a sensor, so that there is time to compare with. As long as
no count differs from that of the longest time by more than one LSB, the time is enough. Discs must
lie on the mat, or there are no steps to settle from: sensors that are read one after the other must
differ by much.
"""

import json
import math
from base64 import b64decode
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from polarity_host.errors import SaidError
from polarity_host.mats.description import Mat
from polarity_host.words import Words

TURN_US = 2.048  # of the driver's settling loop
CONVERSIONS = 4
#: Turns that are tried, the longest first: it is what the others are compared with.
TURNS = (16, 12, 10, 9, 8, 7, 6, 5, 4, 3, 2)
FRAMES = 48  # their mean has a noise of less than a tenth of an LSB
MARGIN = 0.2  # of the time needed, to spare
STEP_LEAST = 0.25  # of the ADC's range: with smaller steps the measurement says little

#: Lets code on the Pico import the firmware that starts, wherever it lies.
FIRMWARE_FOUND = """
import sys
try:
    with open("slot") as file:
        sys.path.insert(0, file.read(1))
except OSError:
    pass
"""
_SCRIPT = (
    FIRMWARE_FOUND
    + """
import gc, json
from array import array
from binascii import b2a_base64
from polarity.mat_data import {mat} as mat
from drivers.hall_grid import HallGrid
for turns in {turns}:
    grid = HallGrid(mat, {conversions}, 0, turns)
    if turns == {turns}[0]:
        print(json.dumps(grid.settle_ns))
    grid.start()
    total, taken = array("I", [0] * mat.N), -2
    while taken < {frames}:
        frame = grid.frame()
        if frame:
            taken += 1
            if taken > 0:
                for k in range(mat.N):
                    total[k] += frame[k]
    grid.stop()
    print(b2a_base64(total).decode().strip())
    del grid, total
    gc.collect()
"""
)


class SettlingError(SaidError):
    """What the Pico printed is no measurement. One line."""


@dataclass(frozen=True)
class Settling:
    """`needed_us`: the shortest time that was enough, and `given_us` what the mat has by default;
    `most_us` what it has with four conversions a sensor. `step`: the largest step between sensors
    read one after the other, as a share of the ADC's range. `errors_lsb`: {us: largest error}."""

    needed_us: float
    given_us: float
    most_us: float
    step: float
    errors_lsb: dict[float, float]

    def margin(self) -> float:
        """The share of the given time to spare."""
        return self.given_us / self.needed_us - 1

    def conversions(self) -> int:
        """What the setting `oversample` should be: 0, the mat's own, where there is time to spare,
        else 4, which leaves more of it; -1 where even that is too little."""
        if self.given_us >= (1 + MARGIN) * self.needed_us:
            return 0
        return CONVERSIONS if self.most_us >= (1 + MARGIN) * self.needed_us else -1

    def fields(self) -> dict[str, Any]:
        """For JSON."""
        return {
            "needed_us": self.needed_us, "given_us": self.given_us, "most_us": self.most_us,
            "margin": round(self.margin(), 3), "step": round(self.step, 3),
            "oversample": self.conversions(),
            "errors_lsb": {f"{us:g}": round(lsb, 2) for us, lsb in self.errors_lsb.items()},
        }  # fmt: skip


def script(mat: Mat, turns: Sequence[int] = TURNS, frames: int = FRAMES) -> str:
    """What the Pico runs: it prints the longest time it can give, then sums for each of `turns`."""
    return _SCRIPT.format(mat=mat.id, turns=tuple(turns), conversions=CONVERSIONS, frames=frames)


def examine(
    printed: str, mat: Mat, given_us: float, turns: Sequence[int] = TURNS, frames: int = FRAMES
) -> Settling:
    """What the script's output means. SettlingError."""
    try:
        most, *rows = printed.split()
        sums = [np.frombuffer(b64decode(row), "<u4").astype(float) for row in rows]
        most_us = json.loads(most) / 1000
    except ValueError as error:
        raise SettlingError("the Pico printed no measurement: {error}", error=error) from None
    if len(sums) != len(turns) or any(len(one) != mat.n for one in sums):
        raise SettlingError("the Pico printed less than was asked for")
    means = [one / frames for one in sums]
    lsb = float(mat.oversample)  # of one conversion, on the scale of the counts
    errors = {
        round(count * TURN_US, 3): float(np.abs(mean - means[0]).max()) / lsb
        for count, mean in zip(turns, means)
    }
    needed = max(errors)
    for us in sorted(errors, reverse=True):
        if errors[us] > 1.0:
            break
        needed = us
    return Settling(needed, given_us, most_us, _largest_step(means[0], mat), errors)


def by_default_us(mat: Mat) -> float:
    """What the driver gives with the mat's own number of conversions: the arithmetic of
    firmware/drivers/hall_grid.py, which a test holds to the design's (hardware/tools/scan.py)."""
    cycles = mat.n * (4 + 32 + 34 * mat.oversample)
    spare = int((1_000_000 // mat.frame_hz - 350 - cycles * 1000 // 15_625) / TURN_US)
    addresses = mat.address[mat.scan_order]
    before = np.roll(addresses, 1)
    steps = int((addresses != before).sum())
    banks = max(1, int((addresses >> 4 != before >> 4).sum()))
    waking = math.ceil(mat.wake_us / TURN_US - 1e-9)
    longer = 1 + spare // steps
    if longer < waking:
        longer = 1 + (spare - banks * (waking - 1)) // max(1, steps - banks)
    return min(max(math.ceil(mat.settle_us / TURN_US - 1e-9), longer), 32) * TURN_US


def words(found: Settling, language: Words) -> list[str]:
    """What was measured and what was set, for people."""
    said = language.said
    lines = [
        said(
            "settled within one LSB after {needed:.1f} us; the mat gives {given:.1f} us, "
            "{percent:.0f} % to spare",
            needed=found.needed_us, given=found.given_us, percent=100 * found.margin(),
        )
    ]  # fmt: skip
    if found.step < STEP_LEAST:
        lines.append(
            said(
                "the largest step was {percent:.0f} % of the range, too small to be sure: lay "
                "discs side by side, black and white up, and measure again",
                percent=100 * found.step,
            )
        )
    if found.conversions() == CONVERSIONS:
        lines.append(
            said(
                "that is too little: oversample is now 4, which gives {most:.1f} us; unplug the "
                "mat once",
                most=found.most_us,
            )
        )
    elif found.conversions() < 0:
        lines.append(
            said("even four conversions a sensor leave too little: see hardware/SOURCES.md")
        )
    return lines


def _largest_step(counts: NDArray[np.float64], mat: Mat) -> float:
    """Between sensors of one ADC input, one read after the other, at another address."""
    found = 0.0
    for adc in range(len(mat.adc_pins)):
        own = mat.scan_order[mat.adc[mat.scan_order] == adc]
        found = max(found, float(np.abs(np.diff(counts[own])).max()))
    return found / (2**mat.bits_per_conversion * mat.oversample)
