"""Exact fields of a scene's pieces, their derivatives, a least-squares fit and the Fisher limit.

The unknowns of a piece are x and y, a leaner's also its azimuth and tilt (its low rim stays on the
mat at (x, y)), and the share of its moment, about which is known what a disc's spread says. A
tower's lowest disc, which the sensors see most of, has a share of its own besides.

The covariance of a sensor adds up, independent from sensor to sensor: the noise of the mean of the
frames looked at; the gain's spread times the field; and what the ADC's nonlinearity does to a
difference from the bare mat. Moments are unknowns with a prior. Drift since, what lies beside the
mat and what else disturbs are in neither: the limit is lower than what they would leave.

Where there are creases, flat pieces may be tilted about two axes and raised, by about as much as
those do. The fit takes of the ADC what one knows who has not measured it: the rms error over chips.
The limit takes the spread from chip to chip alone (the mean curve could be known), and the spreads
of gain and moment of the condition in hand. The fit knows what has drifted and changed beside
the mat, which the engine has to follow from frame to frame.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import least_squares

from polarity_host.mats.description import Mat
from polarity_host.mats.disc_field import bz_mt
from polarity_host.simulation.twin.adc import Rp2040Adc
from polarity_host.simulation.twin.condition import MatCondition
from polarity_host.simulation.twin.motion import Vector, upward_normal
from polarity_host.simulation.twin.stage import PieceState

from .scenes import Look

Pose: TypeAlias = tuple[int, dict[str, float]]  # piece, its unknowns by name


class Noise(Protocol):
    """The noise of each sensor's counts in one frame: a scenes.Look, or an assumption."""

    @property
    def noise_counts(self) -> Vector: ...


SATURATED_SHARE = 0.96  # of the linear range: what is read above says nothing
GAIN_SIGMA = 0.01
MOMENT_SIGMA = 0.03
CREASE_SHARE = 1 / np.sqrt(6.0)  # rms about each of two axes, of a tilt uniform up to the largest
RAISED_SHARE = 1 / np.sqrt(3.0)  # rms of how far the middle of such a disc is raised
LEAST_SPREAD = 1e-4  # a prior must not be infinitely sharp
STEP = {
    "x": 0.05, "y": 0.05, "z": 0.05, "azimuth": 0.3, "tilt": 0.3, "tip_x": 0.005, "tip_y": 0.005,
    "moment": 0.01, "lowest": 0.01,
}  # fmt: skip
CHIPS = 24  # over which the ADC's error is averaged
MOST_STEPS = 30
OUTLIER = 5.0  # sigma: such a sensor is left out of the second fit
START_MM, START_DEG = 1.0, 3.0  # how far from the truth a fit starts (one sigma)


@dataclass(frozen=True)
class Unknowns:
    """The vector of all pieces' unknowns: `names[k]` of piece `pieces[k]`."""

    names: tuple[str, ...]
    pieces: NDArray[np.int64]

    def of(self, piece: int, *names: str) -> list[int]:
        """Indices of a piece's unknowns."""
        return [k for k, i in enumerate(self.pieces) if i == piece and self.names[k] in names]


def unknowns(truth: Sequence[PieceState], creases: bool) -> Unknowns:
    """The Unknowns of a scene; with `creases` also tips and heights of what lies flat."""
    names: list[str] = []
    pieces: list[int] = []
    for i, piece in enumerate(truth):
        own = ["x", "y"]
        if piece.shape == "leaner":
            own += ["azimuth", "tilt"]
        elif creases:
            own += ["tip_x", "tip_y", "z"]
        if piece.discs > 1:
            own += ["lowest"]
        names += [*own, "moment"]
        pieces += [i] * (len(own) + 1)
    return Unknowns(tuple(names), np.array(pieces))


def spot_mm(piece: PieceState, mat: Mat) -> tuple[float, float]:
    """(x, y) that a fact would report: a leaner's contact, else the middle of the disc or stack."""
    return piece.contact_xy if piece.shape == "leaner" else middle_mm(piece, mat)


def middle_mm(piece: PieceState, mat: Mat) -> tuple[float, float]:
    """(x, y) of the middle of a piece."""
    up = upward_normal(piece.tilt_deg, piece.azimuth_deg)
    half = (piece.discs - 1) / 2 * mat.disc.thickness_mm
    return piece.x_mm + half * up[0], piece.y_mm + half * up[1]


def true_values(truth: Sequence[PieceState], unknown: Unknowns, mat: Mat) -> Vector:
    """The true values of the unknowns; creases have tips of 0, as flat discs."""
    values = []
    for name, i in zip(unknown.names, unknown.pieces):
        piece = truth[i]
        x, y = spot_mm(piece, mat)
        flat_z = piece.discs * mat.disc.thickness_mm / 2
        values.append(
            {"x": x, "y": y, "azimuth": piece.azimuth_deg, "tilt": piece.tilt_deg, "moment": 1.0,
             "lowest": 0.0, "z": flat_z, "tip_x": 0.0, "tip_y": 0.0}[name]
        )  # fmt: skip
    return np.array(values)


class SceneModel:
    """Bz at the sensors of a scene whose pieces are known but for the unknowns."""

    def __init__(self, truth: Sequence[PieceState], mat: Mat, unknown: Unknowns):
        self.truth, self.mat, self.unknown = truth, mat, unknown
        self.sign = mat.disc.white_up_counts

    def fields_mt(self, values: Vector) -> Vector:
        """(pieces, n) each piece's field."""
        return self._fields([(i, self._own(i, values)) for i in range(len(self.truth))])

    def jacobian(self, values: Vector) -> Vector:
        """(n, unknowns) derivatives of the sum of all fields, by central differences."""
        poses, steps = [], []
        for k, (name, i) in enumerate(zip(self.unknown.names, self.unknown.pieces)):
            for side in (1, -1):
                moved = values.copy()
                moved[k] += side * STEP[name]
                poses.append((i, self._own(i, moved)))
            steps.append(2 * STEP[name])
        fields = self._fields(poses)
        return ((fields[0::2] - fields[1::2]) / np.array(steps)[:, None]).T

    def _own(self, i: int, values: Vector) -> dict[str, float]:
        mine = self.unknown.pieces == i
        names = (name for name, own in zip(self.unknown.names, mine) if own)
        return dict(zip(names, values[mine]))

    def _fields(self, poses: Sequence[Pose]) -> Vector:
        thickness_mm, radius_mm = self.mat.disc.thickness_mm, self.mat.disc.diameter_mm / 2
        centres, axes, heights, br_t, of = [], [], [], [], []
        for number, (i, own) in enumerate(poses):
            piece = self.truth[i]
            height = piece.discs * thickness_mm
            if piece.shape == "leaner":
                tilt, azimuth = np.radians((own["tilt"], own["azimuth"]))
                out = np.array([np.cos(azimuth), np.sin(azimuth)])
                reach = radius_mm * np.cos(tilt) - height / 2 * np.sin(tilt)
                x, y = np.array([own["x"], own["y"]]) - reach * out
                z = radius_mm * np.sin(tilt) + height / 2 * np.cos(tilt)
                axis = upward_normal(own["tilt"], own["azimuth"])
            else:
                x, y, z = own["x"], own["y"], own.get("z", height / 2)
                axis = np.array([own.get("tip_x", 0.0), own.get("tip_y", 0.0), 1.0])
                axis /= np.linalg.norm(axis)
            br = self.mat.red_disc.br_t if piece.shape == "red" else self.mat.disc.br_t
            cylinders = [(np.array([x, y, z]), height, own["moment"])]
            if own.get("lowest"):
                down = (height - thickness_mm) / 2 * axis
                cylinders.append((cylinders[0][0] - down, thickness_mm, own["lowest"]))
            for centre, tall, share in cylinders:
                centres.append(centre)
                axes.append(axis)
                heights.append(tall)
                br_t.append(br * piece.face * self.sign * share)
                of.append(number)
        fields = bz_mt(centres, axes, radius_mm, heights, br_t, self.mat.sensor_xyz_mm)
        total = np.zeros((len(poses), self.mat.n))
        np.add.at(total, of, fields)
        return total


@cache
def adc_error_mt(
    mat_id: str, counts_per_mt: float, oversample: int, zero_count: int, bits: int
) -> tuple[Vector, Vector, Vector]:
    """(fields in mT, rms error in mT, its spread from chip to chip) that the nonlinearity of an
    uncalibrated ADC makes of a difference from the zero count."""
    field_mt = np.linspace(-95, 95, 381)
    level = (zero_count + counts_per_mt * field_mt) / oversample
    errors = []
    for chip in range(CHIPS):
        adc = Rp2040Adc(np.random.default_rng([99, chip]), bits)
        codes = np.searchsorted(adc.transitions, level)
        error = (codes - level) * oversample / counts_per_mt
        errors.append(error - error[len(error) // 2])
    smooth = np.ones(9) / 9  # sensors' zeros are spread over as many codes
    squares = (np.mean(np.square(errors), axis=0), np.var(errors, axis=0))
    rms, spread = (np.sqrt(np.convolve(square, smooth, "same")) for square in squares)
    return field_mt, rms, spread


def sigma_mt(
    look: Noise,
    field_mt: Vector,
    mat: Mat,
    averaged: int,
    gain_sigma: float = GAIN_SIGMA,
    adc: str = "rms",
) -> Vector:
    """(n,) standard deviation of each sensor's reading of `field_mt`; infinite where it means
    nothing: broken or saturated. `adc`: its error is "rms", "spread", or "known"."""
    noise = look.noise_counts / mat.counts_per_mt
    variance = noise**2 / averaged + (gain_sigma * field_mt) ** 2
    if adc != "known":
        at, rms, spread = adc_error_mt(
            mat.id, mat.counts_per_mt, mat.oversample, mat.zero_count, mat.bits_per_conversion
        )
        variance += np.interp(field_mt, at, rms if adc == "rms" else spread) ** 2
    broken = (look.noise_counts == 0.0) | (np.abs(field_mt) > SATURATED_SHARE * mat.saturation_mt)
    return np.where(broken, np.inf, np.sqrt(variance))


def priors(
    truth: Sequence[PieceState],
    unknown: Unknowns,
    mat: Mat,
    condition: MatCondition,
    moment_sigma: float,
) -> tuple[Vector, Vector]:
    """(usual values, standard deviations) of the unknowns; infinite where nothing is known."""
    crease = np.radians(condition.crease_tilt_deg)
    raised_mm = RAISED_SHARE * crease * mat.disc.diameter_mm / 2
    usual, sigma = np.zeros(len(unknown.names)), np.full(len(unknown.names), np.inf)
    for k, (name, i) in enumerate(zip(unknown.names, unknown.pieces)):
        if name == "moment":
            usual[k], sigma[k] = 1.0, moment_sigma / np.sqrt(truth[i].discs)
        elif name == "lowest":
            sigma[k] = moment_sigma
        elif name in ("tip_x", "tip_y"):
            sigma[k] = CREASE_SHARE * crease
        elif name == "z":
            usual[k], sigma[k] = truth[i].discs * mat.disc.thickness_mm / 2, raised_mm
    return usual, sigma


def fisher(
    truth: Sequence[PieceState],
    look: Noise,
    mat: Mat,
    averaged: int,
    condition: MatCondition,
    adc: str = "spread",
) -> tuple[Unknowns, Vector]:
    """The Cramer-Rao limit of a scene: (Unknowns, covariance of all unknowns)."""
    unknown = unknowns(truth, condition.crease_tilt_deg > 0)
    values = true_values(truth, unknown, mat)
    model = SceneModel(truth, mat, unknown)
    field_mt = model.fields_mt(values).sum(axis=0)
    sigma = sigma_mt(look, field_mt, mat, averaged, condition.gain_sigma, adc)
    weighted = model.jacobian(values) / sigma[:, None]
    moment_sigma = max(condition.moment_sigma, LEAST_SPREAD)
    _, known = priors(truth, unknown, mat, condition, moment_sigma)
    information = weighted.T @ weighted + np.diag(1.0 / known**2)
    return unknown, np.asarray(np.linalg.pinv(information, hermitian=True), np.float64)


def fit(
    truth: Sequence[PieceState],
    look: Look,
    mat: Mat,
    averaged: int,
    condition: MatCondition,
    rng: np.random.Generator,
) -> tuple[Unknowns, Vector]:
    """SciPy's least squares from near the truth, and once more without the sensors that it cannot
    explain: (Unknowns, fitted values)."""
    unknown = unknowns(truth, condition.crease_tilt_deg > 0)
    values = true_values(truth, unknown, mat)
    spread = {"x": START_MM, "y": START_MM, "azimuth": START_DEG, "tilt": START_DEG}
    start = values + rng.normal(size=len(values)) * [spread.get(n, 0.0) for n in unknown.names]
    model = SceneModel(truth, mat, unknown)
    seen_mt = (look.counts - look.bare_counts) / mat.counts_per_mt - look.background_mt
    sigma = sigma_mt(look, seen_mt, mat, averaged)
    usual, known = priors(truth, unknown, mat, condition, MOMENT_SIGMA)
    bound = np.isfinite(known)
    prior = np.diag(1.0 / known)[bound]

    def residuals(v: Vector) -> Vector:
        beyond = (model.fields_mt(v).sum(axis=0) - seen_mt) / sigma
        return np.concatenate([beyond, prior @ (v - usual)])

    def jacobian(v: Vector) -> Vector:
        return np.vstack([model.jacobian(v) / sigma[:, None], prior])

    def solved(begin: Vector) -> tuple[Vector, Vector]:
        found = least_squares(
            residuals,
            begin,
            jacobian,  # pyright: ignore[reportArgumentType]  # SciPy has no types: a function is right
            x_scale="jac",
            max_nfev=MOST_STEPS,
        )
        return np.asarray(found.x), np.asarray(found.fun)

    first, left = solved(start)
    sigma[np.abs(left[: mat.n]) > OUTLIER] = np.inf
    return unknown, solved(first)[0]
