"""The live server: the main thread serves viewers, another one follows the mat."""

import asyncio
import contextlib
import socket
import ssl
import sys
import threading
from collections.abc import AsyncIterator, Callable, Mapping
from pathlib import Path

import uvicorn
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.middleware.gzip import GZipMiddleware

from polarity_host.errors import BAD_INPUT, FAILED, HostError
from polarity_host.live.access import AccessGuard, Role, is_loopback
from polarity_host.live.api import MOST_CHARACTERS, Api
from polarity_host.live.connections import BACKLOG, Connections, allowed
from polarity_host.live.live_state import LiveState
from polarity_host.live.maintenance import Maintenance
from polarity_host.live.tokens import new_tokens
from polarity_host.live.viewers import Broadcaster
from polarity_host.live.virtual_handler import VirtualMatHandler

DEFAULT_PORT = 7080
#: The interpreter's switch interval: the thread that stores waits for its turn at each statement of
#: a commit, so the default would delay it much.
SWITCH_S = 0.0005


class LiveServer:
    """Serves a live state at an address. `send` sends commands to the mat; `games` is the database
    whose games and evidence are shown; `handler` handles messages of kind `virtual`, `maintenance`
    runs the doctor and the calibration.
    """

    def __init__(
        self,
        state: LiveState,
        send: Callable[[str], None],
        games: Path,
        host: str = "127.0.0.1",
        port: int = DEFAULT_PORT,
        handler: VirtualMatHandler | None = None,
        maintenance: Maintenance | None = None,
        tls: tuple[Path, Path] | None = None,
        tokens: Mapping[Role, str] | None = None,
    ):
        """Binds at once (port 0: any). With `tls`, a certificate and its key as PEM, it serves
        https. `tokens`: those of the links where others can reach it, else new ones. HostError
        FAILED when the address cannot be had, BAD_INPUT when `tls` cannot be used.
        """
        self._scheme = "https" if tls else "http"
        if tls:
            check_certificate(*tls)
        self.tokens = {} if is_loopback(host) else tokens or new_tokens()
        self._broadcaster = Broadcaster(state, handler)
        self._socket = bound(host, port)
        self._host = host
        self._broken: BaseException | None = None  # what ended the broadcaster
        app = Starlette(
            routes=Api(self._broadcaster, send, games, maintenance, self.tokens).routes(),
            middleware=[Middleware(AccessGuard, tokens=self.tokens), Middleware(GZipMiddleware)],
            lifespan=self._life,
        )
        config = uvicorn.Config(
            app, log_level="error", access_log=False, ws="websockets-sansio",
            http=Connections(allowed()).protocol(), backlog=BACKLOG,
            ws_max_size=MOST_CHARACTERS, ws_per_message_deflate=False, timeout_graceful_shutdown=1,
            server_header=False, date_header=False,
            ssl_certfile=tls and tls[0], ssl_keyfile=tls and tls[1],
        )  # fmt: skip
        self._uvicorn = uvicorn.Server(config)

    @property
    def links(self) -> list[str]:
        """Where the page is for players, with the token if one is needed."""
        return self._links(Role.PLAYER)

    @property
    def spectator_links(self) -> list[str]:
        """Where it is for those who only watch; none where this computer alone can open it."""
        return self._links(Role.SPECTATOR) if self.tokens else []

    def _links(self, role: Role) -> list[str]:
        port = self._socket.getsockname()[1]
        hosts = [self._host]
        if self._host in ("0.0.0.0", "::"):
            hosts = [_own_address(), "127.0.0.1"]
        shown = [f"[{host}]" if ":" in host else host for host in hosts]
        query = f"?token={self.tokens[role]}" if self.tokens else ""
        return [f"{self._scheme}://{host}:{port}/{query}" for host in shown]

    @property
    def viewers(self) -> int:
        """How many viewers there are now."""
        return self._broadcaster.viewers

    def serve(self) -> None:
        """Serves until `stop` or Ctrl-C. HostError FAILED when it cannot go on."""
        sys.setswitchinterval(SWITCH_S)
        with contextlib.suppress(KeyboardInterrupt):
            self._uvicorn.run(sockets=[self._socket])
        self._socket.close()
        if self._broken:
            raise HostError(FAILED, "the live page broke down: {broken!r}", broken=self._broken)

    def stop(self) -> None:
        """Ends `serve`; from any thread."""
        self._uvicorn.should_exit = True

    def in_background(self) -> threading.Thread:
        """Serves in a thread of its own, which `stop` ends; returns when it answers."""
        thread = threading.Thread(target=self.serve, name="live page", daemon=True)
        thread.start()
        while not self._uvicorn.started and thread.is_alive():
            thread.join(0.01)
        return thread

    @contextlib.asynccontextmanager
    async def _life(self, app: Starlette) -> AsyncIterator[None]:
        broadcasting = asyncio.create_task(self._broadcaster.run())
        broadcasting.add_done_callback(self._broke_down)
        yield
        broadcasting.cancel()

    def _broke_down(self, broadcasting: asyncio.Task[None]) -> None:
        if not broadcasting.cancelled():
            self._broken = broadcasting.exception()
            self.stop()


def check_certificate(certificate: Path, key: Path) -> None:
    """HostError BAD_INPUT unless they are a certificate and its key, as PEM."""
    try:
        ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER).load_cert_chain(certificate, key)
    except OSError as error:
        raise HostError(
            BAD_INPUT,
            "cannot use the certificate {certificate} with key {key}: {why}; both are PEM files",
            certificate=certificate,
            key=key,
            why=getattr(error, "reason", None) or error.strerror or error,
        ) from error


def bound(host: str, port: int) -> socket.socket:
    """A socket that listens at an address. HostError FAILED when it cannot be had."""
    try:
        family = socket.AF_INET6 if ":" in host else socket.AF_INET
        return socket.create_server((host.strip("[]"), port), family=family)
    except (OSError, OverflowError) as error:
        why = getattr(error, "strerror", None) or error
        raise HostError(
            FAILED,
            "cannot serve at {host}:{port}: {why}; choose another with --host and --http",
            host=host,
            port=port,
            why=why,
        ) from error


def _own_address() -> str:
    """This computer's address in the local network; nothing is sent."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(("192.0.2.1", 9))  # an address for documentation (RFC 5737)
            return probe.getsockname()[0]
        except OSError:
            return "127.0.0.1"
