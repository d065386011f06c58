"""Starts that fail are counted over resets, and end in safe mode; a button does so at once."""

from polarity_host.mat import load_mat
from tests.emulated.programs import pico_with

BEGIN = "from drivers import guard\nprint([guard.begin(), guard.attempts()])"


def test_the_fourth_start_after_three_that_failed_is_safe(image):
    pico = pico_with(image)
    for attempt in (1, 2, 3):
        assert pico.execute(BEGIN) == f"['', {attempt}]\n"
        pico.reset()
    assert pico.execute(BEGIN) == "['3 starts failed', 4]\n"
    pico.execute("guard.passed()")
    pico.reset()
    assert pico.execute(BEGIN) == "['', 1]\n"
    pico.power_cut()
    pico.boot()
    assert pico.execute(BEGIN) == "['', 1]\n"


def test_a_button_at_power_up_is_safe_mode(image):
    from polarity_host.emulated.mat import EmulatedMat

    at_pins = EmulatedMat(load_mat("standard"), [])
    pico = pico_with(image, at_pins)
    at_pins.press(0)
    assert pico.execute(BEGIN) == "['the first button was down', 1]\n"


BUTTONS = """
from drivers.buttons import Buttons
from polarity.mat_data import standard as mat
buttons = Buttons(mat.BUTTON_PINS)
"""


def test_buttons_are_pressed_and_held_and_do_not_bounce(image):
    from polarity_host.emulated.mat import EmulatedMat

    at_pins = EmulatedMat(load_mat("standard"), [])
    pico = pico_with(image, at_pins)
    pico.execute(BUTTONS)

    def ask(t_ms):
        return pico.execute(f"print(buttons.event({t_ms}))").strip()

    assert ask(0) == "None"
    for start, length, told in ((100, 10, "None"), (200, 300, "(0, 'pressed')")):
        at_pins.press(0)
        assert ask(start) == "None"
        at_pins.press(0, down=False)
        assert ask(start + length) == told
    at_pins.press(1)
    assert [ask(1000), ask(2600), ask(2700)] == ["None", "(1, 'held')", "None"]
    at_pins.press(1, down=False)
    assert ask(2800) == "None"
