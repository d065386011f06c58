"""`polarity bench play`: its figures, with an engine and without, and games that went wrong."""

import json

import pytest

from polarity_bench import play
from polarity_host.errors import BAD_INPUT, DONE, HostError
from polarity_host.replay.recording import RecordingReader
from polarity_host.replay.truth import read_truth, truth_path
from polarity_host.simulation.players.match import Match
from tests.fake_engine import FakeEngine

KEYS = """games finished rulings rulings_wrong results_wrong false_red false_out dead_ends
illegal_acts_per_100_turns engine_cost_p99_ms rest_cost_ms bare_cost_ms realtime_factor""".split()


@pytest.fixture
def short(monkeypatch):
    """Games end after their set-up."""

    def no_turn(self):
        self._stop("stopped for a test")
        yield

    monkeypatch.setattr(Match, "_turn", no_turn)


def test_rule_sets_are_the_editions_and_what_belongs_to_them():
    sets = play.rule_sets(["temple", "fourlang", "original", "scaled"], play.all_variants())
    assert sets[:4] == ["temple", "fourlang", "original", "scaled"]
    assert {"temple+three_player_shuffle", "temple+four_player_team", "fourlang+german"} <= {*sets}
    assert len(sets) == 4 + 12 == len(set(sets))
    assert play.rule_sets(["scaled"], play.all_variants()) == ["scaled", "scaled+four_player_team"]
    for editions, variants in ((["chess"], []), (["temple"], ["wings"])):
        with pytest.raises(HostError) as refused:
            play.rule_sets(editions, variants)
        assert refused.value.exit_code == BAD_INPUT


def test_without_an_engine_games_are_played_for_the_true_facts(polarity, short):
    code, out, err = polarity(
        "bench", "play", "--games", "2", "--engine", "none", "--variants", "starting_point",
        "--editions", "temple", "--json", "--jobs", "1",
    )  # fmt: skip
    assert (code, err) == (DONE, "")
    figures = json.loads(out)
    assert list(figures)[: len(KEYS)] == KEYS
    assert (figures["games"], figures["finished"], figures["dead_ends"]) == (2, 0, 2)
    assert figures["rulings"] == (1 + 10 + 1) + (1 + 2 + 1)  # red, foundations, all laid
    assert figures["rulings_wrong"] == figures["results_wrong"] == 0
    assert figures["engine_cost_p99_ms"] is None


def test_an_engine_that_says_nothing_is_wrong_in_everything(short, monkeypatch, tmp_path):
    monkeypatch.setattr(play, "build_engine", lambda *_: FakeEngine(end_at=0))
    monkeypatch.setattr(play.EngineJudge, "outcome", lambda self: ["", ""])
    monkeypatch.setattr(play, "picture", lambda *_: "<svg/>")
    figures = play.run(
        ["temple+starting_point"], 1, 101, keep_dir=tmp_path, jobs=1, engine=play.PERCEPTION
    )
    assert figures["rulings_wrong"] == figures["rulings"] == 4
    (recording,) = tmp_path.glob("*.matrec.gz")
    assert (tmp_path / "temple-starting_point-careful-101.svg").read_text() == "<svg/>"
    truth = read_truth(truth_path(recording))
    assert truth[0]["f"] == "placed" and truth[0]["shape"] == "red"
    with RecordingReader(recording) as reader:
        frames = list(reader)
    assert frames[0][1].shape == (373,) and frames[-1][0] > truth[0]["t_us"]
