"""What the server lets in, gives out, and does not let slow it down."""

import asyncio
import gzip
import json
import socket
import urllib.error
import urllib.request
from concurrent.futures import ThreadPoolExecutor
from urllib.parse import urlsplit

import pytest
from websockets.exceptions import ConnectionClosed, InvalidStatus
from websockets.sync.client import connect

from polarity.wire.framing import frame
from polarity.wire.messages import encode
from polarity_host.live.access import Role
from polarity_host.live.live_state import LiveState
from polarity_host.live.page import slow_page
from polarity_host.live.server import LiveServer
from polarity_host.live.viewers import MOST_LATE, MOST_VIEWERS, Broadcaster, Viewer
from polarity_host.simulation.play.page import PageHands
from polarity_host.simulation.port import power
from polarity_host.wire.lines import decode
from tests.waiting import wait_for


@pytest.fixture(scope="module")
def link(played):
    return played[0]


def ask(link, path, body=None, **headers):
    """(status, text) of a request."""
    data = None if body is None else json.dumps(body).encode()
    if data is not None:
        headers.setdefault("Content-Type", "application/json")
    asked = urllib.request.Request(link.rstrip("/") + path, data, headers)
    try:
        with urllib.request.urlopen(asked, timeout=30) as answer:
            return answer.status, answer.read().decode()
    except urllib.error.HTTPError as error:
        return error.code, error.read().decode()


def cookie_of(link):
    return f"polarity-{urlsplit(link).port}"


def live(link, **options):
    return connect(link.replace("http", "ws", 1).split("?")[0] + "api/v1/live", **options)


def test_the_state_is_what_a_viewer_is_told_first(link):
    status, text = ask(link, "/api/v1/state")
    state = json.loads(text)
    assert status == 200 and state["v"] == 1 and state["game"]["turn"] == 3
    with live(link) as socket_:
        first = json.loads(socket_.recv(30))
    assert first["k"] == "state"
    for name in ("game", "pieces", "flight", "mat", "health"):
        assert first[name] == state[name]
    assert [e["n"] for e in first["events"]] == [e["n"] for e in state["events"]]


def test_games_events_and_evidence_can_be_had(link):
    games = json.loads(ask(link, "/api/v1/games")[1])["games"]
    game = games[-1]["id"]
    events = json.loads(ask(link, f"/api/v1/games/{game}/events")[1])["events"]
    fault = next(event for event in events if event["fields"].get("code") == "fault")
    assert fault["words"]["nl"] and [event["n"] for event in events] == sorted(
        event["n"] for event in events
    )
    numbers = json.loads(ask(link, f"/api/v1/games/{game}/evidence")[1])["evidence"]
    assert fault["n"] in numbers
    evidence = json.loads(ask(link, f"/api/v1/games/{game}/evidence/{fault['n']}")[1])
    assert evidence["ruling"] == fault["fields"]
    assert ask(link, f"/api/v1/games/{game}/evidence/99999")[0] == 404
    assert ask(link, "/api/v1/games/99/slow/1.html")[0] == 404


def test_games_are_named_and_found_again_by_their_names(serve_scripted):
    link = serve_scripted()[0]
    path = "/api/v1/games/1/names"
    assert ask(link, path, {"white": " Ada\n", "event": "Club <b>night</b>"})[0] == 200
    for query, found in (("player=ada", 1), ("player=ben", 0), ("event=club&edition=temple", 1),
                         ("until=2000-01-01", 0), ("edition=scaled", 0)):  # fmt: skip
        games = json.loads(ask(link, f"/api/v1/games?{query}")[1])["games"]
        assert [game["white"] for game in games] == ["Ada"] * found, query
    assert ask(link, "/api/v1/games?since=yesterday")[0] == 400
    for wrong in ({}, [], {"white": 1}, {"winner": "w"}, {"white": "x" * 81}):
        assert ask(link, path, wrong)[0] == 400, wrong
    assert ask(link, "/api/v1/games/99/names", {"white": "Ada"})[0] == 404
    assert ask(link, path, {"white": "Eve"}, Origin="http://evil.example")[0] == 403
    page = ask(link, "/api/v1/stats.html?lang=de&player=ada&all=1")[1]
    assert "Club &lt;b&gt;night" in page and "<b>" not in page and "Ada" in page
    players = [
        r for r in json.loads(ask(link, "/api/v1/stats?all=1")[1])["records"] if "player" in r
    ]
    assert [(p["player"], p["faults"]) for p in players] == [("Ada", 0), ("b", 1)]


def test_a_game_s_record_is_had_in_every_form(link):
    record = json.loads(ask(link, "/api/v1/games/1/record.json")[1])
    faults = [e["said"] for e in record["entries"] if e.get("code") == "fault"]
    assert len(faults) == 1 and "3 and 7 touch" in faults[0]
    french = ask(link, "/api/v1/games/1/record.csv?lang=fr")[1]
    assert french.startswith("n,t_ms,kind") and "Faute de Noir" in french
    assert ask(link, "/api/v1/games/1/record.text")[1].startswith("[")
    assert ask(link, "/api/v1/games/1/record.html")[1].startswith("<!doctype html>")
    assert ask(link, "/api/v1/games/1/record.exe")[0] == 404


@pytest.mark.parametrize("host", ["evil.example", "evil.example:80", "127.0.0.1.evil.example", ""])
def test_by_another_name_there_is_nothing_to_see(link, host):
    """A page of another site whose name is made to lead here (DNS rebinding)."""
    assert ask(link, "/api/v1/state", Host=host)[0] == 403


def test_a_page_of_another_site_may_not_speak(link):
    origin = "http://evil.example"
    assert ask(link, "/api/v1/say", {"command": "snap"}, Origin=origin)[0] == 403
    assert (
        ask(link, "/api/v1/say", {"command": "snap"}, **{"Sec-Fetch-Site": "cross-site"})[0] == 403
    )
    with pytest.raises(InvalidStatus):
        live(link, origin=origin)
    other_port = f"http://127.0.0.1:{urlsplit(link).port + 1}"
    with pytest.raises(InvalidStatus):
        live(link, origin=other_port)
    with live(link, origin=link.rstrip("/")):
        pass
    assert ask(link, "/api/v1/say", {"command": "snap"}, Origin=link.rstrip("/"))[0] == 202


@pytest.mark.parametrize(
    "body, headers, status",
    [
        ({"command": "snap"}, {"Content-Type": "text/plain"}, 403),  # what a form can send
        ({"command": "x" * 5000}, {}, 403),
        ({"command": "x" * 100}, {}, 400),
        ({"command": "frames only"}, {}, 400),  # would stop the judging
        ({"command": "calibrate 1 0 AA=="}, {}, 400),
        ({"command": "undo 0\nframes only"}, {}, 400),
        ({"command": ["undo"]}, {}, 400),
        ({"command": ""}, {}, 400),
        ([], {}, 400),
        ("undo 0", {}, 400),
    ],
)
def test_only_what_players_say_reaches_the_mat(link, played, body, headers, status):
    before = played[1].state.whole()["answers"]
    assert ask(link, "/api/v1/say", body, **headers)[0] == status
    assert [a for a in played[1].state.whole()["answers"] if a not in before] in (
        [],
        [{"cmd": "snap", "ok": True, "why": ""}],
    )


@pytest.mark.parametrize(
    "text", ["", "[]", "x", '{"k":1}', '{"k":"no such"}', "[" * 4000, '{"k":"say"}']
)
def test_nonsense_over_the_socket_is_refused_and_nothing_more(link, text):
    with live(link) as socket_:
        socket_.send(text)
        assert answer_of(socket_)["k"] == "refused"
        socket_.send('{"k":"say","command":"snap"}')
        ack = {"v": 1, "k": "ack", "of": "say", "command": "snap"}
        assert answer_of(socket_) == ack  # every accepted command is acknowledged
        socket_.send('{"k":"field","on":true}')
        assert answer_of(socket_) == {"v": 1, "k": "ack", "of": "field"}
        socket_.send("{}")
        assert answer_of(socket_)["k"] == "refused"


def answer_of(socket_):
    while True:
        message = json.loads(socket_.recv(30))
        if message["k"] not in ("state", "tick", "field"):
            return message


def test_too_long_a_message_ends_the_connection(link):
    with live(link) as socket_:
        socket_.send("x" * 9000)
        with pytest.raises(ConnectionClosed):
            while True:
                socket_.recv(30)
    assert ask(link, "/api/v1/state")[0] == 200


def test_the_page_may_run_no_script_but_its_own(link):
    with urllib.request.urlopen(link, timeout=30) as answer:
        policy = answer.headers["Content-Security-Policy"]
        assert answer.headers["X-Content-Type-Options"] == "nosniff"
    assert "default-src 'none'" in policy and "frame-ancestors 'none'" in policy
    assert "unsafe" not in policy and "http:" not in policy


@pytest.mark.parametrize(
    "path", ["/static/../server.py", "/static/%2e%2e/server.py", "/static//etc/passwd"]
)
def test_nothing_but_the_page_s_files_is_given_out(link, path):
    assert ask(link, path)[0] == 404


@pytest.fixture
def open_server(tmp_path):
    """A server for the whole house: its token is needed."""
    server = LiveServer(LiveState(), lambda command: None, tmp_path / "games.db", "0.0.0.0", 0)
    server.in_background()
    yield server
    server.stop()


def test_others_need_the_token(open_server):
    link = open_server.links[-1]
    bare, token = link.split("?token=")
    assert len(token) >= 20 and token not in open_server.spectator_links[-1]
    assert ask(bare, "/")[0] == ask(bare, "/api/v1/state")[0] == 403
    assert ask(bare, "/?token=" + "x" * len(token))[0] == 403
    assert ask(bare, "/api/v1/state", Cookie=f"{cookie_of(bare)}=wrong")[0] == 403
    with pytest.raises(InvalidStatus):
        live(bare)
    assert ask(bare, "/api/v1/state", Authorization=f"Bearer {token}")[0] == 200
    with live(bare, additional_headers={"Cookie": f"{cookie_of(bare)}={token}"}) as socket_:
        assert json.loads(socket_.recv(30))["k"] == "state"


def test_the_link_leaves_a_cookie_that_scripts_and_other_sites_cannot_use(open_server):
    class NoRedirect(urllib.request.HTTPRedirectHandler):
        def redirect_request(self, *args):
            return None

    opener = urllib.request.build_opener(NoRedirect)
    with pytest.raises(urllib.error.HTTPError) as told:
        opener.open(open_server.links[-1], timeout=30)
    assert told.value.code == 303 and told.value.headers["Location"] == "/"  # without the token
    cookie = told.value.headers["Set-Cookie"]
    assert "HttpOnly" in cookie and "SameSite=strict" in cookie
    assert open_server.tokens[Role.PLAYER] in cookie
    watching = urllib.request.Request(open_server.spectator_links[-1], headers={"Cookie": cookie})
    with pytest.raises(urllib.error.HTTPError) as told:  # the link that is opened last is right
        opener.open(watching, timeout=30)
    assert open_server.tokens[Role.SPECTATOR] in told.value.headers["Set-Cookie"]


def test_the_spectators_link_shows_everything_and_changes_nothing(tmp_path):
    """The server tells the two links apart: what its page offers does not matter."""
    sent: list[str] = []
    server = LiveServer(LiveState(), sent.append, tmp_path / "games.db", "0.0.0.0", 0)
    server.in_background()
    try:
        link, token = server.spectator_links[-1].split("?token=")
        plays, watches = server.tokens[Role.PLAYER], server.tokens[Role.SPECTATOR]
        assert token == watches
        assert 'data-role="spectator"' in ask(link, "/", Cookie=f"{cookie_of(link)}={watches}")[1]
        assert ask(link, "/api/v1/state", Authorization=f"Bearer {watches}")[0] == 200
        for path, body in (
            ("say", {"command": "undo 0"}),
            ("maintenance", {"do": "doctor"}),
            ("games/1/names", {"white": "Ada"}),
        ):
            status, why = ask(link, f"/api/v1/{path}", body, Cookie=f"{cookie_of(link)}={watches}")
            assert status == 403 and "watching" in why, path
        with live(link, additional_headers={"Cookie": f"{cookie_of(link)}={watches}"}) as socket_:
            assert json.loads(socket_.recv(30))["k"] == "state"
            for message in ({"k": "say", "command": "undo 0"}, {"k": "virtual", "hand": "a"}):
                socket_.send(json.dumps(message))
                while (answer := json.loads(socket_.recv(30)))["k"] == "tick":
                    pass
                assert answer["k"] == "refused" and "watching" in answer["why"]
        assert not sent
        player = f"{cookie_of(link)}={plays}"
        assert ask(link, "/api/v1/say", {"command": "undo 0"}, Cookie=player)[0] == 202
        assert sent == ["undo 0"]
    finally:
        server.stop()


def test_spectators_leave_room_for_players(tmp_path):
    broadcaster = Broadcaster(LiveState())
    while broadcaster.join(nobody, Role.SPECTATOR):
        pass
    assert broadcaster.viewers < MOST_VIEWERS
    assert broadcaster.join(nobody, Role.PLAYER)


async def nobody(text: str) -> None:
    """A viewer's connection."""


def log(number, text="x"):
    text = encode("log", 9, number, number, ("info", text))
    return decode(frame(text))


def test_who_does_not_read_slows_nobody(tmp_path):
    """One viewer never reads; the mat sends far more than fits his buffers. The other viewer gets
    everything, and handling a message never waits."""
    state = LiveState()
    server = LiveServer(state, lambda command: None, tmp_path / "games.db", port=0)
    server.in_background()
    link = server.links[0]
    deaf = socket.create_connection((urlsplit(link).hostname, urlsplit(link).port))
    deaf.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    deaf.sendall(
        b"GET /api/v1/live HTTP/1.1\r\nHost: 127.0.0.1\r\nUpgrade: websocket\r\n"
        b"Connection: Upgrade\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n"
        b"Sec-WebSocket-Version: 13\r\n\r\n"
    )
    numbers = set()
    with live(link, max_size=None) as socket_:
        wait_for(lambda: server.viewers == 2)
        for number in range(1, 1501):
            state.handle(log(number, "x" * 3000))
            if number % 50 == 0:  # 4.5 MB in all, a part at a time so that no part is skipped
                while number not in numbers:
                    for event in json.loads(socket_.recv(30)).get("events", ()):
                        numbers.add(event["n"])
    assert numbers == set(range(1, 1501))
    deaf.close()
    server.stop()


def in_its_own_thread(do, *arguments):
    """Where no browser of another test has an event loop running."""
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(do, *arguments).result()


@pytest.mark.parametrize("late, whole", [(MOST_LATE - 1, 0), (3 * MOST_LATE, 1)])
def test_who_is_a_little_late_misses_nothing_and_who_is_too_late_begins_anew(late, whole):
    """A viewer takes nothing for as long as `late` changes, and then all that there is."""
    received = []

    async def watch():
        broadcaster = Broadcaster(LiveState())
        broadcasting = asyncio.create_task(broadcaster.run())
        free = asyncio.Event()

        async def send(text):
            received.append(json.loads(text))
            if len(received) == 3:
                await free.wait()

        serving = asyncio.create_task(broadcaster.serve(Viewer(1, send, Role.PLAYER)))
        while len(received) < 3:
            await asyncio.sleep(0.001)
        while broadcaster._number < received[-1]["seq"] + late:
            await asyncio.sleep(0.001)
        free.set()
        while len(received) < 3 + MOST_LATE:
            await asyncio.sleep(0.001)
        broadcasting.cancel()
        serving.cancel()

    in_its_own_thread(asyncio.run, watch())
    assert [message["k"] for message in received[1:]].count("state") == whole
    steps = [b["seq"] - a["seq"] for a, b in zip(received, received[1:])]
    assert sorted(set(steps)) == ([1] if not whole else [1, max(steps)])


def test_evidence_cannot_end_its_element():
    evidence = {"ruling": {"code": "</script><script>alert(1)</script>"}}
    text = slow_page(evidence)
    assert "alert(1)" in text and "</script><script>alert" not in text


def test_two_servers_cannot_have_one_port(polarity, tmp_path, monkeypatch):
    monkeypatch.setenv("POLARITY_DATA", str(tmp_path))
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        code, out, err = polarity("live", "sim://demo?seed=1", "--http", port, "--no-browser")
    assert code == 1 and "choose another with --host and --http" in err and err.count("\n") == 1


@pytest.mark.parametrize("url, status", [("/dev/nowhere", 2), ("sim://nonsense", 2)])
def test_a_port_that_is_not_there_is_said_at_once(polarity, tmp_path, monkeypatch, url, status):
    monkeypatch.setenv("POLARITY_DATA", str(tmp_path))
    code, out, err = polarity("live", url, "--http", 0, "--no-browser")
    assert code == status and err.count("\n") == 1


@pytest.fixture
def virtual(serve_url):
    """A virtual mat that is being laid: its link and its game."""
    url = "sim://virtual?seed=5&speed=4"
    game = power.hand_game_at(url)
    link, _, _ = serve_url(url, handler=PageHands(game))
    wait_for(lambda: game.view.get("t_ms", 0) > 1500)
    return link, game


def test_the_state_by_http_is_the_socket_s(virtual):
    link, game = virtual
    game.inputs.put({"do": "take", "hand": "1/a", "side": "w", "x": 50, "y": 20})
    wait_for(lambda: game.view["hands"])
    status, text = ask(link, "/api/v1/state")[:2]
    with live(link) as socket_:
        first = json.loads(socket_.recv(30))
    state = json.loads(text)
    assert status == 200 and state.keys() == first.keys() and state["k"] == "state"
    assert [body["held"] for body in state["virtual"]["bodies"]] == [True]
    assert state["virtual"].keys() == first["virtual"].keys()
    alike = ("mat", "game", "port", "maintenance")
    assert [state[part] for part in alike] == [first[part] for part in alike]


def test_changes_of_the_virtual_mat_lead_to_what_lies_there(virtual):
    """And are a fraction of it: the red disc and ten foundations are laid by a practice player."""
    link, game = virtual
    game.inputs.put({"do": "set_up", "hand": "1/a"})
    known, ticks = {}, 0
    with live(link) as socket_:
        while True:
            message = json.loads(socket_.recv(30))
            change = message.get("virtual", {})
            if message["k"] == "state":
                known = {body["id"]: body for body in change["bodies"]}
            for body in change.get("bodies", ()):
                known[body["id"]] = body
            for number in change.get("gone", ()):
                del known[number]
            ticks += 1
            if len(known) == 11 and not change.get("setting_up", True):
                break
        still = game.view["bodies"]
        assert sorted(known) == sorted(body["id"] for body in still)
        assert all(known[body["id"]] == body for body in still)
        sizes = [len(socket_.recv(30)) for _ in range(90)]
    assert 33 * sum(sizes) / len(sizes) < 25_000  # bytes a second, at the most ticks


def test_the_page_s_parts_are_compressed(link):
    """For a browser that asks for it; a script that does not gets plain text."""
    for path in ("", "static/style.css", "static/live.js", "api/v1/words/de"):
        plain = urllib.request.urlopen(link + path)
        asked = urllib.request.Request(link + path, headers={"Accept-Encoding": "gzip"})
        packed = urllib.request.urlopen(asked)
        assert plain.headers["Content-Encoding"] is None
        assert packed.headers["Content-Encoding"] == "gzip"
        text, data = plain.read(), packed.read()
        assert gzip.decompress(data) == text and len(data) < 0.6 * len(text)
