"""A calibration from the frames of one, and how good it is in words and figures."""

from dataclasses import dataclass

import numpy as np

from polarity import calibration as files
from polarity_host.errors import FAILED, HostError

from . import codes
from .fit import Fit, solve
from .survey import Survey, survey

LEAST_SEEN = 0.5  # share of the sensors without which there is no calibration
WIDEST_GAIN = 0.25  # a gain farther from 1 is that of a broken sensor


@dataclass
class Measured:
    """`calibration` is what the mat gets (polarity.calibration); `found` and `fit` where it is
    from; `report()` what a person wants to know."""

    mat: object
    calibration: files.Calibration
    found: Survey
    fit: Fit

    @property
    def moment_share(self):
        """The drawn disc's moment over the one that mat.toml assumes."""
        disc, fit = self.mat.disc, self.fit
        size = (fit.diameter_mm / disc.diameter_mm) ** 2 * fit.thickness_mm / disc.thickness_mm
        return fit.strength_t / disc.br_t * size

    def report(self):
        """A dict of figures: see the names."""
        fit, gain = self.fit, self.fit.gain
        return {
            "mat": self.mat.id,
            "date": self.calibration.date,
            "sensors": self.mat.n,
            "seen": int(np.isfinite(gain).sum()),
            "broken": {str(i): why for i, why in self.calibration.broken},
            "drawn_s": round(self.found.drawn_s, 1),
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
            "code_width_lsb": round(self.found.code_width_lsb, 2),
            "code_doubt_lsb": round(self.found.code_doubt_lsb, 2),
        }

    def lines(self):
        """The report for people."""
        told, disc = self.report(), self.mat.disc
        broken = ", ".join(f"{i} ({why})" for i, why in self.calibration.broken) or "none"
        refused = ", ".join(f"{n} {why}" for why, n in self.fit.refused.items()) or "none"
        yield f"{told['seen']} of {told['sensors']} sensors measured; broken: {broken}"
        yield (
            f"{told['views']} views of a disc drawn for {told['drawn_s']:.0f} s, {told['lying']} "
            f"of discs that lay, {told['stacks']} of them stacks; refused: {refused}"
        )
        yield (
            f"gains spread by {told['gain_spread_pct']:.2f} % before, known to "
            f"{told['gain_doubt_pct']:.2f} % now (two halves of the views compared)"
        )
        yield (
            f"residual {1000 * told['residual_mt_before']:.0f} µT rms before, "
            f"{1000 * told['residual_mt_after']:.0f} µT now"
        )
        yield (
            f"disc: moment {100 * told['disc_moment_share']:.1f} % of the assumed, "
            f"diameter {told['disc_diameter_mm']:.2f} mm (assumed {disc.diameter_mm:.2f}), "
            f"thickness {told['disc_thickness_mm']:.2f} mm (assumed {disc.thickness_mm:.2f})"
        )
        yield (
            f"converter: codes 512, 1536, 2560 and 3584 are {told['code_width_lsb']:.1f} LSB too "
            f"wide (± {told['code_doubt_lsb']:.1f})"
        )


def measure(frames, mat, date, progress=lambda text: None) -> Measured:
    """Calibrates `mat` by (t_us, counts) frames; `date` as YYYY-MM-DD goes into the file.

    HostError says what was missing in what the frames show.
    """
    found = survey(frames, mat)
    fit = solve(found, mat, progress)
    seen = np.isfinite(fit.gain)
    if seen.sum() < LEAST_SEEN * mat.n:
        raise HostError(
            FAILED, f"only {seen.sum()} of {mat.n} sensors saw the disc; draw it over the whole mat"
        )
    broken = dict(found.broken)
    for i in np.flatnonzero(seen & (np.abs(fit.gain - 1.0) > WIDEST_GAIN)):
        broken[int(i)] = f"gain {fit.gain[i]:.2f}"
        fit.gain[i] = np.nan
    measured = Measured(mat, None, found, fit)
    gains = np.rint(files.ONE / np.where(np.isfinite(fit.gain), fit.gain, 1.0)).astype(int)
    gains[list(broken)] = 0
    disc = [round(1024 * measured.moment_share)]
    disc += [round(1000 * size) for size in (fit.diameter_mm, fit.thickness_mm)]
    measured.calibration = files.Calibration(
        mat.id, mat.n, date, disc, sorted([i, why] for i, why in broken.items()), gains.tolist(),
        code_cells(found.code_width_lsb, mat),
    )  # fmt: skip
    return measured


def code_cells(width_lsb, mat):
    """The table of polarity.calibration: [start, end] of each cell, in 1/16 counts, in one list."""
    edges = np.linspace(0.0, codes.CODES, files.CELLS + 1)
    inside = 2 * codes.RAMP  # the steps stand on edges: look at them from within the cell
    ends = np.column_stack([edges[:-1] + inside, edges[1:] - inside])
    lsb = codes.above_lsb(ends, width_lsb)
    return np.rint(16 * mat.oversample * lsb).astype(int).ravel().tolist()


def corrected(counts, calibration, mat):
    """Counts as the table says that they should be, of any shape, as floats."""
    table = np.array(calibration.codes).reshape(-1, 2) / 16
    share = np.asarray(counts) / 2**mat.bits * len(table)
    cell = np.minimum(share.astype(int), len(table) - 1)
    start, end = table[cell, 0], table[cell, 1]
    return counts + start + (end - start) * (share - cell)
