"""Games found again and counted; files of older versions, as those versions wrote them."""

import gzip
import json
from html.parser import HTMLParser
from pathlib import Path

import pytest

from polarity_host.errors import BAD_INPUT, DONE, FAILED, HostError
from polarity_host.games.search import Wanted
from polarity_host.games.statistics.counts import sides
from polarity_host.games.store import Store
from tests.made_messages import made_message

OLD = Path(__file__).parents[1] / "old"


@pytest.fixture(params=[1, 2])
def old_file(request, tmp_path):
    """The demo's game 2 as it was stored by the program when its database had this version."""
    path = tmp_path / "games.db"
    path.write_bytes(gzip.decompress((OLD / f"games_v{request.param}.db.gz").read_bytes()))
    return path


def test_a_file_that_an_older_version_made_opens_with_all_that_is_in_it(old_file):
    with Store(old_file) as store:
        (game,) = store.games()
        assert (game["winner"], game["why"]) == ("w", "touched_red")
        assert (game["score_w"], game["score_b"], game["white"]) == (-18, -17, "")
        lines = store.raw_lines(1)
        store.name(1, {"white": "Ada", "notes": "the first"})
        store.add_evidence(game["boot"], 20, b"frames")
        assert store.evidence(1, 20) == b"frames"
    with Store(old_file) as store:
        assert store.raw_lines(1) == lines
        assert (store.games()[0]["white"], store.games()[0]["notes"]) == ("Ada", "the first")
        assert len(lines) >= 173


class Game:
    """Messages as a mat sends them, made by hand."""

    def __init__(self):
        self.messages = []

    def say(self, kind, t_s, **fields):
        number = len(self.messages) + 1
        self.messages.append(made_message(kind, number, int(t_s * 1000), **fields))
        return number

    def fact(self, t_s, tilt=0):
        return self.say("fact", t_s, f="placed", tilt=tilt)

    def rule(self, t_s, code, player="", why="", facts=()):
        return self.say("ruling", t_s, code=code, player=player, why=why, facts=list(facts))


@pytest.fixture
def game():
    """White leans at 30 and 50 degrees; black faults twice, white captures once, black wins."""
    g = Game()
    g.rule(10, "turn", "w", facts=[g.fact(10)])
    g.rule(14, "leaner_placed", "w", facts=[g.fact(14, tilt=30)])
    g.rule(16, "turn", "b", facts=[g.fact(16)])
    g.rule(18, "fault", "b", "contact", [g.fact(18)])
    g.rule(19, "fault", "b", "leaner_fell", [g.fact(19)])
    g.rule(26, "turn", "w", facts=[g.fact(26)])
    g.rule(28, "captured", "w", facts=[g.fact(28)])
    g.rule(30, "leaner_placed", "w", facts=[g.fact(30, tilt=50)])
    g.rule(34, "end", "b", "touched_red", [g.fact(34)])
    return g


def test_each_players_faults_leaners_turns_and_captures_are_counted(game):
    both = {letter: side.summary() for letter, side in sides(game.messages).items()}
    white, black = both["w"], both["b"]
    assert (white["won"], white["lost"], black["won"], black["lost"]) == (0, 1, 1, 0)
    assert (white["turns"], white["turn_s"]) == (2, 7.0)  # 6 s and 8 s
    assert (black["turns"], black["turn_s"]) == (1, 10.0)
    assert (white["leaners"], white["tilt_deg"]) == (2, 40.0)
    assert (black["leaners"], black["tilt_deg"]) == (0, None)
    assert black["faults_by_kind"] == {"contact": 1, "leaner_fell": 1}
    assert (white["captures_won"], black["captures_lost"], white["faults"]) == (1, 1, 0)


def test_what_players_corrected_does_not_count(game):
    fact = game.messages[8].number  # the second fault rests on it
    assert game.messages[9].body.why == "leaner_fell"
    game.rule(35, "overruled", facts=[fact])
    game.rule(35, "end", "w", "declared")
    both = {letter: side.summary() for letter, side in sides(game.messages).items()}
    assert both["b"]["faults_by_kind"] == {"contact": 1}
    assert both["w"]["captures_won"] == 0  # it rested on a later fact
    assert (both["w"]["won"], both["b"]["won"]) == (1, 0)


ROW = {"id": 3, "white": "Ada L.", "black": "Ben", "event": "Club", "edition": "temple+german",
       "begun_ms": 1_790_000_000_000}  # fmt: skip


@pytest.mark.parametrize(
    ("wanted", "fits"),
    [
        ({}, True), ({"player": "ada"}, True), ({"player": "ben"}, True), ({"player": "x"}, False),
        ({"event": "CLUB"}, True), ({"edition": "temple"}, True), ({"edition": "scaled"}, False),
        ({"edition": "temple+german"}, True), ({"game": 4}, False), ({"game": 3}, True),
    ],
)  # fmt: skip
def test_games_are_found(wanted, fits):
    assert Wanted(**wanted).fits(ROW) is fits


def test_the_command_finds_names_and_counts(old_file, polarity):
    assert polarity("stats", "--db", old_file, "--name", "1", "white=Ada", "event=A [b]c") == (
        DONE, "", "",
    )  # fmt: skip
    code, out, _ = polarity("stats", "--db", old_file, "--player", "ada", "--all")
    assert code == DONE and "Ada" in out and "A [b]c" in out and "White won" in out
    code, out, _ = polarity("stats", "--db", old_file, "--all", "--json")
    records = [json.loads(line) for line in out.splitlines()]
    assert [record["k"] for record in records] == ["game", "player", "player"]
    ada = records[1]
    assert (ada["player"], ada["won"], ada["leaners"]) == ("Ada", 1, 3)
    assert polarity("stats", "--db", old_file, "--since", "2999-01-01")[0] == FAILED
    for wrong in (["--since", "soon"], ["--name", "1", "white"], ["--name", "9", "white=x"],
                  ["--name", "1", "wings=x"], ["--name", "1", "white=" + "x" * 81]):  # fmt: skip
        code, _, err = polarity("stats", "--db", old_file, *wrong)
        assert code == BAD_INPUT and len(err.splitlines()) == 1
    assert polarity("stats", "--db", old_file.with_name("none.db"))[0] == BAD_INPUT


class Tags(HTMLParser):
    def __init__(self):
        super().__init__()
        self.tags = set()

    def handle_starttag(self, tag, attrs):
        self.tags.add(tag)


def test_the_page_shows_plots_and_names_as_text(old_file, polarity, tmp_path):
    with Store(old_file) as store:
        store.name(1, {"white": "<script>alert(1)</script>", "black": "<img src=x>"})
    page = tmp_path / "stats.html"
    assert polarity("stats", "--db", old_file, "--all", "--html", page)[0] == DONE
    tags = Tags()
    tags.feed(page.read_text(encoding="utf-8"))
    assert {"table", "svg", "rect"} <= tags.tags
    assert not {"script", "img", "link"} & tags.tags


def test_games_that_are_logged_get_the_names_that_were_said(tmp_path):
    with Store(tmp_path / "games.db") as store:
        store.name_next({"white": "  Ada\n", "black": "Ben"})
        store.add([made_message("game", 1, 0, boot=7, mat="standard", edition="temple")])
        assert (store.games()[0]["white"], store.games()[0]["black"]) == ("Ada", "Ben")
        with pytest.raises(HostError):
            store.name_next({"colour": "x"})
