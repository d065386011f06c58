"""`polarity bench`: figures as one JSON object, and one line when they cannot be had."""

import json
import os

import pytest

from polarity_bench import games, judge_game, kills, runtimes
from polarity_host.errors import BAD_INPUT, DONE, FAILED
from tests.fake_engine import FakeEngine
from tests.recordings import recording_bytes


def test_games(polarity, monkeypatch):
    monkeypatch.setattr(judge_game, "build_engine", lambda *_: FakeEngine(end_at=0))
    code, out, err = polarity("bench", "games", "--seeds", "3", "--turns", "1", "--json")
    assert (code, err) == (DONE, "")
    figures = json.loads(out)
    names = "games turns facts_missed facts_invented rulings_wrong realtime_factor".split()
    assert list(figures)[:6] == names
    assert figures["games"] == 1 and figures["turns"] >= 1 and figures["facts_invented"] == 0
    assert figures["facts_missed"] == figures["facts"] > 20


def test_games_in_words(polarity, monkeypatch):
    monkeypatch.setattr(games, "run", lambda *_, **__: {"games": 1, "details": ["seed 3: lost"]})
    assert polarity("bench", "games")[1].splitlines() == ["games              1", "  seed 3: lost"]


def test_a_game_whose_process_is_killed(polarity, monkeypatch):
    monkeypatch.setattr(games, "figures_of", killed)
    code, out, err = polarity("bench", "games", "--seeds", "1-2")
    assert (code, out) == (FAILED, "") and err.count("\n") == 1 and "was killed" in err


def killed(seed, **_):
    os._exit(9)


def test_replay_of_a_recording(polarity, fake_engine, tmp_path):
    path = tmp_path / "game.matrec"
    path.write_bytes(recording_bytes())
    code, out, err = polarity("bench", "replay", path, "--json")
    assert (code, err) == (DONE, "")
    assert set(json.loads(out)) == {"frames", "recorded_s", "judged_s", "realtime_factor"}
    assert json.loads(out)["frames"] == 150


def test_replay_of_no_recording(polarity, tmp_path):
    code, out, err = polarity("bench", "replay", tmp_path / "nothing.matrec")
    assert (code, out) == (BAD_INPUT, "") and err.count("\n") == 1 and "cannot read" in err


@pytest.mark.parametrize("words", ["an engine's last words", ""])
def test_heap_that_cannot_be_measured(polarity, monkeypatch, tmp_path, words):
    def fail(recording, firmware):
        return runtimes._run(["sh", "-c", f'echo "Traceback\n  File 1\n{words}" >&2; exit 3'], path)

    path = tmp_path / "game.matrec"
    path.write_bytes(b"")
    monkeypatch.setattr("polarity_bench.heap.DISCS", 1)
    monkeypatch.setattr(runtimes, "under_micropython", fail)
    code, out, err = polarity("bench", "heap", "--json")
    assert (code, out) == (FAILED, "") and err.count("\n") == 1
    assert err.startswith("polarity bench: sh failed over") and words in err


def test_hosts_that_are_killed_lose_nothing_and_a_loss_would_be_counted(polarity, monkeypatch):
    code, out, _ = polarity("bench", "kills", "--kills", "4", "--json")
    figures = json.loads(out)
    assert code == DONE and figures["kills"] == 4 and figures["events"] > 2
    assert figures["kills_while_logging"] >= 1
    nothing = dict.fromkeys(("events_lost", "events_twice", "told_not_stored"), 0)
    assert {name: figures[name] for name in nothing} == nothing
    stored = kills._Hosts.stored
    monkeypatch.setattr(kills._Hosts, "stored", lambda hosts: stored(hosts)[1:])
    figures = json.loads(polarity("bench", "kills", "--kills", "2", "--json")[1])
    assert figures["events_lost"] == 1 and figures["told_not_stored"] == 1
