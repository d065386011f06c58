"""A random game from the bare mat on, with nothing but counts for the engine: all is right."""

from polarity_host.bench.games import figures_of


def test_a_random_game_is_judged_right():
    figures = figures_of(103, turns=12)
    assert figures["details"] == []
    assert figures["facts"] > 40 and figures["rulings"] > 30
    assert figures["facts_missed"] == figures["facts_invented"] == figures["rulings_wrong"] == 0
