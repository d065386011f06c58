"""A simulated mat stays on while its process runs, as a real one does between two commands. It is
switched off here after each test, and the next one finds its mat as it is after power-up."""

import pytest

from polarity_host.simulation.port import power


@pytest.fixture(autouse=True)
def off():
    yield
    power.switch_all_off()
