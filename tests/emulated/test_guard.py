"""Starts that fail are counted over resets, and end in safe mode; a button does so at once."""

from polarity_host.device.flashing.compiled import FIRMWARE, compiled
from polarity_host.device.flashing.pico import Pico
from polarity_host.mats.description import load_mat
from polarity_host.simulation.pico.tcp_port import ServedPico
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
    from polarity_host.simulation.pico.pins import EmulatedMat

    at_pins = EmulatedMat(load_mat("standard"), [])
    pico = pico_with(image, at_pins)
    at_pins.press(0)
    assert pico.execute(BEGIN) == "['the first button was down', 1]\n"


def started_with(image, loop, *devices, first=""):
    """A Pico that starts as a mat does, but has this `loop` instead of the mat's; `first`: what
    boot.py does besides."""
    starts = {name: (FIRMWARE / name).read_bytes() for name in ("boot.py", "main.py")}
    starts["boot.py"] += first.encode()
    drivers = [FIRMWARE / "drivers" / name for name in ("guard.py", "clock.py")]
    code = compiled([FIRMWARE / "start.py", *drivers])
    stubs = {"loop.py": loop.encode(), "flash_pages/code.py": b"move = str\n"}
    return pico_with(image, *devices, files=starts | code | stubs)


def test_a_mat_that_breaks_down_starts_anew_and_stays_down_when_it_always_does(image):
    loop = "def run(complaint):\n    print('play')\n    raise ValueError('broken')\n"
    pico = started_with(image, loop)
    assert pico.run_until(lambda: b"safe mode: 3 starts failed" in pico.output, 20_000), pico.output
    assert pico.output.count(b"ValueError: broken") == pico.output.count(b"play") == 3
    assert pico.execute("print(6 * 7)") == "42\n"


# A watchdog that is sooner to bite, for boot.py.
SOONER = """
from drivers import guard
from machine import WDT
def watchdog():
    guard._dog = WDT(timeout=%d)
guard.watchdog = watchdog
"""
HANGS = """
from drivers import guard
def run(complaint):
    while guard.attempts() == 1:
        pass
    print("play at attempt", guard.attempts())
"""


def test_the_watchdog_starts_a_mat_that_hangs_anew(image):
    pico = started_with(image, HANGS, first=SOONER % 300)
    assert pico.run_until(lambda: b"play at attempt 2" in pico.output, 10_000), pico.output
    pico.run(1000)  # and it does not bite who works at the REPL
    assert pico.execute("print(guard.attempts())") == "0\n"


def test_the_button_at_power_up_leaves_the_game_unloaded(image):
    from polarity_host.simulation.pico.pins import EmulatedMat

    class Pressed(EmulatedMat):
        def attach(self, chip):
            super().attach(chip)
            self.press(0)

    pico = started_with(image, "print('loaded')", Pressed(load_mat("standard"), []))
    assert pico.run_until(lambda: b"safe mode: the first button" in pico.output, 3000), pico.output
    assert pico.execute("import sys\nprint('loop' in sys.modules)") == "False\n"
    assert b"loaded" not in pico.output


def test_a_host_that_looks_at_the_files_again_and_again_is_no_failed_start(image):
    """mpremote runs boot.py each time, and no more."""
    loop = "def run(complaint):\n    print('play')\n    while True:\n        pass\n"
    served = ServedPico(started_with(image, loop))
    for _ in range(4):
        pico = Pico(served.url)
        pico.run("import os\nprint(os.listdir())")
        pico.close()
    served.close()
    pico = served.pico
    pico.execute("pass")  # leaves the raw REPL
    pico.reset()
    assert pico.run_until(lambda: b"play" in pico.output, 3000), pico.output


BUTTONS = """
from drivers.buttons import Buttons
from polarity.mat_data import standard as mat
buttons = Buttons(mat.BUTTON_PINS)
"""


def test_buttons_are_pressed_and_held_and_do_not_bounce(image):
    from polarity_host.simulation.pico.pins import EmulatedMat

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
