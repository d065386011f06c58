"""What takes a person in the first hour, on the emulated Pico: the lights as they come out of its
pin, the buttons as they pull its pins low, with each fault of tests/device/test_hands_on.py."""

import pytest

from polarity_host.device.hands_on import at_rest, buttons, lights
from polarity_host.mats.description import load_mat
from tests.device.test_hands_on import RINGS, WIRINGS, Eyes
from tests.emulated.programs import pico_with

MAT = load_mat("standard")
EACH_NS, WAIT_MS = 150_000_000, 1000


@pytest.fixture(scope="module")
def table(image):
    """A Pico whose program is stopped, with fingers at the mat's buttons: `run` is what the host's
    tools call."""
    from polarity_host.simulation.pico.pins import EmulatedMat

    class Fingers(EmulatedMat):
        """Presses what `tell` asks for, through the wiring of the buttons, again and again: a chip
        that waits is emulated so fast that nobody hits a moment of its time. `sticks`: once."""

        wiring = ((0,), (1,))
        sticks = False
        pins = ()

        def attach(self, rp2040):
            super().attach(rp2040)
            self._again = self._crystal.create_alarm(self._toggle)

        def tell(self, text):
            self.pins, self._down = self.wiring[0 if "button 1" in text else 1], False
            self._toggle()

        def let_go(self):
            self._again.cancel()
            for pin in self.pins:
                self.press(pin, False)

        def _toggle(self):
            self._down = not self._down
            for pin in self.pins:
                self.press(pin, self._down)
            if not self.sticks:
                self._again.schedule(EACH_NS)

    class Table:
        at_pins = Fingers(MAT, [])
        pico = pico_with(image, at_pins)

        def run(self, code):
            printed = self.pico.execute(code, 60_000)
            if not self.at_pins.sticks:
                self.at_pins.let_go()
            return printed

    return Table()


@pytest.mark.parametrize("fault", RINGS)
def test_the_lights_that_are_wrong_lead_to_the_place(table, fault):
    wrong, named = RINGS[fault]
    step = lights(table, MAT, Eyes(lambda: table.at_pins.pixels, wrong))
    assert bool(step.wrong) == bool(named) and named in step.wrong


@pytest.mark.parametrize("fault", WIRINGS)
def test_each_button_is_asked_for_and_its_wiring_told(table, fault):
    table.at_pins.wiring, *named = WIRINGS[fault]
    assert not at_rest(table, MAT).wrong
    steps = list(buttons(table, MAT, table.at_pins.tell, wait_ms=WAIT_MS))
    for step, word in zip(steps, named, strict=True):
        assert bool(step.wrong) == bool(word) and word in step.wrong


def test_a_button_that_sticks_or_was_down_is_told(table):
    table.at_pins.wiring, table.at_pins.sticks = ((0,), (1,)), True
    assert "sticks" in next(buttons(table, MAT, table.at_pins.tell, wait_ms=WAIT_MS)).wrong
    step = at_rest(table, MAT)
    assert "button 1" in step.wrong and "J21" in step.wrong
