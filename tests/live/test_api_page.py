"""API.md says what the server does, and its examples run."""

import re
from concurrent.futures import ThreadPoolExecutor

import pytest

from polarity_host.games import folders as paths
from polarity_host.live import api
from polarity_host.live.live_state import LiveState
from polarity_host.mats.description import load_mat
from polarity_host.replay.engine import build_engine
from polarity_host.simulation.play.hand_game import HandGame
from polarity_host.simulation.play.inputs import COMMANDS
from polarity_host.simulation.play.page import PageHands
from polarity_host.simulation.port import power
from tests.waiting import wait_for

PAGE = "host_tools/polarity_host/live/API.md"


@pytest.fixture(scope="module")
def page(project_root):
    return (project_root / PAGE).read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def examples(page):
    return re.findall(r"```python\n(.*?)```", page, re.S)


def test_every_route_is_described(page):
    for route in api.Api(None, None, None).routes()[1:-1]:
        path = re.sub(r"\{(\w+)(:\w+)?\}", lambda name: name[1].upper(), route.path)
        path = path.replace("GAME", "ID").replace("BOOT/", "B/").replace("BOOT", "B")
        for prefix in ("/api/v1/boots/B/slow", "/api/v1/stats."):
            if path.startswith(prefix):
                path = "…" + path[prefix.rindex("/") :]
        assert path in page, route.path


def test_every_part_of_the_state_is_described(page):
    described = page.split("### State")[1].split("### Events")[0]
    for part in LiveState().whole():
        assert f"`{part}`" in described


def test_the_club_s_table_is_made(examples, played):
    done = {"SERVER": played[0].rstrip("/")}
    exec(examples[1], done)
    assert "<td>1</td><td>temple</td><td>going on</td>" in done["page"]


def test_the_notebook_counts_faults(examples, played, monkeypatch):
    monkeypatch.setattr(paths, "games_file", lambda: played[1].games)
    done = {}
    exec(examples[2], done)
    assert done["faults"] == {("b", "contact"): 1}


def test_a_script_lays_a_disc_on_the_virtual_mat(examples, serve_url):
    url = "sim://virtual?seed=6&speed=2"
    game = power.hand_game_at(url)
    link, _, _ = serve_url(url, handler=PageHands(game))
    wait_for(lambda: game.view.get("t_ms", 0) > 1500)
    with ThreadPoolExecutor(1) as alone:  # Playwright, if it is there, has a loop in this thread
        alone.submit(exec, examples[0], {"SERVER": link.rstrip("/")}).result()
    wait_for(lambda: [b["red"] and not b["held"] for b in game.view["bodies"]] == [True])


def test_the_virtual_mat_is_described(page):
    described = page.split("### A virtual mat")[1].split("### Events")[0]
    for do, (must, may) in COMMANDS.items():
        assert f"| `{do}` |" in described
        assert all(f"`{name}`" in described for name in (*must, *may))
    game = HandGame(1, load_mat("small"))
    game.judged_by(build_engine("small", "scaled"))
    next(game.frames())
    assert all(f"`{name}`" in described for name in game.view)
