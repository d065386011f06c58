"""The routes of stored games: finding and naming them, their events, evidence and slow motion,
their records in every form, and the statistics of their players.
"""

from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from datetime import date
from pathlib import Path
from typing import TypeVar

from starlette.concurrency import run_in_threadpool
from starlette.convertors import Convertor, register_url_convertor
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import HTMLResponse, JSONResponse, Response
from starlette.routing import BaseRoute, Route

from polarity_host.errors import BAD_INPUT, HostError
from polarity_host.games.formats import FORMS, exported
from polarity_host.games.search import Wanted
from polarity_host.games.statistics import report
from polarity_host.games.store import Store, checked_names
from polarity_host.live import page
from polarity_host.live.access import policy
from polarity_host.live.event_log import ViewerEvent
from polarity_host.live.event_reporter import EventReporter
from polarity_host.live.evidence import DamagedEvidence, Evidence, joined, unpacked
from polarity_host.live.viewers import VERSION
from polarity_host.wire.lines import Message
from polarity_host.wire.messages import GameMessage
from polarity_host.words import LANGUAGES, Words
from polarity_host.words.said import translator

MEDIA = {
    "text": "text/plain", "json": "application/json", "csv": "text/csv", "html": "text/html",
}  # fmt: skip

T = TypeVar("T")


class IdConvertor(Convertor[int]):
    """A number in a path that the database can hold."""

    regex = "[0-9]{1,18}"

    def convert(self, value: str) -> int:
        """The number."""
        return int(value)

    def to_string(self, value: int) -> str:
        """Its path."""
        return str(value)


class Archive:
    """The routes of the games in one database, `games` its path."""

    def __init__(self, games: Path):
        self._games = games

    def routes(self, base: str) -> list[BaseRoute]:
        """For Starlette, under `base`."""
        register_url_convertor("id", IdConvertor())
        game = f"{base}/games/{{game:id}}"
        boot = f"{base}/boots/{{boot:id}}"
        return [
            Route(f"{base}/games", self.games),
            Route(f"{game}/events", self.events),
            Route(f"{game}/names", self.names, methods=["POST"]),
            Route(f"{game}/record.{{form}}", self.record),
            Route(f"{game}/evidence", self.evidence_numbers),
            Route(f"{game}/evidence/{{n:id}}", self.evidence),
            Route(f"{game}/slow/{{n:id}}.html", self.slow),
            Route(f"{game}/play", self.play),
            Route(f"{game}/play.html", self.play_page),
            Route(f"{boot}/evidence/{{n:id}}", self.evidence_of_boot),
            Route(f"{boot}/slow/{{n:id}}.html", self.slow_of_boot),
            Route(f"{base}/stats", self.stats),
            Route(f"{base}/stats.html", self.stats_page),
        ]

    async def games(self, request: Request) -> Response:
        wanted = _wanted(request)
        games = await self._stored(
            lambda store: [g for g in store.games() if wanted.fits(g) and not g["archived"]]
        )
        return JSONResponse({"v": VERSION, "games": games})

    async def events(self, request: Request) -> Response:
        game = request.path_params["game"]
        messages, damaged = await self._stored(lambda store: store.messages(game))
        events = await run_in_threadpool(_events, messages)
        answer = {"v": VERSION, "game": game, "events": events}
        return JSONResponse(answer | {"left_out": damaged} if damaged else answer)

    async def names(self, request: Request) -> Response:
        game = request.path_params["game"]
        try:
            names = await request.json()
        except (ValueError, RecursionError, ClientDisconnect):
            names = None
        if not isinstance(names, dict) or not all(isinstance(t, str) for t in names.values()):
            raise HTTPException(400, 'send {"white": "Ada"}')
        try:
            names = checked_names(names)
        except HostError as error:
            raise HTTPException(400, said_to(request, error)) from None
        await self._stored(lambda store: store.name(game, names))
        return JSONResponse({"v": VERSION, "game": game})

    async def record(self, request: Request) -> Response:
        game, form = request.path_params["game"], request.path_params["form"]
        if form not in FORMS:
            raise HTTPException(404, f"there are {', '.join(FORMS)}")
        words = Words(language_asked(request))
        text = await self._stored(lambda store: exported(self._games, game, form, words))
        headers = {"Content-Disposition": f'attachment; filename="polarity-{game}.{form}"'}
        return Response(text, media_type=MEDIA[form], headers=headers)

    async def stats(self, request: Request) -> Response:
        wanted = _counted(request)
        found = await self._stored(lambda store: report.found(store, wanted))
        records = list(report.as_records(found))
        return JSONResponse({"v": VERSION, "records": records})

    async def stats_page(self, request: Request) -> Response:
        wanted = _counted(request)
        found = await self._stored(lambda store: report.found(store, wanted))
        text = report.as_html(found, language_asked(request))
        # a page of its own, without scripts: its style is in it
        safe = policy("'none'").replace("style-src 'self'", "style-src 'unsafe-inline'")
        return HTMLResponse(text, headers={"Content-Security-Policy": safe})

    async def evidence_numbers(self, request: Request) -> Response:
        game = request.path_params["game"]
        numbers = await self._stored(lambda store: store.evidence_numbers(game))
        return JSONResponse({"v": VERSION, "game": game, "evidence": numbers})

    async def evidence(self, request: Request) -> Response:
        return JSONResponse(await self._evidence(request.path_params["game"], request))

    async def evidence_of_boot(self, request: Request) -> Response:
        return JSONResponse(await self._evidence(await self._game(request), request))

    async def slow(self, request: Request) -> Response:
        return await self._slow(request.path_params["game"], request)

    async def slow_of_boot(self, request: Request) -> Response:
        return await self._slow(await self._game(request), request)

    async def _slow(self, game: int, request: Request) -> Response:
        evidence = await self._evidence(game, request)
        code = evidence["ruling"]["code"]
        code = code if code.isascii() and code.isidentifier() else "ruling"
        name = f"polarity-{code}-{request.path_params['n']}.html"
        text = await run_in_threadpool(page.slow_page, evidence, language_asked(request))
        headers = {"Content-Disposition": f'attachment; filename="{name}"'}
        return HTMLResponse(text, headers=headers)

    async def play(self, request: Request) -> Response:
        """The evidence of a whole game."""
        return JSONResponse(await self._whole(request.path_params["game"]))

    async def play_page(self, request: Request) -> Response:
        """The whole game as one file that plays it."""
        game = request.path_params["game"]
        text = await run_in_threadpool(
            page.slow_page, await self._whole(game), language_asked(request)
        )
        headers = {"Content-Disposition": f'attachment; filename="polarity-{game}-play.html"'}
        return HTMLResponse(text, headers=headers)

    async def _whole(self, game: int) -> Evidence:
        def stored(store: Store) -> list[object]:
            return [store.evidence(game, n) for n in store.evidence_numbers(game)]

        def whole(packed: list[object]) -> Evidence | None:
            found = []
            for data in packed:
                with suppress(DamagedEvidence):  # the rest of the game plays without it
                    found.append(unpacked(data))
            return joined(found) if found else None

        evidence = await run_in_threadpool(whole, await self._stored(stored))
        if evidence is None:
            raise HTTPException(404, f"nothing of the motion of game {game} is kept")
        return evidence

    async def _game(self, request: Request) -> int:
        boot, n = request.path_params["boot"], request.path_params["n"]
        game = await self._stored(lambda store: store.game_of(boot, n))
        if game is None:
            raise HTTPException(404, f"no number {n} of boot {boot} is stored")
        return game

    async def _evidence(self, game: int, request: Request) -> Evidence:
        n = request.path_params["n"]
        data = await self._stored(lambda store: store.evidence(game, n))
        if data is None:
            raise HTTPException(404, f"no evidence of number {n} of game {game} is kept")
        try:
            return await run_in_threadpool(unpacked, data)
        except DamagedEvidence as damaged:
            raise HTTPException(404, f"the evidence of number {n}: {damaged}") from None

    async def _stored(self, query: Callable[[Store], T]) -> T:
        def run() -> T:
            if not self._games.exists():
                raise HTTPException(404, "no games are stored yet")
            with Store(self._games) as store:
                return query(store)

        try:
            return await run_in_threadpool(run)
        except HostError as error:
            raise HTTPException(
                404 if error.exit_code == BAD_INPUT else 503, error.message
            ) from None


def language_asked(request: Request) -> str:
    """The language of `?lang=de`, else English."""
    language = request.query_params.get("lang", "en")
    return language if language in LANGUAGES else "en"


def said_to(request: Request, error: HostError) -> str:
    """An error in the language that was asked for."""
    return error.by(translator(language_asked(request)))


def _wanted(request: Request) -> Wanted:
    """Which games a request asks for: player, event, edition, since, until."""
    asked = request.query_params
    days = {}
    for name in ("since", "until"):
        try:
            days[name] = date.fromisoformat(asked[name]) if asked.get(name) else None
        except ValueError:
            raise HTTPException(400, f"{name} is a day, as 2026-03-31") from None
    texts = {name: asked.get(name, "") for name in ("player", "event", "edition")}
    return Wanted(**texts, **days)


def _counted(request: Request) -> Wanted:
    """The same for statistics: what does not count is left out unless `all` is asked for."""
    return replace(_wanted(request), only_counted=not request.query_params.get("all"))


def _events(messages: list[Message]) -> list[ViewerEvent]:
    """The stored messages of a game as events."""
    reporter, events = EventReporter(), []
    for message in messages:
        if message.numbered:
            if isinstance(message.body, GameMessage):
                reporter.begin(message.body.edition, message.t_ms)
            events.append(reporter.report(message))
    return events
