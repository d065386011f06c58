"""Noise that rises in play, and frames that no longer change, are reported; play alone is not."""

from array import array

import numpy as np
import pytest

from polarity.noise_watch import NoiseWatch
from polarity_host.mats.description import load_mat
from polarity_host.replay.engine import build_engine, sent_messages
from polarity_host.simulation.twin.stage import Stage
from tests.perception.actions import lay

FROM_S, UNTIL_S = 14.0, 28.0
MAT = "standard"


@pytest.fixture(scope="module")
def frames():
    """(time in µs, counts) of a still mat with two discs on it."""
    stage = Stage(load_mat(MAT), seed=4)

    def script():
        yield from stage.rest(0.5)
        yield from lay(stage, 1, (0.0, -42.0))
        yield from lay(stage, -1, (40.0, 30.0))
        yield from stage.rest(UNTIL_S - stage.t_us / 1e6)

    return [(t_us, counts.astype(int)) for t_us, counts in stage.stream(script())]


def complaints(frames, change):
    """What the mat's health said in the end, and what it reported on the way."""
    engine = build_engine(MAT, "temple", 1)
    told = []
    for t_us, counts in frames:
        if t_us > FROM_S * 1e6:
            counts = change(counts)
        engine.frame(t_us // 1000, array("H", counts.astype("<u2").tobytes()))
        told += [m.body.why for m in sent_messages(engine) if m.kind == "health"]
    return engine.health.complaint, told


@pytest.fixture(scope="module")
def usual(frames):
    """The noise of each sensor in counts, measured on the bare mat."""
    return np.std([counts for t_us, counts in frames if t_us < 400_000], axis=0)


@pytest.mark.parametrize("times, told", [(1.0, ""), (1.3, ""), (2.6, "noise_in_play")])
def test_noise_that_rises_in_play_is_told(frames, usual, times, told):
    chance = np.random.default_rng(7)
    more, full = usual * np.sqrt(times**2 - 1), 2 ** load_mat(MAT).bits - 1

    def noisier(counts):
        return np.clip(np.round(counts + chance.normal(0, 1, len(counts)) * more), 0, full)

    complaint, reported = complaints(frames, noisier)
    assert complaint == told and (told in reported or not told)


def test_frames_that_no_longer_change_are_told(frames):
    stuck = frames[len(frames) // 2][1]
    assert complaints(frames, lambda counts: stuck)[0] == "frozen"


def test_a_mat_without_any_noise_is_not_frozen(frames):
    one = frames[0][1]
    assert complaints([(t_us, one) for t_us, _ in frames], lambda counts: counts)[0] == ""


@pytest.mark.parametrize("times, moving, told", [
    (1.0, 0.45, ""), (1.0, 0.6, ""), (2.6, 0.0, "noise_in_play"), (8.0, 0.0, "noise_in_play"),
])  # fmt: skip
def test_tall_towers_that_are_carried_about_are_no_noise(times, moving, told):
    """Their fields change many sensors, by more the nearer they are: as 1 / distance cubed."""
    chance = np.random.default_rng(3)
    watch, usual, sensors = NoiseWatch(), 7.0, 373
    for number in range(40):
        worse = number >= 12
        steps = np.abs(chance.normal(0, usual * (times if worse else 1.0), sensors))
        if worse:
            touched = chance.random(sensors) < moving
            near = chance.uniform(0.25, 1.0, sensors)  # of the distance at which it is felt
            steps += np.where(touched, 3 * usual / near**3, 0.0)
        counts = np.minimum(np.round(steps), 128).astype(int)  # a look keeps a count's low byte
        far = int((counts > watch.far_step).sum()) if watch.far_step else 0
        watch.end_round(sensors, int((counts == 0).sum()), far, int(counts.sum()))
    assert watch.complaint == told
