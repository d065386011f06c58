"""The wire under hostile lines, both ways, from port to page: what breaks, what is invented."""

import json
import tempfile
from io import StringIO
from pathlib import Path
from random import Random

from polarity.wire.messages import NUMBERED
from polarity_bench.faults import hostile
from polarity_bench.faults.parts import Trouble
from polarity_host.device.link import Link
from polarity_host.device.ports import PortOver
from polarity_host.games.store import Store
from polarity_host.live.mat_session import MatSession
from polarity_host.replay.engine import build_engine
from polarity_host.terminal.reporter import Reporter
from polarity_host.words import LANGUAGES, Words

LINES = 2000  # for each session
EVERY = 20  # hostile lines between two of the mat's own
COMMANDS_EVERY = 10  # of the lines, one is to the mat instead


class _Port:
    """A mat's port with hostile lines between what an engine sends; it gets hostile commands."""

    def __init__(self, draw: Random, lines: int) -> None:
        self.engine = build_engine("small", "temple", hostile.OWN_BOOT)
        self._draw, self._left = draw, lines
        self._quiet = 40  # reads without hostile lines, in which the link gets what it missed

    def read(self) -> bytes:
        """As a port's."""
        own = self.engine.read(100_000)
        if not self._left:
            self._quiet -= 1
            if not self._quiet:
                raise PortOver("the game is over")
            return own
        share = min(self._left, EVERY)
        self._left -= share
        self.engine.log("info", "of the mat")
        lines = [hostile.line(self._draw) for _ in range(share - share // COMMANDS_EVERY)]
        for _ in range(share // COMMANDS_EVERY):
            self.engine.command(hostile.command(self._draw))
        self.engine.command(b"\n")
        return own + b"".join(lines) + b"\n"

    def write_line(self, text: str) -> None:
        """As a port's."""
        self.engine.command(text.encode("ascii") + b"\n")

    def close(self) -> None:
        """As a port's."""


def run(lines: int, seed: int) -> dict[str, object]:
    """So many hostile lines. Returns `wire_lines`; `wire_tracebacks`; `false_events`: numbered
    messages stored for the mat that it did not send, or not stored though it did; `details`."""
    done, false, trouble = 0, 0, Trouble()
    while done < lines:
        share = min(LINES, lines - done)
        number = seed * 1_000_000 + done
        with trouble.noted(f"session {number}"), tempfile.TemporaryDirectory() as folder:
            false += _session(Path(folder) / "games.db", Random(number), share)
        done += share
    return {
        "wire_lines": done,
        "wire_tracebacks": trouble.count,
        "false_events": false,
        "details": trouble.details,
    }


def _session(games: Path, draw: Random, lines: int) -> int:
    port = _Port(draw, lines)
    words = Words(LANGUAGES[draw.randrange(len(LANGUAGES))])
    session = MatSession(
        "hostile",
        games,
        Reporter(words=words, explain=True, stream=StringIO()),
        connect=lambda url, known, wait_s: Link(url, known, wait_s, lambda url: port),
    )
    session.run()
    for shown in (session.state.whole(), session.state.changes()):
        json.dumps(shown, allow_nan=False, ensure_ascii=False).encode()
    with Store(games) as store:
        found = [
            message.number
            for game in store.games()
            for message in store.messages(game["id"])[0]
            if message.boot == hostile.OWN_BOOT and message.kind in NUMBERED
        ]
        gaps = store._all("SELECT first_n, last_n FROM gaps WHERE boot = 1")
    told = {n for gap in gaps for n in range(gap["first_n"], min(gap["last_n"], 10**6) + 1)}
    sent = set(range(1, port.engine.outbox.behind() + max(found, default=0) + 1))
    return len(set(found) - sent) + len(found) - len(set(found)) + len(sent - set(found) - told)
