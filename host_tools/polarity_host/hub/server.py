"""The hall page and what it asks for. Who has the arbiters' link may send corrections; spectators
read only, and as late as a broadcast wants it."""

import asyncio
import contextlib
import json
from collections import deque
from collections.abc import AsyncIterator, Mapping
from typing import Any

import uvicorn
from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.middleware.gzip import GZipMiddleware
from starlette.requests import ClientDisconnect, Request
from starlette.responses import HTMLResponse, JSONResponse, PlainTextResponse, Response
from starlette.routing import Mount, Route, WebSocketRoute
from starlette.staticfiles import StaticFiles
from starlette.websockets import WebSocket, WebSocketDisconnect

from polarity_host.errors import HostError
from polarity_host.hub.hall import Hall, Late
from polarity_host.hub.intake import Intake
from polarity_host.hub.page import STATIC, hall_page, mats, words_of
from polarity_host.hub.public import PublicFolder
from polarity_host.hub.record import Away
from polarity_host.hub.tournaments.desk import Desk
from polarity_host.live.access import AccessGuard, Role, is_loopback, policy, role_of
from polarity_host.live.archive import said_to
from polarity_host.live.connections import BACKLOG, Connections, allowed
from polarity_host.live.evidence import DamagedEvidence, unpacked
from polarity_host.live.page import STATIC as LIVE_STATIC
from polarity_host.live.page import slow_page
from polarity_host.live.server import bound
from polarity_host.live.tokens import new_tokens
from polarity_host.mqtt.topics import NAME
from polarity_host.wire.player_commands import refusal
from polarity_host.words import LANGUAGES

VERSION = 1
TICK_S = 0.1
MOST_LATE = 20  # ticks that a viewer may be behind; then he gets the whole again
MOST_VIEWERS = 1000
FOR_ARBITERS = 20  # of them no spectators'


class Feed:
    """The hall for one kind of viewers, `delay_s` late: ticks, and the whole for who comes."""

    def __init__(self, delay_s: float = 0.0):
        self._late = Late(delay_s)
        self.number = 0
        self._ticks: deque[str] = deque(maxlen=MOST_LATE)
        self._next = asyncio.Event()

    def take(self, changes: dict[str, Any]) -> None:
        """Takes what has changed in the hall, if anything has, and makes a tick of what is due."""
        self._late.take(changes)
        for due in self._late.due():
            self.number += 1
            self._ticks.append(_as_text({"k": "tick", "seq": self.number, **due}))
            made, self._next = self._next, asyncio.Event()
            made.set()

    def whole(self) -> str:
        """All boards."""
        late = self._late
        whole = {"k": "hall", "seq": self.number, "delay_s": late.delay_s, **late.whole}
        return _as_text(whole)

    async def serve(self, socket: WebSocket) -> None:
        """Sends one viewer everything, until he is gone."""
        await socket.send_text(self.whole())
        sent = self.number
        while True:
            late = self.number - sent
            if late > len(self._ticks):
                sent = self.number
                await socket.send_text(self.whole())
            elif late:
                sent += 1
                await socket.send_text(self._ticks[-late])
            else:
                await self._next.wait()


class HubServer:
    """Serves a hall at an address until `stop`. Spectators see it `delay_s` late."""

    def __init__(
        self,
        hall: Hall,
        intake: Intake,
        host: str = "127.0.0.1",
        port: int = 0,
        delay_s: float = 0.0,
        desk: Desk | None = None,
        public: PublicFolder | None = None,
        tokens: Mapping[Role, str] | None = None,
    ):
        """Binds at once (port 0: any). `desk` does what arbiters want of tournaments, `public`
        gets what spectators see as files. `tokens`: those of the links where they need any, else
        new ones. HostError FAILED when the address cannot be had."""
        self.tokens = (tokens or new_tokens()) if delay_s or not is_loopback(host) else {}
        self._hall, self._intake, self._host, self._desk = hall, intake, host, desk
        self._socket = bound(host, port)
        self._feeds = {Role.PLAYER: Feed(), Role.SPECTATOR: Feed(delay_s)}
        self._public = public
        self._viewers = 0
        base = f"/api/v{VERSION}"
        app = Starlette(
            routes=[
                Route("/", self._page),
                Route(f"{base}/hall", self._state),
                Route(f"{base}/mats", self._mats),
                Route(f"{base}/words/{{language}}", self._words),
                Route(f"{base}/slow/{{mat}}/{{boot:int}}/{{n:int}}", self._slow),
                Route(f"{base}/say", self._say, methods=["POST"]),
                Route(f"{base}/tournament", self._tournament, methods=["POST"]),
                WebSocketRoute(f"{base}/live", self._live),
                Mount("/static", StaticFiles(directory=LIVE_STATIC)),
                Mount("/hall", StaticFiles(directory=STATIC)),
            ],
            middleware=[Middleware(AccessGuard, tokens=self.tokens), Middleware(GZipMiddleware)],
            lifespan=self._life,
        )
        config = uvicorn.Config(
            app, log_level="error", access_log=False, ws="websockets-sansio",
            http=Connections(allowed()).protocol(), backlog=BACKLOG, ws_max_size=4096,
            ws_per_message_deflate=False, timeout_graceful_shutdown=1, server_header=False,
            date_header=False,
        )  # fmt: skip
        self._uvicorn = uvicorn.Server(config)

    def link(self, role: Role) -> str:
        """Where the page is for arbiters (PLAYER) or spectators."""
        port = self._socket.getsockname()[1]
        query = f"?token={self.tokens[role]}" if self.tokens else ""
        return f"http://{self._host}:{port}/{query}"

    def serve(self) -> None:
        """Serves until `stop` or Ctrl-C."""
        with contextlib.suppress(KeyboardInterrupt):
            self._uvicorn.run(sockets=[self._socket])
        self._socket.close()

    def stop(self) -> None:
        """Ends `serve`; from any thread."""
        self._uvicorn.should_exit = True

    @contextlib.asynccontextmanager
    async def _life(self, app: Starlette) -> AsyncIterator[None]:
        ticking = asyncio.create_task(self._tick())
        yield
        ticking.cancel()

    async def _tick(self) -> None:
        while True:
            changes = self._hall.changes()
            for feed in self._feeds.values():
                feed.take(changes)
            if self._public:
                self._public.take(changes)
            await asyncio.sleep(TICK_S)

    async def _page(self, request: Request) -> Response:
        text, scripts = hall_page(role_of(request))
        return HTMLResponse(text, headers={"Content-Security-Policy": policy(scripts)})

    async def _state(self, request: Request) -> Response:
        text = self._feeds[role_of(request)].whole()
        return Response(text, media_type="application/json")

    async def _mats(self, request: Request) -> Response:
        return JSONResponse(mats())

    async def _words(self, request: Request) -> Response:
        language = request.path_params["language"]
        if language not in LANGUAGES:
            raise HTTPException(404, f"there are {', '.join(LANGUAGES)}")
        return JSONResponse({"v": VERSION, "page": words_of(language)})

    async def _slow(self, request: Request) -> Response:
        """A ruling's slow motion; its evidence is fetched from the mat's computer."""
        of = request.path_params
        if not self._hall.knows(of["mat"]) or role_of(request) is Role.SPECTATOR:
            raise HTTPException(404, "there is no such board")
        language = request.query_params.get("lang", "en")
        try:
            packed = await run_in_threadpool(self._intake.evidence, of["mat"], of["boot"], of["n"])
            if packed is None:
                raise HTTPException(404, "the mat's computer has no slow motion of this")
            page = slow_page(unpacked(packed), language if language in LANGUAGES else "en")
        except Away as away:
            raise HTTPException(503, f"the database is away: {away}") from None
        except DamagedEvidence as damaged:
            raise HTTPException(502, str(damaged)) from None
        scripts = "'self' 'unsafe-inline' data:"
        return HTMLResponse(
            page,
            headers={
                "Content-Security-Policy": f"default-src 'none'; script-src {scripts}; "
                "style-src 'unsafe-inline'; img-src data:; frame-ancestors 'self'"
            },
        )

    async def _say(self, request: Request) -> Response:
        """Sends an arbiter's correction to a mat."""
        try:
            body = await request.json()
            mat, command = str(body["mat"]), body["command"]
        except (ValueError, TypeError, KeyError, RecursionError, ClientDisconnect):
            raise HTTPException(400, 'send {"mat": "oak", "command": "undo 0"}') from None
        if why := refusal(command):
            raise HTTPException(400, why)
        if not NAME.fullmatch(mat) or not self._hall.knows(mat):
            raise HTTPException(404, "there is no such board")
        try:
            await run_in_threadpool(self._intake.say, mat, command)
        except Away as away:
            raise HTTPException(503, f"the database is away: {away}") from None
        return JSONResponse({"v": VERSION, "mat": mat, "said": command}, 202)

    async def _tournament(self, request: Request) -> Response:
        """Does what the arbiter asks for in a tournament; see `tournaments.desk`."""
        try:
            body = await request.json()
        except (ValueError, RecursionError, ClientDisconnect):
            body = None
        try:
            if self._desk is None:
                raise HTTPException(404, "this hall has no tournaments")
            await run_in_threadpool(self._desk.do, body)
        except HostError as error:
            return PlainTextResponse(said_to(request, error), 400)
        except Away as away:
            raise HTTPException(503, f"the database is away: {away}") from None
        return JSONResponse({"v": VERSION}, 202)

    async def _live(self, socket: WebSocket) -> None:
        await socket.accept()
        role = role_of(socket)
        if self._viewers >= MOST_VIEWERS - FOR_ARBITERS * (role is Role.SPECTATOR):
            await socket.close(4429, "too many viewers")
            return
        self._viewers += 1
        serving = asyncio.create_task(self._feeds[role].serve(socket))
        try:
            while True:
                await socket.receive_text()  # nobody has anything to say here
        except (WebSocketDisconnect, RuntimeError, KeyError):
            pass
        finally:
            self._viewers -= 1
            serving.cancel()
            await asyncio.gather(serving, return_exceptions=True)


def _as_text(message: dict[str, Any]) -> str:
    return json.dumps({"v": VERSION, **message}, separators=(",", ":"))
