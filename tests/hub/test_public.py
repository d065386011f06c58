"""The hall as files: a plain web server shows it, and nobody sees anything twice or not at all."""

import functools
import http.server
import json
import threading

import pytest

from polarity_host.errors import FAILED, HostError
from polarity_host.hub import public
from polarity_host.hub.hall import Hall
from polarity_host.hub.public import PublicFolder
from tests.hub.test_server import state
from tests.waiting import wait_for


@pytest.fixture
def host(tmp_path):
    """A static host: (the folder below its root that the hall is written to, its address)."""

    class Quiet(http.server.SimpleHTTPRequestHandler):
        def log_message(self, *_):
            pass

    folder = tmp_path / "www" / "club"
    handler = functools.partial(Quiet, directory=str(tmp_path / "www"))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield folder, f"http://127.0.0.1:{server.server_port}/club/"
        server.shutdown()


def test_a_static_host_shows_the_hall_and_what_changes(chrome, host):
    from playwright.sync_api import expect

    folder, link = host
    hall, problems = Hall(), []
    written = PublicFolder(folder, every_s=0.1)
    written.start()
    hall.take_state(state("oak"))
    written.take(hall.changes())
    page = chrome.new_page(viewport={"width": 1000, "height": 900})
    page.on("pageerror", lambda error: problems.append(str(error)))
    page.on("console", lambda line: problems.append(line.text) if line.type == "error" else None)
    wait_for(lambda: "oak" in json.dumps(now_whole(folder)))
    page.goto(link)
    expect(page.locator(".board .said")).to_have_text("said of oak")
    assert page.locator(".side span").first.inner_text() == "Ann <b>"
    hall.take_state(state("elm", ruling={"code": "fault"}))
    table = {"round": 1, "board": 1, "white": "Ada", "black": "Ben", "mat": "oak", "result": "=-=",
             "by": "mat", "game": None}  # fmt: skip
    standing = {"place": 1, "name": "Ada", "points": 0.5, "buchholz": 0.5, "sonneborn_berger": 0.25}
    hall.take_tournament({"name": "Spring cup", "rounds": 3, "rounds_paired": 1, "boards": [table],
                          "standings": [standing]})  # fmt: skip
    written.take(hall.changes())
    expect(page.locator(".board .name b").first).to_have_text("elm")
    expect(page.locator("#tournament .result").last).to_have_text("½–½")
    assert page.locator("#tournament select, .tools:visible, details").count() == 0
    assert problems == []
    page.close()
    written.stop()


def now_whole(folder):
    try:
        now = json.loads((folder / "now.json").read_text())
    except OSError:
        return {}
    return json.loads((folder / "whole" / f"{now['whole']}.json").read_text())


class Reader:
    """Who watches by the rules of `public`."""

    def __init__(self, folder):
        self.folder, self.seq, self.boards = folder, -1, {}

    def read(self):
        now = json.loads((self.folder / "now.json").read_text())
        if self.seq < now["first"] - 1 or self.seq > now["seq"]:
            whole = json.loads((self.folder / "whole" / f"{now['whole']}.json").read_text())
            self.seq, self.boards = whole["seq"], whole["boards"]
        while self.seq < now["seq"]:
            self.seq += 1
            tick = json.loads((self.folder / "ticks" / f"{self.seq}.json").read_text())
            self.boards |= tick.get("boards", {})


def test_who_comes_when_and_however_late_sees_the_same(tmp_path, monkeypatch):
    monkeypatch.setattr(public, "KEPT", 8)
    monkeypatch.setattr(public, "WHOLE_EVERY", 3)
    hall, often, seldom = Hall(), Reader(tmp_path), Reader(tmp_path)
    written = PublicFolder(tmp_path)
    for number in range(60):
        hall.take_state(state(f"mat{number % 5}", game={"turn": number}))
        written.take(hall.changes())
        written._write_tick(written._merged())
        if number == 30:  # the hub is restarted
            written = PublicFolder(tmp_path)
            written.take(hall.whole())
        often.read()
        if number % 17 == 0:
            seldom.read()
    seldom.read()
    late = Reader(tmp_path)
    late.read()
    assert often.boards == seldom.boards == late.boards == hall.whole()["boards"]
    assert len(list((tmp_path / "ticks").iterdir())) <= 18


def test_a_broadcast_is_late_in_files_too(tmp_path):
    hall = Hall()
    written = PublicFolder(tmp_path, delay_s=0.5, every_s=0.02)
    written.start()
    hall.take_state(state("oak"))
    written.take(hall.changes())
    wait_for(lambda: now_whole(tmp_path))
    assert now_whole(tmp_path)["boards"] == {}
    reader = Reader(tmp_path)
    wait_for(lambda: reader.read() or reader.boards)
    written.stop()


def test_a_folder_that_cannot_be_written_ends_in_one_clear_line(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(HostError) as failure:
        PublicFolder(tmp_path / "file" / "www")
    assert failure.value.exit_code == FAILED
