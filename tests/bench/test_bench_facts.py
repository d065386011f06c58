"""The figures of `polarity bench facts`, worked by hand."""

import pytest

from polarity_bench import facts, judge_game
from polarity_host.simulation.twin.whole_games import random_game
from tests.bench.truth_told import fact_message, facts_of


def counted(game, change=lambda told: told, monkeypatch=None):
    """What count_game finds when the engine tells the truth, changed."""
    truth = game.without_counts()
    told = change([fact_message(fact) for fact in facts_of(truth)])
    for fact in told:
        fact["conf"] = 100
    found = judge_game.Judged(game.seed, truth, told, turns=4)
    monkeypatch.setattr(facts, "judge", lambda _, engine: found)
    return facts.count_game(game.seed, game=game)


@pytest.fixture
def count(monkeypatch):
    return lambda change=lambda told: told: counted(random_game(2, 6), change, monkeypatch)


def test_a_faultless_engine(count):
    figures = facts.figures([count(), count()])
    assert figures["facts_f1"] == 1.0 and figures["missed"] == figures["invented"] == 0
    assert (figures["false_red"], figures["false_out"], figures["confidence_gap"]) == (0, 0, 0.0)
    assert figures["games"] == 2 and figures["turns"] == 8
    assert abs(figures["settled_p95_ms"]) <= 1 and abs(figures["transient_p95_ms"]) <= 1


def test_f1_of_a_missed_an_invented_and_a_wrong_fact(count):
    def change(told):
        placed = [fact for fact in told if fact["f"] == "placed"]
        placed[3]["face"] = "b" if placed[3]["face"] == "w" else "w"
        red = {**placed[-1], "f": "touched_red"}
        hands = [fact for fact in told if fact["f"] == "hand_in"]
        return [fact for fact in told if fact is not hands[-1]] + [red]

    figures = facts.figures([count(change)])
    true = figures["facts"]
    assert (figures["missed"], figures["invented"], figures["false_red"]) == (2, 2, 1)
    assert figures["facts_f1"] == pytest.approx(2 * (true - 2) / (2 * true), abs=1e-4)


def test_late_facts(count):
    def change(told):
        for fact in told:
            fact["sent_us"] = fact["t_us"] + (70_000 if fact["f"] == "hand_in" else 200_000)
            fact["t_us"] += 40_000
        return told

    figures = facts.figures([count(change)])
    assert figures["settled_p95_ms"] == pytest.approx(200, abs=1)
    assert figures["crossing_p95_ms"] == pytest.approx(40, abs=1)


@pytest.mark.parametrize(
    ("believed", "gap"),
    [
        ([(90, True)] * 90 + [(90, False)] * 10, 0.0),
        ([(99, True)] * 80 + [(99, False)] * 20, 0.19),
        ([(99, True)] * 50 + [(30, True)] * 50, 0.7),
        ([(99, True)] * 50 + [(30, True)] * 5, 0.01),
        ([], None),
    ],
)
def test_the_gap_between_confidence_and_being_right(believed, gap):
    assert facts.confidence_gap(believed) == gap
