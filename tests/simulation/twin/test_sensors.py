"""The ADC against published figures; the Hall sensors against the mat's description."""

import numpy as np
import pytest

from polarity_host.mats.description import load_mat
from polarity_host.simulation.twin.adc import Rp2040Adc
from polarity_host.simulation.twin.condition import CLEAN, MatCondition
from polarity_host.simulation.twin.sensors import SensorArray


@pytest.fixture(scope="module")
def mat():
    return load_mat("standard")


@pytest.fixture(scope="module")
def adc():
    return Rp2040Adc(np.random.default_rng(8))


def condition(**changes):
    return MatCondition(**{**CLEAN.__dict__, **changes})


def test_dnl_spikes_where_e11_says(adc):
    dnl = adc.dnl_lsb()  # of the codes 1, 2, ...
    wide = np.flatnonzero(dnl > 3.0) + 1
    assert wide.tolist() == [512, 1536, 2560, 3584]
    assert dnl.max() == pytest.approx(8.9, abs=1.5)
    assert dnl.min() > -1.0  # no missing codes


def test_inl_is_within_what_was_measured(adc):
    assert 4.0 <= np.abs(adc.inl_lsb()).max() <= 8.5


def test_effective_bits_of_a_full_scale_sine(adc):
    """RP2040 datasheet 4.9.3: ENOB 8.7; by the fit of a sine, as IEEE 1241 has it."""
    phase = 2 * np.pi * 0.1234567 * np.arange(40_000)
    codes = adc.convert(2047.5 + 2040 * np.sin(phase), np.random.default_rng(1))
    basis = np.column_stack([np.sin(phase), np.cos(phase), np.ones_like(phase)])
    weights, *_ = np.linalg.lstsq(basis, codes, rcond=None)
    residue = np.std(codes - basis @ weights)
    sinad_db = 20 * np.log10(np.hypot(*weights[:2]) / np.sqrt(2) / residue)
    assert (sinad_db - 1.76) / 6.02 == pytest.approx(8.7, abs=0.3)


def test_conversions_are_noisy_summed_and_clipped(adc):
    rng = np.random.default_rng(2)
    assert adc.convert(np.full(20_000, 900.3), rng).std() == pytest.approx(0.97, abs=0.15)
    eight = adc.convert(np.full(20_000, 900.3), rng, 8)
    assert eight.std() == pytest.approx(0.97 * np.sqrt(8), abs=0.4)
    assert adc.convert(np.array([-50.0, 5000.0]), rng, 8).tolist() == [0, 8 * 4095]


def test_counts_rise_by_counts_per_mt(mat):
    array = SensorArray(mat, 3, condition(noise_mt=0.0))
    field = np.linspace(-60, 60, mat.n)[None]
    counts = array.counts([0], field)[0].astype(float)
    slope, zero = np.polyfit(field[0], counts, 1)
    assert slope == pytest.approx(mat.counts_per_mt, rel=0.01)
    assert zero == pytest.approx(mat.zero_count, abs=8 * mat.oversample)
    assert counts.max() < 2**mat.bits


@pytest.mark.parametrize("conversions, noise_counts", [(4, 8 * 0.97 / 2), (16, 8 * 0.97 / 4)])
def test_a_count_of_fewer_conversions_is_on_the_same_scale_and_noisier(
    mat, conversions, noise_counts
):
    """White noise of 0.97 LSB a conversion, in counts of which eight are one LSB."""
    array = SensorArray(mat, 3, condition(noise_mt=0.0, conversions=conversions))
    counts = array.counts(np.arange(400) * 1e4, np.full((400, mat.n), 20.0)).astype(float)
    assert counts.mean() == pytest.approx(mat.zero_count + 20 * mat.counts_per_mt, rel=0.01)
    assert np.median(counts.std(axis=0)) == pytest.approx(noise_counts, rel=0.2)


def test_saturation_stops_the_count(mat):
    array = SensorArray(mat, 3, condition(noise_mt=0.0))
    counts = array.counts([0], np.full((1, mat.n), 200.0))[0].astype(float)
    limit = mat.zero_count + mat.saturation_mt * mat.counts_per_mt
    assert np.abs(counts - limit).max() < 10 * mat.oversample


def test_spread_and_drift_are_what_the_condition_says(mat):
    array = SensorArray(mat, 7)
    assert array.gain.std() == pytest.approx(0.01, rel=0.2)
    assert (array.offset_mt * mat.mv_per_mt).std() == pytest.approx(20.0, rel=0.2)
    cold, warm = (
        SensorArray(mat, 7, MatCondition(warming_time_s=1.0)).counts([t], np.zeros((1, mat.n)))[0]
        for t in (0, 60_000_000)
    )
    drift_mv = (warm.astype(float) - cold) / mat.counts_per_mt * mat.mv_per_mt
    assert np.std(drift_mv) == pytest.approx(4.0 * 0.15, rel=0.5)


def test_the_first_sensor_read_sees_the_field_before_the_last_one(mat):
    """The scan fills most of a frame, and a frame's time is its end."""
    array = SensorArray(mat, 3, condition(noise_mt=0.0, rolling_scan=True))
    steps = np.array([[0.0], [20.0]]) * np.ones((1, mat.n))
    counts = array.counts([0, 10_000], steps).astype(float)
    seen_mt = (counts[1] - counts[0]) / mat.counts_per_mt
    first, last = mat.scan_order[0], mat.scan_order[-1]
    assert mat.address[first] == mat.address.min() and mat.address[last] == mat.address.max()
    assert seen_mt[first] < 6.0
    assert seen_mt[last] == pytest.approx(20.0, abs=1.5)


def test_a_slow_multiplexer_remembers_the_address_before(mat):
    array = SensorArray(mat, 3, condition(noise_mt=0.0, settle_time_constant_us=20.0))
    field = np.zeros((1, mat.n))
    here = int(np.flatnonzero((mat.adc == 1) & (mat.address == 40))[0])
    after = int(np.flatnonzero((mat.adc == 1) & (mat.address == 41))[0])
    quiet = array.counts([0], field)[0].astype(float)
    field[0, here] = 40.0
    change_mt = (array.counts([10_000], field)[0] - quiet) / mat.counts_per_mt
    assert change_mt[after] == pytest.approx(40.0 * np.exp(-mat.settle_us / 20), abs=1.0)
    assert np.delete(change_mt, [here, after]) == pytest.approx(0.0, abs=0.6)


def test_broken_sensors_and_a_noisy_input(mat):
    array = SensorArray(mat, 3, condition(dead_sensors=4, stuck_sensors=2, noisy_adc=1))
    counts = array.counts(10_000 * np.arange(50), np.full((50, mat.n), 10.0)).astype(float)
    assert np.count_nonzero((counts == 0).all(axis=0)) == 4
    assert np.count_nonzero(counts.std(axis=0) == 0) == 6
    sound = np.setdiff1d(np.arange(mat.n), [*array.dead, *array.stuck])
    noise = counts[:, sound].std(axis=0)
    noisy = mat.adc[sound] == 1
    assert noise[noisy].min() > 2 * noise[~noisy].max()
