"""Drawing one of several things gives what numpy's own Generator.choice gives."""

import numpy as np
import pytest

from polarity_host.simulation.draw import one_of, weighted


@pytest.mark.parametrize("seed", range(20))
def test_it_draws_what_numpy_draws(seed):
    ours, numpys = np.random.default_rng(seed), np.random.default_rng(seed)
    for _ in range(50):
        for things in ((1, -1), (1, 1, 2), ("a", "b", "c"), (-1.5, 1.5), ("alone",)):
            assert one_of(ours, things) == numpys.choice(things)
        for weights in ([1.0, 2.0, 3.0], [0.0, 1.0, 0.0], [5.0, 0.1, 0.2]):
            share = np.array(weights) / sum(weights)
            assert weighted(ours, "xyz", weights) == numpys.choice(list("xyz"), p=share)
    assert ours.bit_generator.state == numpys.bit_generator.state
