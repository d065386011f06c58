"""Both mats as the kernels see them, and the outside's truth: magpylib's cylinder objects."""

from array import array

import magpylib
import numpy as np
import pytest

from polarity import mat_data
from polarity.perception.pose import new_pose, set_axis
from polarity_host.mats.description import load_mat


class Bench:
    """One mat: `data` for the kernels, `mat` for magpylib."""

    def __init__(self, name):
        self.data, self.mat = mat_data.load(name), load_mat(name)
        self.all = array("H", range(self.data.N))

    def pose(self, x_mm, y_mm, z_mm, axis=(0, 0, 1), discs=1, moment=1.0):
        """A pose array as the kernels take it; `z_mm` of the body's centre above the mat."""
        data = self.data
        pose = new_pose(data.DISC_THICKNESS, discs)
        pose[0], pose[1] = round(256 * x_mm), round(256 * y_mm)
        pose[2] = round(256 * z_mm) - data.SENSOR_Z
        pose[6] = round(1024 * moment)
        set_axis(pose, *(int(round(16000 * v)) for v in np.divide(axis, np.linalg.norm(axis))))
        return pose

    def truth_ut(self, pose, x_mm=0.0, y_mm=0.0, z_mm=0.0, axis=None):
        """Bz (n,) in µT of the cylinder at `pose`, moved by some mm or with another `axis`."""
        mat, disc = self.mat, self.mat.disc
        axis = np.array(pose[3:6], float) if axis is None else np.asarray(axis, float)
        axis = axis / np.linalg.norm(axis)
        discs = pose[7]
        magnet = magpylib.magnet.Cylinder(
            polarization=(0, 0, disc.br_t * pose[6] / 1024),
            dimension=(disc.diameter_mm / 1000, discs * disc.thickness_mm / 1000),
        )
        turn = np.cross((0, 0, 1), axis)
        if np.linalg.norm(turn) > 1e-9:
            angle = np.degrees(np.arctan2(np.linalg.norm(turn), axis[2]))
            magnet.rotate_from_angax(angle, turn)
        elif axis[2] < 0:
            magnet.rotate_from_angax(180, (1, 0, 0))
        place = np.array(pose[:3], float) / 256 + (x_mm, y_mm, z_mm + self.data.SENSOR_Z / 256)
        magnet.position = place / 1000
        return 1e6 * magnet.getB(mat.sensor_xyz_mm / 1000)[:, 2]


@pytest.fixture(scope="session", params=["standard", "small"])
def bench(request):
    return Bench(request.param)


def tilted(degrees, azimuth_degrees):
    """The unit vector that leans by `degrees` from upright toward an azimuth."""
    t, a = np.radians([degrees, azimuth_degrees])
    return (np.sin(t) * np.cos(a), np.sin(t) * np.sin(a), np.cos(t))


def leaner_height_mm(degrees, disc):
    """Height of the centre of a disc whose low rim is on the mat."""
    t = np.radians(degrees)
    return disc.diameter_mm / 2 * np.sin(t) + disc.thickness_mm / 2 * abs(np.cos(t))


def poses(bench):
    """Poses that a game knows, by name."""
    disc = bench.mat.disc
    half, edge = disc.thickness_mm / 2, bench.mat.circle_radius_mm
    found = {}
    for name, axis in (("white", (0, 0, 1)), ("black", (0, 0, -1))):
        found[f"flat {name}"] = bench.pose(3.3, -7.1, half, axis)
        found[f"flat {name} on the line"] = bench.pose(0.0, edge - 0.5, half, axis)
    for discs in range(2, 9):
        found[f"tower of {discs}"] = bench.pose(-31.0, 12.2, discs * half, (0, 0, -1), discs)
    for angle in (9, 25, 42, 60, 80):
        for azimuth in (0, 71, 200):
            axis = tilted(angle, azimuth)
            z = leaner_height_mm(angle, disc)
            found[f"leaner {angle} to {azimuth}"] = bench.pose(14.0, 5.5, z, axis, moment=0.95)
            down = tuple(-v for v in axis)
            found[f"black leaner {angle} to {azimuth}"] = bench.pose(-40.0, 25.0, z, down)
    for z in (25, 45, 80, 120):
        for angle in (0, 20, 90, 150):
            found[f"carried {z} high, {angle}"] = bench.pose(20.0, -30.0, z, tilted(angle, -50))
    found["carried tower"] = bench.pose(20.0, -30.0, 60.0, tilted(15, 10), discs=4)
    found["coming in"] = bench.pose(-1.3 * edge, 10.0, 50.0, tilted(10, 0))
    return found
