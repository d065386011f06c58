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

#: Each fault, by the pin or the wire that has it: the step that must stop the walk, and what that
#: must name.
FAULTS = {
    "": ("the whole mat", ""),
    "no 3.3 V": ("power", "U4"),
    "input open": ("power", "U4"),  # the small mat has one: nothing is left that reads
    **{f"address line {line}": ("the carrier", f"GP{2 + line}") for line in (3, 4, 5, 7)},
    "select line 6": ("tile B3", "U2"),  # the bank's tile never wakes
    "OUT to 3.3 V": ("tile C2", "U10"),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_a_fault_at_the_pins_stops_the_walk_where_it_is(image, fault):
    """The small mat. Address lines 0 to 3 choose a tile's channel, 4 to 7 the bank: with one cut,
    the multiplexers and decoders take it as low, and another sensor answers, or none. (Without
    lines 0 to 2 the first sensor's address never comes up, by which the emulated mat counts its
    frames: tests/device/test_bring_up.py has all eight.)"""
    from polarity_host.simulation.pico.pins import EmulatedMat

    mat = load_mat("small")
    bridged = next(tile for tile in mat.tiles if tile.name == "C2").sensors[5][0]

    class Faulty(EmulatedMat):
        """Its wires have the fault."""

        def _stepper(self, pin, mask):
            cut = fault == f"address line {mask.bit_length() - 1}"
            return super()._stepper(pin, 0 if cut else mask)

        def _first_of(self, channel):
            super()._first_of(channel)
            sensor = self._index.get((self._address, channel))
            if fault == "input open" or fault == f"select line {self._address >> 4}":
                self._share = self._rest = 0
            elif fault == "OUT to 3.3 V" and sensor == bridged:
                self._share, self._rest = 4095, 0

    array = SensorArray(mat, 5, MatCondition())
    t_us = 10_000 * np.arange(FRAMES + 2)
    counts = array.counts(t_us, np.zeros((len(t_us), mat.n)))
    if fault == "no 3.3 V":
        counts = np.zeros_like(counts)
    at_pins = Faulty(mat, list(zip(t_us.tolist(), counts)))
    pico = pico_with(image, at_pins)
    frames, *_ = json.loads(pico.execute(TAKE % ("small", mat.oversample, FRAMES)))
    read = np.array([np.frombuffer(b64decode(frame), "<u2") for frame in frames])
    *before, last = walk(read, mat)
    name, named = FAULTS[fault]
    assert not any(step.wrong for step in before)
    assert last.name == name and bool(last.wrong) == bool(fault) and named in last.wrong
