"""The firmware is put on an emulated Pico through its port, with the mpremote that people have."""

import socket

import pytest

from polarity_host.board.install import Board, go_back, install
from polarity_host.emulated.port import ServedPico
from polarity_host.errors import HostError
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
    board = Board(served.url)
    said = board.run("import sys\nsys.path[:0] = [open('slot').read()]\nimport start")
    board.run("sys.modules.clear()")
    board._transport.close()
    return said.strip()


def test_versions_come_side_by_side_and_only_what_differs_is_copied(served):
    assert install(Board(served.url), version(1)) == 4
    assert started(served) == "version 1"
    assert install(Board(served.url), version(2)) == 4
    assert started(served) == "version 2"
    assert install(Board(served.url), version(3)) == 1  # start.py; a page's stamp is no difference
    assert started(served) == "version 3"
    assert go_back(Board(served.url)) in "ab"
    assert started(served) == "version 2"
    assert Board(served.url).run("print(open('kept/settings').read())").strip() == "as it was"


def test_a_version_that_runs_already_is_not_copied(served):
    """The one before it stays, to be gone back to."""
    install(Board(served.url), version(1))
    install(Board(served.url), version(2))
    assert install(Board(served.url), version(2)) == 0
    assert started(served) == "version 2"
    go_back(Board(served.url))
    assert started(served) == "version 1"


def test_without_a_version_before_there_is_nothing_to_go_back_to(served):
    install(Board(served.url), version(1))
    with pytest.raises(HostError, match="no version before"):
        go_back(Board(served.url))


def test_what_reads_back_otherwise_is_not_started(served, monkeypatch):
    install(Board(served.url), version(1))
    board = Board(served.url)
    write = board.write
    monkeypatch.setattr(board, "write", lambda path, data: write(path, data[:-1]))
    with pytest.raises(HostError, match="reads back otherwise"):
        install(board, version(2))
    board._transport.close()
    assert started(served) == "version 1"


def test_a_board_without_micropython_is_told_what_to_do():
    with socket.create_server(("127.0.0.1", 0)) as listener:
        url = f"socket://127.0.0.1:{listener.getsockname()[1]}"
        with pytest.raises(HostError, match="no MicroPython answers.*BOOTSEL"):
            Board(url)
