"""What the server answers: the page, the state, words, players' commands; `archive` the rest."""

import asyncio
import json
from pathlib import Path

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, Response
from starlette.routing import Mount, Route, WebSocketRoute
from starlette.staticfiles import StaticFiles
from starlette.websockets import WebSocket, WebSocketDisconnect

from polarity_host.live import page
from polarity_host.live.access import policy
from polarity_host.live.archive import Archive
from polarity_host.live.maintenance import WHAT, Busy
from polarity_host.live.viewers import MOST_VIEWERS, VERSION, Broadcaster, Viewer, as_text
from polarity_host.wire.player_commands import refusal
from polarity_host.words import LANGUAGES
from polarity_host.words.catalogue import catalogue

STATIC = Path(__file__).parent / "static"
MOST_SAID = 8192  # characters of a WebSocket message


class Api:
    """The routes of one server. `say` sends to the mat, `games` is the database's path, `tending`
    leads doctor and calibration, if there is a mat for them.
    """

    def __init__(self, crowd: Broadcaster, say, games: Path, tending=None):
        self._crowd, self._say, self._archive = crowd, say, Archive(games)
        self._tending = tending
        self._viewer = 0

    def routes(self) -> list:
        """For Starlette."""
        base = f"/api/v{VERSION}"
        return [
            Route("/", self.page),
            Route(f"{base}/state", self.state),
            Route(f"{base}/words/{{language}}", self.words),
            *self._archive.routes(base),
            Route(f"{base}/say", self.say, methods=["POST"]),
            Route(f"{base}/tend", self.tend, methods=["POST"]),
            WebSocketRoute(f"{base}/live", self.live),
            Mount("/static", StaticFiles(directory=STATIC)),
        ]

    async def page(self, request: Request) -> Response:
        text, scripts = page.live_page()
        return HTMLResponse(text, headers={"Content-Security-Policy": policy(scripts)})

    async def state(self, request: Request) -> Response:
        return JSONResponse({"v": VERSION, "k": "state", **self._crowd.state.whole()})

    async def words(self, request: Request) -> Response:
        language = request.path_params["language"]
        if language not in LANGUAGES:
            raise HTTPException(404, f"there are {', '.join(LANGUAGES)}")
        messages = catalogue(language).messages
        page_words = dict(messages["page"])
        for section in ("tend", "doctor"):
            page_words |= {f"{section}.{key}": say for key, say in messages[section].items()}
        return JSONResponse({"v": VERSION, "language": language, "page": page_words})

    async def say(self, request: Request) -> Response:
        try:
            command = (await request.json())["command"]
        except (ValueError, TypeError, KeyError, RecursionError):
            raise HTTPException(400, 'send {"command": "undo 0"}') from None
        if why := refusal(command):
            raise HTTPException(400, why)
        self._say(command)
        return JSONResponse({"v": VERSION, "said": command}, 202)

    async def tend(self, request: Request) -> Response:
        try:
            do = (await request.json())["do"]
        except (ValueError, TypeError, KeyError, RecursionError):
            do = None
        if do not in (*WHAT, "stop"):
            raise HTTPException(400, f'send {{"do": …}}: {", ".join(WHAT)} or stop')
        if not self._tending:
            raise HTTPException(404, "there is no mat to be tended")
        try:
            if do == "stop":
                self._tending.stop()
            else:
                self._tending.start(do)
        except Busy as busy:
            raise HTTPException(409, busy.message) from None
        return JSONResponse({"v": VERSION, "do": do}, 202)

    async def live(self, socket: WebSocket) -> None:
        crowd = self._crowd
        await socket.accept()
        if crowd.viewers >= MOST_VIEWERS:
            await socket.close(4429, "too many viewers")
            return
        crowd.viewers += 1
        self._viewer += 1
        viewer = Viewer(self._viewer, socket.send_text)
        telling = asyncio.create_task(crowd.serve(viewer))
        try:
            await self._hear(socket, viewer)
        finally:
            crowd.viewers -= 1
            telling.cancel()
            await asyncio.gather(telling, return_exceptions=True)
            if crowd.handler:
                crowd.handler.gone(viewer.number)

    async def _hear(self, socket: WebSocket, viewer: Viewer) -> None:
        try:
            while True:
                answer = self._heard(await socket.receive_text(), viewer)
                if answer:
                    await socket.send_text(as_text(answer))
        except (WebSocketDisconnect, RuntimeError, KeyError):
            pass  # gone, or binary, which nobody here sends

    def _heard(self, text: str, viewer: Viewer) -> dict | None:
        try:
            said = json.loads(text) if len(text) <= MOST_SAID else None
        except (ValueError, RecursionError):
            said = None
        if not isinstance(said, dict) or not isinstance(said.get("k"), str):
            return {"k": "refused", "why": "a message is a JSON object with a kind k"}
        kind = said["k"]
        if kind == "field":
            viewer.wants_field = said.get("on") is True
        elif kind == "say":
            why = refusal(said.get("command"))
            if why:
                return {"k": "refused", "why": why}
            self._say(said["command"])
        elif kind == "virtual" and self._crowd.handler:
            answer = self._crowd.handler.message(viewer.number, said)
            return {"k": "virtual", **answer} if answer else None
        else:
            return {"k": "refused", "why": "no such kind here"}
        return None
