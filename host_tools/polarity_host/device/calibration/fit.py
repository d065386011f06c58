"""One fit of all unknowns: the disc's pose in each view, every sensor's gain, the scan's time, and
the disc's strength, diameter and thickness.

Least squares by Gauss-Newton. The five unknowns of a view's own (x, y, lift, and two tips) are
eliminated view by view (Schur complement), which leaves one small system for all that the views
share. A residual far beyond the noise counts like one just beyond it. The field depends only on the
product of gain and moment, so the mean gain is defined to be 1.
"""

import copy
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from polarity_host.errors import FAILED, HostError
from polarity_host.mats.description import Mat

from .survey import Survey
from .views import Shared, Views, model

LIFT_SIGMA_MM = 0.1
TIP_SIGMA = np.radians(1.0)
GAIN_SIGMA = 0.05
FIXED_SIGMA = 1e-6  # of an unknown that is not free, as a share
OUTLIER = 5.0  # sigmas: a larger residual counts no more than this
ROUNDS = 4
STEPS = ("poses", "gains", "sizes", "doubt")  # what `solve` reports, in this order
STRONG_MT, STRONG_VIEWS = 10.0, 3  # a gain takes at least this many views of at least this field
LIFTED_MM, TIPPED = 0.6, np.radians(5.0)  # beyond these a disc does not lie on the mat
UNLIKE = 4.0  # a view with this many times the median residual does not show one disc
UNLIKE_LYING = 12.0  # the same for lying discs, in sigmas: a mean has less noise, but equal errors
FEWEST_DRAWN = 60  # views
LEAST_MEASURED = 0.5  # share of the sensors that a calibration needs at least
SCAN_SHARE = 0.9  # of a frame's time: the first guess

#: Which unknowns a round solves for: the poses; poses and the disc's strength; or all.
Free = Literal["pose", "disc", "all"]

_Floats = NDArray[np.float64]
_Ints = NDArray[np.int_]
_Bools = NDArray[np.bool_]


@dataclass
class Fit:
    """The result. `gain` (n,) with mean 1; nan where a sensor measured too little of a disc.

    `gain_doubt` is half the rms by which the gains from two halves of the views differ. The rms
    residuals are those of the median view, with all gains 1 and with those of the fit. `views` were
    drawn, `lying` lay still; `refused` says how many others there were, by reason.
    """

    gain: _Floats
    gain_doubt: float
    strength_t: float
    diameter_mm: float
    thickness_mm: float
    stack_shares: _Floats  # (s, 2) strength of each disc of each stack over the drawn one's
    scan_us: float
    rms_before_mt: float
    rms_after_mt: float
    views: int
    lying: int
    refused: dict[str, int]


def improve(views: Views, shared: Shared, free: Free = "all") -> _Floats:
    """One Gauss-Newton round. Returns the residuals before it, (m, k) in mT."""
    n = shared.mat.n
    field_mt, by_pose, by_shared = model(views, shared)
    gain = shared.gain[views.sensors]
    residual = views.observed_mt - gain * field_mt
    weight = views.weight / np.maximum(1.0, residual**2 / (OUTLIER**2 * views.variance))
    # derivatives of the residual
    by_pose = -gain[:, :, None] * by_pose
    prior = 1.0 / np.array([np.inf, np.inf, LIFT_SIGMA_MM, TIP_SIGMA, TIP_SIGMA]) ** 2
    weighted = weight[:, :, None] * by_pose
    a = np.einsum("mkp,mkq->mpq", weighted, by_pose) + np.diag(prior + 1e-9)
    b = np.einsum("mkp,mk->mp", weighted, residual) + prior * views.pose
    if free == "pose":
        views.move(-np.linalg.solve(a, b[:, :, None])[:, :, 0])
        return residual
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
    h = np.einsum("mki,mk->mi", own, residual)
    c = np.einsum("mkp,mki->mpi", weighted, local)
    solved = np.linalg.solve(a, np.concatenate([c, b[:, :, None]], axis=2))
    g -= np.einsum("mpi,mpj->mij", c, solved[:, :, :-1])
    h -= np.einsum("mpi,mp->mi", c, solved[:, :, -1])
    s, r = np.zeros((n + d, n + d)), np.zeros(n + d)
    np.add.at(s, (places[:, :, None], places[:, None, :]), g)
    np.add.at(r, places, h)
    values, expected, sigma = shared.prior()
    if free == "disc":
        sigma = np.where(np.arange(d) == 0, sigma, FIXED_SIGMA * np.maximum(sigma, 1e-6))
        expected = np.where(np.arange(d) == 0, expected, values)
    gain_sigma = GAIN_SIGMA if free == "all" else FIXED_SIGMA
    s[np.arange(n), np.arange(n)] += gain_sigma**-2.0
    s[np.arange(n, n + d), np.arange(n, n + d)] += sigma**-2.0
    r += np.concatenate([(shared.gain - 1.0) / gain_sigma**2, (values - expected) / sigma**2])
    step = -np.linalg.solve(s, r)
    views.move(-solved[:, :, -1] - np.einsum("mpi,mi->mp", solved[:, :, :-1], step[places]))
    shared.move(step)
    return residual


def solve(survey: Survey, mat: Mat, report: Callable[[str], None] = lambda text: None) -> Fit:
    """Fits a survey, and calls `report` with each step in words. HostError FAILED when the survey
    has too few views of a disc, or too few sensors saw it."""
    shared = Shared(mat, SCAN_SHARE * 1e6 / mat.frame_hz)
    index = np.flatnonzero(~survey.lying)
    if len(index) < FEWEST_DRAWN:
        raise HostError(FAILED, "the disc was hardly moved; draw it over the whole mat in lines")
    report("poses")
    drawn = Views(survey, mat, index)
    _iterate(drawn, shared, ("pose", 3), ("disc", 3))
    like, refused = _like_a_disc(drawn, improve(drawn, shared, "pose"))
    index = index[like]
    if len(index) < FEWEST_DRAWN:
        raise HostError(FAILED, "what was drawn is not one disc lying on the mat; draw just one")
    drawn = Views(survey, mat, index)
    rms_before_mt = _rms(drawn, _iterate(drawn, shared, ("pose", 3), ("disc", 2)))
    report("gains")
    _iterate(drawn, shared, ("all", ROUNDS))
    lying, lying_discs, misfits = _lying(survey, mat, shared)
    if misfits:
        refused["lay, but neither as one disc nor as two"] = misfits
    discs = np.concatenate([np.ones(len(index), int), lying_discs])
    views = Views(survey, mat, np.concatenate([index, lying]), discs)
    views.start_at(drawn.pose)
    shared.expect_stacks(int((discs == 2).sum()))
    report("sizes")
    residual = _iterate(views, shared, ("pose", 3), ("all", ROUNDS))
    measured = _measured(views, mat.n)
    if measured.sum() < LEAST_MEASURED * mat.n:
        raise HostError(
            FAILED,
            "only {seen} of {n} sensors saw the disc; draw it over the whole mat. If you did, it "
            "is too weak for them",
            seen=measured.sum(),
            n=mat.n,
        )
    shared.normalise(measured)
    report("doubt")
    strength, radius, thickness, scan_us = (float(v) for v in shared.sizes)
    return Fit(
        gain=np.where(measured, shared.gain, np.nan),
        gain_doubt=_gain_doubt(survey, mat, index, drawn.pose, shared, measured),
        strength_t=strength,
        diameter_mm=2 * radius,
        thickness_mm=thickness,
        stack_shares=shared.stacks,
        scan_us=scan_us,
        rms_before_mt=rms_before_mt,
        rms_after_mt=_rms(views, residual),
        views=len(index),
        lying=len(lying),
        refused=refused,
    )


def _iterate(views: Views, shared: Shared, *rounds: tuple[Free, int]) -> _Floats:
    """Improves the fit by so many rounds of each kind; returns the residuals before the last."""
    residual = np.zeros_like(views.observed_mt)
    for free, count in rounds:
        for _ in range(count):
            residual = improve(views, shared, free)
    return residual


def _gain_doubt(
    survey: Survey, mat: Mat, index: _Ints, pose: _Floats, shared: Shared, measured: _Bools
) -> float:
    halves = []
    for first in (0, 1):
        half = Views(survey, mat, index[first::2])
        half.start_at(pose[first::2])
        own = copy.deepcopy(shared)
        own.expect_stacks(0)
        _iterate(half, own, ("all", 2))
        own.normalise(measured)
        halves.append(own.gain[measured])
    return float(np.std(halves[0] - halves[1]) / 2)


def _like_a_disc(views: Views, residual: _Floats) -> tuple[_Bools, dict[str, int]]:
    """(which views show one disc that lies on the mat, how many of the others by reason)."""
    chi = np.sqrt(np.mean(residual**2 * views.weight, axis=1))
    lifted = np.abs(views.pose[:, 2]) > LIFTED_MM
    tipped = np.hypot(views.pose[:, 3], views.pose[:, 4]) > TIPPED
    unlike = (chi > UNLIKE * np.median(chi)) & ~lifted & ~tipped
    refused = {
        "off the mat": int((lifted | tipped).sum()),
        "unlike one disc": int(unlike.sum()),
    }
    return ~(lifted | tipped | unlike), {why: n for why, n in refused.items() if n}


def _lying(survey: Survey, mat: Mat, shared: Shared) -> tuple[_Ints, _Ints, int]:
    """(indices of the views of one or two lying discs, how many in each, how many views show
    neither)."""
    index = np.flatnonzero(survey.lying)
    own = copy.deepcopy(shared)
    own.expect_stacks(len(index))
    chi = np.empty((2, len(index)))
    for discs in (1, 2):
        views = Views(survey, mat, index, discs)
        residual = _iterate(views, own, ("pose", 8))
        chi[discs - 1] = np.sqrt(np.mean(residual**2 / views.variance, axis=1))
        chi[discs - 1] += np.abs(views.pose[:, 2]) / LIFTED_MM
    good = chi.min(axis=0) < UNLIKE_LYING
    return index[good], 1 + chi.argmin(axis=0)[good], int((~good).sum())


def _measured(views: Views, n: int) -> _Bools:
    """(n,) Which sensors measured enough of a disc for their gains."""
    strong = np.zeros(n)
    np.add.at(strong, views.sensors, (np.abs(views.observed_mt) > STRONG_MT).astype(float))
    return strong >= STRONG_VIEWS


def _rms(views: Views, residual: _Floats) -> float:
    """The rms residual of the median view, in mT."""
    used = views.weight > 0
    return float(np.sqrt(np.median((residual**2 * used).sum(axis=1) / used.sum(axis=1))))
