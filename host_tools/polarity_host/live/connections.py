"""How many connections the live page holds, and for how long without a whole request.

A connection is accepted before anyone can ask for its token. So half-sent requests are bounded, in
number and in time: the oldest gives way to whoever comes next.
"""

import asyncio
import logging
import sys
import time
from typing import Any

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

#: Connections with no whole request: a browser opens six at once.
MOST_WAITING = 100
#: HTTP connections in all. WebSockets are counted as viewers (`viewers.MOST_VIEWERS`).
MOST_CONNECTIONS = 300
#: How long a request may take to arrive.
REQUEST_S = 10.0
#: How long its answer may take: it is made, and the client reads it.
ANSWER_S = 60.0
#: How often a line of the log says that connections were closed.
SAY_EVERY_S = 60.0
#: Connections that wait to be accepted; asyncio accepts so many at a time.
BACKLOG = 64
#: Files that the program may have open at once, where the system lets it ask for so many.
FILES = 1024


class Connections:
    """The HTTP connections of one server, the oldest first."""

    def __init__(self, most: int = MOST_CONNECTIONS, most_waiting: int = MOST_WAITING) -> None:
        self._most, self._most_waiting = most, most_waiting
        self._waiting: dict[GuardedProtocol, None] = {}  # no whole request yet
        self._answered: set[GuardedProtocol] = set()
        self._said_s = -SAY_EVERY_S

    def wait(self, connection: "GuardedProtocol") -> None:
        """A connection is new, or waits for its next request: the oldest of too many are closed."""
        self._answered.discard(connection)
        self._waiting[connection] = None
        while len(self._waiting) > self._most_waiting or (
            len(self._waiting) + len(self._answered) > self._most and self._waiting
        ):
            oldest = next(iter(self._waiting))
            self.forget(oldest)
            oldest.abort()
            self._say()

    def answer(self, connection: "GuardedProtocol") -> None:
        """A whole request has come."""
        self._waiting.pop(connection, None)
        self._answered.add(connection)

    def forget(self, connection: "GuardedProtocol") -> None:
        """It is closed, or a WebSocket now."""
        self._waiting.pop(connection, None)
        self._answered.discard(connection)

    def protocol(self) -> "type[GuardedProtocol]":
        """The protocol for uvicorn whose connections are counted here."""
        return type("CountedProtocol", (GuardedProtocol,), {"counted": self})

    def _say(self) -> None:
        now_s = time.monotonic()
        if now_s - self._said_s >= SAY_EVERY_S:
            self._said_s = now_s
            logging.getLogger("uvicorn.error").error(
                "more connections than the page can serve: the oldest without a request are closed"
            )


class GuardedProtocol(H11Protocol):
    """uvicorn's HTTP with bounds on how long a request and its answer may take."""

    counted: Connections

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self._deadline: asyncio.TimerHandle | None = None
        self._whole = False  # a whole request has come, its answer is under way

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self._await_request()

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        if self.transport.is_closing() or self.transport.get_protocol() is not self:
            return
        if not self._whole and self.conn.their_state not in (h11.IDLE, h11.SEND_BODY):
            self._whole = True
            self.counted.answer(self)
            self._due(ANSWER_S)

    def on_response_complete(self) -> None:
        super().on_response_complete()
        if not self.transport.is_closing():
            self._await_request()

    def handle_websocket_upgrade(self, event: h11.Request) -> None:
        self._leave()
        super().handle_websocket_upgrade(event)

    def connection_lost(self, exc: Exception | None) -> None:
        self._leave()
        super().connection_lost(exc)

    def abort(self) -> None:
        """Closes the connection at once."""
        self._leave()
        self.transport.abort()

    def _await_request(self) -> None:
        self._whole = False
        self._due(REQUEST_S)
        self.counted.wait(self)

    def _due(self, seconds: float) -> None:
        if self._deadline:
            self._deadline.cancel()
        self._deadline = self.loop.call_later(seconds, self.abort)

    def _leave(self) -> None:
        if self._deadline:
            self._deadline.cancel()
        self.counted.forget(self)


def allowed() -> int:
    """How many HTTP connections the system's limit of open files leaves room for; raises that
    limit where it may."""
    if sys.platform == "win32":
        return MOST_CONNECTIONS
    import resource

    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft != resource.RLIM_INFINITY and soft < FILES:
        soft = FILES if hard == resource.RLIM_INFINITY else min(FILES, hard)
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
    return MOST_CONNECTIONS if soft == resource.RLIM_INFINITY else min(MOST_CONNECTIONS, soft // 3)
