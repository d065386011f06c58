"""How the page comes up: by `polarity live`, for the house, and with the demo."""

import json
import sys
import threading
from concurrent.futures import ThreadPoolExecutor

import pytest
from websockets.sync.client import connect

from polarity import facts as f
from polarity_host.cli import demo
from polarity_host.cli.live import show_links
from polarity_host.errors import HostError
from polarity_host.live.live_state import LiveState
from polarity_host.live.mat_session import MatSession
from polarity_host.live.server import LiveServer
from polarity_host.simulation.port import power
from polarity_host.words import Words
from tests.live.scripted import Body, fact, game, scripted_mat
from tests.waiting import wait_for


def test_for_the_house_a_link_with_a_token_and_a_qr_code_are_shown(tmp_path, capsys):
    server = LiveServer(LiveState(), lambda command: None, tmp_path / "games.db", "0.0.0.0", 0)
    show_links(server, Words("en"))
    told = capsys.readouterr().out
    play, watch = told.split(server.links[0])[1].split(server.spectator_links[0])
    assert "█" in play and "send commands" in play and "█" in watch


@pytest.fixture
def quick_demo(monkeypatch, tmp_path):
    """`polarity demo` over the scripted mat, which ends when black's disc touches red."""
    monkeypatch.setenv("POLARITY_DATA", str(tmp_path))
    script = game()
    script.at(500, fact(f.TOUCHED_RED, Body(14, -20, 30, 1)))
    mat = scripted_mat(script)
    mat._stays = False
    monkeypatch.setattr(power, "mat_at", lambda url: mat)
    monkeypatch.setattr(demo, "PATIENCE_S", 1.0)


def somebody_sits_here(monkeypatch, opens):
    monkeypatch.setattr(demo, "has_display", lambda: True)
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    monkeypatch.setattr(demo, "open_browser", opens)


def test_the_demo_opens_the_page_and_ends_when_it_is_closed(quick_demo, polarity, monkeypatch):
    seen, opened = [], threading.Event()

    def opens(link):
        def look():
            with connect(link.replace("http", "ws", 1) + "api/v1/live") as socket:
                opened.set()
                while "outcome" not in str(seen[-1:]):
                    message = json.loads(socket.recv(30))
                    if message.get("game", {}).get("outcome"):
                        seen.append({"outcome": message["game"]["outcome"]})

        threading.Thread(target=look, daemon=True).start()
        return opened.wait(30)

    somebody_sits_here(monkeypatch, opens)
    code, told, err = polarity("demo")
    assert code == 0, err
    assert "Result: " in told and "The page stays at http://127.0.0.1:" in told
    assert seen == [{"outcome": ["touched_red", "b"]}]


@pytest.mark.parametrize("options", [["--no-browser"], ["--json"], ["--fast"]])
def test_without_a_browser_the_demo_is_told_only(quick_demo, polarity, monkeypatch, options):
    somebody_sits_here(monkeypatch, lambda link: pytest.fail("a browser was opened"))
    code, told, err = polarity("demo", *options)
    assert code == 0 and "The page stays" not in told


def test_where_no_browser_comes_the_demo_is_told_only(quick_demo, polarity, monkeypatch):
    somebody_sits_here(monkeypatch, lambda link: False)
    code, told, err = polarity("demo")
    assert code == 0 and "Result: " in told and "The page stays" not in told


def test_headless_the_demo_opens_nothing(quick_demo, polarity, monkeypatch):
    monkeypatch.setattr(demo, "open_browser", lambda link: pytest.fail("a browser was opened"))
    monkeypatch.setattr(demo, "has_display", lambda: False)
    assert polarity("demo")[0] == 0


def test_a_server_started_again_shows_the_game_from_its_begin(serve_scripted, request):
    """The mat is not asked again for what is stored: that comes out of the database."""
    url, (_, first, _) = "sim://demo?seed=60000", serve_scripted()
    first.send("snap")
    first.send("nonsense")  # its answer comes after the snapshot
    wait_for(lambda: first.state.whole()["answers"][-1]["cmd"] == "nonsense")
    before, was = first.state.whole(), _but_clock(first)
    power.put_at(url, scripted_mat())  # of the same boot; what it has said it need not say again
    again = MatSession(url, first.games)
    request.addfinalizer(again.stop)
    again.start()
    wait_for(lambda: again.state.whole()["events"])
    shown = again.state.whole()
    assert [(e["n"], e["words"]) for e in shown["events"]] == [
        (e["n"], e["words"]) for e in before["events"]
    ]
    fault = next(e for e in shown["events"] if e["fields"].get("code") == "fault")
    assert fault["slow"]

    def asked_is_where_it_was():  # a hand hovers: unasked it tells only half a minute later
        again.send("snap")
        return _but_clock(again) == was

    wait_for(asked_is_where_it_was)
    lying = {p[0] for p in before["pieces"]}
    wait_for(lambda: {p[0] for p in again.state.whole()["pieces"]} == lying)
    power.remove(url)


def _but_clock(session):
    """The game, but for the players' clock: the scripted mat plays once more from its begin, so the
    time by which that is counted goes back, as no mat's does within a boot."""
    game = session.state.whole()["game"]
    return {name: value for name, value in game.items() if name != "clock"}


def test_a_page_that_breaks_down_says_so(tmp_path):
    class Broken:
        def changes(self):
            raise ZeroDivisionError("nonsense")

    server = LiveServer(
        LiveState(), lambda command: None, tmp_path / "games.db", port=0, handler=Broken()
    )
    with ThreadPoolExecutor() as pool:  # where no browser's loop runs
        serving = pool.submit(server.serve)
    with pytest.raises(HostError, match="broke down.*nonsense"):
        serving.result()
