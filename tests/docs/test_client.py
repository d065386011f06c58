"""The example client of the documentation, against a virtual mat whose cable loses lines."""

import ast
import random
import socket
import subprocess
import sys
import threading
from contextlib import suppress

import pytest

from docs.build import ROOT
from polarity_host.simulation.port.serve import MatServer
from polarity_host.simulation.port.sim_mat import SimMat
from tests.fake_engine import FakeEngine, frames

CLIENT = ROOT / "docs" / "client.py"
MOST_LINES = 100
LOST, FLIPPED, NOISY = 0.15, 0.1, 0.1  # shares of the lines
TRACEBACK = b"Traceback (most recent call last):\r\n  File\n~0000"


class BadCable:
    """Stands between a client and a mat: of the first lines that the mat sends some are lost, some
    damaged, and some have noise before them."""

    def __init__(self, url: str, seed: int):
        self._random = random.Random(seed)
        self._mat = socket.create_connection(url.removeprefix("socket://").split(":"))
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.url = f"socket://127.0.0.1:{self._listener.getsockname()[1]}"
        self.harmed = 0
        threading.Thread(target=self._run, daemon=True).start()

    def close(self):
        self._mat.close()
        self._listener.close()

    def _run(self):
        client, _ = self._listener.accept()
        threading.Thread(target=self._up, args=(client,), daemon=True).start()
        for number, line in enumerate(self._mat.makefile("rb")):
            client.sendall(self._harm(line) if number < 150 else line)

    def _up(self, client):
        with suppress(OSError):  # the client is killed in the end
            while data := client.recv(512):
                self._mat.sendall(data)

    def _harm(self, line):
        chance = self._random.random()
        self.harmed += chance < LOST + FLIPPED + NOISY
        if chance < LOST:
            return b""
        if chance < LOST + FLIPPED:
            place = self._random.randrange(len(line) - 1)
            return line[:place] + bytes([line[place] ^ 1]) + line[place + 1 :]
        return TRACEBACK + line if chance < LOST + FLIPPED + NOISY else line


@pytest.fixture
def mat():
    """The URL of a mat whose game has a fault in every fifth frame, and an end in the hundredth."""
    engine = FakeEngine(end_at=100, ring_bytes=65536)
    server = MatServer(SimMat(engine, frames(120), speed=0.0, stays=True), "127.0.0.1:0")
    threading.Thread(target=server.serve, daemon=True).start()
    yield server.url
    server.close()


def followed(url):
    """What the client prints until the game's end."""
    with subprocess.Popen(
        [sys.executable, str(CLIENT), url], stdout=subprocess.PIPE, text=True
    ) as client:
        watch = threading.Timer(60, client.kill)
        watch.start()
        assert client.stdout is not None
        lines = []
        for line in client.stdout:
            lines.append(line.rstrip())
            if line.startswith("The end"):
                break
        watch.cancel()
        client.kill()
    return lines


#: What FakeEngine's game is: every ruling once, in order.
GAME = [
    "A game by temple rules begins.",
    *["Fault of Black: contact [1, 2]"] * 19,
    "The end: touched_red, won by Black",
]


def test_it_follows_a_game(mat):
    assert followed(mat) == GAME


@pytest.mark.parametrize("seed", [1, 2])
def test_it_brings_back_what_a_bad_cable_loses(mat, seed):
    cable = BadCable(mat, seed)
    try:
        assert followed(cable.url) == GAME
        assert cable.harmed > 20
    finally:
        cable.close()


def test_it_is_short_and_needs_pyserial_alone():
    text = CLIENT.read_text(encoding="utf-8")
    assert len(text.splitlines()) <= MOST_LINES
    names = set()
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Import):
            names |= {alias.name.partition(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            names.add((node.module or "").partition(".")[0])
    assert names - set(sys.stdlib_module_names) == {"serial"}
