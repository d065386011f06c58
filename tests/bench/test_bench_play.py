"""`polarity bench play`: its figures, with an engine and without, and games that went wrong."""

import json
import re

import pytest

from polarity_bench import campaign, play
from polarity_host.errors import BAD_INPUT, DONE, INTERRUPTED, HostError
from polarity_host.replay.recording import RecordingReader
from polarity_host.replay.truth import read_truth, truth_path
from polarity_host.simulation.players.match import Match
from tests.fake_engine import FakeEngine

KEYS = """games finished rulings rulings_wrong results_wrong false_red false_out dead_ends
illegal_acts_per_100_turns engine_cost_p99_ms rest_cost_ms bare_cost_ms realtime_factor""".split()
EDITIONS = ["temple", "fourlang", "original", "scaled"]
WORDS = (
    "bench", "play", "--engine", "none", "--variants", "starting_point", "--editions", "temple",
    "--json", "--jobs", "1",
)  # fmt: skip


@pytest.fixture
def short(monkeypatch):
    """Games end after their set-up."""

    def no_turn(self):
        self._stop("stopped for a test")
        yield

    monkeypatch.setattr(Match, "_turn", no_turn)


@pytest.fixture
def kept(monkeypatch):
    """The games that are kept as wrong, and the folders where; they are not played again."""
    found = []
    monkeypatch.setattr(campaign, "keep", lambda spec, _, where, what: found.append((spec, where)))
    return found


def test_a_plan_is_spread_over_editions_options_and_variants():
    """Issue's measure: all four editions, the German options, five variants, 100 games or more."""
    games = campaign.plan(EDITIONS, campaign.all_variants(), 108)
    assert len(games) == 108 == len(set(games))
    of = [rules.split("+")[0] for rules, _ in games]
    assert [of.count(edition) for edition in EDITIONS] == [27] * 4
    options = {rules.partition("+")[2] for rules, _ in games}
    german = {name for name in options if name.startswith("german")}
    assert "german" in german and len(german) == 6
    assert len(options - german - {""}) >= 5
    cut = [rules.split("+")[0] for rules, _ in games[:10]]  # a part of it is spread as well
    assert {cut.count(edition) for edition in EDITIONS} == {2, 3}
    assert campaign.plan(EDITIONS, campaign.all_variants(), 20) == games[:20]
    assert {seed for _, seed in campaign.plan(["temple"], [], 3, 101)} == {101, 102, 103}


def test_an_edition_is_played_with_the_options_that_it_can_have():
    sets = campaign.rule_sets("scaled", campaign.all_variants())
    assert sets == ["scaled", "scaled+four_player_team"]
    for edition, variants in (("chess", []), ("temple", ["wings"])):
        with pytest.raises(HostError) as refused:
            campaign.rule_sets(edition, variants)
        assert refused.value.exit_code == BAD_INPUT


def test_without_an_engine_games_are_played_for_the_true_facts(polarity, short):
    code, out, err = polarity(*WORDS, "--games", "2")
    assert (code, err) == (DONE, "")
    figures = json.loads(out)
    assert list(figures)[: len(KEYS)] == KEYS
    assert (figures["games"], figures["finished"], figures["dead_ends"]) == (2, 0, 2)
    assert figures["rulings"] == (1 + 10 + 1) + (1 + 2 + 1)  # red, foundations, all laid
    assert figures["rulings_wrong"] == figures["results_wrong"] == 0
    assert figures["engine_cost_p99_ms"] is None
    assert figures["editions"]["temple"]["rulings"] == figures["rulings"]
    assert figures["endings"] == {"stopped for a test": 2}


def test_a_campaign_that_was_cut_goes_on_with_what_is_left(
    polarity, short, kept, tmp_path, monkeypatch
):
    into = tmp_path / "games"
    played = []
    whole = campaign.play_game

    def cut(spec):
        if len(played) == 2:
            raise KeyboardInterrupt
        played.append(spec)
        return whole(spec)

    monkeypatch.setattr(campaign, "play_game", cut)
    code, out, _ = polarity(*WORDS, "--games", "3", "--into", into)
    assert (code, out) == (INTERRUPTED, "")
    stored = sorted(into.glob("*.game.json"))
    assert len(stored) == 2 and not list(into.glob("*.part"))
    assert kept == [(spec, str(into)) for spec in played]  # they came to no result
    texts = [path.read_text() for path in stored]
    played.clear()
    code, out, err = polarity(*WORDS, "--games", "3", "--into", into, "--progress")
    assert code == DONE and [spec.seed for spec in played] == [3]
    assert err.splitlines()[0].startswith("2 of 3 games played 67%")
    figures = json.loads(out)
    assert figures["games"] == 3 and figures["rulings"] == 12 + 4 + 12
    assert [path.read_text() for path in stored] == texts
    monkeypatch.setattr(campaign, "play_game", None)  # nothing is left to play
    assert json.loads(polarity(*WORDS, "--games", "3", "--into", into)[1]) == figures
    assert json.loads(polarity(*WORDS, "--games", "1", "--into", into)[1]) == figures


def test_games_by_other_players_or_programs_are_told_apart(polarity, short, kept, tmp_path):
    first = json.loads(polarity(*WORDS, "--games", "1", "--into", tmp_path)[1])
    clumsy = polarity(*WORDS, "--games", "1", "--into", tmp_path, "--skill", "clumsy")
    assert first["games"] == json.loads(clumsy[1])["games"] == 1
    assert len(list(tmp_path.glob("*.game.json"))) == 2
    (path,) = tmp_path.glob("*careful*.game.json")
    path.write_text(re.sub('"program": "[0-9a-f]+"', '"program": "0"', path.read_text()))
    code, out, err = polarity(*WORDS, "--games", "2", "--into", tmp_path)
    assert code == DONE and json.loads(out)["programs"] == 2
    assert "2 states of the program" in err and err.count("\n") == 1
    path.write_text("{")
    code, out, err = polarity(*WORDS, "--games", "2", "--into", tmp_path)
    assert (code, out) == (BAD_INPUT, "") and str(path) in err and err.count("\n") == 1


def test_where_oracle_and_table_disagree_the_game_is_kept_with_a_picture(
    short, monkeypatch, tmp_path
):
    """With three foundations laid an error is made of the oracle's position."""

    def mistaken(self):
        position = self.oracle.referee.position
        if sum(position.founded) == 3 and not self.wrong:
            piece = position.pieces[max(position.pieces)]
            piece.face = -piece.face
            self.wrong.append((self.world.t_us, f"turn 0: piece {piece.id} <shows> another face"))
        return judge(self)

    judge = Match._judge
    monkeypatch.setattr(Match, "_judge", mistaken)
    figures = campaign.run([("scaled", 101)], engine=play.TRUE_FACTS, jobs=1, into=tmp_path)
    assert figures["disagreements"] == 1 and "another face" in figures["details"][0]
    name = "scaled-careful-usual-engine_none-101"
    drawing = (tmp_path / f"{name}.svg").read_text()
    assert drawing.count("#e00") == 1 and drawing.count("#07a") == 2  # one piece of three is wrong
    assert "&lt;shows&gt; another face" in drawing and drawing.endswith("</svg>\n")
    truth = read_truth(tmp_path / f"{name}.truth.jsonl")
    assert sum(record.get("code") == "foundation" for record in truth) >= 3
    with RecordingReader(tmp_path / f"{name}.matrec.gz") as reader:
        assert reader.edition == "scaled" and len(list(reader)) > 300


def test_an_engine_that_says_nothing_is_wrong_in_everything(short, monkeypatch, tmp_path):
    monkeypatch.setattr(play, "build_engine", lambda *_: FakeEngine(end_at=0))
    monkeypatch.setattr(play.EngineJudge, "outcome", lambda self: ["", ""])
    monkeypatch.setattr(play, "by_engine", lambda _: [])
    monkeypatch.setattr(play, "picture", lambda *_: "<svg/>")
    (tmp_path / "temple-starting_point-careful-usual-101.matrec.gz").write_text("torn")
    figures = campaign.run([("temple+starting_point", 101)], keep_dir=tmp_path, jobs=1)
    assert figures["rulings_wrong"] == figures["rulings"] == 4
    (recording,) = tmp_path.glob("*.matrec.gz")
    assert (tmp_path / "temple-starting_point-careful-usual-101.svg").read_text() == "<svg/>"
    truth = read_truth(truth_path(recording))
    assert truth[0]["f"] == "placed" and truth[0]["shape"] == "red"
    with RecordingReader(recording) as reader:
        frames = list(reader)
    assert frames[0][1].shape == (373,) and frames[-1][0] > truth[0]["t_us"]


def test_a_recorded_game_is_judged_as_it_was_while_it_was_played(monkeypatch, tmp_path):
    """Black declares after the set-up that White has won: an engine that is not told goes on. The
    table is found to be wrong once as well."""

    def over(self):
        self._declare("declare w")
        self.wrong.append((self.world.t_us, "a piece shows another face"))
        yield

    monkeypatch.setattr(Match, "_turn", over)
    game = [("scaled", 101)]
    live = campaign.run(game, jobs=1)
    assert live["results_wrong"] == live["rulings_wrong"] == 0 and live["finished"] == 1
    first = campaign.run(game, jobs=1, recordings=tmp_path)
    (recording,) = tmp_path.glob("*.whole.matrec.gz")
    monkeypatch.setattr(Match, "frames", None)  # nothing is played again
    again = campaign.run(game, jobs=1, recordings=tmp_path)
    measured = "engine_cost_p99_ms", "bare_cost_ms", "rest_cost_ms", "realtime_factor", "editions"
    for name in live.keys() - set(measured):
        assert live[name] == first[name] == again[name], name
    with RecordingReader(recording) as reader:
        assert len(list(reader)) > 300
    monkeypatch.setattr(play.EngineJudge, "_hand_on_declarations", lambda self: None)
    told = campaign.run(game, jobs=1, recordings=tmp_path)
    assert told["results_wrong"] == 1 and "another face" in " ".join(told["details"])
