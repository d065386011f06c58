"""The emulated Pico itself: what goes in comes out, and time is the chip's."""

import pytest


@pytest.fixture(scope="module")
def pico(image):
    from polarity_host.simulation.pico.pico import EmulatedPico

    pico = EmulatedPico({"a.py": b"ANSWER = 42\n", "deep/er/b.py": b"import a\nB = a.ANSWER + 1\n"})
    pico.boot()
    return pico


def test_it_runs_micropython_on_the_chip(pico):
    said = pico.execute("import sys, machine\nprint(sys.implementation.name, machine.freq())")
    assert said == "micropython 125000000\n"


def test_files_are_on_its_flash(pico):
    assert pico.execute("import sys\nsys.path.append('/deep/er')\nimport b\nprint(b.B)") == "43\n"


def test_an_exception_is_told(pico):
    from polarity_host.simulation.pico.pico import PicoFailed

    with pytest.raises(PicoFailed, match="ZeroDivisionError") as failed:
        pico.execute("1 // 0")
    assert "Traceback" in failed.value.__notes__[0]


def test_what_does_not_end_is_given_up(pico):
    from polarity_host.simulation.pico.pico import PicoFailed

    with pytest.raises(PicoFailed, match="in 50 ms"):
        pico.execute("while True: pass", limit_ms=50)
    assert pico.execute("print('well')") == "well\n"


def test_its_time_is_the_chip_s(pico):
    before_us = pico.now_us
    code = "import time\nt = time.ticks_us()\ntime.sleep_us(20_000)\nprint(time.ticks_us() - t)"
    measured_us = int(pico.execute(code))
    assert 20_000 <= measured_us < 20_200
    assert pico.now_us - before_us > measured_us


def test_what_was_written_survives_a_power_cut(pico):
    pico.execute("with open('kept', 'w') as f: f.write('still here')\nx = 1")
    pico.power_cut()
    pico.boot()
    assert pico.execute("print(open('kept').read(), 'x' in globals())") == "still here False\n"


def test_a_host_that_has_nothing_to_say_leaves_the_chip_alone(pico):
    """Each packet is an interrupt and a run of the USB task: none comes but with bytes in it."""
    usb, packets = pico.chip.usb_ctrl, []
    pico.begin("while True: pass")
    usb._indicate_buffer_ready = lambda *ready: packets.append(ready)
    pico.run(50)
    del usb._indicate_buffer_ready
    assert packets == []
    assert pico.execute("print('well')") == "well\n"
