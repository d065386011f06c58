"""Drawing one of several things. numpy's Generator.choice draws the same, but loses a Ctrl-C that
comes meanwhile."""

from collections.abc import Sequence
from typing import TypeVar

import numpy as np

T = TypeVar("T")


def one_of(rng: np.random.Generator, things: Sequence[T]) -> T:
    """One of them, each as likely as another."""
    return things[int(rng.integers(0, len(things)))]


def weighted(rng: np.random.Generator, things: Sequence[T], weights: Sequence[float]) -> T:
    """One of them, as likely as its weight says."""
    share = np.array(weights)
    share = (share / share.sum()).cumsum()
    return things[int((share / share[-1]).searchsorted(rng.random(), side="right"))]
