"""Commands run in this process, on data of the test's own, with an engine that only talks."""

import gzip
import json
import struct

import pytest

from polarity_host import cli, engine_host
from polarity_host.mat import load_mat
from tests.host.fake_engine import FakeEngine


@pytest.fixture(autouse=True)
def own_data(tmp_path, monkeypatch):
    """Nothing of a test goes to, or comes from, the user's own games, and it is told in English."""
    monkeypatch.setenv("POLARITY_DATA", str(tmp_path / "data"))
    monkeypatch.setenv("LC_ALL", "C.UTF-8")


@pytest.fixture
def fake_engine(monkeypatch):
    """Lets every engine of this process be a FakeEngine."""

    def build(mat_name, edition="temple", boot_id=0, calibration=None):
        return FakeEngine(mat_name, edition, boot_id, end_at=100)

    monkeypatch.setattr(engine_host, "build_engine", build)


@pytest.fixture
def polarity(capsys):
    """Runs a command line: (exit code, stdout, stderr)."""

    def run(*words):
        try:
            code = cli.main([str(word) for word in words])
        except SystemExit as leaving:
            code = leaving.code
        done = capsys.readouterr()
        return code, done.out, done.err

    return run


def recording_bytes(frames=150, n=None, zipped=False, **header):
    """A recording of a mat that sees nothing, 100 frames a second."""
    n = n or load_mat("standard").n
    head = {"format": "matrec", "version": 1, "mat": "standard", "n": n, "edition": "temple"}
    data = json.dumps({**head, "seed": 1, **header}).encode() + b"\n"
    for index in range(frames):
        data += struct.pack("<Q", 1_000_000 + index * 10_000) + b"\x00\x40" * n
    return gzip.compress(data) if zipped else data
