"""The parts' figures as hardware/figures.toml lists them, each with its source."""

import tomllib
from functools import cache
from typing import TypedDict

from polarity_host.mats.description import MAT_TOML

FIGURES_TOML = MAT_TOML.parent / "figures.toml"


class Figure(TypedDict):
    """One figure of a part, and where it is from."""

    value: float
    source: str


@cache
def figures() -> dict[str, Figure]:
    """Every figure by its name."""
    return tomllib.loads(FIGURES_TOML.read_text(encoding="utf-8"))


def figure(name: str) -> float:
    """One figure, in the unit that its name ends in."""
    return figures()[name]["value"]
