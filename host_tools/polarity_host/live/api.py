"""The routes of the page, the state, the words and players' commands; `archive` has the others."""

import asyncio
import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import HTMLResponse, JSONResponse, Response
from starlette.routing import BaseRoute, Mount, Route, WebSocketRoute
from starlette.staticfiles import StaticFiles
from starlette.websockets import WebSocket, WebSocketDisconnect

from polarity_host.errors import HostError
from polarity_host.games.store import checked_names
from polarity_host.live import page
from polarity_host.live.access import WATCHING, Role, policy, role_of
from polarity_host.live.archive import Archive, said_to
from polarity_host.live.live_state import PLAYERS
from polarity_host.live.maintenance import TASKS, Busy, Maintenance
from polarity_host.live.openapi import description
from polarity_host.live.viewers import VERSION, Broadcaster, Viewer, as_text
from polarity_host.wire.player_commands import refusal
from polarity_host.words import LANGUAGES
from polarity_host.words.catalogue import catalogue

STATIC = Path(__file__).parent / "static"
MOST_CHARACTERS = 8192  # of a WebSocket message


class Api:
    """The routes of one server. `send` sends a command to the mat, `games` is the database's path,
    `maintenance` runs the doctor and the calibration, if there is a mat for them. `tokens`: those
    of the links.
    """

    def __init__(
        self,
        broadcaster: Broadcaster,
        send: Callable[[str], None],
        games: Path,
        maintenance: Maintenance | None = None,
        tokens: Mapping[Role, str] | None = None,
    ):
        self._tokens = tokens or {}
        self._broadcaster, self._send, self._archive = broadcaster, send, Archive(games)
        self._maintenance = maintenance

    def routes(self) -> list[BaseRoute]:
        """For Starlette."""
        base = f"/api/v{VERSION}"
        return [
            Route("/", self.page),
            Route("/manifest.json", self.manifest),
            Route("/sw.js", self.service_worker),
            Route(f"{base}/state", self.state),
            Route(f"{base}/openapi.json", self.openapi),
            Route(f"{base}/words/{{language}}", self.words),
            *self._archive.routes(base),
            Route(f"{base}/names", self.names, methods=["POST"]),
            Route(f"{base}/say", self.say, methods=["POST"]),
            Route(f"{base}/maintenance", self.maintain, methods=["POST"]),
            WebSocketRoute(f"{base}/live", self.live),
            Mount("/static", StaticFiles(directory=STATIC)),
        ]

    async def page(self, request: Request) -> Response:
        """The live page."""
        text, scripts = page.live_page(role_of(request), bool(self._broadcaster.handler))
        return HTMLResponse(text, headers={"Content-Security-Policy": policy(scripts)})

    async def manifest(self, request: Request) -> Response:
        """What a browser needs to install the page."""
        made = page.manifest(self._tokens.get(role_of(request), ""))
        return JSONResponse(made, media_type="application/manifest+json")

    async def service_worker(self, request: Request) -> Response:
        """The script that opens the page without the server, for all of the page."""
        return Response(page.service_worker(), media_type="text/javascript")

    async def state(self, request: Request) -> Response:
        """The whole state."""
        return Response(self._broadcaster.whole_text(), media_type="application/json")

    async def openapi(self, request: Request) -> Response:
        """The description of this API."""
        return JSONResponse(description(self.routes(), f"/api/v{VERSION}"))

    async def words(self, request: Request) -> Response:
        """The page's words in a language."""
        language = request.path_params["language"]
        if language not in LANGUAGES:
            raise HTTPException(404, f"there are {', '.join(LANGUAGES)}")
        messages = catalogue(language).messages
        page_words = dict(messages["page"])
        for section in ("maintenance", "doctor", "editions", "refusals"):
            page_words |= {f"{section}.{key}": text for key, text in messages[section].items()}
        page_words["stats.day_and_time"] = messages["stats"]["day_and_time"]
        return JSONResponse({"v": VERSION, "language": language, "page": page_words})

    async def names(self, request: Request) -> Response:
        """Names the players of this game and of those that follow it."""
        try:
            names = {side: await _field(request, side) for side in PLAYERS}
        except LookupError:
            names = {}
        if not names or not all(isinstance(name, str) for name in names.values()):
            raise HTTPException(400, 'send {"white": "Ada", "black": "Ben"}')
        try:
            names = checked_names(names)
        except HostError as error:
            raise HTTPException(400, said_to(request, error)) from None
        self._broadcaster.state.name_players(names)
        return JSONResponse({"v": VERSION, "names": names}, 202)

    async def say(self, request: Request) -> Response:
        """Sends a player's command to the mat."""
        try:
            command = await _field(request, "command")
        except LookupError:
            raise HTTPException(400, 'send {"command": "undo 0"}') from None
        if why := refusal(command):
            raise HTTPException(400, why)
        self._send(command)
        return JSONResponse({"v": VERSION, "said": command}, 202)

    async def maintain(self, request: Request) -> Response:
        """Starts or stops the doctor or the calibration."""
        try:
            do = await _field(request, "do")
        except LookupError:
            do = None
        if do not in (*TASKS, "stop"):
            raise HTTPException(400, f'send {{"do": …}}: {", ".join(TASKS)} or stop')
        if not self._maintenance:
            raise HTTPException(404, "there is no mat here")
        try:
            if do == "stop":
                self._maintenance.stop()
            else:
                self._maintenance.start(do)
        except Busy as busy:
            raise HTTPException(409, said_to(request, busy)) from None
        return JSONResponse({"v": VERSION, "do": do}, 202)

    async def live(self, socket: WebSocket) -> None:
        """Serves a viewer for as long as he is connected."""
        await socket.accept()
        viewer = self._broadcaster.join(socket.send_text, role_of(socket))
        if viewer is None:
            await socket.close(4429, "too many viewers")
            return
        serving = asyncio.create_task(self._broadcaster.serve(viewer))
        try:
            await self._receive(socket, viewer)
        finally:
            self._broadcaster.leave(viewer)
            serving.cancel()
            await asyncio.gather(serving, return_exceptions=True)

    async def _receive(self, socket: WebSocket, viewer: Viewer) -> None:
        try:
            while True:
                answer = self._handle(await socket.receive_text(), viewer)
                if answer:
                    await socket.send_text(as_text(answer))
        except (WebSocketDisconnect, RuntimeError, KeyError):
            pass  # gone, or binary, which no client sends

    def _handle(self, text: str, viewer: Viewer) -> dict[str, Any] | None:
        """Handles a viewer's message. Returns the answer to it, if there is one."""
        try:
            message = json.loads(text) if len(text) <= MOST_CHARACTERS else None
        except (ValueError, RecursionError):
            message = None
        if not isinstance(message, dict) or not isinstance(message.get("k"), str):
            return {"k": "refused", "why": "a message is a JSON object with a kind k"}
        kind, handler = message["k"], self._broadcaster.handler
        if kind == "field":
            viewer.show_field(message.get("on") is True)
            return {"k": "ack", "of": kind}
        elif kind in ("say", "virtual") and viewer.role is Role.SPECTATOR:
            return {"k": "refused", "why": WATCHING}
        elif kind == "say":
            why = refusal(message.get("command"))
            if why:
                return {"k": "refused", "why": why}
            self._send(message["command"])
            return {"k": "ack", "of": kind, "command": message["command"]}
        elif kind == "virtual" and handler:
            answer = handler.message(viewer.number, message)
            return {"k": "virtual", **answer} if answer else None
        else:
            return {"k": "refused", "why": "no such kind here"}
        return None


async def _field(request: Request, name: str) -> Any:
    """A field of the request's JSON object. LookupError where there is none."""
    try:
        return (await request.json())[name]
    except (ValueError, TypeError, KeyError, RecursionError, ClientDisconnect):
        raise LookupError(name) from None
