"""When nothing happens nothing is told: noise, warming, and a mat that is no bare mat."""

from array import array
from dataclasses import replace

import numpy as np
import pytest

from polarity import mat_data
from polarity.perception.field import Field
from polarity.perception.parameters import QUIET_UT
from polarity.perception.pose import new_pose
from polarity.perception.solver import lay_flat
from polarity.perception.tracker import NOISE, Tracker
from polarity_host.mats.description import load_mat
from polarity_host.mats.disc_field import bz_mt
from polarity_host.simulation.twin.condition import CLEAN, MatCondition
from tests.perception.actions import lay


@pytest.mark.parametrize("mat", ["standard", "small"])
@pytest.mark.parametrize("seed", [1, 2])
def test_a_bare_mat_says_nothing(play, mat, seed):
    told = play(lambda stage: stage.rest(5.0), seed, mat)
    assert told.facts == [] and told.tracker.complaint == "" and told.tracker.ready


@pytest.mark.parametrize("condition", [CLEAN, MatCondition()], ids=["clean", "spread"])
def test_a_minute_of_quick_warming(play, condition):
    """30 degrees in a minute is far beyond a lamp over the table."""

    def script(stage):
        yield from stage.rest(0.4)
        yield from lay(stage, 1, (0.0, -42.0))
        yield from stage.rest(58.0)

    warm = replace(condition, warming_c=30.0, warming_time_s=30.0)
    told = play(script, condition=warm)
    assert [f.kind for f in told.facts] == ["hand_in", "placed"]


def test_the_warming_is_large(play):
    """So the test above says something: such a drift, not followed, is news."""
    warm = MatCondition(warming_c=30.0, warming_time_s=30.0)
    told = play(lambda stage: stage.rest(0.1), condition=warm)
    drift_mt = told.stage.instruments.sensors.offset_drift_mt_per_c * 30.0
    assert np.abs(drift_mt).max() > 0.7  # mT; a residual over 0.35 mT is news


@pytest.mark.parametrize("mat", ["standard", "small"])
def test_noise_is_complained_of_and_tells_no_facts(mat):
    data = mat_data.load(mat)
    tracker = Tracker(data)
    rng, told = np.random.default_rng(5), []
    for t_ms in range(0, 3000, 10):
        counts = rng.integers(0, 2**data.BITS, data.N)
        assert tracker.step(t_ms, array("H", counts.astype("<u2").tobytes())) == []
        told.append(tracker.complaint)
    assert not tracker.ready and NOISE in told


def test_the_complaint_stands_as_long_as_the_noise():
    data = mat_data.load("standard")
    tracker = Tracker(data)
    rng = np.random.default_rng(5)
    for t_ms in range(0, 1000, 10):
        tracker.step(t_ms, array("H", rng.integers(0, 2**data.BITS, data.N).tolist()))
        assert t_ms < 640 or tracker.complaint == NOISE  # the second round of 32 frames


def test_a_bare_mat_after_the_noise_is_taken(play):
    data = mat_data.load("standard")
    tracker = Tracker(data)
    rng = np.random.default_rng(6)
    for t_ms in range(0, 1000, 10):
        tracker.step(t_ms, array("H", rng.integers(0, 4000, data.N).tolist()))
    assert not tracker.ready
    for t_ms in range(1000, 2000, 10):
        counts = data.ZERO_COUNT + rng.integers(-12, 13, data.N)
        assert tracker.step(t_ms, array("H", counts.tolist())) == []
    assert tracker.complaint == "" and tracker.ready


@pytest.mark.parametrize("fault", [{"dead_sensors": 2}, {"stuck_sensors": 2}])
def test_a_few_broken_sensors_tell_no_facts(play, fault):
    told = play(lambda stage: stage.rest(3.0), condition=MatCondition(**fault))
    assert told.facts == []


def test_what_drifted_below_a_disc_goes_with_it():
    """Sensors that are 2 % too sensitive, of which a disc says 1 mT that was not known when it was
    set down: the bare mat shows nothing of it again."""
    mat, data = load_mat("standard"), mat_data.load("standard")
    field, pose, d = Field(data), new_pose(data.DISC_THICKNESS), mat.disc
    lay_flat(pose, data, 1)
    seen_mt = 1.02 * bz_mt(
        (0, 0, d.thickness_mm / 2), (0, 0, 1), d.diameter_mm / 2, d.thickness_mm, d.br_t,
        mat.sensor_xyz_mm,
    )[0]  # fmt: skip
    bare = array("H", [data.ZERO_COUNT] * data.N)
    counts = array("H", (data.ZERO_COUNT + np.rint(seen_mt * mat.counts_per_mt)).astype("<u2"))
    while not field.baseline(bare):
        pass
    field.put_in(pose)
    field.scan(counts)
    assert np.abs(field.resid).max() > 1.5 * QUIET_UT
    for _ in range(400):
        field.scan(counts)
        field.follow_drift()
    assert np.abs(field.resid).max() < QUIET_UT
    field.take_out(pose)
    field.forget(pose)
    field.scan(bare)
    assert np.abs(field.resid).max() < QUIET_UT
