"""Forces and torques between discs, beside magpylib's, which integrates over the whole magnet."""

import magpylib
import numpy as np
import pytest

from polarity_host.mats.description import load_mat
from polarity_host.simulation.play.magnets import NEAR_RADII, Magnets, pole_am
from polarity_host.simulation.twin.equilibrium import resting_distance_mm, weight_n
from polarity_host.simulation.twin.pieces import TwinDisc

DISC = load_mat("standard").disc


def wrench(place_mm, tilt_deg=0.0, face=1):
    """Of a disc at `place_mm`, turned about y, beside one at the origin: (force N, torque N mm)."""
    magnets, disc, a = Magnets(3, 17.0), TwinDisc(DISC), np.radians(tilt_deg)
    magnets.place(0, (0, 0, 0), (0, 0, 1), 6.0, pole_am(disc))
    magnets.place(1, place_mm, np.array([np.sin(a), 0, np.cos(a)]) * face, 6.0, pole_am(disc))
    magnets.update([1])
    assert magnets.wrench[0, 1, :3] == pytest.approx(-magnets.wrench[1, 0, :3])
    return magnets.wrench[1, 0, :3], magnets.wrench[1, 0, 3:]


def reference(place_mm, tilt_deg=0.0, face=1):
    fixed, other = (
        magpylib.magnet.Cylinder(polarization=(0, 0, f * DISC.br_t), dimension=(0.034, 0.006))
        for f in (1, face)
    )
    if tilt_deg:
        other.rotate_from_angax(tilt_deg, "y")
    other.position = np.array(place_mm) / 1000.0
    force, torque = magpylib.getFT(fixed, other, meshing=1500)
    return force, 1000.0 * torque


@pytest.mark.parametrize(
    ("place_mm", "tilt_deg", "face"),
    [
        ((42, 0, 0), 0, -1),
        ((50, 0, 0), 0, 1),
        ((0, 0, 20), 0, 1),
        ((0, 0, 40), 0, -1),
        ((20, 0, 25), 0, 1),
        ((48, 0, 14), 45, 1),
        ((38, 0, 11), 30, 1),
        ((45, 12, 16), 60, -1),
        ((70, 30, 8), 10, 1),
    ],
)
def test_discs_a_few_millimetres_apart_feel_what_magpylib_says(place_mm, tilt_deg, face):
    force, torque = wrench(place_mm, tilt_deg, face)
    true_force, true_torque = reference(place_mm, tilt_deg, face)
    assert force == pytest.approx(true_force, abs=0.04 * np.linalg.norm(true_force))
    size = np.linalg.norm(true_torque) + 17.0 * np.linalg.norm(true_force)
    assert torque == pytest.approx(true_torque, abs=0.04 * size)


@pytest.mark.parametrize(
    ("place_mm", "face"), [((34.5, 0, 0), -1), ((36, 0, 0), 1), ((0, 0, 10), 1), ((10, 0, 12), 1)]
)
def test_discs_that_nearly_touch_feel_it_by_a_third(place_mm, face):
    force, _ = wrench(place_mm, 0, face)
    true_force, _ = reference(place_mm, 0, face)
    assert force == pytest.approx(true_force, abs=0.34 * np.linalg.norm(true_force))


def test_far_ones_are_dipoles_and_nothing_jumps_where_that_begins():
    edge_mm = NEAR_RADII * 17.0
    (near, near_torque), (far, far_torque) = (
        wrench((edge_mm + by, 0, 10), 30) for by in (-0.01, 0.01)
    )
    assert far == pytest.approx(near, abs=0.12 * np.linalg.norm(near))
    assert far_torque == pytest.approx(near_torque, abs=0.08 * np.linalg.norm(near_torque))
    assert wrench((2 * edge_mm, 0, 10), 30)[0] == pytest.approx(
        reference((2 * edge_mm, 0, 10), 30)[0], rel=0.05, abs=1e-6
    )


def test_opposite_faces_attract_side_by_side_and_repel_one_over_the_other():
    assert wrench((40, 0, 0), 0, -1)[0][0] < 0 < wrench((40, 0, 0), 0, 1)[0][0]
    assert wrench((0, 0, 20), 0, 1)[0][2] < 0 < wrench((0, 0, 20), 0, -1)[0][2]


def test_friction_holds_flat_discs_from_the_distance_that_the_twin_says():
    force, _ = wrench((resting_distance_mm(DISC), 0, 0))
    assert abs(force[0]) == pytest.approx(0.6 * weight_n(DISC), rel=0.06)
