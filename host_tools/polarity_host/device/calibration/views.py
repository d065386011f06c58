"""The views of a survey, what is unknown of each and of all of them, and the fields that follow.

A disc lies on the mat with its rim, however a finger tips it; `lift` is what it is above that.
"""

import numpy as np

from polarity_host.mats.disc_field import bz_per_tesla

from . import codes

POSE = 5  # x, y, lift in mm; tip_x, tip_y as shares of 1
POSE_STEP = np.array([0.02, 0.02, 0.02, 0.002, 0.002])
SMALL_TIP = np.radians(0.1)  # below that a tip does not raise the middle
SIZE_SIGMA = 0.1  # of the discs' diameter and thickness, as a share
STRENGTH_SIGMA = 0.5
STACK_SIGMA = 0.06  # of each disc in a stack, as a share of the drawn one
SCAN_SIGMA_US = 1500.0
MODEL_MT, MODEL_SHARE = 0.015, 0.002  # what no model explains, beside the noise
SATURATED_SHARE = 0.95  # of the linear range: what is read above says nothing
SHARED = 4  # strength, radius, thickness, scan; then two a stack


class Views:
    """The views of a survey and all that is unknown of them."""

    def __init__(self, found, mat, keep):
        self.mat = mat
        self.t_us, self.sensors = found.t_us[keep], found.sensors[keep]
        self.face, self.lying = found.face[keep], found.lying[keep]
        self.discs = np.ones(len(self.t_us), int)
        code = found.counts[keep] / mat.oversample
        offset = found.offset_counts[self.sensors] / mat.oversample
        width = found.code_width_lsb
        level = code - offset + codes.above_lsb(code, width) - codes.above_lsb(offset, width)
        lsb_mt = mat.oversample / mat.counts_per_mt
        self.seen_mt = level * lsb_mt
        noise = found.noise_counts[self.sensors] / mat.counts_per_mt
        self.variance = noise**2 / found.frames[keep][:, None] + MODEL_MT**2
        self.variance += (MODEL_SHARE * self.seen_mt) ** 2
        self.variance += np.where(codes.vague(code), (codes.VAGUE_LSB * lsb_mt) ** 2, 0.0)
        railed = np.abs(self.seen_mt) > SATURATED_SHARE * mat.saturation_mt
        self.weight = np.where(railed, 0.0, 1.0 / self.variance)
        self.pose = np.zeros((len(self.t_us), POSE))
        self.pose[:, :2] = found.xy_mm[keep]
        self.age = mat.age[self.sensors]

    def __len__(self):
        return len(self.t_us)

    def note_speed(self):
        """How fast the discs were drawn, (m, 2) in mm/us, from where they were before and after."""
        speed = np.zeros((len(self), 2))
        drawn = np.flatnonzero(~self.lying)
        for before, at, after in zip(drawn, drawn[1:], drawn[2:]):
            t = self.t_us[[before, at, after]]
            if max(np.diff(t)) < 400_000:
                step = np.diff(self.pose[[before, at, after], :2], axis=0) / np.diff(t)[:, None]
                late = (t[1] - t[0]) / (t[2] - t[0])
                speed[at] = (1 - late) * step[0] + late * step[1]
        self._speed = speed

    def fields(self, pose, radius_mm, thickness_mm, scan_us, layer=0, pick=slice(None)):
        """(m, k) field per tesla of the disc number `layer` from below, for poses of the views that
        `pick` names."""
        tip = np.hypot(pose[:, 3], pose[:, 4])
        norm = np.sqrt(1.0 + tip**2)
        raised = radius_mm * (np.sqrt(tip**2 + SMALL_TIP**2) - SMALL_TIP)
        up = np.column_stack([pose[:, 3], pose[:, 4], np.ones(len(pose))]) / norm[:, None]
        centre = np.column_stack([pose[:, :2], pose[:, 2] + raised])
        centre = centre + (layer + 0.5) * thickness_mm * up
        to_sensor = self.mat.sensor_xyz_mm[self.sensors[pick]] - centre[:, None, :]
        # the disc came from behind: a sensor that was read early saw it there
        to_sensor[:, :, :2] += scan_us * self.age[pick][:, :, None] * self._speed[pick][:, None, :]
        axis = up * self.face[pick][:, None]
        sizes = np.full(len(pose), radius_mm), np.full(len(pose), thickness_mm)
        return 1000.0 * bz_per_tesla(to_sensor, axis, *sizes)


class Shared:
    """What all views share: one vector, gains first."""

    def __init__(self, mat, scan_us):
        self.mat = mat
        self.gain = np.ones(mat.n)
        self.nominal = np.array(
            [mat.disc.br_t, mat.disc.diameter_mm / 2, mat.disc.thickness_mm, scan_us]
        )
        self.sizes = self.nominal.copy()
        self.stacks = np.zeros((0, 2))

    def prior(self):
        """(values, expected, sigma) of all but the gains."""
        nominal = self.nominal
        values = np.concatenate([self.sizes, self.stacks.ravel()])
        expected = np.concatenate([nominal, np.ones(self.stacks.size)])
        shares = np.array([STRENGTH_SIGMA, SIZE_SIGMA, SIZE_SIGMA])
        sigma = np.concatenate(
            [nominal[:3] * shares, [SCAN_SIGMA_US], np.full(self.stacks.size, STACK_SIGMA)]
        )
        return values, expected, sigma

    def move(self, step):
        n = self.mat.n
        self.gain += np.clip(step[:n], -0.3, 0.3)
        rest = step[n:]
        limit = 0.2 * self.nominal
        self.sizes += np.clip(rest[:SHARED], -limit, limit)
        self.stacks += rest[SHARED:].reshape(-1, 2)

    def settle(self, seen):
        """The mean gain of the sensors that were seen is 1."""
        mean = self.gain[seen].mean()
        self.gain[seen] /= mean
        self.sizes[0] *= mean


def model(views, shared):
    """(field, by pose, by sizes and stacks): (m, k), (m, k, POSE), (m, k, SHARED + 2 a stack), in
    mT, gains left out."""
    views.note_speed()
    pose = views.pose
    strength, radius, thickness, scan = shared.sizes
    stacked = np.flatnonzero(views.discs == 2)
    shares = np.ones((len(views), 2))
    shares[:, 1] = 0.0
    shares[stacked] = shared.stacks[: len(stacked)]

    def layers(moved, *sizes):
        low = views.fields(moved, *sizes)
        high = np.zeros_like(low)
        if len(stacked):
            high[stacked] = views.fields(moved[stacked], *sizes, layer=1, pick=stacked)
        return low, high

    def total(moved, *sizes):
        low, high = layers(moved, *sizes)
        return strength * (shares[:, :1] * low + shares[:, 1:] * high)

    low, high = layers(pose, radius, thickness, scan)
    here = strength * (shares[:, :1] * low + shares[:, 1:] * high)
    by_pose = np.empty((*here.shape, POSE))
    for p in range(POSE):
        moved = pose.copy()
        moved[:, p] += POSE_STEP[p]
        by_pose[:, :, p] = (total(moved, radius, thickness, scan) - here) / POSE_STEP[p]
    by_shared = np.zeros((*here.shape, SHARED + 2 * len(shared.stacks)))
    by_shared[:, :, 0] = here / strength
    by_shared[:, :, 1] = (total(pose, radius + 0.02, thickness, scan) - here) / 0.02
    by_shared[:, :, 2] = (total(pose, radius, thickness + 0.02, scan) - here) / 0.02
    by_shared[:, :, 3] = (total(pose, radius, thickness, scan + 100.0) - here) / 100.0
    for number, view in enumerate(stacked[: len(shared.stacks)]):
        by_shared[view, :, SHARED + 2 * number] = strength * low[view]
        by_shared[view, :, SHARED + 2 * number + 1] = strength * high[view]
    return here, by_pose, by_shared
