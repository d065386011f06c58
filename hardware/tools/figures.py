"""The parts' figures as hardware/figures.toml lists them, each with its source."""

import tomllib
from functools import cache

from polarity_host.mats.description import MAT_TOML

FIGURES_TOML = MAT_TOML.parent / "figures.toml"


@cache
def figures() -> dict[str, dict]:
    """{name: {"value", "source"}}."""
    return tomllib.loads(FIGURES_TOML.read_text(encoding="utf-8"))


def figure(name: str) -> float:
    """One figure, in the unit that its name ends in."""
    return figures()[name]["value"]
