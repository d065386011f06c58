"""A tournament on mats: games find their boards by mat and time, arbiters change what they want,
and everybody sees how it stands."""

import csv
import io
import json
from contextlib import closing
from types import SimpleNamespace

import pytest

from polarity_host.errors import BAD_INPUT, DONE, HostError
from polarity_host.hub.hall import Hall
from polarity_host.hub.record import Record
from polarity_host.hub.tournaments.book import Book
from polarity_host.hub.tournaments.desk import Desk
from polarity_host.live.access import Role
from polarity_host.mqtt.topics import Event
from tests.hub.test_server import Sent, fetched, served, state
from tests.made_messages import made_message
from tests.waiting import wait_for

HOUR_MS = 3_600_000


class Clock:
    """The hub's clock."""

    def __init__(self, monkeypatch):
        self.now_ms = 1_000 * HOUR_MS
        own = SimpleNamespace(time_ns=lambda: self.now_ms * 1_000_000)
        monkeypatch.setattr("polarity_host.hub.record.time", own)
        monkeypatch.setattr("polarity_host.hub.tournaments.book.time", own)


@pytest.fixture
def clock(monkeypatch):
    return Clock(monkeypatch)


def play(record, clock, mat, boot, *told, at_ms=0, late_ms=0):
    """A mat numbers messages: (kind, seconds since it was switched on, …); these come `late_ms`
    after they were sent. `at_ms` is what its computer's clock says."""
    now_ms = clock.now_ms
    for number, (kind, t_s, more) in enumerate(told, 1):
        clock.now_ms = BOOTED[boot] + 1000 * t_s + late_ms
        record.add([(Event(mat, at_ms, ""), made_message(kind, number, 1000 * t_s, boot, **more))])
    clock.now_ms = max(now_ms, clock.now_ms)


BOOTED = {}


def game(winner=None, at_s=60):
    """What a mat tells that was switched on a minute before the first piece was laid."""
    found = [("game", 0, {}), ("ruling", at_s, {"code": "red_placed", "turn": 0})]
    found.append(("ruling", at_s + 30, {"code": "turn", "turn": 5}))
    if winner is not None:
        found.append(("ruling", at_s + 600, {"code": "end", "player": winner, "turn": 20}))
    return found


@pytest.fixture
def club(where, clock):
    with closing(Record(where)) as record:
        book = Book(record)
        book.create("Cup", "swiss", 3, ["oak", "elm"])
        book.enter("Cup", ["Ada", "Ben", "Cy", "Dee"])
        yield record, book


def results(book):
    return {(one.round, one.board): one.result for one in book.tournament("Cup").pairings}


def test_a_game_belongs_to_the_pairing_of_its_mat_and_time(club, clock):
    record, book = club
    BOOTED[1] = clock.now_ms - HOUR_MS  # switched on long before
    play(record, clock, "oak", 1, *game("w", at_s=1000))  # a friendly game before the round
    book.pair("Cup")
    clock.now_ms += 10 * 60_000
    BOOTED[2] = BOOTED[3] = clock.now_ms
    play(record, clock, "oak", 2, *game("b"))
    play(record, clock, "elm", 3, *game())
    assert results(book) == {(1, 1): "0-1", (1, 2): None}
    one, two = book.tournament("Cup").pairings
    assert (one.game.boot, two.game.boot, two.game.winner) == (2, 3, None)
    friendly = [("game", 700, {}), ("ruling", 710, {"code": "red_placed", "turn": 0}),
                ("ruling", 900, {"code": "end", "player": "w", "turn": 9})]  # fmt: skip
    play(record, clock, "oak", 2, *game("b"), *friendly)
    assert results(book)[1, 1] == "0-1"  # the first that ended counts, not a friendly one after it


def test_a_game_that_comes_an_hour_late_counts_for_the_round_in_which_it_was_played(club, clock):
    record, book = club
    BOOTED[2] = clock.now_ms
    play(record, clock, "oak", 2, ("game", 0, {}))  # on time: how the clocks stand is known
    book.pair("Cup")
    clock.now_ms += 5 * 60_000
    paired = clock.now_ms
    late = game("b", at_s=600)
    clock.now_ms += HOUR_MS
    for place in ((1, 1), (1, 2)):
        book.set_result("Cup", place, "1-0")
    book.pair("Cup")  # meanwhile the next round is played on the same mat
    book.set_result("Cup", (1, 1), "")
    clock.now_ms = paired
    play(record, clock, "oak", 2, *late, late_ms=2 * HOUR_MS, at_ms=-(10**12))
    assert results(book)[1, 1] == "0-1" and results(book)[2, 1] is None


def test_an_end_that_is_taken_back_is_no_result(club, clock):
    record, book = club
    book.pair("Cup")
    BOOTED[2] = clock.now_ms
    play(record, clock, "oak", 2, *game("b"))
    assert results(book)[1, 1] == "0-1"
    undone = ("ruling", 700, {"code": "undone", "turn": 20})
    play(record, clock, "oak", 2, *game("b"), undone)
    assert results(book)[1, 1] is None
    draw = ("ruling", 900, {"code": "end", "player": "", "turn": 25})
    play(record, clock, "oak", 2, *game("b"), undone, draw)
    assert results(book)[1, 1] == "=-="


def test_an_arbiter_changes_what_belongs_to_a_board(club, clock):
    record, book = club
    book.pair("Cup")
    BOOTED[2] = BOOTED[3] = clock.now_ms
    play(record, clock, "oak", 2, *game("w"))
    play(record, clock, "ash", 3, *game("b"))  # they sat down at another mat
    book.set_game("Cup", (1, 2), ("ash", 3, 1))
    assert results(book) == {(1, 1): "1-0", (1, 2): "0-1"}
    book.set_game("Cup", (1, 2), None)
    book.set_result("Cup", (1, 1), "=-=")
    assert results(book) == {(1, 1): "=-=", (1, 2): None}
    before = book.tournament("Cup").pairings[0]
    book.set_result("Cup", (1, 1), "")
    book.swap("Cup", (1, 1))
    after = book.tournament("Cup").pairings[0]
    assert (after.white, after.black, after.result) == (before.black, before.white, "1-0")
    book.set_mat("Cup", (1, 1), "ash")
    assert results(book)[1, 1] == "0-1"
    book.set_mat("Cup", (1, 2), "ash")  # after that game
    assert results(book)[1, 2] is None
    assert book.unpair("Cup") == 1 and results(book) == {}
    for wrong in (
        lambda: book.set_result("Cup", (1, 1), "1-0"), lambda: book.set_mat("Cup", (9, 9), "oak"),
        lambda: book.set_game("Cup", (1, 1), ("oak", 9, 9)), lambda: book.withdraw("Cup", "Eve"),
        lambda: book.enter("Cup", ["\x1b[2J"]), lambda: book.create("Cup", "swiss", 3),
        lambda: book.create("New", "swiss"), lambda: book.create("New", "ladder", 3),
        lambda: book.tournament("None"), lambda: book.unpair("Cup"),
    ):  # fmt: skip
        with pytest.raises(HostError) as refused:
            wrong()
        assert refused.value.exit_code == BAD_INPUT


def test_the_desk_shows_it_and_does_what_the_page_asks_for(tmp_path, monkeypatch):
    monkeypatch.setattr("polarity_host.hub.tournaments.desk.LOOK_EVERY_S", 0.05)
    hall = Hall()
    hall.take_state(state("oak"))
    with closing(Record(str(tmp_path / "hub.db"))) as record:
        desk = Desk(record, hall)
        desk.start()
        with served(hall, Sent(), host="0.0.0.0", desk=desk) as server:

            def ask(role=Role.PLAYER, **body):
                return fetched(server, role, "api/v1/tournament?lang=de", body)

            new = {"do": "new", "name": "Cup", "words": ["round-robin"]}
            assert ask(Role.SPECTATOR, **new)[0] == 403
            assert ask(**new)[0] == 202
            assert ask(do="add", name="Cup", words=["Ada <b>", "Ben"])[0] == 202
            assert ask(do="pair", name="Cup", words=["oak"])[0] == 202
            assert ask(do="result", name="Cup", round=1, board=1, words=["1-0"])[0] == 202
            for wrong in (
                {},
                {"do": "pair"},
                {"do": "burn", "name": "Cup"},
                {"do": "pair", "name": "Cup"},
            ):
                status, text = ask(**wrong)
                assert status == 400 and text, wrong
            assert "Runden" in text.decode()  # in the language of who asked

            def shown():
                return json.loads(fetched(server, Role.SPECTATOR, "api/v1/hall")[1])

            wait_for(lambda: shown()["tournament"].get("boards"))
            wait_for(lambda: shown()["tournament"]["boards"][0]["result"] == "1-0")
            seats = shown()["boards"]["oak"]["seats"]
            assert {seats["white"], seats["black"]} == {"Ada <b>", "Ben"}
        desk.stop()


def test_the_page_pairs_and_takes_results(chrome, tmp_path, monkeypatch):
    from playwright.sync_api import expect

    monkeypatch.setattr("polarity_host.hub.tournaments.desk.LOOK_EVERY_S", 0.05)
    hall, problems = Hall(), []
    for mat in ("elm", "oak"):
        hall.take_state(state(mat))
    with closing(Record(str(tmp_path / "hub.db"))) as record:
        desk = Desk(record, hall)
        desk.start()
        with served(hall, Sent(), desk=desk) as server:
            page = chrome.new_page(viewport={"width": 1200, "height": 1300})
            page.on("pageerror", lambda error: problems.append(str(error)))
            page.goto(server.link(Role.PLAYER))
            page.get_by_text("New tournament").click()
            page.get_by_label("Name", exact=True).fill("Spring cup")
            page.get_by_label("Players, one a line").fill("Ada\nBen\nCy\nDee")
            page.get_by_role("button", name="Begin").click()
            expect(page.locator("#tournament .view tbody tr")).to_have_count(4)
            page.get_by_role("button", name="Pair the next round").click()
            rows = page.locator("#tournament table").first.locator("tbody tr")
            expect(rows).to_have_count(2)
            expect(page.locator("#tournament h2")).to_contain_text("Round 1 of 5")
            for board, result in ((0, "1-0"), (1, "=-=")):
                rows.nth(board).get_by_label("Result").select_option(result)
                expect(rows.nth(board).get_by_label("Result")).to_have_value(result)
                left = [(1, 2)][board:]
                wait_for(
                    lambda left=left: Book(record).tournament("Spring cup").open_boards() == left
                )
            first = page.locator("#tournament table").nth(1).locator("tbody tr").first
            expect(first).to_contain_text("Ada")
            page.screenshot(path="build/live/hall_tournament.png", full_page=True)
            page.get_by_role("button", name="Pair the next round").click()
            expect(page.locator("#tournament h2")).to_contain_text("Round 2 of 5")
            assert problems == []
            page.close()
        desk.stop()


def test_the_command_does_all_of_it(polarity, tmp_path):
    db = str(tmp_path / "hall.db")

    def cup(*words):
        code, out, err = polarity("tournament", "Cup", "--db", db, *words)
        assert (code, err) == (DONE, ""), err
        return out

    cup("--new", "swiss", "--rounds", "2", "--add", "Ada", "=Ben", "Cy", "--mats", "oak")
    cup("--pair")
    assert "1.1" in cup("--result", "1.1", "0-1") and "arbiter" in cup()
    whole = json.loads(cup("--json"))
    assert [row["points"] for row in whole["standings"]] == [1, 1, 0]
    out = cup("--pair", "--export", str(tmp_path / "cup.csv"))
    rows = list(csv.DictReader(io.StringIO((tmp_path / "cup.csv").read_text())))
    assert [row["by"] for row in rows] == ["arbiter", "bye", "", "bye"] and "2.1" in out
    assert {"'=Ben"} & {row["black"] for row in rows} | {row["white"] for row in rows}
    cup("--export", str(tmp_path / "cup.json"), "--withdraw", "Cy")
    assert json.loads((tmp_path / "cup.json").read_text())["rounds_paired"] == 2
    listed = polarity("tournament", "--db", db, "--json")[1]
    assert json.loads(listed) == ["Cup"]
    rated = json.loads(polarity("tournament", "--db", db, "--ratings", "--json")[1])
    assert rated[0]["rating"] > 1500 > rated[1]["rating"]
    for words in (
        ("--pair",), ("--result", "1", "1-0"), ("--result", "1.1", "2-0"), ("--mat", "1.1", "Oak!"),
        ("--game", "1.1", "oak"), ("--export", "x.txt"),
    ):  # fmt: skip
        code, out, err = polarity("tournament", "Cup", "--db", db, *words)
        assert (code, out) == (BAD_INPUT, "") and err.count("\n") == 1, words
