"""The first hour on the emulated Pico, with a fault at its pins: frames as the chip reads them."""

import json
from base64 import b64decode

import numpy as np
import pytest

from polarity_host.device.bring_up import walk
from polarity_host.device.doctor import FRAMES
from polarity_host.mats.description import load_mat
from polarity_host.simulation.twin.condition import MatCondition
from polarity_host.simulation.twin.sensors import SensorArray
from tests.emulated.programs import pico_with
from tests.emulated.test_hall_grid import TAKE


@pytest.mark.parametrize("fault", ["", "address line 5", "no 3.3 V"])
def test_a_fault_at_the_pins_stops_the_walk_where_it_is(image, fault):
    """The small mat. Address line 5 is GP7's: what it chooses between are banks of tiles, so a
    tile of the second one reads another's sensors or nothing."""
    from polarity_host.simulation.pico.pins import EmulatedMat

    class Faulty(EmulatedMat):
        """An address line that is cut: the decoders read it as low."""

        def _stepper(self, pin, mask):
            return super()._stepper(pin, mask if fault != "address line 5" or mask != 32 else 0)

    mat = load_mat("small")
    array = SensorArray(mat, 5, MatCondition())
    t_us = 10_000 * np.arange(FRAMES + 2)
    counts = array.counts(t_us, np.zeros((len(t_us), mat.n)))
    if fault == "no 3.3 V":
        counts = np.zeros_like(counts)
    at_pins = Faulty(mat, list(zip(t_us.tolist(), counts)))
    pico = pico_with(image, at_pins)
    frames, *_ = json.loads(pico.execute(TAKE % ("small", mat.oversample, FRAMES)))
    read = np.array([np.frombuffer(b64decode(frame), "<u2") for frame in frames])
    steps = list(walk(read, mat))
    wrong = [step for step in steps if step.wrong]
    if not fault:
        assert not wrong and steps[-1].name == "the whole mat"
    elif fault == "no 3.3 V":
        assert len(steps) == 1 and wrong[0].name == "power"
    else:
        assert wrong and wrong[0] is steps[-1] and wrong[0].name.startswith("tile ")
