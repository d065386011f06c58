"""API.md says what the server does, and its examples run."""

import re

import pytest

from polarity_host.games import folders as paths
from polarity_host.live import api
from polarity_host.live.live_state import LiveState

PAGE = "host_tools/polarity_host/live/API.md"


@pytest.fixture(scope="module")
def page(project_root):
    return (project_root / PAGE).read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def examples(page):
    return re.findall(r"```python\n(.*?)```", page, re.S)


def test_every_route_is_described(page):
    for route in api.Api(None, None, None).routes()[1:-1]:
        path = re.sub(r"\{(\w+)(:int)?\}", lambda name: name[1].upper(), route.path)
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
    exec(examples[0], done)
    assert "<td>1</td><td>temple</td><td>going on</td>" in done["page"]


def test_the_notebook_counts_faults(examples, played, monkeypatch):
    monkeypatch.setattr(paths, "games_file", lambda: played[1].games)
    done = {}
    exec(examples[1], done)
    assert done["faults"] == {("b", "contact"): 1}
