"""Leaners stand where energy says, and flat discs stop where dipoles say."""

import magpylib
import numpy as np
import pytest

from polarity_host.mats.description import load_mat
from polarity_host.simulation.twin.equilibrium import FRICTION, leans, resting_distance_mm, weight_n
from polarity_host.simulation.twin.pieces import TwinDisc, leaner_pose

MU0 = 4e-7 * np.pi


@pytest.fixture(scope="module")
def disc():
    return load_mat("standard").disc


def energy_j(disc, distance_mm, tilt_deg):
    """Weight, and minus magnetisation times field over the leaner's volume."""
    fixed = magpylib.magnet.Cylinder(
        polarization=(0, 0, disc.br_t), dimension=(0.034, 0.006), position=(0, 0, 0.003)
    )
    centre, axis = leaner_pose(TwinDisc(disc), (distance_mm, 0.0), 0.0, tilt_deg, 1)
    side = np.array([axis[2], 0.0, -axis[0]])
    u, v, w = (g.ravel() for g in np.meshgrid(*[np.linspace(-0.975, 0.975, 40)] * 2, [-0.5, 0.5]))
    inside = u**2 + v**2 <= 1
    points = centre + 17 * (np.outer(u, side) + np.outer(v, [0, 1, 0])) + np.outer(w * 3, axis)
    along = (fixed.getB(points[inside] / 1000) @ axis).mean()
    volume_m3 = np.pi * 0.017**2 * 0.006
    return weight_n(disc) * centre[2] / 1000 - disc.br_t / MU0 * volume_m3 * along


def test_a_leaner_stands_where_its_energy_is_least(disc):
    choice = leans(disc)
    assert 5 <= len(choice) <= 30
    for lean in choice[2::4]:
        tilts = lean.tilt_deg + np.arange(-6, 7, 0.5)
        energies = [energy_j(disc, lean.distance_mm, tilt) for tilt in tilts]
        assert tilts[np.argmin(energies)] == pytest.approx(lean.tilt_deg, abs=1.6)
        assert 0 <= lean.friction <= FRICTION


def test_flat_discs_stop_where_the_pull_is_as_weak_as_friction(disc):
    moment = disc.br_t / MU0 * np.pi * 0.017**2 * 0.006
    as_dipoles_m = (3 * MU0 * moment**2 / (4 * np.pi) / (FRICTION * weight_n(disc))) ** 0.25
    assert resting_distance_mm(disc) == pytest.approx(1000 * as_dipoles_m, rel=0.15)
