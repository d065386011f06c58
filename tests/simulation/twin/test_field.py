"""Fields against magpylib's own objects and against a textbook formula."""

import magpylib
import numpy as np
import pytest

from polarity_host.mats.description import load_mat
from polarity_host.mats.disc_field import bz_mt
from polarity_host.simulation.twin.field import DiscPose, Move, SceneField
from polarity_host.simulation.twin.pieces import TwinDisc


@pytest.fixture(scope="module")
def mat():
    return load_mat("standard")


def random_poses(count, seed):
    rng = np.random.default_rng(seed)
    centre = np.column_stack([rng.uniform(-220, 220, (count, 2)), rng.uniform(18, 60, count)])
    axis = rng.normal(size=(count, 3))
    return centre, axis / np.linalg.norm(axis, axis=1)[:, None]


def test_on_axis_field_is_the_textbook_one():
    br, radius, height = 0.38, 17.0, 6.0
    for z in (-5.0, -12.0, -40.0, -400.0):  # distance of the sensor from the lower face is -z
        near, far = -z, -z + height
        expected = br / 2 * (far / np.hypot(far, radius) - near / np.hypot(near, radius))
        found = bz_mt((0, 0, height / 2), (0, 0, 1), radius, height, br, np.array([[0, 0, z]]))
        assert found[0, 0] == pytest.approx(1000 * expected, rel=1e-9)


def test_tilted_discs_agree_with_magpylib_objects(mat):
    centre, axis = random_poses(6, seed=4)
    found = bz_mt(centre, axis, 17.0, 6.0, 0.38, mat.sensor_xyz_mm)
    for i in range(len(centre)):
        magnet = magpylib.magnet.Cylinder(polarization=(0, 0, 0.38), dimension=(0.034, 0.006))
        turn = np.cross((0, 0, 1), axis[i])
        magnet.rotate_from_angax(np.degrees(np.arccos(axis[i, 2])), turn)
        magnet.position = centre[i] / 1000
        expected_mt = 1000 * magnet.getB(mat.sensor_xyz_mm / 1000)[:, 2]
        assert found[i] == pytest.approx(expected_mt, abs=1e-9)


def test_far_away_a_disc_is_a_dipole():
    """Beyond every limit at which one might be tempted to cut the field off."""
    moment = 0.38 / (4e-7 * np.pi) * np.pi * 0.017**2 * 0.006
    found = bz_mt((0, 0, 0), (0, 0, 1), 17.0, 6.0, 0.38, np.array([[450.0, 0.0, 0.0]]))
    assert found[0, 0] == pytest.approx(-1e-7 * moment / 0.45**3 * 1000, rel=5e-3)


def test_a_scene_is_the_sum_of_its_discs_however_it_came_about(mat):
    discs = [TwinDisc(mat.disc, share) for share in (0.97, 1.0, 1.05)]
    centre, axis = random_poses(4, seed=5)
    scene = SceneField(mat.sensor_xyz_mm)

    def placed(disc, i):
        return Move(discs[disc], DiscPose(centre[i], axis[i]))

    frames = scene.frames(
        [
            [placed(0, 0), placed(1, 1)],
            [],
            [placed(2, 2), Move(discs[0], None)],
        ]
    )
    later = scene.frames([[placed(1, 3)]])

    def alone(disc, i):
        return bz_mt(centre[i], axis[i], 17, 6, discs[disc].polarisation_t, mat.sensor_xyz_mm)[0]

    assert frames[1] == pytest.approx(alone(0, 0) + alone(1, 1), abs=1e-9)
    assert frames[2] == pytest.approx(alone(1, 1) + alone(2, 2), abs=1e-9)
    assert later[0] == pytest.approx(alone(1, 3) + alone(2, 2), abs=1e-9)
