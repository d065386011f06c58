"""What the tests of the hardware share. Boards are drawn once: importing SKiDL is slow."""

import pytest

from polarity_host.mats.description import load_mat


@pytest.fixture(scope="session")
def boards():
    """Every board, by its netlist's name."""
    from hardware.tools import outputs

    return outputs.boards()


@pytest.fixture(scope="session")
def texts():
    """Every generated file, as it is built today: {path below hardware/: text}."""
    from hardware.tools import outputs

    return outputs.texts()


@pytest.fixture(scope="session", params=["standard", "small"])
def mat(request):
    return load_mat(request.param)
