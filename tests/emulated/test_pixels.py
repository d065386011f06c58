"""What the LEDs receive, and what they may draw."""

from polarity_host.mat import load_mat
from tests.emulated.programs import pico_with

SHOW = """
import time
from drivers.pixels import Pixels
from polarity.mat_data import standard as mat
pixels = Pixels(mat.LED_PIN, mat.LED_COUNT, brightness=%d)
print(pixels.show(%s), pixels.show(bytes(3 * mat.LED_COUNT)))
begun = time.ticks_us()  # no sleep: asleep, the emulator is not exact to the bit
while time.ticks_diff(time.ticks_us(), begun) < 4000:
    pass
"""


def shown(image, colours, brightness):
    from polarity_host.emulated.mat import EmulatedMat

    at_pins = EmulatedMat(load_mat("standard"), [])
    pico = pico_with(image, at_pins)
    assert pico.execute(SHOW % (brightness, colours)) == "True False\n"
    assert at_pins.lit == 1
    return at_pins.pixels


def test_each_led_gets_its_colour(image):
    pixels = shown(image, "bytes([1, 20, 3, 40, 5, 6] * 30)", 255)
    assert pixels == [(1, 20, 3), (40, 5, 6)] * 30


def test_white_everywhere_stays_below_the_cap(image):
    pixels = shown(image, "bytes([255] * 180)", 255)
    assert len(pixels) == 60
    drawn_ma = 60 + sum(sum(pixel) for pixel in pixels) * 12 / 255
    assert 230 < drawn_ma <= 250
