"""A random game from the bare mat on, with nothing but counts for the engine: all is right."""

import pytest

from polarity_bench.games import figures_of


@pytest.mark.parametrize("nuisances", ["usual", "oversample"])
def test_a_random_game_is_judged_right(nuisances):
    figures = figures_of(2, turns=4, nuisances=nuisances)
    assert figures["details"] == []
    assert figures["facts"] > 25 and figures["rulings"] > 20
    assert figures["facts_missed"] == figures["facts_invented"] == figures["rulings_wrong"] == 0
