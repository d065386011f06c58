"""What of a mat's first hour takes a person's eyes and hands: lights, buttons, calibration.

The Pico's program is stopped for it: the lights are lit by the firmware's own driver, and the
buttons' pins are read as they are. No chip can see its lights, so a person says which are wrong, by
numbers alone.
"""

import json
from collections.abc import Callable, Iterator
from typing import Protocol

import numpy as np

from polarity_host.device.bring_up import Step
from polarity_host.device.calibration.measure import WIDEST_GAIN, Measured
from polarity_host.device.settling import FIRMWARE_FOUND
from polarity_host.errors import Said
from polarity_host.mats.description import Mat
from polarity_host.words import Words
from polarity_host.words.catalogue import DEFAULT

LEDS_AN_ARC = 5
COLOURS = (
    (Said("red"), (255, 0, 0)), (Said("green"), (0, 255, 0)), (Said("blue"), (0, 0, 255)),
)  # fmt: skip
BRIGHTNESS = 48  # of 255: may be looked at; the driver's cap holds all the same
WAIT_MS = 20_000  # for a press
# Shares of the assumed disc's moment: hardware/BUILD.md, step 1, lets 17 to 70 of 50 mT pass.
LEAST_MOMENT, MOST_MOMENT = 0.34, 1.4

_LIGHTS = (
    FIRMWARE_FOUND
    + """
import time
from polarity.mat_data import {mat} as mat
from drivers.pixels import Pixels, cap_ma
pixels = Pixels(mat.LED_PIN, mat.LED_COUNT, cap_ma(mat, 500), brightness={brightness})
pixels.show(bytes({colour}) * mat.LED_COUNT)
begun = time.ticks_ms()
while time.ticks_diff(time.ticks_ms(), begun) < 10:  # 2 ms to send it; latched after 0.3 more
    pass
"""
)
_BUTTONS = """
import json, time
from machine import Pin
pins = [Pin(number, Pin.IN, Pin.PULL_UP) for number in {pins}]
begun, down, up_ms = time.ticks_ms(), 0, 0
while True:
    now = sum(1 << k for k, pin in enumerate(pins) if not pin.value())
    down |= now
    up_ms = 0 if now else up_ms + 5
    if down and up_ms > 50 or time.ticks_diff(time.ticks_ms(), begun) >= {wait_ms}:
        break
    time.sleep_ms(5)
print(json.dumps([down, now]))
"""


class Chip(Protocol):
    """A Pico whose program is stopped."""

    def run(self, code: str) -> str:
        """What the code prints."""
        ...


def at_rest(chip: Chip, mat: Mat, language: str = DEFAULT) -> Step:
    """Whether the buttons are up. The mat does not start while the first is down."""
    said = Words(language).said
    _, down = _pressed(chip, mat, 0)
    stuck = [k for k in range(len(mat.button_pins)) if down >> k & 1]
    wrong = "; ".join(
        said(
            "button {number} is down and nobody presses it (the first one keeps the mat from "
            "starting): unplug J{plug}. If that helps, its lead is at two pins that are always "
            "joined, or its wires touch; if not, U6 or R{resistor} is bridged",
            number=k + 1, plug=21 + k, resistor=3 + k,
        )
        for k in stuck
    )  # fmt: skip
    return Step(
        said("the Pico"),
        said("it answers; {up} buttons up", up=len(mat.button_pins) - len(stuck)),
        said("it answers; no button is down"), wrong,
    )  # fmt: skip


def lights(chip: Chip, mat: Mat, ask: Callable[[str], str], language: str = DEFAULT) -> Step:
    """Lights the ring in three colours and asks which lights are wrong: `ask` shows a question and
    returns the answer. The first colour with a wrong one decides."""
    said, count = Words(language).said, mat.led_count
    all_right = said("all {count} in red, green and blue", count=count)
    for name, colour in COLOURS:
        chip.run(_LIGHTS.format(mat=mat.id, brightness=BRIGHTNESS, colour=colour))
        question = said(
            "All {count} lights must be {colour} now. Count from the one at the long lead: which "
            "is the first that is dark or of another colour? (none: Enter)",
            count=count, colour=said(name),
        )  # fmt: skip
        first = _number(ask, question, 1, count)
        if first is None:
            continue
        question = said("And which is the last such one? (all from there on: Enter)")
        last = _number(ask, question, first, count) or count
        reading = said(
            "{colour}: wrong from {first} to {last}", colour=said(name), first=first, last=last
        )
        wrong = _of_lights(first, last, count, language)
        return Step(said("lights"), reading, all_right, wrong)
    chip.run(_LIGHTS.format(mat=mat.id, brightness=BRIGHTNESS, colour=(0, 0, 0)))
    return Step(said("lights"), all_right, all_right, "")


def _of_lights(first: int, last: int, count: int, language: str) -> str:
    """What it means that the lights from `first` to `last` are wrong. Each hands the data on to the
    next: where the chain is cut, all that follow stay dark."""
    said = Words(language).said
    arc, led = _place(first)
    if (first, last) == (1, count):
        return said(
            "nothing comes: the long lead at J20 and at the first arc's IN; 5 V at the test point "
            "5V; U5 and R2"
        )
    if last == count and led == 1:
        return said(
            "the data does not reach arc {arc}: the middle wire from arc {before}'s OUT to its IN; "
            "then arc {before}'s D5, pin 2, and arc {arc}'s D1, pin 4",
            arc=arc, before=arc - 1,
        )  # fmt: skip
    if last == count:
        return said(
            "the data stops in arc {arc}: D{before}, pin 2, or D{led}, pin 4; then replace the two",
            arc=arc, before=led - 1, led=led,
        )  # fmt: skip
    return said(
        "arc {arc}, D{led}, and as many after it as are wrong: solder their pins 1 and 3 (5 V and "
        "ground) again, then replace them: the data passes through, so a chip there is broken",
        arc=arc, led=led,
    )  # fmt: skip


def _place(number: int) -> tuple[int, int]:
    """(arc, LED of the arc) of the light with this number; all count from 1."""
    return (number - 1) // LEDS_AN_ARC + 1, (number - 1) % LEDS_AN_ARC + 1


def _number(ask: Callable[[str], str], question: str, least: int, most: int) -> int | None:
    """The number that the person answers, None for Enter; asks again until it is one of these."""
    while True:
        answer = ask(question).strip()
        if not answer:
            return None
        if answer.isdecimal() and least <= int(answer) <= most:
            return int(answer)


def buttons(
    chip: Chip, mat: Mat, tell: Callable[[str], None], language: str = DEFAULT,
    wait_ms: int = WAIT_MS,
) -> Iterator[Step]:  # fmt: skip
    """Asks for a press of each button, `tell` shows it, and reads the pins until it is let go."""
    said = Words(language).said
    for k in range(len(mat.button_pins)):
        about = {"number": k + 1, "plug": 21 + k, "resistor": 3 + k, "seconds": wait_ms // 1000}
        tell(said("Press button {number} (at J{plug}) once, within {seconds} s.", **about))
        down, still = _pressed(chip, mat, wait_ms)
        if down == 0:
            reading = said("no pin went low")
            wrong = said(
                "its lead is not in J{plug}, or at two pins that a press does not join; then R"
                "{resistor} and U6",
                **about,
            )
        elif still:
            reading = said("a pin stays low")
            wrong = said("the button sticks, or its lead is at two pins that are always joined")
        elif down == 1 << k:
            reading, wrong = said("its pin went low and up again"), ""
        elif down >> k & 1:
            reading = said("the other pin went low as well")
            wrong = said("the leads of both touch, or two pins of U6 are bridged")
        else:
            reading = said("the other pin went low")
            wrong = said("the plugs at J21 and J22 are exchanged")
        expected = said("its own pin goes low, and up again")
        yield Step(said("button {number}", **about), reading, expected, wrong)


def _pressed(chip: Chip, mat: Mat, wait_ms: int) -> tuple[int, int]:
    """(the buttons that were down, those that still are), a bit each."""
    printed = chip.run(_BUTTONS.format(pins=list(mat.button_pins), wait_ms=wait_ms))
    down, still = json.loads(printed)
    return down, still


def calibrated(measured: Measured, language: str = DEFAULT) -> Step:
    """What a calibration says of the boards and of the disc."""
    said, mat = Words(language).said, measured.mat
    place: dict[int | str, str] = {}
    for tile in mat.tiles:
        place |= {index: f"{tile.name} U{101 + channel}" for index, channel in tile.sensors}
    broken = measured.calibration.broken
    missed = set(np.flatnonzero(np.isnan(measured.fit.gain)).tolist()) - {i for i, _ in broken}
    share = measured.moment_share
    wrong: list[str] = []
    if broken:
        which = ", ".join(f"{place[i]} ({said(str(why))})" for i, why in broken)
        wrong.append(said("{which}: solder it again, then replace it", which=which))
    if missed:
        which = ", ".join(sorted(place[i] for i in missed))
        wrong.append(
            said(
                "{which} saw too little of the disc, or not what their neighbours saw: calibrate "
                "again; if it is those again, one of them is soldered badly",
                which=which,
            )
        )
    if share > MOST_MOMENT:
        wrong.append(said("the disc is too strong for the sensor: step 1 of hardware/BUILD.md"))
    if share < LEAST_MOMENT:
        wrong.append(
            said(
                "the disc is too weak, or the cloth and the plate are too thick: step 1 of "
                "hardware/BUILD.md"
            )
        )
    return Step(
        said("calibration"),
        said(
            "{seen} of {n} sensors, disc at {percent:.0f} % of the assumed",
            seen=mat.n - len(broken) - len(missed), n=mat.n, percent=100 * share,
        ),
        said(
            "all sensors, gains within {gain:.0f} %, disc at {least:.0f} to {most:.0f} %",
            gain=100 * WIDEST_GAIN, least=100 * LEAST_MOMENT, most=100 * MOST_MOMENT,
        ),
        "; ".join(wrong),
    )  # fmt: skip
