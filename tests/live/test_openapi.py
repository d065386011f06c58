"""The OpenAPI description is valid, and the server does what it says."""

import json
from urllib.error import HTTPError
from urllib.request import Request, urlopen

import pytest
from jsonschema import Draft202012Validator
from openapi_spec_validator import validate

from polarity_host.live.api import Api

BODIES = {
    "names": {"white": "Ada", "black": "Ben"},
    "say": {"command": "snap"},
    "maintenance": {"do": "stop"},
}


class Answer:
    """What a server answered."""

    def __init__(self, found):
        self.status, self.headers, self._body = found.status, found.headers, found.read()

    def text(self):
        return self._body.decode()

    def json(self):
        return json.loads(self._body)


@pytest.fixture(scope="module")
def ask(played_here):
    """Sends a request to the server of a scripted game: ask(method, path, body)."""

    def send(method, path, body=None):
        data = None if body is None else json.dumps(body).encode()
        headers = {"Content-Type": "application/json"} if data else {}
        address = played_here[0].rstrip("/") + path
        try:
            return Answer(urlopen(Request(address, data, headers, method=method.upper())))
        except HTTPError as refused:
            return Answer(refused)

    return send


@pytest.fixture(scope="module")
def described(ask):
    return ask("get", "/api/v1/openapi.json").json()


def test_it_is_valid_and_has_every_route(described):
    validate(described)
    paths = {route.path for route in Api(None, None, None).routes() if "/api/" in route.path}
    assert len(described["paths"]) == len(paths) - 1  # the WebSocket is none of OpenAPI's


def test_the_server_answers_as_described(described, ask, played_here):
    number = ask("get", "/api/v1/games/1/evidence").json()["evidence"][-1]
    boot = played_here[1].state.boot
    values = {"game": 1, "n": number, "boot": boot, "language": "de", "form": "json"}
    for path, operations in described["paths"].items():
        ((method, operation),) = operations.items()
        body = BODIES.get(path.rsplit("/", 1)[1]) if method == "post" else None
        answer = ask(method, path.format(**values), body)
        assert str(answer.status) in operation["responses"], path
        assert answer.status < 300, (path, answer.text())
        ((media, content),) = operation["responses"][str(answer.status)]["content"].items()
        if media == "application/json":
            Draft202012Validator(content["schema"]).validate(answer.json())
        elif media != "*/*":
            assert answer.headers["content-type"].startswith(media), path


def test_what_it_refuses_is_described(described, ask):
    for path, operations in described["paths"].items():
        ((method, operation),) = operations.items()
        values = {"game": 999, "n": 999, "boot": 999, "language": "xx", "form": "xx"}
        answer = ask(method, path.format(**values), {"none": 1} if method == "post" else None)
        assert str(answer.status) in operation["responses"], (path, answer.status)
        if answer.status >= 400:
            assert answer.text().count("\n") <= 1
