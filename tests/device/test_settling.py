"""How long inputs settle, by what the Pico prints: against an exponential of a known time."""

import math
from base64 import b64encode

import numpy as np
import pytest

from polarity_host.device import settling
from polarity_host.mats.description import load_mat

MAT = load_mat("standard")


def printed(tau_us, step=0.7, rest=None):
    """Every other sensor in the order of the scan at the ends of a range; what is read after one
    at the other end is off by exp(-t / tau) of the step."""
    full = 4096 * MAT.oversample
    rng = np.random.default_rng(1)
    counts = np.empty(MAT.n)
    before = np.empty(MAT.n)
    for adc in range(3):
        own = MAT.scan_order[MAT.adc[MAT.scan_order] == adc]
        values = full * (0.5 + step / 2 * np.where(np.arange(len(own)) % 2, 1, -1))
        counts[own], before[own] = values, np.roll(values, 1)
    rows = []
    for turns in settling.TURNS:
        off = (before - counts) * math.exp(-turns * settling.TURN_US / tau_us)
        noise = rng.normal(0, 4, (settling.FRAMES, MAT.n)).mean(axis=0)
        sums = np.round((counts + off + noise) * settling.FRAMES)
        rows.append(b64encode(sums.astype("<u4").tobytes()).decode())
    return "\n".join(["32768", *(rest or rows)])


@pytest.mark.parametrize("tau_us", [0.6, 1.0, 1.5, 2.0])
def test_the_time_needed_is_that_of_the_exponential(tau_us):
    """tau ln(step / LSB), to a turn of the settling loop."""
    found = settling.examine(printed(tau_us), MAT, 12.288)
    exact_us = tau_us * math.log(0.7 * 4096)
    tried = sorted(turns * settling.TURN_US for turns in settling.TURNS)
    following = next(us for us in tried if us >= exact_us)
    assert found.needed_us == pytest.approx(following, abs=2.05)  # the noise may cost a turn
    assert found.step == pytest.approx(0.7, abs=0.01) and found.most_us == pytest.approx(32.768)


@pytest.mark.parametrize(("tau_us", "setting"), [(0.6, 0), (1.1, 0), (1.5, 4), (2.5, 4), (4.0, -1)])
def test_what_it_sets(tau_us, setting):
    """The mat's own eight conversions with a fifth to spare, else four; not even those."""
    assert settling.examine(printed(tau_us), MAT, 12.288).conversions() == setting


def test_a_mat_without_discs_shows_no_step():
    assert settling.examine(printed(1.0, step=0.01), MAT, 12.288).step < settling.STEP_LEAST


@pytest.mark.parametrize("text", ["", "Traceback", "32768\nAAAA", "32768"])
def test_what_is_no_measurement_is_one_line(text):
    with pytest.raises(settling.SettlingError) as error:
        settling.examine(text, MAT, 12.288)
    assert "\n" not in str(error.value)


def test_its_turn_is_the_drivers():
    from hardware.tools import scan

    assert settling.TURN_US == pytest.approx(scan.TURN_US)
    for name in ("standard", "small"):
        mat = load_mat(name)
        assert settling.by_default_us(mat) == pytest.approx(scan.given_us(mat)[0])
    assert settling.TURNS[0] * settling.TURN_US == pytest.approx(scan.given_us(MAT, 4)[0])
