"""The first hour of a mat: its parts in the order in which each can be trusted, from a bare mat.

Power first, then the carrier's lines, then each chain from the carrier outwards, tile by tile, then
the whole mat: the walk stops at the first step that fails, because what comes after it rests on it.
A line of the carrier's that is cut shows on every tile, and would be taken for the first one's.
What takes eyes and hands, lights, buttons and calibration, comes after it (hands_on.py); where no
person answers, it is named with what must be observed.
"""

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from polarity_host.device.doctor import Finding, examine
from polarity_host.mats.description import Mat
from polarity_host.words import Words
from polarity_host.words.catalogue import DEFAULT

READ_V = 0.5, 2.8  # a bare sensor rests at half of 3.3 V; these leave room for any offset
CARRIER = "carrier"  # Finding.board of what is on it
FEWEST = 0.05  # of the sensors must read so, or there is no power at all


@dataclass(frozen=True)
class Step:
    """One step: what was read, what is expected, and what it means if that is not so, "" where
    it is."""

    name: str
    reading: str
    expected: str
    wrong: str

    def fields(self) -> dict[str, Any]:
        """For JSON."""
        return {**asdict(self), "passed": not self.wrong}


#: What a person must do and observe, when all of the steps have passed.
BY_HAND = (
    Step(
        "lights", "plug the mat in again", "all 60 lights come on for a moment",
        "the first that stays dark, or the one before it: its data wire, then the LED; if none "
        "comes on, J20, U5, R2",
    ),
    Step(
        "buttons", "press each while `polarity log PORT` runs", "the mat answers to each",
        "its lead at J21 or J22, or the lead is at two pins that are always joined",
    ),
    Step(
        "settling", "lay discs side by side, then `polarity doctor PORT --settling`",
        "20 % to spare or more", "the command sets oversample; see hardware/SOURCES.md",
    ),
    Step(
        "calibration", "`polarity calibrate PORT` with one disc", "gains within 15 %",
        "a sensor that is farther off is soldered badly, or broken: replace it",
    ),
)  # fmt: skip


def walk(raw_counts: ArrayLike, mat: Mat, language: str = DEFAULT) -> Iterator[Step]:
    """The steps from counts (frames, n) of the bare mat, in words of a language; the last one may
    have failed. DoctorError: too few frames."""
    said = Words(language).said
    counts = np.asarray(raw_counts, float)
    power = _power(counts, mat, language)
    yield power
    if power.wrong:
        return
    carrier = [finding for finding in examine(counts, mat) if finding.board == CARRIER]
    yield Step(
        said("the carrier"),
        said(
            "{lines} address lines, {inputs} ADC inputs",
            lines=len(mat.address_pins), inputs=len(mat.adc_pins),
        ),
        said("each line switches, each input gives readings"), _words(carrier, language),
    )  # fmt: skip
    if carrier:
        return
    for column in sorted({tile.column for tile in mat.tiles}):
        for tile in (one for one in mat.tiles if one.column == column):
            own = [index for index, _ in tile.sensors]
            volts = _volts(counts[:, own], mat)
            reading = said(
                "{count} sensors, {least:.2f} to {most:.2f} V",
                count=len(own), least=volts.min(), most=volts.max(),
            )  # fmt: skip
            found = examine(counts, mat, tile.name)
            yield Step(
                said("tile {name}", name=tile.name), reading,
                said("each rests at 1.3 to 2.0 V and has its own noise"), _words(found, language),
            )  # fmt: skip
            if found:
                return
    found = examine(counts, mat)
    yield Step(
        said("the whole mat"), said("{count} sensors", count=mat.n), said("no finding"),
        _words(found, language),
    )  # fmt: skip


def _power(counts: NDArray[np.float64], mat: Mat, language: str) -> Step:
    said = Words(language).said
    volts = _volts(counts, mat)
    alive = ((volts > READ_V[0]) & (volts < READ_V[1]) & (counts.std(axis=0) > 0)).mean()
    wrong = ""
    if alive < FEWEST:
        wrong = said(
            "no sensor gives a reading: is D2 lit? Measure at the carrier's test points 5V and "
            "3V3; then F1, Q1, U4, and the cable to the first tile"
        )
    return Step(
        said("power"),
        said(
            "{percent:.0f} % of the sensors rest between {least} and {most} V",
            percent=100 * alive, least=READ_V[0], most=READ_V[1],
        ),
        said("all sensors of the tiles that are connected"), wrong,
    )  # fmt: skip


def _volts(counts: NDArray[np.float64], mat: Mat) -> NDArray[np.float64]:
    """The mean of each sensor's output, in V."""
    full = 2**mat.bits_per_conversion * mat.oversample
    return counts.mean(axis=0) / full * mat.vref_mv / 1000


def _words(found: list[Finding], language: str) -> str:
    return "; ".join(finding.line(language) for finding in found)
