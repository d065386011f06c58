"""The chip runs at 200 MHz where it does, and at 125 where it does not: the emulated one cannot."""

from tests.emulated.programs import pico_with

HURRY = """
from drivers import clock
from machine import mem32
print(clock.measured_hz() // 1_000_000, clock.speed_up() // 1_000_000)
clock.measured_hz = lambda: 200_100_000
print(clock.speed_up() // 1_000_000, hex(mem32[0x40064000] & 0xFF))
"""


def test_a_clock_that_does_not_run_as_told_is_set_back(image):
    """VSEL 12 is 1.15 V, and bit 0 keeps the regulator on: RP2040 datasheet 2.10.6."""
    lines = pico_with(image).execute(HURRY).split("\n")
    assert lines[0] in ("124 125", "125 125")
    assert lines[1] == "200 0xc1"
