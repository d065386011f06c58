"""Makes a calibration from frames, and reports how good it is in words and figures."""

from array import array
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from polarity import calibration as files
from polarity_host.device.calibration import TimedFrame
from polarity_host.mats.description import Mat
from polarity_host.words import Words

from . import codes
from .fit import Fit, solve
from .survey import Survey, survey_of

WIDEST_GAIN = 0.25  # a sensor whose gain is farther from 1 is broken


@dataclass
class Measured:
    """`calibration` is what the mat gets (polarity.calibration); it comes from `survey` and `fit`.
    `report()` and `lines()` are for people."""

    mat: Mat
    calibration: files.Calibration
    survey: Survey
    fit: Fit

    @property
    def moment_share(self) -> float:
        """The drawn disc's moment over the one that mat.toml assumes."""
        return _moment_share(self.fit, self.mat)

    def report(self) -> dict[str, Any]:
        """The figures by name, as `polarity calibrate --json` prints them."""
        fit, gain = self.fit, self.fit.gain
        return {
            "mat": self.mat.id,
            "date": self.calibration.date,
            "sensors": self.mat.n,
            "seen": int(np.isfinite(gain).sum()),
            "broken": {str(i): why for i, why in self.calibration.broken},
            "drawn_s": round(self.survey.drawn_s, 1),
            "views": fit.views,
            "lying": fit.lying,
            "stacks": len(fit.stack_shares),
            "refused": fit.refused,
            "gain_spread_pct": round(100 * float(np.nanstd(gain)), 3),
            "gain_doubt_pct": round(100 * fit.gain_doubt, 3),
            "residual_mt_before": round(fit.rms_before_mt, 4),
            "residual_mt_after": round(fit.rms_after_mt, 4),
            "disc_moment_share": round(self.moment_share, 4),
            "disc_diameter_mm": round(fit.diameter_mm, 3),
            "disc_thickness_mm": round(fit.thickness_mm, 3),
            "stack_moment_shares": [[round(float(v), 3) for v in one] for one in fit.stack_shares],
            "scan_us": round(fit.scan_us),
            "code_width_lsb": round(self.survey.code_width_lsb, 2),
            "code_doubt_lsb": round(self.survey.code_doubt_lsb, 2),
        }

    def lines(self, words: Words) -> Iterator[str]:
        """The report in words."""
        figures, disc, said = self.report(), self.mat.disc, words.said
        broken = ", ".join(f"{i} ({said(str(why))})" for i, why in self.calibration.broken)
        refused = ", ".join(f"{n} {said(why)}" for why, n in self.fit.refused.items())
        assumed = {"assumed_diameter": disc.diameter_mm, "assumed_thickness": disc.thickness_mm}
        rms_ut = {
            "before": 1000 * figures["residual_mt_before"],
            "now": 1000 * figures["residual_mt_after"],
        }
        yield said(
            "{seen} of {sensors} sensors measured; broken: {which}",
            which=broken or said("none"), **figures,
        )  # fmt: skip
        yield said(
            "{views} views of a disc drawn for {drawn_s:.0f} s, {lying} of discs that lay, "
            "{stacks} of them stacks; refused: {which}",
            which=refused or said("none"), **figures,
        )  # fmt: skip
        yield said(
            "gains spread by {gain_spread_pct:.2f} % before, known to {gain_doubt_pct:.2f} % now "
            "(two halves of the views compared)",
            **figures,
        )
        yield said("residual {before:.0f} µT rms before, {now:.0f} µT now", **rms_ut)
        yield said(
            "disc: moment {percent:.1f} % of the assumed, diameter {disc_diameter_mm:.2f} mm "
            "(assumed {assumed_diameter:.2f}), thickness {disc_thickness_mm:.2f} mm (assumed "
            "{assumed_thickness:.2f})",
            percent=100 * figures["disc_moment_share"], **assumed, **figures,
        )  # fmt: skip
        yield said(
            "converter: codes 512, 1536, 2560 and 3584 are {code_width_lsb:.1f} LSB too wide "
            "(± {code_doubt_lsb:.1f})",
            **figures,
        )


def measure(
    frames: Iterable[TimedFrame],
    mat: Mat,
    date: str,
    report: Callable[[str], None] = lambda text: None,
) -> Measured:
    """Calibrates `mat` by these frames; `date` as YYYY-MM-DD goes into the file. Calls `report`
    with each step in words.

    HostError says what the frames do not show.
    """
    survey = survey_of(frames, mat)
    fit = solve(survey, mat, report)
    measured = np.isfinite(fit.gain)
    broken = dict(survey.broken)
    for i in np.flatnonzero(measured & (np.abs(fit.gain - 1.0) > WIDEST_GAIN)):
        broken[int(i)] = f"gain {fit.gain[i]:.2f}"
        fit.gain[i] = np.nan
    gains = np.rint(files.ONE / np.where(np.isfinite(fit.gain), fit.gain, 1.0)).astype(int)
    gains[list(broken)] = 0
    disc = [round(1024 * _moment_share(fit, mat))]
    disc += [round(1000 * size) for size in (fit.diameter_mm, fit.thickness_mm)]
    calibration = files.Calibration(
        mat.id, mat.n, date, disc, sorted([i, why] for i, why in broken.items()),
        array("H", gains.tolist()), array("h", code_cells(survey.code_width_lsb, mat)),
    )  # fmt: skip
    return Measured(mat, calibration, survey, fit)


def _moment_share(fit: Fit, mat: Mat) -> float:
    disc = mat.disc
    size = (fit.diameter_mm / disc.diameter_mm) ** 2 * fit.thickness_mm / disc.thickness_mm
    return fit.strength_t / disc.br_t * size


def code_cells(width_lsb: float, mat: Mat) -> list[int]:
    """The table `codes` of polarity.calibration: start and end of each cell, in 1/16 counts."""
    edges = np.linspace(0.0, codes.CODES, files.CELLS + 1)
    inside = 2 * codes.RAMP  # the steps are at the edges of cells: evaluate beside them
    ends = np.column_stack([edges[:-1] + inside, edges[1:] - inside])
    lsb = codes.above_lsb(ends, width_lsb)
    return np.rint(16 * mat.oversample * lsb).astype(int).ravel().tolist()


def corrected(counts: ArrayLike, calibration: files.Calibration, mat: Mat) -> NDArray[np.float64]:
    """The counts (any shape) corrected by the calibration's table `codes`."""
    table = np.array(calibration.codes).reshape(-1, 2) / 16
    counts = np.asarray(counts)
    share = counts / 2**mat.bits * len(table)
    cell = np.minimum(share.astype(int), len(table) - 1)
    start, end = table[cell, 0], table[cell, 1]
    return counts + start + (end - start) * (share - cell)
