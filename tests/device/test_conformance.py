"""`polarity conform`: the firmware's engine keeps to the page; each departure from it is found."""

import json
import random
import re
import zlib

import pytest

from polarity_host.device.conformance import Conformance
from polarity_host.errors import DONE, FAILED, HostError
from polarity_host.mats.description import load_mat
from polarity_host.replay.engine import build_engine, raw_counts

FRAME_MS = 10


class EnginePort:
    """A port to an engine over a bare mat, with a clock that only reading moves. `change(line)`
    is what the cable makes of each line."""

    url = "engine://"

    def __init__(self, change=lambda line: line):
        self.mat = load_mat()
        self.engine = build_engine(self.mat.id, self.mat.edition, 77)
        self.change, self.t_ms, self.draw = change, 0, random.Random(1)
        self.waiting = []  # what the host sent
        for _ in range(100):
            self.frame()

    def clock(self):
        return self.t_ms / 1000

    def frame(self):
        import numpy as np

        self.t_ms += FRAME_MS
        noise = [self.mat.zero_count + self.draw.randint(-2, 2) for _ in range(self.mat.n)]
        self.engine.frame(self.t_ms, raw_counts(np.array(noise, np.uint16)))

    def read(self):
        for data in self.waiting:
            self.engine.command(data)
        self.waiting.clear()
        for _ in range(5):
            self.frame()
        lines = self.engine.read(1 << 16).split(b"\n")
        assert lines.pop() == b""
        return b"".join(self.change(line) for line in lines)

    def write(self, data):
        self.waiting.append(data)

    def write_line(self, text):
        self.write(text.encode() + b"\n")


def whole(line):
    return line + b"\n"


def wrong(change=whole):
    port = EnginePort(change)
    return [one.check for one in Conformance(port, port.clock).findings() if one.wrong]


def rewritten(edit):
    """A cable that changes messages and makes their checksums fit."""

    def change(line):
        message = json.loads(line[10:])
        edit(message)
        text = json.dumps(message, separators=(",", ":")).encode()
        return b"~%08x %s\n" % (zlib.crc32(text), text)

    return change


def edited(kind, **fields):
    def edit(message):
        if message["k"] == kind:
            message.update(fields)

    return rewritten(edit)


def test_the_engine_conforms():
    assert wrong() == []


@pytest.mark.parametrize(
    ("change", "check"),
    [
        (lambda line: re.sub(rb"^~........", b"~00000000", line) + b"\n" if b'"k":"snap"' in line
         else line + b"\n", "lines are well formed"),
        (edited("hello", sensors="many"), "hello tells the mat"),
        (edited("health", lost=None), "snap is followed by health and ack"),
        (edited("ack", ok=True), "what is no command is refused"),
        (edited("ack", ok=True), "resume of nothing"),
        (edited("ack", why=""), "what players declare is answered"),
        (edited("frame", counts="AAAA"), "frames"),
        (edited("settings", kept=1), "settings"),
        (rewritten(lambda message: message.update(v=2, v_old=1)), None),
        (lambda line: b"" if b'"too many"' in line else line + b"\n", "many lines at once"),
        (lambda line: b"" if b'"k":"game"' in line else line + b"\n", "resume from the first"),
    ],
    ids=range(11),
)  # fmt: skip
def test_what_departs_from_the_page_is_found(change, check):
    if check is None:
        with pytest.raises(HostError, match="no mat answers"):
            wrong(change)
    else:
        assert check in wrong(change)


def test_the_command(polarity):
    code, out, err = polarity("conform", "sim://demo?seed=1&speed=4", "--json")
    findings = [json.loads(line) for line in out.splitlines()]
    assert len(findings) == 13 and [one for one in findings if one["wrong"]] == []
    assert (code, err) == (DONE, "")


def test_what_is_no_mat(polarity, monkeypatch):
    monkeypatch.setattr("polarity_host.device.conformance.ANSWER_S", 0.2)
    monkeypatch.setattr("polarity_host.device.ports.Port.read", lambda self: b"")
    code, _, err = polarity("conform", "sim://demo?seed=2")
    assert code == FAILED and err.count("\n") == 1 and "no mat answers" in err
