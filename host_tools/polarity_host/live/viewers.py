"""What goes to the viewers: thirty times a second what has changed, made once for all of them.

Each viewer is served by a task of its own. Who is a little late is told each change all the same,
who is too slow for that the whole next time: he waits for nobody and nobody for him.
"""

import asyncio
import json
import time
from collections import deque

from polarity_host.live.live_state import LiveState

VERSION = 1
EVERY_S = 1 / 33  # thirty a second, and what a busy computer misses
MOST_LATE = 8  # changes that a viewer may be behind
FIELD_EVERY_S = 0.1
MOST_VIEWERS = 200


def as_text(message: dict) -> str:
    """A message as it goes to viewers and scripts."""
    return json.dumps({"v": VERSION, **message}, separators=(",", ":"))


class Broadcaster:
    """The viewers of one state. `run` for as long as the server does."""

    def __init__(self, state: LiveState, handler=None):
        self.state, self.handler = state, handler
        self.viewers = 0
        self._number = 0
        self._ticks: deque[str] = deque(maxlen=MOST_LATE)  # the last one is that of _number
        self._whole = (-1, "")
        self._field = (0, "")
        self._turned = asyncio.Event()

    async def run(self) -> None:
        """Gathers what has changed, thirty times a second."""
        due = time.monotonic()
        while True:
            self._gather()
            due = max(due + EVERY_S, time.monotonic())
            await asyncio.sleep(max(0.0, due - time.monotonic()))

    def _gather(self) -> None:
        changes, events = self.state.changes()
        if self.handler:
            virtual = self.handler.changes()
            if virtual is not None:
                changes["virtual"] = virtual
        self._number += 1
        message = {"k": "tick", "seq": self._number, **changes}
        if events:
            message["events"] = events
        self._ticks.append(as_text(message))
        turned, self._turned = self._turned, asyncio.Event()
        turned.set()

    def _whole_text(self) -> str:
        if self._whole[0] != self._number:
            whole = self.state.whole()
            if self.handler:
                whole["virtual"] = self.handler.whole()
            self._whole = (self._number, as_text({"k": "state", "seq": self._number, **whole}))
        return self._whole[1]

    def _field_text(self) -> tuple[int, str]:
        number, units = self.state.field()
        if number != self._field[0]:
            self._field = (number, as_text({"k": "field", "ut10": units}))
        return self._field

    async def serve(self, viewer: "Viewer") -> None:
        """Tells one viewer everything, until he is gone (an exception of `viewer.send`)."""
        seen = 0
        field_seen, field_due = 0, 0.0
        while True:
            late = self._number - seen
            if seen == 0 or late > len(self._ticks):
                text, seen = self._whole_text(), self._number
                await viewer.send(text)
            elif late:
                text, seen = self._ticks[-late], seen + 1
                await viewer.send(text)
            if viewer.wants_field and time.monotonic() >= field_due:
                number, text = self._field_text()
                if number != field_seen:
                    field_seen, field_due = number, time.monotonic() + FIELD_EVERY_S
                    await viewer.send(text)
            if seen == self._number:
                await self._turned.wait()


class Viewer:
    """One of those who look. `send` is the way to him, `number` his name."""

    def __init__(self, number: int, send):
        self.number, self.send = number, send
        self.wants_field = False
