"""The HTTP API as an OpenAPI 3.1 description, made from the server's routes.

Paths, methods and the parameters in paths are those of the routes; what a route cannot tell (what
it is for, its query, its body and what it answers) stands in OPERATIONS. API.md has the same in
words, and the WebSocket, which OpenAPI does not describe.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, TypeAlias

from starlette.routing import BaseRoute, Route

from polarity_host.games.formats import FORMS
from polarity_host.live.live_state import PARTS, PLAYERS
from polarity_host.live.maintenance import TASKS
from polarity_host.words import LANGUAGES

Schema: TypeAlias = dict[str, Any]

TEXT: Schema = {"type": "string"}
NUMBER: Schema = {"type": "integer"}
OBJECT: Schema = {"type": "object"}
SELECTS = ("player", "event", "edition", "since", "until")  # stored games
NAMES = ("white", "black", "event", "notes")


def _object(optional: Schema | None = None, **required: Schema) -> Schema:
    """An object with these fields, and others that a client ignores."""
    fields = {**required, **(optional or {})}
    return {"type": "object", "properties": fields, "required": list(required)}


def _list(of: Schema) -> Schema:
    return {"type": "array", "items": of}


def _one_of(*values: str) -> Schema:
    return {"type": "string", "enum": list(values)}


GAME = _object(
    id=NUMBER,
    mat=TEXT,
    edition=TEXT,
    begun_ms={"type": ["integer", "null"], "description": "UTC, ms since 1970"},
    winner={"enum": ["w", "b", "", None], "description": "null while the game goes on"},
    **dict.fromkeys(NAMES, TEXT),
)
STATE = _object(
    k=_one_of("state"),
    seq=NUMBER,
    leds={"type": "string", "description": "six hexadecimal digits an LED"},
    t_ms={"type": "integer", "description": "the mat's clock"},
    at_s={"type": "number", "description": "when its last message came"},
    events=_list(_object(k=TEXT, n=NUMBER, t_ms=NUMBER)),
    **{
        part: {"type": ["object", "array", "null"]} for part in PARTS
    },
    optional={"virtual": OBJECT},
)  # fmt: skip


@dataclass(frozen=True)
class Operation:
    """What a route is for. `answers`: the schema of its JSON, or a media type; `query`: names of
    its parameters; `body`: the schema of what is sent."""

    summary: str
    answers: Schema | str
    query: tuple[str, ...] = ()
    body: Schema | None = None
    status: int = 200
    refusals: tuple[int, ...] = ()


#: By the path under /api/v1.
OPERATIONS: dict[str, Operation] = {
    "/state": Operation("The whole state, as the WebSocket's `state`", STATE),
    "/openapi.json": Operation("This description", OBJECT),
    "/words/{language}": Operation(
        "The page's words", _object(language=TEXT, page=OBJECT), refusals=(404,)
    ),
    "/games": Operation(
        "Stored games, oldest first", _object(games=_list(GAME)), SELECTS, refusals=(400, 404)
    ),
    "/games/{game}/events": Operation(
        "The events of a game",
        _object(game=NUMBER, events=_list(OBJECT), optional={"left_out": NUMBER}),
        refusals=(404,),
    ),
    "/games/{game}/names": Operation(
        "Writes names that people gave to a game",
        _object(game=NUMBER),
        body={**_object(optional=dict.fromkeys(NAMES, TEXT)), "additionalProperties": False},
        refusals=(400, 403, 404),
    ),
    "/games/{game}/record.{form}": Operation(
        "The game's record", "*/*", ("lang",), refusals=(404,)
    ),
    "/games/{game}/evidence": Operation(
        "Numbers of the rulings whose evidence is stored",
        _object(game=NUMBER, evidence=_list(NUMBER)),
        refusals=(404,),
    ),
    "/games/{game}/evidence/{n}": Operation("The evidence of a ruling", OBJECT, refusals=(404,)),
    "/games/{game}/slow/{n}.html": Operation(
        "Its slow motion as one file", "text/html", ("lang",), refusals=(404,)
    ),
    "/games/{game}/play": Operation("The evidence of a whole game", OBJECT, refusals=(404,)),
    "/games/{game}/play.html": Operation(
        "The whole game as one file that plays it", "text/html", ("lang",), refusals=(404,)
    ),
    "/boots/{boot}/evidence/{n}": Operation(
        "The evidence of a ruling, by an event's `b` and `n`", OBJECT, refusals=(404,)
    ),
    "/boots/{boot}/slow/{n}.html": Operation(
        "Its slow motion, by the same", "text/html", ("lang",), refusals=(404,)
    ),
    "/stats": Operation(
        "Statistics of the players",
        _object(records=_list(OBJECT)),
        (*SELECTS, "all"),
        refusals=(400, 404),
    ),
    "/stats.html": Operation(
        "The same as a page", "text/html", (*SELECTS, "all", "lang"), refusals=(400, 404)
    ),
    "/names": Operation(
        "Names the players of this game and of those that follow it",
        _object(names=OBJECT),
        body=_object(**dict.fromkeys(PLAYERS, TEXT)),
        status=202,
        refusals=(400, 403),
    ),
    "/say": Operation(
        "Sends a player's command to the mat, whose answer is in `answers` of the state",
        _object(said=TEXT),
        body=_object(command=TEXT),
        status=202,
        refusals=(400, 403),
    ),
    "/maintenance": Operation(
        "Starts or stops the doctor or the calibration",
        _object(do=TEXT),
        body=_object(do=_one_of(*TASKS, "stop")),
        status=202,
        refusals=(400, 403, 404, 409),
    ),
}
VALUES: dict[str, Schema] = {
    "language": _one_of(*LANGUAGES), "lang": _one_of(*LANGUAGES), "form": _one_of(*FORMS),
    "since": {"type": "string", "format": "date"}, "until": {"type": "string", "format": "date"},
}  # fmt: skip


def description(routes: Iterable[BaseRoute], base: str) -> Schema:
    """The OpenAPI description of these routes, so far as they are under `base`. KeyError for a
    route that OPERATIONS does not have."""
    paths: Schema = {}
    for route in routes:
        if isinstance(route, Route) and route.path.startswith(base):
            path = re.sub(r":\w+}", "}", route.path)
            named = OPERATIONS[path.removeprefix(base)]
            method = "post" if "POST" in (route.methods or ()) else "get"
            paths[path] = {method: _operation(path, named)}
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "Polarity mat",
            "version": base.rpartition("v")[2],
            "description": "Each JSON answer has `v`, the version. See API.md for the WebSocket.",
        },
        "paths": paths,
        "security": [{}, {"token": []}],
        "components": {"securitySchemes": {"token": {"type": "http", "scheme": "bearer"}}},
    }


def _operation(path: str, operation: Operation) -> Schema:
    def parameter(name: str, where: str) -> Schema:
        other = NUMBER if where == "path" else TEXT
        schema = VALUES.get(name, other)
        return {"name": name, "in": where, "required": where == "path", "schema": schema}

    answers = operation.answers
    if isinstance(answers, str):
        content = {answers: {"schema": TEXT}}
    else:
        content = {"application/json": {"schema": answers}}
    refusal = {"description": "refused; one line says why", "content": {"text/plain": {}}}
    described: Schema = {
        "summary": operation.summary,
        "parameters": [parameter(name, "path") for name in re.findall(r"{(\w+)}", path)]
        + [parameter(name, "query") for name in operation.query],
        "responses": {
            str(operation.status): {"description": operation.summary, "content": content},
            **{str(status): refusal for status in operation.refusals},
        },
    }
    if operation.body:
        described["requestBody"] = {
            "required": True, "content": {"application/json": {"schema": operation.body}},
        }  # fmt: skip
    return described
