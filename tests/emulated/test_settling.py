"""`polarity doctor --settling` on the chip: inputs that settle slowly are found to."""

import math

import numpy as np
import pytest

from polarity_host.device import settling
from polarity_host.mats.description import load_mat
from tests.emulated.programs import pico_with

TURNS, FRAMES = (16, 8, 7, 6, 5, 4, 3, 2), 1
TAU_US = 1.2


def test_the_chip_measures_how_long_its_inputs_settle(image):
    """Sensors far apart, an exponential of 1.2 us: 8 LSB of the sum are 1 of 4096 steps, so 0.8 of
    the range takes 1.2 ln(0.8 x 4096) = 9.7 us. Five turns are 10.2 us, four are 8.2."""
    from polarity_host.simulation.pico.pins import EmulatedMat

    class Slow(EmulatedMat):
        """What the ADC's input holds goes to a sensor's voltage with one time constant."""

        held: dict[int, float] = {}

        def _first_of(self, channel):
            super()._first_of(channel)
            aim = self._share * self._oversample + self._rest
            past_us = (self._crystal.nanos - self._stepped_ns) / 1000
            left = (self.held.get(channel, aim) - aim) * math.exp(-past_us / TAU_US)
            self.held[channel] = aim
            self._share, self._rest = divmod(round(aim + left), self._oversample)

    mat = load_mat("standard")
    full = 4095 * mat.oversample
    counts = np.empty(mat.n, np.uint16)
    for adc in range(3):
        own = mat.scan_order[mat.adc[mat.scan_order] == adc]
        counts[own] = np.where(np.arange(len(own)) % 2, 0.9 * full, 0.1 * full)
    pico = pico_with(image, Slow(mat, [(0, counts)], settling.CONVERSIONS))
    said = pico.execute(settling.script(mat, TURNS, FRAMES))
    found = settling.examine(said, mat, 12.288, TURNS, FRAMES)
    assert found.most_us == pytest.approx(32.768)
    assert found.step == pytest.approx(0.8, abs=0.01)
    assert found.needed_us == pytest.approx(5 * 2.048)
    assert found.conversions() == 0 and found.margin() == pytest.approx(0.2)
