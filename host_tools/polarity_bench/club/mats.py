"""Mats of a hall that need no physics: each repeats the lines of a virtual game at play's pace, and
is stored and published as any mat is. A mat's own boot stands in its lines."""

import json
import threading
import time
from collections.abc import Iterator
from pathlib import Path

from polarity.wire.framing import frame
from polarity_host.device.link import Event, PortState
from polarity_host.games.store import Store
from polarity_host.live.live_state import LiveState
from polarity_host.mqtt.broker import Broker
from polarity_host.mqtt.publisher import Publisher
from polarity_host.wire.lines import Message, decode


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
        self._state = LiveState()
        self.publisher = Publisher(broker, name, self.games, self._state)
        self._boot, self._lines, self._ahead_ms = boot, lines, ahead_ms
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

    def _run(self) -> None:
        with Store(self.games) as store:
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
                text = json.dumps({**fields, "b": boot}, separators=(",", ":"))
                message = decode(frame(text)[:-1])
                if isinstance(message, Message):
                    yield message, begun_s + message.t_ms / 1000
            begun_s += self._lines[-1]["t"] / 1000
            boot += 1
