"""Practice players' games, wherever a game of the simulation is asked for."""

import json

import pytest

from polarity_bench import facts, games
from polarity_bench.virtual_games import Kind
from polarity_host.errors import BAD_INPUT, DONE, HostError
from polarity_host.mats.description import MatError, load_mat
from polarity_host.replay.recording import RecordingReader
from polarity_host.replay.truth import read_truth, truth_path
from polarity_host.simulation.players.match import Match
from polarity_host.simulation.players.played_game import PlayedGame
from polarity_host.simulation.port.address import SimGame
from polarity_host.simulation.port.game_source import GameSource
from tests.fake_engine import FakeEngine

FOUNDATIONS = {"temple": 5, "fourlang": 5, "original": 5, "scaled": 4}  # the books' Setup


@pytest.fixture
def no_turns(monkeypatch):
    """Games end after their set-up."""

    def turn(self):
        self._stop("stopped for a test")
        yield

    monkeypatch.setattr(Match, "_turn", turn)


def codes(records):
    return [record["code"] for record in records if record["k"] == "ruling"]


@pytest.mark.parametrize("edition", FOUNDATIONS)
def test_a_set_up_by_any_edition_is_recorded_with_its_truth_and_judged_again(
    edition, no_turns, polarity, tmp_path
):
    small = edition == "scaled"  # 003 is the scaled-down edition, and has no red disc
    path, drivers = tmp_path / "game.matrec", ["--driver", "physics", "--skill", "careful"]
    words = ["--edition", edition, *drivers, "--nuisances", "drops", "--seed", 4]
    code, _, err = polarity("sim", *words, "-o", path)
    assert (code, err) == (DONE, "")
    with RecordingReader(path) as reader:
        assert (reader.edition, reader.mat_id) == (edition, "small" if small else "standard")
    truth = list(read_truth(truth_path(path)))
    assert {record["k"] for record in truth} == {"fact", "ruling", "nuisance"}
    assert [record["t_us"] for record in truth] == sorted(record["t_us"] for record in truth)
    assert codes(truth).count("foundation") == 2 * FOUNDATIONS[edition]
    assert codes(truth)[-1] == "setup_done"
    code, judged, _ = polarity("replay", path, "--json")
    lines = [json.loads(line) for line in judged.splitlines()]
    assert code == DONE and codes(lines) == codes(truth)
    kinds = [piece["kind"] for piece in lines[-1]["pieces"]]
    assert sorted(kinds) == ["foundation"] * 2 * FOUNDATIONS[edition] + ["red"] * (not small)


def test_a_script_is_played_where_there_is_one_and_nobody_wants_physics():
    asked = {
        "sim://demo": True,
        "sim://game?edition=temple": True,
        "sim://game?driver=physics": False,
        "sim://demo?edition=fourlang%2Bgerman": False,
    }
    assert {url: SimGame.from_url(url).is_scripted for url in asked} == asked
    for url in ("sim://demo?driver=scripted&edition=scaled", "sim://demo?edition=chess"):
        with pytest.raises(HostError) as refused:
            GameSource(SimGame.from_url(url))
        assert refused.value.exit_code == BAD_INPUT
    for url in ("sim://demo?driver=steam", "sim://demo?skill=divine"):
        with pytest.raises(HostError):
            SimGame.from_url(url)


def test_an_edition_is_not_played_with_the_discs_of_another():
    with pytest.raises(MatError, match="standard mat"):
        PlayedGame(1, "temple", load_mat("small"))


def test_players_declare_to_the_engine_that_judges_them(no_turns, monkeypatch):
    heard = []
    engine = FakeEngine(end_at=0)
    monkeypatch.setattr(engine, "command", heard.append)
    game = PlayedGame(6, "temple")
    game.judged_by(engine)
    frames = game.frames()
    next(frames)
    game.truth.append({"t_us": 0, "k": "declaration", "words": "double w"})
    next(frames)
    next(frames)
    assert heard == [b"double w\n"]


def test_the_bench_judges_them_as_scripted_ones(no_turns):
    """The set-up is simple enough for an engine to get all of it right."""
    figures = games.figures_of(2, kind=Kind("physics", "temple", "careful"))
    assert figures["details"] == [] and figures["rulings"] >= 2 * FOUNDATIONS["temple"] + 1
    assert figures["facts_missed"] == figures["facts_invented"] == figures["rulings_wrong"] == 0


def test_the_bench_counts_their_facts_on_the_small_mat(no_turns):
    """Its discs have a quarter of the moment: one that is carried in high is detected late."""
    counts = facts.count_game(2, nuisances="usual", kind=Kind("physics", "scaled", "careful"))
    assert counts["right"]["placed"] == 2 * FOUNDATIONS["scaled"]
    assert {*counts["wrong"], *counts["missed"], *counts["invented"]} <= {"hand_in"}


def test_a_game_stops_after_so_many_turns():
    game = PlayedGame(101, "temple", turns=1)
    game.without_counts()
    assert codes(game.truth).count("turn") == 1 and game.match.turns == 1
    assert game.match.ended().dead_end == "no result after 1 turns"
