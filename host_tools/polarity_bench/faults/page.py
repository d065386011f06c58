"""The live page under hostile requests, half-sent ones and slow readers."""

import contextlib
import json
import logging
import socket
import tempfile
import threading
from collections import Counter
from itertools import cycle
from pathlib import Path
from random import Random

from websockets.exceptions import WebSocketException
from websockets.sync.client import connect

from polarity_bench.faults import hostile
from polarity_bench.faults.files import game_messages
from polarity_host.device.link import PortState
from polarity_host.games.store import Store
from polarity_host.live.live_state import LiveState
from polarity_host.live.server import LiveServer

PATHS = (
    "/", "//evil.example", "/api/v1/state", "/api/v1/words/en", "/api/v1/words/\ud800",
    "/api/v1/games", "/api/v1/games?since=9999-99-99", "/api/v1/games?player=%ED%A0%80",
    "/api/v1/games/{n}/events", "/api/v1/games/{n}/evidence", "/api/v1/games/{n}/evidence/{n}",
    "/api/v1/games/{n}/record.text", "/api/v1/games/{n}/slow/{n}.html?lang=xx",
    "/api/v1/boots/{n}/evidence/{n}", "/api/v1/stats", "/api/v1/stats.html?edition=%00",
    "/static/../server.py", "/static/%2e%2e/server.py", "/static/live.js", "/%", "/%ff%fe",
    "/?token=x", "/api/v1/live", "/api/v1/games/{n}/names", "/api/v1/say", "/api/v1/maintenance",
)  # fmt: skip
NUMBERS = (
    "0",
    "1",
    "2",
    "-1",
    "9" * 18,
    "9" * 30,
    "9" * 5000,
    "1.5",
    "%31",
    "x",
    str(2**63),
    str(2**64),
)
HOSTS = ("127.0.0.1", "localhost", "evil.example", "", "[", "[::1]", "127.0.0.1:99999", "\xff")
ORIGINS = ("http://127.0.0.1", "http://[", "null", "", "http://]", "//", "\xff\xfe")
METHODS = ("GET", "GET", "GET", "HEAD", "POST", "POST", "PUT", "OPTIONS", "TRACE", "G\0T")
BODIES = (
    b'{"command":"undo 0"}', b'{"command":7}', b"[" * 3000, b'{"white":"\\ud800"}', b"\xff", b"{}",
    b"9" * 4000, b'{"do":["x"]}', b'{"do":"stop"}', b'{"white":"Ada"}', b"", b"null",
)  # fmt: skip
READERS = 20  # viewers who never read
MESSAGES_EACH = 5  # of the mat that they are to be shown, a request
NEWEST_S = 20.0  # how long a viewer may wait for it
VIEWING = (
    b"GET /api/v1/live HTTP/1.1\r\nHost: 127.0.0.1\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
    b"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n"
)
NEWEST = "the last that the page is told"
HALF_ONE_IN = 10  # of the requests are not sent to their end


class _Log(logging.Handler):
    """Counts what the server logs with a traceback; shows nothing."""

    count = 0

    def emit(self, record: logging.LogRecord) -> None:
        """A line of the log."""
        self.count += bool(record.exc_info)


def run(requests: int, seed: int) -> dict[str, object]:
    """So many requests to one server. Returns `http_requests`; `http_500`; `http_tracebacks` in the
    server's log; `by_status`, 0 where it hung up without an answer; `unanswered`: whole requests
    that a good client sent in between, a hundredth of all, and got no 200 for; `slow_readers` of
    the live state, and `viewers_behind`: those beside them that did not get the newest."""
    draw, statuses, unanswered = Random(seed), Counter(), 0
    with tempfile.TemporaryDirectory() as folder:
        games = Path(folder) / "games.db"
        Store(games).close()
        state, shown = LiveState(), cycle(game_messages())
        server = LiveServer(state, lambda command: None, games, port=0)
        log, logged = logging.getLogger("uvicorn.error"), _Log()
        handlers = log.handlers
        log.handlers, log.propagate = list[logging.Handler]([logged]), False
        thread = server.in_background()
        address = "127.0.0.1", int(server.links[0].rstrip("/").rpartition(":")[2])
        halves: list[socket.socket] = []
        readers, viewer = [_slow_reader(address) for _ in range(READERS)], _Viewer(address)
        viewer.start()
        slow = 0
        for number in range(requests):
            if draw.randrange(HALF_ONE_IN) == 0:
                half = socket.create_connection(address, 20)
                request = _request(draw)
                half.sendall(request[: draw.randrange(max(1, len(request) - 4))])
                halves.append(half)
                statuses["half"] += 1
                if len(halves) > 300:
                    halves.pop(0).close()
            else:
                statuses[_status(address, _request(draw))] += 1
            slow = max(slow, server.viewers - 1)
            for _ in range(MESSAGES_EACH):
                state.handle(next(shown))
            if number % 100 == 0:
                good = b"GET /api/v1/state HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n"
                unanswered += _status(address, good) != 200
        for half in halves:
            half.close()
        state.handle(PortState("lost", NEWEST))
        behind = not viewer.newest.wait(NEWEST_S)
        for reader in readers:
            reader.close()
        server.stop()
        thread.join(20)
        log.handlers, log.propagate = handlers, True
    return {
        "http_requests": requests,
        "http_500": sum(n for status, n in statuses.items() if status in range(500, 600)),
        "http_tracebacks": logged.count,
        "unanswered": unanswered,
        "slow_readers": slow,
        "viewers_behind": int(behind),
        "by_status": {str(status): n for status, n in sorted(statuses.items(), key=str)},
    }


class _Viewer(threading.Thread):
    """A viewer who reads what comes; `newest` once that has come."""

    def __init__(self, address: tuple[str, int]) -> None:
        super().__init__(daemon=True)
        self._socket = connect(f"ws://{address[0]}:{address[1]}/api/v1/live", compression=None)
        self.newest = threading.Event()

    def run(self) -> None:
        """Until the newest has come, or the connection is closed."""
        with contextlib.suppress(WebSocketException), self._socket as viewer:
            for text in viewer:
                if NEWEST in str(text):
                    self.newest.set()
                    return


def _slow_reader(address: tuple[str, int]) -> socket.socket:
    """A viewer who never reads, not even the answer to his request."""
    reader = socket.socket()
    reader.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    reader.connect(address)
    reader.sendall(VIEWING)
    return reader


def _status(address: tuple[str, int], request: bytes) -> int:
    """The status of the answer, 0 for none."""
    try:
        with socket.create_connection(address, 20) as connection:
            connection.sendall(request)
            connection.shutdown(socket.SHUT_WR)
            answer = connection.recv(4096)
    except OSError:
        return 0
    head = answer.split(b" ", 2)
    return int(head[1]) if len(head) > 1 and head[1].isdigit() else 0


def _request(draw: Random) -> bytes:
    path = draw.choice(PATHS)
    while "{n}" in path:
        path = path.replace("{n}", draw.choice(NUMBERS), 1)
    method = draw.choice(METHODS)
    lines = [f"{method} {path} HTTP/1.1", f"Host: {draw.choice(HOSTS[:2] * 6 + HOSTS)}"]
    body = b""
    if draw.randrange(3) == 0:
        lines.append(f"Origin: {draw.choice(ORIGINS)}")
    if method not in ("GET", "HEAD") or draw.randrange(8) == 0:
        body = draw.choice((*BODIES, json.dumps({"command": draw.choice(hostile.WORDS)}).encode()))
        lines.append(draw.choice(("Content-Type: application/json", "Content-Type: text/plain")))
        length = draw.choice((str(len(body)),) * 6 + ("9" * 5000, "-1", "x", "²"))
        lines.append(f"Content-Length: {length}")
    if path == "/api/v1/live":
        lines += ["Upgrade: websocket", "Connection: Upgrade", "Sec-WebSocket-Version: 13"]
        lines.append(draw.choice(("Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==", "X: y")))
    else:
        lines.append("Connection: close")
    if draw.randrange(6) == 0:
        odd = draw.choice(("\xff", "polarity=\x01", 'polarity="', "a=" * 300))
        lines.append(f"Cookie: {odd}")
    if draw.randrange(20) == 0:
        lines += [f"X-{number}: {'y' * 100}" for number in range(draw.choice((100, 900)))]
    return "\r\n".join((*lines, "", "")).encode("utf-8", "surrogatepass") + body
