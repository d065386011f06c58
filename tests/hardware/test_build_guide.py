"""What the guide tells to measure before anything is ordered, against the exact field."""

import re

import magpylib
import pytest

from hardware.tools import build
from polarity_host.mats.description import load_mat


def field_mt(mat, discs):
    """Under the middle of a tower, at the sensors' plane: a cylinder magnetised along its axis."""
    high = discs * mat.disc.thickness_mm
    tower = magpylib.magnet.Cylinder(
        polarization=(0, 0, mat.disc.br_t), dimension=(mat.disc.diameter_mm, high),
        position=(0, 0, high / 2),
    )  # fmt: skip
    return 1000 * float(tower.getB((0, 0, float(mat.sensor_xyz_mm[0, 2])))[2])


@pytest.mark.parametrize("discs", [1, 2, 3, 5])
def test_the_table_of_one_sensor_and_one_disc_is_the_exact_field(discs):
    mat = load_mat()
    text = (build.HARDWARE / "BUILD.md").read_text(encoding="utf-8")
    shown_mt, words = re.search(rf"\| {discs} \| (\d+) mT \| ([^|]*)\|", text).groups()
    exact = field_mt(mat, discs)
    assert float(shown_mt) == pytest.approx(exact, abs=0.51)
    if discs < 3:
        volts = mat.vref_mv / 2000 + exact * mat.mv_per_mt / 1000
        assert float(words.split()[0]) == pytest.approx(volts, abs=0.011)
    assert (exact > mat.saturation_mt) == (discs > 1)
