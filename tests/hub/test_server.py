"""The hall page: who may do what, what is late, and what a browser shows."""

import json
import time
import urllib.error
import urllib.request
from contextlib import closing, contextmanager
from threading import Thread

import pytest
from websockets.sync.client import connect

from polarity_host.games.store import Store
from polarity_host.hub.hall import Hall
from polarity_host.hub.server import HubServer
from polarity_host.live.access import Role
from polarity_host.mqtt.topics import State
from tests.hall import needs_broker
from tests.hub.test_intake import Hub
from tests.mqtt.test_publisher import Mat, played
from tests.waiting import PATIENCE_S, wait_for


class Sent:
    """An intake that notes what it is asked to send."""

    def __init__(self):
        self.said = []

    def say(self, mat, command):
        self.said.append((mat, command))


def state(mat, **more):
    game = {"phase": "play", "turn": 3, "active": "w", "done": 0, "reserve": [20, 19],
            "score": [1, -2], "owed": [], "question": [], "outcome": []}  # fmt: skip
    ruling = {"n": 9, "b": 1, "clock": "00:10", "turn": 3, "code": "turn", "player": "w",
              "words": {"en": f"said of {mat}"}}  # fmt: skip
    return State(
        mat, 0, "standard", 1, {"state": "open"}, {"why": ""}, {**game, **more.pop("game", {})},
        [[1, "flat", "w", 1, 0, 0, 0, 0]], {"white": "Ann <b>", "black": "Bo"},
        {**ruling, **more.pop("ruling", {})},
    )  # fmt: skip


@contextmanager
def served(hall, intake, **options):
    server = HubServer(hall, intake, options.pop("host", "127.0.0.1"), 0, **options)
    thread = Thread(target=server.serve)
    thread.start()
    try:
        wait_for(lambda: server._uvicorn.started)
        yield server
    finally:
        server.stop()
        thread.join()


def fetched(server, role, path, body=None):
    token = server.tokens.get(role, "")
    headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}
    base = server.link(role).split("?")[0].replace("0.0.0.0", "127.0.0.1")
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(base + path, data, headers)
    try:
        with urllib.request.urlopen(request) as answer:
            return answer.status, answer.read()
    except urllib.error.HTTPError as error:
        return error.code, error.read()


def test_spectators_watch_and_arbiters_correct():
    hall, intake = Hall(), Sent()
    hall.take_state(state("oak"))
    order = {"mat": "oak", "command": "undo 0"}
    with served(hall, intake, host="0.0.0.0") as server:
        assert fetched(server, Role.SPECTATOR, "api/v1/say", order)[0] == 403
        assert fetched(server, Role.SPECTATOR, "api/v1/slow/oak/1/9")[0] == 404
        assert intake.said == []
        assert fetched(server, Role.PLAYER, "api/v1/say", order)[0] == 202
        for wrong in (
            {"mat": "elm", "command": "undo 0"}, {"mat": "#", "command": "undo 0"},
            {"mat": "oak", "command": "set mat small"}, {"mat": "oak"}, [],
        ):  # fmt: skip
            assert fetched(server, Role.PLAYER, "api/v1/say", wrong)[0] in (400, 404), wrong
        assert intake.said == [("oak", "undo 0")]
        with pytest.raises(urllib.error.HTTPError):
            urllib.request.urlopen(server.link(Role.PLAYER).split("?")[0] + "api/v1/hall")


def test_a_broadcast_is_late_for_spectators_alone():
    hall = Hall()
    with served(hall, Sent(), delay_s=1.5) as server:
        begun = time.monotonic()
        hall.take_state(state("oak"))

        def boards(role):
            return json.loads(fetched(server, role, "api/v1/hall")[1])["boards"]

        wait_for(lambda: boards(Role.PLAYER))
        assert boards(Role.SPECTATOR) == {} and time.monotonic() - begun < 1.4
        wait_for(lambda: boards(Role.SPECTATOR))
        assert time.monotonic() - begun > 1.5


def test_a_viewer_gets_every_change(tmp_path):
    hall = Hall()
    with served(hall, Sent()) as server:
        with connect(server.link(Role.PLAYER).replace("http", "ws") + "api/v1/live") as viewer:
            assert json.loads(viewer.recv())["k"] == "hall"
            for number in range(5):
                for message in played()[number * 4 : number * 4 + 4]:
                    hall.note("oak", message, 0)
                time.sleep(0.15)
            got = []
            while len(got) < 20:
                got += [event["n"] for event in json.loads(viewer.recv(PATIENCE_S))["events"]]
            assert got == [message.number for message in played()[:20]]


def test_who_waits_comes_first_and_names_are_text(chrome, tmp_path):
    from playwright.sync_api import expect

    hall = Hall()
    for mat in ("ash", "elm", "oak"):
        hall.take_state(state(mat))
    with served(hall, Sent()) as server:
        for size in ({"width": 1400, "height": 900}, {"width": 390, "height": 844}):
            page = chrome.new_page(viewport=size)
            problems = []
            page.on("pageerror", lambda error, problems=problems: problems.append(str(error)))
            page.goto(server.link(Role.PLAYER))
            expect(page.locator(".board")).to_have_count(3)
            hall.take_state(state("oak", ruling={"code": "fault"}))
            expect(page.locator(".board .name b").first).to_have_text("oak")
            assert page.locator(".board").first.locator(".why").inner_text() == "Fault"
            assert page.locator(".side span").first.inner_text() == "Ann <b>"
            assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
            assert not page.locator(".board .tools").first.is_visible()
            page.locator(".board .name").first.click()
            assert page.locator(".board .tools").first.is_visible()
            assert problems == []
            hall.take_state(state("oak"))
            page.close()


@needs_broker
def test_slow_motion_comes_from_the_mats_computer(broker, tmp_path):
    ruling = next(message for message in played() if message.kind == "ruling").number
    with closing(Hub(broker, str(tmp_path / "hub.db"))) as hub:
        mat = Mat(broker, tmp_path / "oak.db")
        mat.play(played())
        with Store(tmp_path / "oak.db") as store:
            store.add_evidence(1, ruling, b"packed")
        wait_for(lambda: hub.numbers("oak") and hub.hall.knows("oak"))
        assert hub.intake.evidence("oak", 1, ruling) == b"packed"
        mat.publisher.stop()
        assert hub.intake.evidence("oak", 1, ruling) == b"packed"  # now from the database
        assert hub.intake.evidence("oak", 1, 10**6, wait_s=0.2) is None
