"""`polarity settings` against an engine behind a socket, and against virtual mats."""

import json
import socket
import threading

import numpy as np
import pytest

from polarity import mat_data
from polarity.engine import Engine
from polarity.settings import DEFAULTS, read
from polarity_host.errors import BAD_INPUT, DONE, FAILED
from polarity_host.replay.engine import raw_counts
from polarity_host.simulation.port.serve import MatServer
from polarity_host.simulation.port.sim_mat import SimMat
from tests.fake_engine import FakeEngine

MAT = mat_data.load("small")
AS_MADE = dict(DEFAULTS, mat="small")


class Mat(Engine):
    """With a flash: what was set is kept before the next command is heard."""

    flash = None

    def command(self, chunk):
        if "settings" in self.persistence.unsaved:
            self.flash = self.persistence.unsaved["settings"]
            self.persistence.stored("settings")
        super().command(chunk)


@pytest.fixture
def served():
    """served(engine) -> the URL of a mat with it."""
    servers = []

    def serve(engine):
        bare = raw_counts(np.full(MAT.N, MAT.ZERO_COUNT, "<u2"))
        frames = [(index * 10_000, bare) for index in range(50)]
        mat = SimMat(engine, frames, speed=0.0, stays=True)
        servers.append((mat, MatServer(mat, "127.0.0.1:0")))
        threading.Thread(target=servers[-1][1].serve, daemon=True).start()
        return servers[-1][1].url

    yield serve
    for mat, server in servers:
        server.close()
        mat.unplug()


@pytest.fixture
def engine():
    return Mat(MAT, "scaled", 1, settings=dict(AS_MADE))


def test_they_are_shown(polarity, served, engine):
    code, out, err = polarity("settings", served(engine))
    assert (code, err) == (DONE, "")
    assert [line.split(None, 1) for line in out.splitlines()] == [
        ["mat", "small"],
        ["edition", "default (scaled)"],
        ["brightness", "96"],
        ["port_ma", "500"],
        ["oversample", "default (8)"],
    ]


def test_they_are_changed_and_kept(polarity, served, engine):
    url = served(engine)
    code, out, err = polarity("settings", url, "brightness=64", "oversample=16")
    assert (code, err) == (DONE, "")
    lines = out.splitlines()
    assert "brightness  64" in lines and "oversample  16  from the next start on" in lines
    assert lines[-1] == "They are stored: unplug the mat and plug it in again."
    assert read(engine.flash) == (AS_MADE | {"brightness": 64, "oversample": 16}, "")
    code, out, _ = polarity("settings", url, "oversample=default", "--json")
    told = json.loads(out)
    assert told == AS_MADE | {"brightness": 64, "later": ["oversample"], "kept": True}


def test_a_mat_that_does_not_come_to_a_pause_is_said_to(polarity, served, monkeypatch):
    monkeypatch.setattr("polarity_host.device.settings.STORED_S", 0.0)
    url = served(Engine(MAT, "scaled", 1, settings=dict(AS_MADE)))
    code, out, _ = polarity("settings", url, "port_ma=1500")
    assert code == DONE and out.splitlines()[-1].startswith("Not stored yet: leave the mat on")


@pytest.mark.parametrize(
    "changes, why",
    [
        (["brightness=0"], "brightness must be a number from 1 to 255; nothing was changed"),
        (["brightness=64", "port_ma=9"], "port_ma must be a number from 500 to 1500; nothing"),
        (["oversample=16", "mat=standard"], "oversample must be 4, 8 or default on the mat"),
        (["colour=red"], "no setting is called colour"),
        (["brightness"], "'brightness' is no setting: write NAME=VALUE, as brightness=64"),
        (["brightness=6 4"], "write NAME=VALUE"),
        (["brightness=٣"], "write NAME=VALUE"),
        (["=64"], "write NAME=VALUE"),
    ],
)
def test_what_is_refused_changes_nothing(polarity, served, engine, changes, why):
    code, out, err = polarity("settings", served(engine), *changes)
    assert (code, out) == (BAD_INPUT, "") and why in err and err.count("\n") == 1
    assert engine.persistence.settings == AS_MADE and engine.flash is None


def test_a_firmware_without_settings_is_to_be_brought_up_to_date(polarity, served):
    url = served(FakeEngine())
    code, out, err = polarity("settings", url, "brightness=64")
    assert (code, out) == (FAILED, "") and err.count("\n") == 1
    assert f"`polarity flash {url}` brings it up to date" in err


def test_a_port_without_a_mat_is_one_line(polarity, monkeypatch):
    monkeypatch.setattr("polarity_host.device.settings.PATIENCE_S", 0.3)
    with socket.create_server(("127.0.0.1", 0)) as server:
        code, out, err = polarity("settings", f"socket://127.0.0.1:{server.getsockname()[1]}")
    assert (code, out) == (FAILED, "") and err.count("\n") == 1
    assert "is it the right port?" in err


def test_a_virtual_mat_is_set_too(polarity):
    code, out, _ = polarity("settings", "sim://demo?seed=3&boot=5", "brightness=8")
    assert code == DONE and "brightness  8" in out.splitlines()
    assert out.splitlines()[-1] == "A virtual mat forgets them when it is switched off."
