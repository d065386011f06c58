"""Sensors that are dead, stuck or noisy, and discs that lie right above them."""

import pytest

from polarity.kernels import BROKEN
from polarity_host.simulation.twin.condition import MatCondition
from tests.perception.actions import lay
from tests.perception.conftest import away_mm


@pytest.mark.parametrize("fault", ["dead", "stuck"])
def test_a_disc_on_a_broken_sensor_is_placed(play, fault):
    where = []

    def script(stage):
        yield from stage.rest(0.5)
        x, y, _ = max(
            (stage.mat.sensor_xyz_mm[i] for i in getattr(stage.instruments.sensors, fault)),
            key=lambda xyz: -abs(xyz[0]) - abs(xyz[1]),
        )
        where.append((x, y))
        yield from lay(stage, 1, (x + 3.0, y - 2.0))

    told = play(script, condition=MatCondition(**{fault + "_sensors": 3}))
    assert told.kinds() == ["placed"]
    assert away_mm(told.only("placed"), told.so("placed")) < 1.0
    broken = [i for i, noise in enumerate(told.tracker.scene.field.noise) if noise == BROKEN]
    assert broken == sorted(getattr(told.stage.instruments.sensors, fault))


def test_discs_over_a_noisy_adc_input(play):
    """8 LSB rms a look on a third of the mat: 0.43 mT."""

    def script(stage):
        yield from stage.rest(0.5)
        yield from lay(stage, 1, (5.0, 10.0))
        yield from lay(stage, -1, (-60.0, -8.0))
        yield from stage.rest(2.0)

    told = play(script, condition=MatCondition(noisy_adc=1))
    assert told.kinds() == ["placed", "placed"]
    for fact, truth in zip(
        [f for f in told.facts if f.kind == "placed"],
        [f for f in told.truth if f.kind == "placed"],
        strict=True,
    ):
        assert away_mm(fact, truth) < 1.0


def test_the_noise_is_measured_on_the_bare_mat(play):
    told = play(lambda stage: stage.rest(0.5), condition=MatCondition(noisy_adc=1))
    noise, mat = told.tracker.scene.field.noise, told.stage.mat
    noisy = [n for n, adc in zip(noise, mat.adc, strict=True) if adc == 1]
    rms_ut = 16 * sum(noisy) / len(noisy)
    # 8 LSB of 3.3 V / 4096 at 15 mV/mT, and the sensor's own 30 uT beside it
    assert rms_ut == pytest.approx(8 * 3300 / 4096 / 15 * 1000, rel=0.1)
    assert max(n for n, adc in zip(noise, mat.adc, strict=True) if adc != 1) * 16 < 100
