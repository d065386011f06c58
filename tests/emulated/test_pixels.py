"""What the LEDs receive, and what they may draw."""

from statistics import median

import pytest

from polarity_bench.on_chip import CLOCKS_MHZ
from polarity_host.mats.description import load_mat
from tests.emulated.programs import pico_with

SHOW = """
import time
from drivers.pixels import Pixels, cap_ma
from polarity.mat_data import standard as mat
pixels = Pixels(mat.LED_PIN, mat.LED_COUNT, cap_ma(mat, %d), brightness=%d)
print(pixels.show(%s), pixels.show(bytes(3 * mat.LED_COUNT)))
begun = time.ticks_us()  # no sleep: asleep, the emulator is not exact to the bit
while time.ticks_diff(time.ticks_us(), begun) < 4000:
    pass
"""


# Datasheets of the WS2812B and the WS2812B-V5, data transfer time: ns at least and at most.
WS2812B = {"0 high": (250, 550), "0 low": (700, 1000), "1 high": (650, 950), "1 low": (300, 600)}
V5 = {"0 high": (220, 380), "0 low": (580, 1000), "1 high": (580, 1000), "1 low": (580, 1000)}


class Edges:
    """When the LEDs' pin changes; the emulator moves an edge by an instruction or two."""

    def __init__(self, pin):
        self.pin, self.ns = pin, []

    def attach(self, chip):
        from polarity_host.simulation.pico.clocks import crystal_of

        crystal = crystal_of(chip)
        chip.gpio[self.pin].add_listener(lambda new, old: self.ns.append(crystal.nanos))


def shown(image, colours, brightness, port_ma=500):
    from polarity_host.simulation.pico.pins import EmulatedMat

    at_pins = EmulatedMat(load_mat("standard"), [])
    pico = pico_with(image, at_pins)
    assert pico.execute(SHOW % (port_ma, brightness, colours)) == "True False\n"
    assert at_pins.lit == 1
    return at_pins.pixels


def test_each_led_gets_its_colour(image):
    pixels = shown(image, "bytes([1, 20, 3, 40, 5, 6] * 30)", 255, 1500)  # below what it may draw
    assert pixels == [(1, 20, 3), (40, 5, 6)] * 30


@pytest.mark.parametrize("port_ma", [500, 1500])
def test_white_everywhere_leaves_the_port_enough_for_all_else(image, port_ma):
    """44 sensors awake at 5 mA, the Pico's 75, logic 5, 10 left alone: 311 mA; the carrier's fuse
    allows 700. A channel at full is counted as 15 mA: 12 by the datasheet, and a quarter more."""
    pixels = shown(image, "bytes([255] * 180)", 255, port_ma)
    assert len(pixels) == 60
    drawn_ma = 60 + sum(sum(pixel) for pixel in pixels) * 15 / 255
    most_ma = min(port_ma - 311, 700)
    assert most_ma - 25 < drawn_ma <= most_ma


@pytest.mark.parametrize("mhz", CLOCKS_MHZ)
def test_both_versions_of_the_led_can_read_it(image, mhz):
    mat = load_mat("standard")
    edges = Edges(mat.led_pin)
    show = SHOW % (1500, 255, "bytes([0x2A, 0, 0] * 60)")
    pico_with(image, edges).execute(CLOCKS_MHZ[mhz] + show)
    rises, falls = edges.ns[-2 * 24 * 60 :: 2], edges.ns[-2 * 24 * 60 + 1 :: 2]
    spans = {"0 high": [], "0 low": [], "1 high": [], "1 low": []}
    bits = ""
    for rise, fall, again in zip(rises, falls, rises[1:], strict=False):
        bits += "1" if fall - rise > 500 else "0"
        spans[bits[-1] + " high"].append(fall - rise)
        spans[bits[-1] + " low"].append(again - fall)
    assert bits + "0" == f"{0x2A00:024b}" * 60  # green first
    for limits in (WS2812B, V5):
        for name, (least, most) in limits.items():
            assert least <= median(spans[name]) <= most
