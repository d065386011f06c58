"""The firmware is put on an emulated Pico through its port, with the mpremote that people have."""

import pytest

from polarity_host.cli import main
from polarity_host.device.flashing.compiled import FIRMWARE
from polarity_host.device.flashing.install import go_back, install
from polarity_host.device.flashing.pico import Pico
from polarity_host.device.ports import Port
from polarity_host.errors import HostError
from polarity_host.simulation.pico.tcp_port import ServedPico
from tests.emulated.programs import pico_with

BOOT = b"""
import sys
try:
    with open("slot") as file:
        sys.path.insert(0, file.read(1))
except OSError:
    pass
"""


def version(number):
    """A small firmware of this number."""
    page = b"PMC1" + bytes([number]) * 12 + b"same code"
    return {
        "boot.py": BOOT,
        "main.py": b"import start\n",
        "start.mpy": b"not really",
        "start.py": b"print('version %d')\n" % number,
        "code/00": page,
        "part/same.py": b"x = 1\n" * 50,
    }


@pytest.fixture
def served(image):
    found = ServedPico(pico_with(image, files={"kept/settings": b"as it was"}))
    yield found
    found.close()


def started(served):
    """What the Pico says after its next start."""
    pico = Pico(served.url)
    said = pico.run("import sys\nsys.path[:0] = [open('slot').read()]\nimport start")
    pico.run("sys.modules.clear()")
    pico.close()
    return said.strip()


def test_versions_come_side_by_side_and_only_what_differs_is_copied(served):
    assert install(Pico(served.url), version(1)) == 4
    assert started(served) == "version 1"
    assert install(Pico(served.url), version(2)) == 4
    assert started(served) == "version 2"
    assert install(Pico(served.url), version(3)) == 1  # start.py; a page's stamp is no difference
    assert started(served) == "version 3"
    assert go_back(Pico(served.url)) in "ab"
    with pytest.raises(HostError, match="trouble with its files: No such file"):
        Pico(served.url).remove("a/nothing")
    assert started(served) == "version 2"
    assert Pico(served.url).run("print(open('kept/settings').read())").strip() == "as it was"


def test_a_version_that_runs_already_is_not_copied(served):
    """The one before it stays, to be gone back to."""
    install(Pico(served.url), version(1))
    install(Pico(served.url), version(2))
    assert install(Pico(served.url), version(2)) == 0
    assert started(served) == "version 2"
    go_back(Pico(served.url))
    assert started(served) == "version 1"


def test_without_a_version_before_there_is_nothing_to_go_back_to(served):
    install(Pico(served.url), version(1))
    with pytest.raises(HostError, match="no version before"):
        go_back(Pico(served.url))


def test_what_reads_back_otherwise_is_not_started(served, monkeypatch):
    install(Pico(served.url), version(1))
    pico = Pico(served.url)
    write = pico.write
    monkeypatch.setattr(pico, "write", lambda path, data: write(path, data[:-1]))
    with pytest.raises(HostError, match="reads back differently"):
        install(pico, version(2))
    pico.close()
    assert started(served) == "version 1"


def test_an_older_micropython_is_refused(served, monkeypatch):
    """The one that really runs there, by its own words."""
    monkeypatch.setattr("polarity_host.device.flashing.pico.RELEASE", "99.0.0")
    with pytest.raises(
        HostError, match=r"runs MicroPython 1\.\d+\.\d+, older than 99.0.0.*BOOTSEL"
    ):
        Pico(served.url)
    monkeypatch.undo()
    assert install(Pico(served.url), version(1)) == 4


def test_the_mat_goes_on_when_nothing_could_be_done(image, capsys):
    mat = b"import time\nwhile True:\n    print('the mat runs')\n    time.sleep_ms(20)\n"
    served = ServedPico(pico_with(image, files={"main.py": mat}))
    assert main(["flash", served.url, "--back"]) == 1
    said = capsys.readouterr()
    assert said.out == ""
    assert said.err == "polarity flash: there is no version before this one on the Pico\n"
    port, heard = Port(served.url), b""
    while b"the mat runs" not in heard:
        heard += port.read()
    port.close()
    served.close()


def test_what_was_put_on_a_mat_in_safe_mode_is_started(image):
    needed = ("drivers/guard.py", "drivers/chip.py")
    guard = {f"a/{name}": (FIRMWARE / name).read_bytes() for name in needed}
    served = ServedPico(pico_with(image, files={"slot": b"a", **guard}))
    begin = "import sys\nsys.path.append('a')\nfrom drivers import guard\nprint(guard.begin())"
    pico = Pico(served.url)
    assert [pico.run(begin).strip() for _ in range(4)] == ["", "", "", "3 starts failed"]
    pico.restart()
    assert Pico(served.url).run(begin).strip() == ""
    served.close()
