"""Many viewers of a game that is logged: what they get, how old it is, and the delay of the log.

The viewers are another process, as browsers would be, and so is the virtual mat, which plays at its
own speed. Its game is stored as `polarity log` stores it.
"""

import asyncio
import contextlib
import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any, TypedDict

import numpy as np

from polarity_host.device.link import Event, Link
from polarity_host.errors import FAILED, HostError
from polarity_host.games.store import Store
from polarity_host.live.mat_session import MatSession
from polarity_host.live.server import LiveServer
from polarity_host.wire.lines import Message

WARM_UP_S = 3.0  # the viewers come and get the whole state


class Figures(TypedDict):
    """The figures of `run`."""

    viewers: int
    seconds: float
    fps_p05: float
    bytes_per_s: int
    frame_age_p95_ms: float
    events: int
    events_lost: int
    log_lag_p95_ms: float
    log_lag_max_ms: float


class _Seen(TypedDict):
    """What one viewer got: messages that change the picture, a second; their ages in ms; and the
    numbers of messages."""

    fps: float
    bytes_per_s: float
    ages: list[float]
    numbers: list[int]


def run(viewers: int = 50, seconds: float = 30.0, seed: int = 1) -> Figures:
    """`viewers` WebSockets look for `seconds` at a virtual game. Returns

    `fps_p05`: messages that change the picture, a second, of the viewer at the 5th percentile;
    `bytes_per_s`: of messages to one viewer, of the viewer who got most;
    `frame_age_p95_ms`: from the moment the host had read it from the port to when a viewer had it;
    `events_lost`: numbered messages of the time that a viewer did not get, or the store has not;
    `log_lag_p95_ms`: from the read off the port to the commit.
    HostError FAILED when the game or the viewers break off.
    """
    with tempfile.TemporaryDirectory() as folder, _mat(seed) as url:
        games = Path(folder) / "games.db"
        session = _Timed(url, games)
        server = LiveServer(session.state, session.send, games, port=0)
        serving = server.in_background()
        session.start()
        command = [sys.executable, "-m", __name__, server.links[0], str(viewers), str(seconds)]
        looking = subprocess.run(command, capture_output=True, text=True)
        if looking.returncode or session.failure:
            why = session.failure or looking.stderr.strip().splitlines()[-1:]
            raise HostError(FAILED, f"the viewers broke off: {why}")
        seen = json.loads(looking.stdout)
        server.stop()
        serving.join(10)
        with Store(games) as store:
            (game,) = store.games()
            stored = _numbers(store.raw_lines(game["id"]), seen["first"], seen["last"])
    wanted = set(range(seen["first"], seen["last"] + 1))
    missed = sum(len(wanted - set(numbers)) for numbers in seen["numbers"])
    return {
        "viewers": viewers,
        "seconds": seconds,
        "fps_p05": round(float(np.percentile(seen["fps"], 5)), 1),
        "bytes_per_s": round(max(seen["bytes_per_s"])),
        "frame_age_p95_ms": round(float(np.percentile(seen["ages_ms"], 95)), 1),
        "events": len(wanted),
        "events_lost": missed + len(wanted - stored),
        "log_lag_p95_ms": round(float(np.percentile(session.lags_ms, 95)), 1),
        "log_lag_max_ms": round(max(session.lags_ms), 1),
    }


@contextlib.contextmanager
def _mat(seed: int) -> Iterator[str]:
    """The URL of a virtual mat, which is another process, as a real one would be."""
    command = [sys.executable, "-m", "polarity_host.cli", "sim", "--serve", "127.0.0.1:0"]
    options = ["--turns", "200", "--seed", str(seed)]
    with subprocess.Popen([*command, *options], stdout=subprocess.PIPE, text=True) as mat:
        try:
            line = mat.stdout.readline() if mat.stdout else ""
            if not line:
                raise HostError(FAILED, "the virtual mat did not start")
            yield line.split()[-1]
        finally:
            mat.kill()


def _numbers(lines: list[str], first: int, last: int) -> set[int]:
    messages = [json.loads(line.split(" ", 1)[1]) for line in lines]
    kinds = ("game", "fact", "ruling", "log")
    return {m["n"] for m in messages if m["k"] in kinds and first <= m["n"] <= last}


class _TimedLink(Link):
    """Calls `on_read` when it has read its port."""

    def __init__(
        self, on_read: Callable[[], None], url: str, known: Callable[[int], int], wait_s: float
    ):
        super().__init__(url, known, wait_s)
        self._on_read = on_read

    def batches(self) -> Iterator[list[Event]]:
        for batch in super().batches():
            self._on_read()
            yield batch


class _Timed(MatSession):
    """Notes how long after it was read a message was stored: a session reports stored ones."""

    def __init__(self, url: str, games: Path):
        super().__init__(url, games, connect=partial(_TimedLink, self._note_read))
        self.lags_ms: list[float] = []
        self._read_s: float | None = None

    def _note_read(self) -> None:
        self._read_s = time.monotonic()

    def report(self, event: Event) -> None:
        if isinstance(event, Message) and event.numbered and self._read_s:
            self.lags_ms.append(1000 * (time.monotonic() - self._read_s))
            self._read_s = None  # what came in the same read is committed with it
        super().report(event)


# ---------------------------------------------------------------- the viewers' process
async def _look(link: str, seconds: float) -> _Seen:
    from websockets.asyncio.client import connect

    address = link.replace("http", "ws", 1) + "api/v1/live"
    ticks, size, ages, numbers = 0, 0, [], []
    async with connect(address, max_size=None, compression=None) as socket:
        begin = time.monotonic() + WARM_UP_S
        while time.monotonic() < begin + seconds:
            text = await socket.recv()
            message = json.loads(text)
            now = time.monotonic()
            numbers += [event["n"] for event in message.get("events", ()) if event["k"] != "slow"]
            if now < begin:
                continue
            size += len(text)
            if message["k"] in ("tick", "state"):
                ticks += 1
            if message["k"] == "tick" and ("flight" in message or "pieces" in message):
                ages.append(1000 * (now - message["at_s"]))
    return {
        "fps": ticks / seconds,
        "bytes_per_s": size / seconds,
        "ages": ages,
        "numbers": numbers,
    }


async def _crowd(link: str, viewers: int, seconds: float) -> dict[str, Any]:
    seen = await asyncio.gather(*(_look(link, seconds) for _ in range(viewers)))
    # of the numbers that all of them can have had: from the first that is new to all, to the
    # last before the first of them left
    first = max(min(one["numbers"]) for one in seen)
    last = min(max(one["numbers"]) for one in seen)
    return {
        "fps": [one["fps"] for one in seen],
        "bytes_per_s": [one["bytes_per_s"] for one in seen],
        "ages_ms": [age for one in seen for age in one["ages"]],
        "numbers": [[n for n in one["numbers"] if first <= n <= last] for one in seen],
        "first": first,
        "last": last,
    }


if __name__ == "__main__":
    print(json.dumps(asyncio.run(_crowd(sys.argv[1], int(sys.argv[2]), float(sys.argv[3])))))
