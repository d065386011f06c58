"""A random game from the bare mat on, with nothing but counts for the engine: all is right."""

from polarity_host.bench.games import figures_of


def test_a_random_game_is_judged_right():
    figures = figures_of(2, turns=4)
    assert figures["details"] == []
    assert figures["facts"] > 25 and figures["rulings"] > 20
    assert figures["facts_missed"] == figures["facts_invented"] == figures["rulings_wrong"] == 0
