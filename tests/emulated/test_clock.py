"""The processor's clock: the emulated chip runs as fast as the program sets it, the firmware at 200
MHz; what has a clock of its own keeps time."""

import pytest

from polarity_bench.on_chip import CLOCKS_MHZ
from tests.emulated.programs import pico_with

SPEED_UP = """
from drivers import clock
print(clock.measured_hz() // 1_000_000, clock.speed_up() // 1_000_000, end=" ")
print(clock.measured_hz() // 1_000_000)
"""
TOO_SLOW = """
from drivers import clock
from machine import freq, mem32
measured, clock.measured_hz = clock.measured_hz, lambda: 180_000_000
print(clock.speed_up() // 1_000_000, measured() // 1_000_000, hex(mem32[0x40064000] & 0xFF))
"""
SPIN = """
from time import ticks_diff, ticks_us
begun = ticks_us()
for _ in range(20_000):
    pass
print(ticks_diff(ticks_us(), begun))
"""


def test_the_firmware_speeds_the_chip_up(image):
    started, said, measured = map(int, pico_with(image).execute(SPEED_UP).split())
    assert started in (124, 125) and said == 200 and measured in (199, 200)


def test_a_clock_that_does_not_run_as_told_is_set_back(image):
    """VSEL 12 is 1.15 V, and bit 0 keeps the regulator on: RP2040 datasheet 2.10.6."""
    assert pico_with(image).execute(TOO_SLOW) in ("125 125 0xc1\n", "125 124 0xc1\n")


def test_a_program_takes_less_time_the_faster_the_chip_runs(image):
    fast_us, usual_us = (
        int(pico_with(image).execute(start + SPIN)) for start in CLOCKS_MHZ.values()
    )
    assert usual_us / fast_us == pytest.approx(200 / 125, rel=0.01)


def test_a_reset_chip_starts_at_its_usual_clock(image):
    pico = pico_with(image)
    pico.execute(CLOCKS_MHZ[200])
    pico.power_cut()
    pico.boot()
    said = pico.execute("from drivers import clock\nprint(clock.measured_hz() // 1_000_000)")
    assert said in ("124\n", "125\n")
