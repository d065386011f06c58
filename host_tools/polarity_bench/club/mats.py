"""Mats of a hall that need no physics: each repeats the lines of a virtual game at play's pace, and
is stored and published as any mat is. A mat's own boot stands in its lines.

As a module it is such a mat in a process of its own: FOLDER NAME URL BOOT LINES.
"""

import json
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

from polarity.wire.framing import frame
from polarity_host.device.link import Event, PortState
from polarity_host.games.store import Store
from polarity_host.live.live_state import LiveState
from polarity_host.mqtt import topics
from polarity_host.mqtt.broker import Broker
from polarity_host.mqtt.publisher import Publisher
from polarity_host.wire.lines import Message, decode

SWAPPED = 500_000  # added to the boot of a mat that is put in another's place


class RepeatedMat:
    """Plays `lines` (JSON objects of a game, in order) over and over, until `stop`. Each round is a
    boot of its own, beginning with `boot`. `played` has when each message came (monotonic seconds),
    by boot and number."""

    def __init__(
        self, name: str, boot: int, lines: list[dict], broker: Broker, folder: Path, ahead_ms: int
    ):
        """`ahead_ms`: where in the game it begins, so that mats do not all do the same."""
        self.name, self.games = name, folder / f"{name}.db"
        self.played: dict[tuple[int, int], float] = {}
        self._broker, self._state = broker, LiveState()
        self.publisher = Publisher(broker, name, self.games, self._state)
        self._boot, self._lines, self._ahead_ms = boot, lines, ahead_ms
        self._clock_ms = 0  # by which its computer's clock is wrong
        self._swapped = False
        self._stopped = threading.Event()
        self._thread = threading.Thread(target=self._run, name=name, daemon=True)

    def start(self) -> None:
        """Begins. HostError when the broker is not there."""
        self.publisher.start()
        self._thread.start()

    def stop(self) -> None:
        """Plays no more; what is stored is published."""
        self._stopped.set()
        self._thread.join()
        self.publisher.stop(20)

    def pause(self) -> None:
        """Publishes nothing more; it plays on."""
        self.publisher.stop(0)

    def go_on(self) -> None:
        """Publishes again, as after a new start."""
        self.publisher = Publisher(self._broker, self.name, self.games, self._state)
        self.publisher.start(strict=False)
        for boot in {boot for boot, _ in list(self.played)}:
            self.publisher.claim(boot)

    def set_clock(self, wrong_ms: int) -> None:
        """The clock of its computer is wrong by so much from now on."""
        self._clock_ms = wrong_ms

    def swap(self) -> None:
        """Another mat is in its place from the next message on."""
        self._swapped = True

    def numbers(self) -> dict[int, list[int]]:
        """What its computer has stored, by boot."""
        return stored_in(self.games)

    def events(self, most: int) -> list[topics.Event]:
        """The newest messages, as they were published."""
        with Store(self.games) as store:
            query = """SELECT received_ms, raw FROM messages WHERE numbered
                       ORDER BY id DESC LIMIT :most"""
            rows = store.query(query, {"most": most})
        return [topics.Event(self.name, row["received_ms"], row["raw"]) for row in rows]

    def _utc_ms(self) -> int:
        return time.time_ns() // 1_000_000 + self._clock_ms

    def _run(self) -> None:
        with Store(self.games, utc_ms=self._utc_ms) as store:
            self._report(store, [PortState("open")])
            for message, due_s in self.due():
                if self._stopped.wait(max(0.0, due_s - time.monotonic())):
                    return
                if message.numbered:
                    self.played[message.boot, message.number] = time.monotonic()
                self._report(store, [message])

    def _report(self, store: Store, events: list[Event]) -> None:
        store.add(event for event in events if isinstance(event, Message))
        for event in events:
            self._state.handle(event)
            self.publisher.note(event)

    def due(self) -> Iterator[tuple[Message, float]]:
        """Its messages, and when each is due (monotonic seconds)."""
        begun_s, boot = time.monotonic() - self._ahead_ms / 1000, self._boot
        while True:
            for fields in self._lines:
                if self._swapped:  # the new one begins its own game
                    self._swapped = False
                    begun_s, boot = time.monotonic(), boot + SWAPPED
                    break
                text = json.dumps({**fields, "b": boot}, separators=(",", ":"))
                message = decode(frame(text)[:-1])
                if isinstance(message, Message):
                    yield message, begun_s + message.t_ms / 1000
            else:
                begun_s += self._lines[-1]["t"] / 1000
                boot += 1


class MatApart:
    """A RepeatedMat in a process of its own, which can be killed. Each start is another boot."""

    def __init__(self, name: str, boot: int, lines: Path, url: str, folder: Path):
        self.name, self._boot, self._lines = name, boot, lines
        self._url, self._folder = url, folder
        self._process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        """Begins, once more too."""
        command = [sys.executable, "-m", "polarity_bench.club.mats", self._folder, self.name,
                   self._url, self._boot, self._lines]  # fmt: skip
        self._process = subprocess.Popen([str(word) for word in command])
        self._boot += 1000

    def kill(self) -> None:
        """Ends it at once."""
        if self._process:
            self._process.kill()
            self._process.wait()

    def numbers(self) -> dict[int, list[int]]:
        """What its computer has stored, by boot."""
        return stored_in(self._folder / f"{self.name}.db")


def stored_in(games: Path) -> dict[int, list[int]]:
    """The numbered messages of a store, by boot."""
    found: dict[int, list[int]] = {}
    with Store(games) as store:
        for row in store.query("SELECT boot, n FROM messages WHERE numbered ORDER BY boot, n", {}):
            found.setdefault(row["boot"], []).append(row["n"])
    return found


def main() -> None:
    """Plays until it is killed."""
    folder, name, url, boot, lines = sys.argv[1:]
    played = json.loads(Path(lines).read_text(encoding="utf-8"))
    mat = RepeatedMat(name, int(boot), played, Broker.of(url), Path(folder), 0)
    mat.start()
    threading.Event().wait()


if __name__ == "__main__":
    main()
