"""What goes to the viewers: thirty times a second what has changed, made once for all of them.

A task of its own serves each viewer. A viewer who is a little late still gets every change; one
who is later gets the whole state instead. No viewer waits for another.
"""

import asyncio
import json
import time
from collections import deque
from collections.abc import Awaitable, Callable
from typing import Any

from polarity_host.live.access import Role
from polarity_host.live.live_state import LiveState
from polarity_host.live.virtual_handler import VirtualMatHandler

VERSION = 1
TICK_S = 1 / 33  # thirty a second, and what a busy computer misses
MOST_LATE = 8  # ticks that a viewer may be behind
FIELD_EVERY_S = 0.1
LEDS_EVERY = 3  # ticks
MOST_VIEWERS = 200
FOR_PLAYERS = 20  # of them no spectators'


def as_text(message: dict[str, Any]) -> str:
    """A message as it goes to viewers and scripts."""
    return json.dumps({"v": VERSION, **message}, separators=(",", ":"))


class Viewer:
    """One viewer: `send` sends him a message, `number` names him, `role` says what he may do.
    `wants_field` says whether he gets the field too.
    """

    def __init__(self, number: int, send: Callable[[str], Awaitable[None]], role: Role):
        self.number, self.send, self.role = number, send, role
        self.wants_field = False

    def show_field(self, on: bool) -> None:
        """The viewer gets the field from now on, or no more."""
        self.wants_field = on


class Broadcaster:
    """Sends one live state to all viewers. `run` it for as long as the server runs."""

    def __init__(self, state: LiveState, handler: VirtualMatHandler | None = None):
        self.state, self.handler = state, handler
        self.viewers = 0
        self._last_viewer = 0
        self._number = 0  # of the last tick
        self._ticks: deque[str] = deque(maxlen=MOST_LATE)  # the last one is that of _number
        self._whole = (-1, "")
        self._leds = ""  # as sent last
        self._field = (0, "")
        self._next_tick = asyncio.Event()

    async def run(self) -> None:
        """Makes a tick of what has changed, thirty times a second."""
        due = time.monotonic()
        while True:
            self._make_tick()
            due = max(due + TICK_S, time.monotonic())
            await asyncio.sleep(max(0.0, due - time.monotonic()))

    def join(
        self, send: Callable[[str], Awaitable[None]], role: Role = Role.PLAYER
    ) -> Viewer | None:
        """A new viewer, to be served; None when there are MOST_VIEWERS already, or as many as
        spectators may bring about."""
        if self.viewers >= MOST_VIEWERS - FOR_PLAYERS * (role is Role.SPECTATOR):
            return None
        self.viewers += 1
        self._last_viewer += 1
        return Viewer(self._last_viewer, send, role)

    def leave(self, viewer: Viewer) -> None:
        """A viewer who joined is gone."""
        self.viewers -= 1
        if self.handler:
            self.handler.gone(viewer.number)

    async def serve(self, viewer: Viewer) -> None:
        """Sends one viewer everything, until he is gone (an exception of `viewer.send`)."""
        sent = 0  # the last tick that he has got
        field_sent, field_due = 0, 0.0
        while True:
            late = self._number - sent
            if sent == 0 or late > len(self._ticks):
                text, sent = self.whole_text(), self._number
                await viewer.send(text)
            elif late:
                text, sent = self._ticks[-late], sent + 1
                await viewer.send(text)
            if viewer.wants_field and time.monotonic() >= field_due:
                number, text = self._field_text()
                if number != field_sent:
                    field_sent, field_due = number, time.monotonic() + FIELD_EVERY_S
                    await viewer.send(text)
            if sent == self._number:
                await self._next_tick.wait()

    def _make_tick(self) -> None:
        changes, events = self.state.changes()
        if self.handler:
            virtual = self.handler.changes()
            if virtual is not None:
                changes["virtual"] = virtual
        self._number += 1
        if changes["leds"] == self._leds or self._number % LEDS_EVERY:
            del changes["leds"]
        else:
            self._leds = changes["leds"]
        message = {"k": "tick", "seq": self._number, **changes}
        if events:
            message["events"] = events
        self._ticks.append(as_text(message))
        made, self._next_tick = self._next_tick, asyncio.Event()
        made.set()

    def whole_text(self) -> str:
        """The whole state, as text."""
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
