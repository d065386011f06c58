"""Games on the twin: the same seed plays the same game; discs keep their distance."""

from itertools import islice

import numpy as np
import pytest

from polarity_host.mats.description import MatError, load_mat
from polarity_host.simulation.twin.whole_games import demo_game, random_game


def counts(game, frames):
    return np.array([frame for _, frame in islice(game.frames(), frames)])


def test_same_seed_same_counts():
    assert np.array_equal(counts(demo_game(7), 500), counts(demo_game(7), 500))
    assert not np.array_equal(counts(demo_game(7), 500), counts(demo_game(8), 500))


def test_same_seed_same_truth():
    assert random_game(7, 8).without_counts() == random_game(7, 8).without_counts()


def test_the_bare_mat_comes_first():
    game = random_game(3, turns=1)
    frames = counts(game, 100)
    assert frames.dtype == np.uint16 and frames.shape[1] == game.mat.n
    assert np.ptp(frames.astype(int), axis=0).max() < game.mat.counts_per_mt
    assert not game.truth


def test_nothing_overlaps():
    game = random_game(6, turns=25)
    game.without_counts()
    flat = [p.xy for p in game.stage.resting() if p.shape != "leaner"]
    apart = [np.hypot(a[0] - b[0], a[1] - b[1]) for i, a in enumerate(flat) for b in flat[:i]]
    assert min(apart) > game.mat.disc.diameter_mm - 0.01


def test_other_editions_are_refused():
    with pytest.raises(MatError, match="temple"):
        random_game(1, mat=load_mat("small"))
