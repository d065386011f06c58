"""Tests on the emulated chip. They are slow, 10 s for each second of its time, so there are few."""

import pytest

from polarity_host.simulation.pico.image import EmulatorMissing, find_image


@pytest.fixture(scope="session")
def image():
    """A MicroPython image; the test is skipped, with the reason, where there is none."""
    try:
        return find_image()
    except EmulatorMissing as missing:
        pytest.skip(missing.message)
