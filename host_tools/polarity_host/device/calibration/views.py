"""The model of a calibration: the views of a survey, the unknowns of each view, those that all
views share, and the fields that follow from them.

A disc touches the mat with its rim, however a finger tips it; `lift` is its height above that.
"""

import numpy as np
from numpy.typing import ArrayLike, NDArray

from polarity_host.mats.description import Mat
from polarity_host.mats.disc_field import bz_per_tesla

from . import codes
from .survey import Survey

POSE = 5  # x, y, lift in mm; tip_x, tip_y as shares of 1
POSE_STEP = np.array([0.02, 0.02, 0.02, 0.002, 0.002])  # of a derivative, in the units of a pose
SIZE_STEP = (0.02, 0.02, 100.0)  # of a derivative: radius, thickness in mm, scan in us
POSE_LIMIT = np.array([4.0, 4.0, 1.0, 0.06, 0.06])  # of one move, in the units of a pose
SMALL_TIP = np.radians(0.1)  # a smaller tip does not raise the middle
SIZE_SIGMA = 0.1  # of the discs' diameter and thickness, as a share
STRENGTH_SIGMA = 0.5  # of the discs' remanence, as a share
STACK_SIGMA = 0.06  # of each disc in a stack, as a share of the drawn one
SCAN_SIGMA_US = 1500.0
MODEL_MT, MODEL_SHARE = 0.015, 0.002  # the model's own error, besides the noise
SATURATED_SHARE = 0.95  # of the linear range: a reading above it has no meaning
SHARED = 4  # strength, radius, thickness, scan; then two a stack

_Floats = NDArray[np.float64]
_Ints = NDArray[np.int_]


class Views:
    """The views `keep` of a survey, and their unknowns: `pose` (m, POSE) and `discs`, how many each
    shows (default: one)."""

    def __init__(self, survey: Survey, mat: Mat, keep: _Ints, discs: ArrayLike = 1):
        self.mat = mat
        self.t_us, self.sensors = survey.t_us[keep], survey.sensors[keep]
        self.face, self.lying = survey.face[keep], survey.lying[keep]
        self.discs = np.full(len(self.t_us), discs)
        code = survey.counts[keep] / mat.oversample
        offset = survey.offset_counts[self.sensors] / mat.oversample
        width = survey.code_width_lsb
        level = code - offset + codes.above_lsb(code, width) - codes.above_lsb(offset, width)
        lsb_mt = mat.oversample / mat.counts_per_mt
        self.observed_mt = level * lsb_mt
        noise = survey.noise_counts[self.sensors] / mat.counts_per_mt
        self.variance = noise**2 / survey.frames[keep][:, None] + MODEL_MT**2
        self.variance += (MODEL_SHARE * self.observed_mt) ** 2
        self.variance += np.where(codes.vague(code), (codes.VAGUE_LSB * lsb_mt) ** 2, 0.0)
        railed = np.abs(self.observed_mt) > SATURATED_SHARE * mat.saturation_mt
        self.weight = np.where(railed, 0.0, 1.0 / self.variance)
        self.pose = np.zeros((len(self.t_us), POSE))
        self.pose[:, :2] = survey.xy_mm[keep]
        self.age = mat.age[self.sensors]

    def __len__(self) -> int:
        return len(self.t_us)

    def start_at(self, poses: _Floats) -> None:
        """Takes these poses for those of the first views."""
        self.pose[: len(poses)] = poses

    def move(self, steps: _Floats) -> None:
        """Changes the poses by (m, POSE) steps, each within POSE_LIMIT."""
        self.pose += np.clip(steps, -POSE_LIMIT, POSE_LIMIT)

    def speed(self) -> _Floats:
        """(m, 2) How fast the discs were drawn in mm/us, from their places before and after."""
        speed = np.zeros((len(self), 2))
        drawn = np.flatnonzero(~self.lying)
        for before, at, after in zip(drawn, drawn[1:], drawn[2:]):
            t = self.t_us[[before, at, after]]
            if max(np.diff(t)) < 400_000:
                step = np.diff(self.pose[[before, at, after], :2], axis=0) / np.diff(t)[:, None]
                late = (t[1] - t[0]) / (t[2] - t[0])
                speed[at] = (1 - late) * step[0] + late * step[1]
        return speed

    def fields(
        self,
        pose: _Floats,
        speed: _Floats,
        sizes: _Floats,
        layer: int = 0,
        pick: slice | _Ints = slice(None),
    ) -> _Floats:
        """(m, k) field in mT per tesla of the disc number `layer` from below, for poses and speeds
        of the views that `pick` chooses. `sizes`: radius and thickness in mm, scan in us."""
        radius_mm, thickness_mm, scan_us = sizes
        tip = np.hypot(pose[:, 3], pose[:, 4])
        norm = np.sqrt(1.0 + tip**2)
        raised = radius_mm * (np.sqrt(tip**2 + SMALL_TIP**2) - SMALL_TIP)
        up = np.column_stack([pose[:, 3], pose[:, 4], np.ones(len(pose))]) / norm[:, None]
        centre = np.column_stack([pose[:, :2], pose[:, 2] + raised])
        centre = centre + (layer + 0.5) * thickness_mm * up
        to_sensor = self.mat.sensor_xyz_mm[self.sensors[pick]] - centre[:, None, :]
        # A sensor that was read early measured the disc farther back on its way.
        to_sensor[:, :, :2] += scan_us * self.age[pick][:, :, None] * speed[:, None, :]
        axis = up * self.face[pick][:, None]
        radii, thicknesses = np.full(len(pose), radius_mm), np.full(len(pose), thickness_mm)
        return 1000.0 * bz_per_tesla(to_sensor, axis, radii, thicknesses)


class Shared:
    """The unknowns that all views share: `gain` (n,); `sizes`, the disc's remanence in T, radius
    and thickness in mm, and the scan's time in us; `stacks` (s, 2), the strength of each disc of
    each stack over that of the drawn disc."""

    def __init__(self, mat: Mat, scan_us: float):
        self.mat = mat
        self.gain = np.ones(mat.n)
        self.nominal = np.array(
            [mat.disc.br_t, mat.disc.diameter_mm / 2, mat.disc.thickness_mm, scan_us]
        )
        self.sizes = self.nominal.copy()
        self.stacks = np.zeros((0, 2))

    def expect_stacks(self, count: int) -> None:
        """There are `count` stacks of discs as strong as the drawn one, as a first guess."""
        self.stacks = np.ones((count, 2))

    def prior(self) -> tuple[_Floats, _Floats, _Floats]:
        """(values, expected, sigma) of all but the gains."""
        nominal = self.nominal
        values = np.concatenate([self.sizes, self.stacks.ravel()])
        expected = np.concatenate([nominal, np.ones(self.stacks.size)])
        shares = np.array([STRENGTH_SIGMA, SIZE_SIGMA, SIZE_SIGMA])
        sigma = np.concatenate(
            [nominal[:3] * shares, [SCAN_SIGMA_US], np.full(self.stacks.size, STACK_SIGMA)]
        )
        return values, expected, sigma

    def move(self, step: NDArray[np.floating]) -> None:
        """Changes all unknowns by one step: the gains first, then as in `prior`."""
        n = self.mat.n
        self.gain += np.clip(step[:n], -0.3, 0.3)
        rest = step[n:]
        limit = 0.2 * self.nominal
        self.sizes += np.clip(rest[:SHARED], -limit, limit)
        self.stacks += rest[SHARED:].reshape(-1, 2)

    def normalise(self, measured: NDArray[np.bool_]) -> None:
        """Makes the mean gain of the measured sensors 1, and the disc stronger or weaker for it."""
        mean = self.gain[measured].mean()
        self.gain[measured] /= mean
        self.sizes[0] *= mean


def model(views: Views, shared: Shared) -> tuple[_Floats, _Floats, _Floats]:
    """(field, derivatives by pose, derivatives by sizes and stacks) in mT, without the gains:
    (m, k), (m, k, POSE), (m, k, SHARED + 2 for each stack)."""
    speed = views.speed()
    pose = views.pose
    strength, sizes = shared.sizes[0], shared.sizes[1:]
    stacked = np.flatnonzero(views.discs == 2)
    shares = np.ones((len(views), 2))
    shares[:, 1] = 0.0
    shares[stacked] = shared.stacks[: len(stacked)]

    def layers(moved: _Floats, sizes: _Floats) -> tuple[_Floats, _Floats]:
        low = views.fields(moved, speed, sizes)
        high = np.zeros_like(low)
        if len(stacked):
            high[stacked] = views.fields(moved[stacked], speed[stacked], sizes, 1, stacked)
        return low, high

    def total(moved: _Floats, sizes: _Floats) -> _Floats:
        low, high = layers(moved, sizes)
        return strength * (shares[:, :1] * low + shares[:, 1:] * high)

    low, high = layers(pose, sizes)
    here = strength * (shares[:, :1] * low + shares[:, 1:] * high)
    by_pose = np.empty((*here.shape, POSE))
    for p in range(POSE):
        moved = pose.copy()
        moved[:, p] += POSE_STEP[p]
        by_pose[:, :, p] = (total(moved, sizes) - here) / POSE_STEP[p]
    by_shared = np.zeros((*here.shape, SHARED + 2 * len(shared.stacks)))
    by_shared[:, :, 0] = here / strength
    for s, step in enumerate(SIZE_STEP):
        changed = sizes.copy()
        changed[s] += step
        by_shared[:, :, 1 + s] = (total(pose, changed) - here) / step
    for number, view in enumerate(stacked[: len(shared.stacks)]):
        by_shared[view, :, SHARED + 2 * number] = strength * low[view]
        by_shared[view, :, SHARED + 2 * number + 1] = strength * high[view]
    return here, by_pose, by_shared
