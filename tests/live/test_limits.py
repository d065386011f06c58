"""What no token is asked for, and what a damaged store holds: the page stays up."""

import http.client
import json
import socket
import time
import tracemalloc
import urllib.error
import urllib.request
import zlib
from urllib.parse import urlsplit

import pytest

from polarity_host.games.store import Store
from polarity_host.live import connections
from polarity_host.live.access import Role
from polarity_host.live.evidence import MOST_BYTES, DamagedEvidence, packed, unpacked
from polarity_host.live.live_state import LiveState
from polarity_host.live.server import LiveServer
from tests.made_messages import made_message

HALF = b"GET /api/v1/state HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Slow: "


@pytest.fixture
def server(tmp_path):
    """A server on an empty store for this computer."""
    server = LiveServer(LiveState(), lambda command: None, tmp_path / "games.db", port=0)
    thread = server.in_background()
    yield server
    server.stop()
    thread.join(20)


def address(server):
    link = urlsplit(server.links[-1])
    return link.hostname, link.port


def status_of(server, path, **headers):
    """The status of a GET, as a client of its own; no redirect is followed."""
    connection = http.client.HTTPConnection(*address(server), timeout=20)
    try:
        connection.request("GET", path, headers=headers)
        answer = connection.getresponse()
        return answer.status, answer.headers, answer.read().decode()
    finally:
        connection.close()


def test_four_hundred_half_sent_requests_do_not_keep_the_next_one_out(server):
    halves = []
    for _ in range(400):
        half = socket.create_connection(address(server))
        half.sendall(HALF)
        halves.append(half)
    assert status_of(server, "/api/v1/state")[0] == 200
    for half in halves:
        half.close()


def closed(half):
    half.settimeout(0.1)
    try:
        return half.recv(100) == b""
    except TimeoutError:
        return False
    except ConnectionError:
        return True


@pytest.mark.parametrize(
    "sent",
    [
        b"",
        HALF,
        b"POST /api/v1/say HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n"
        b"Content-Length: 100\r\n\r\n{",
        b"GET /api/v1/words/en HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n" + HALF,
    ],
    ids=["nothing", "half a head", "half a body", "half a second request"],
)
def test_a_request_has_its_time_to_arrive(server, monkeypatch, sent):
    monkeypatch.setattr(connections, "REQUEST_S", 0.3)
    half = socket.create_connection(address(server))
    half.sendall(sent)
    until_s = time.monotonic() + 20
    while not closed(half):
        assert time.monotonic() < until_s
    half.close()


def test_a_page_that_asks_again_and_again_is_served_on_one_connection(server, monkeypatch):
    monkeypatch.setattr(connections, "REQUEST_S", 0.5)
    connection = http.client.HTTPConnection(*address(server), timeout=20)
    for _ in range(5):
        connection.request("GET", "/api/v1/state")
        assert json.loads(connection.getresponse().read())["k"] == "state"
        time.sleep(0.2)
    connection.close()


@pytest.mark.parametrize(
    "path",
    [
        f"/api/v1/games/{2**64}/events",
        f"/api/v1/games/{10**18}/evidence/1",
        f"/api/v1/games/1/evidence/{2**63}",
        f"/api/v1/boots/{'9' * 5000}/evidence/1",
        f"/api/v1/games/1/slow/{'9' * 30}.html",
    ],
)
def test_a_number_that_no_game_has_is_not_found(server, tmp_path, path):
    Store(tmp_path / "games.db").close()
    assert status_of(server, path)[0] == 404


@pytest.mark.parametrize("origin", ["http://[", "http://[::1", "//", "null", "http://]["])
def test_an_origin_that_is_no_address_is_another_site(server, origin):
    host, port = address(server)
    asked = urllib.request.Request(
        f"http://{host}:{port}/api/v1/say",
        b'{"command":"snap"}',
        {"Content-Type": "application/json", "Origin": origin},
    )
    with pytest.raises(urllib.error.HTTPError) as refused:
        urllib.request.urlopen(asked, timeout=20)
    assert refused.value.code == 403


@pytest.mark.parametrize("path", ["//evil.example", "///evil.example/x", "/", "/%2F/evil.example"])
def test_the_link_with_the_token_leads_to_this_server_only(tmp_path, path):
    server = LiveServer(LiveState(), lambda command: None, tmp_path / "games.db", "0.0.0.0", 0)
    server.in_background()
    status, headers, _ = status_of(server, f"{path}?token={server.tokens[Role.PLAYER]}")
    server.stop()
    assert status == 303
    location = headers["Location"]
    assert location.startswith("/") and urlsplit(location).netloc == ""


def bomb(size):
    """`size` spaces, packed."""
    packer = zlib.compressobj(9)
    parts = [packer.compress(b" " * 1_000_000) for _ in range(size // 1_000_000)]
    return b"".join(parts) + packer.flush()


GOOD = {
    "k": "evidence", "mat": {}, "ruling": {"code": "fault"}, "facts": [], "scenes": [],
    "flights": [],
}  # fmt: skip
DAMAGED = {
    "bomb": bomb(200_000_000),
    "cut": packed(GOOD)[:-9],
    "no zlib": b"\0" * 40,
    "no json": zlib.compress(b"{"),
    "deep": zlib.compress(b"[" * 100_000),
    "a list": zlib.compress(b"[]"),
    "no ruling": packed({**GOOD, "ruling": None}),
    "nan": zlib.compress(json.dumps({**GOOD, "zero": [float("nan")]}).encode()),
    "half a character": zlib.compress(json.dumps({**GOOD, "told": "\ud800"}).encode()),
    "text": "text",
    "null": None,
    "number": 7,
}


@pytest.mark.parametrize("data", DAMAGED.values(), ids=DAMAGED)
def test_damaged_evidence_is_told_and_costs_little_memory(data):
    tracemalloc.start()
    with pytest.raises(DamagedEvidence):
        unpacked(data)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 4 * MOST_BYTES
    assert unpacked(packed(GOOD)) == GOOD


@pytest.mark.parametrize("name", ["bomb", "cut", "text", "nan"])
def test_damaged_evidence_in_a_store_is_one_line(server, tmp_path, polarity, name):
    games = tmp_path / "games.db"
    with Store(games) as store:
        store.add([made_message("ruling", 1, code="fault", reserve=[1, 1], turn=1)])
        store.add_evidence(1, 1, DAMAGED[name])
    for path in ("/api/v1/games/1/evidence/1", "/api/v1/boots/1/slow/1.html"):
        status, _, text = status_of(server, path)
        assert status == 404 and text.startswith("the evidence of number 1: it is")
    code, out, err = polarity("export", "--slow", "1", "--db", str(games))
    assert code == 1 and out == "" and err.count("\n") == 1 and "ruling 1: it is" in err
