"""The power budget: what a port gives, what all draw, what the firmware leaves to the lights."""

import math

import pytest

from hardware.tools import power
from polarity import mat_data
from polarity_host.mats.description import load_mat


@pytest.mark.parametrize("port_ma", [500, 1500])
def test_the_worst_case_stays_within_the_port(mat, port_ma):
    assert power.current_ma(mat, port_ma) <= port_ma


def test_the_budget_of_the_standard_mat_by_hand():
    """Tiles B3, D3 and F3 are awake at once, 16 + 16 + 12: 44 x 5 mA, and 329 others at 8 nA."""
    found = power.budget(load_mat("standard"), 500)
    assert found["sensors awake"] == pytest.approx(220.0)
    assert found["sensors asleep"] == pytest.approx(0.0026, abs=1e-4)
    assert found["lights"] == 500 - math.ceil(75 + 220 + 0.003 + 5 + 1.2 + 0.1 + 10) == 188
    assert sum(found.values()) <= 490
    typical = power.budget(load_mat("standard"), 500, worst=False)
    assert typical["sensors awake"] == pytest.approx(44 * 2.6)
    assert power.budget(load_mat("standard"), 1500)["lights"] == 700


def test_the_firmware_has_the_same_budget(mat):
    data = mat_data.load(mat.id)
    assert data.REST_MA == power.rest_ma(mat)
    for port_ma in (500, 1500):
        lights = min(port_ma - data.REST_MA, data.LED_MOST_MA)
        assert lights == power.budget(mat, port_ma)["lights"]


def test_a_port_that_is_too_weak_is_refused(mat):
    with pytest.raises(power.PowerError, match="100 mA"):
        power.budget(mat, 100)


def test_the_readmes_budget_is_this_one():
    from polarity_host.mats.description import MAT_TOML

    mat, page = load_mat(), (MAT_TOML.parent / "README.md").read_text(encoding="utf-8")
    sums = [(500, True), (500, False), (1500, True)]
    together = [sum(power.budget(mat, *case).values()) for case in sums]
    lights = [power.budget(mat, *case)["lights"] for case in sums]
    for name, values in (("together", together), ("lights, at the firmware's cap", lights)):
        assert f"| {name} | {' | '.join(f'{value:.0f}' for value in values)} |" in page
