"""One fit of everything: where each disc was in each view, every sensor's gain, the scan's
time, and the disc's strength, diameter and thickness.

Least squares by Gauss-Newton. A view's own five unknowns (x, y, lift, and two tips) are eliminated
view by view (Schur complement), so that what remains is one small system for all that the views
share. A residual far beyond the noise counts as one just beyond it. Gain times moment is one
product: the mean gain is 1.
"""

import copy
from dataclasses import dataclass

import numpy as np

from polarity_host.errors import FAILED, HostError

from .views import Shared, Views, model

POSE_LIMIT = np.array([4.0, 4.0, 1.0, 0.06, 0.06])  # of one iteration
LIFT_SIGMA_MM = 0.1
TIP_SIGMA = np.radians(1.0)
GAIN_SIGMA = 0.05
OUTLIER = 5.0  # sigmas beyond which a residual counts no more than that
ROUNDS = 4
STRONG_MT, STRONG_VIEWS = 10.0, 3  # a gain is told by so many views of so much field at least
LIFTED_MM, TIPPED = 0.6, np.radians(5.0)  # beyond that a disc does not lie on the mat
UNLIKE = 4.0  # a view with so many times the usual residual is none of a disc
UNLIKE_LYING = 12.0  # the same in sigmas, of what lay still: noise is averaged, errors are not
FEWEST_DRAWN = 60
SCAN_SHARE = 0.9  # of a frame's time, unless it is found otherwise


@dataclass
class Fit:
    """What was found. `gain` (n,) with mean 1; nan where a sensor has seen too little of a disc.

    `gain_doubt` is the rms by which the gains of two halves of the views differ, halved. The rms
    residuals are those of the median view, with all gains 1 and with those found.
    """

    gain: np.ndarray
    gain_doubt: float
    strength_t: float
    diameter_mm: float
    thickness_mm: float
    stack_shares: np.ndarray  # strength of each disc of each stack over the drawn one's
    scan_us: float
    rms_before_mt: float
    rms_after_mt: float
    views: int
    lying: int
    refused: dict  # why -> how many views


def improve(views, shared, free="all"):
    """One Gauss-Newton round. `free`: "pose", "disc" (the pose and the disc's strength), or "all".

    Returns the residuals before it, (m, k) in mT.
    """
    n = shared.mat.n
    field_mt, by_pose, by_shared = model(views, shared)
    gain = shared.gain[views.sensors]
    left = views.seen_mt - gain * field_mt
    weight = views.weight / np.maximum(1.0, left**2 / (OUTLIER**2 * views.variance))
    # derivatives of what is left
    by_pose = -gain[:, :, None] * by_pose
    prior = 1.0 / np.array([np.inf, np.inf, LIFT_SIGMA_MM, TIP_SIGMA, TIP_SIGMA]) ** 2
    weighted = weight[:, :, None] * by_pose
    a = np.einsum("mkp,mkq->mpq", weighted, by_pose) + np.diag(prior + 1e-9)
    b = np.einsum("mkp,mk->mp", weighted, left) + prior * views.pose
    if free == "pose":
        views.pose -= np.clip(np.linalg.solve(a, b[:, :, None])[:, :, 0], -POSE_LIMIT, POSE_LIMIT)
        return left
    dense = -gain[:, :, None] * by_shared
    k, d = views.sensors.shape[1], dense.shape[2]
    local = np.zeros((len(views), k, k + d))
    local[:, np.arange(k), np.arange(k)] = -field_mt
    local[:, :, k:] = dense
    places = np.concatenate(
        [views.sensors, np.broadcast_to(np.arange(n, n + d), (len(views), d))], axis=1
    )
    own = weight[:, :, None] * local
    g = np.einsum("mki,mkj->mij", own, local)
    h = np.einsum("mki,mk->mi", own, left)
    c = np.einsum("mkp,mki->mpi", weighted, local)
    solved = np.linalg.solve(a, np.concatenate([c, b[:, :, None]], axis=2))
    g -= np.einsum("mpi,mpj->mij", c, solved[:, :, :-1])
    h -= np.einsum("mpi,mp->mi", c, solved[:, :, -1])
    s, r = np.zeros((n + d, n + d)), np.zeros(n + d)
    np.add.at(s, (places[:, :, None], places[:, None, :]), g)
    np.add.at(r, places, h)
    values, expected, sigma = shared.prior()
    if free == "disc":
        sigma = np.where(np.arange(d) == 0, sigma, 1e-6 * np.maximum(sigma, 1e-6))
        expected = np.where(np.arange(d) == 0, expected, values)
    gain_sigma = GAIN_SIGMA if free == "all" else 1e-6
    s[np.arange(n), np.arange(n)] += gain_sigma**-2.0
    s[np.arange(n, n + d), np.arange(n, n + d)] += sigma**-2.0
    r += np.concatenate([(shared.gain - 1.0) / gain_sigma**2, (values - expected) / sigma**2])
    step = -np.linalg.solve(s, r)
    moves = -solved[:, :, -1] - np.einsum("mpi,mi->mp", solved[:, :, :-1], step[places])
    views.pose += np.clip(moves, -POSE_LIMIT, POSE_LIMIT)
    shared.move(step)
    return left


def solve(found, mat, progress=lambda text: None) -> Fit:
    """Fits a Survey; `progress` is told how far it is. HostError FAILED: it holds too little."""
    shared = Shared(mat, SCAN_SHARE * 1e6 / mat.frame_hz)
    index = np.flatnonzero(~found.lying)
    if len(index) < FEWEST_DRAWN:
        raise HostError(FAILED, "the disc was hardly moved; draw it over the whole mat in lines")
    progress("where the disc was")
    drawn = Views(found, mat, index)
    _rounds(drawn, shared, pose=3, disc=3)
    like, refused = _like_a_disc(drawn, improve(drawn, shared, "pose"))
    index = index[like]
    if len(index) < FEWEST_DRAWN:
        raise HostError(FAILED, "what was drawn is not one disc lying on the mat; draw just one")
    drawn = Views(found, mat, index)
    left = _rounds(drawn, shared, pose=3, disc=2)
    rms_before_mt = _rms(drawn, left)
    progress("gains")
    _rounds(drawn, shared, all=ROUNDS)
    lying, discs = _lying(found, mat, shared, refused)
    views = Views(found, mat, np.concatenate([index, lying]))
    views.discs[len(index) :] = discs
    views.pose[: len(index)] = drawn.pose
    shared.stacks = np.ones(((views.discs == 2).sum(), 2))
    progress("gains, and the disc's size")
    left = _rounds(views, shared, pose=3, all=ROUNDS)
    seen = _seen(views, mat.n)
    shared.settle(seen)
    progress("how sure that is")
    strength, radius, thickness, scan_us = (float(v) for v in shared.sizes)
    return Fit(
        gain=np.where(seen, shared.gain, np.nan),
        gain_doubt=_doubt(found, mat, index, drawn.pose, shared, seen),
        strength_t=strength,
        diameter_mm=2 * radius,
        thickness_mm=thickness,
        stack_shares=shared.stacks,
        scan_us=scan_us,
        rms_before_mt=rms_before_mt,
        rms_after_mt=_rms(views, left),
        views=len(index),
        lying=len(lying),
        refused=refused,
    )


def _rounds(views, shared, **rounds):
    for free, count in rounds.items():
        for _ in range(count):
            left = improve(views, shared, free)
    return left


def _doubt(found, mat, index, pose, shared, seen):
    halves = []
    for first in (0, 1):
        half = Views(found, mat, index[first::2])
        half.pose = pose[first::2].copy()
        own = copy.deepcopy(shared)
        own.stacks = np.zeros((0, 2))
        _rounds(half, own, all=2)
        own.settle(seen)
        halves.append(own.gain[seen])
    return float(np.std(halves[0] - halves[1]) / 2)


def _like_a_disc(views, left):
    """(which views show one disc that lies on the mat, why the others do not -> how many)."""
    chi = np.sqrt(np.mean(left**2 * views.weight, axis=1))
    lifted = np.abs(views.pose[:, 2]) > LIFTED_MM
    tipped = np.hypot(views.pose[:, 3], views.pose[:, 4]) > TIPPED
    unlike = (chi > UNLIKE * np.median(chi)) & ~lifted & ~tipped
    refused = {
        "off the mat": int((lifted | tipped).sum()),
        "unlike one disc": int(unlike.sum()),
    }
    return ~(lifted | tipped | unlike), {why: n for why, n in refused.items() if n}


def _lying(found, mat, shared, refused):
    """(indices of the views of what lay still, discs in each)."""
    index = np.flatnonzero(found.lying)
    stacks, shared.stacks = shared.stacks, np.ones((len(index), 2))
    chi = np.empty((2, len(index)))
    for discs in (1, 2):
        views = Views(found, mat, index)
        views.discs[:] = discs
        for _ in range(8):
            left = improve(views, shared, "pose")
        chi[discs - 1] = np.sqrt(np.mean(left**2 / views.variance, axis=1))
        chi[discs - 1] += np.abs(views.pose[:, 2]) / LIFTED_MM
    shared.stacks = stacks
    good = chi.min(axis=0) < UNLIKE_LYING
    if (~good).any():
        refused["lay, but neither as one disc nor as two"] = int((~good).sum())
    return index[good], 1 + chi.argmin(axis=0)[good]


def _seen(views, n):
    """(n,) bool: sensors that have seen enough of a disc for their gains."""
    strong = np.zeros(n)
    np.add.at(strong, views.sensors, (np.abs(views.seen_mt) > STRONG_MT).astype(float))
    return strong >= STRONG_VIEWS


def _rms(views, left):
    used = views.weight > 0
    return float(np.sqrt(np.median((left**2 * used).sum(axis=1) / used.sum(axis=1))))
