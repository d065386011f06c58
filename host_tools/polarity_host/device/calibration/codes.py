"""What the converter's codes mean: how far the input is above what a code says.

The RP2040's ADC has four codes that are about eight times too wide, 512, 1536, 2560 and 3584
(erratum RP2040-E11), which makes all others narrower. Counting tells how wide they are: a disc that
is drawn over the mat gives all inputs of a range equally often, so the wide codes occur more often.
The smooth bow of about 2 LSB besides is not corrected, because a slightly weaker or thicker disc
would look the same.
"""

import numpy as np
from numpy.typing import ArrayLike, NDArray

SPIKES = (512, 1536, 2560, 3584)
MEASURED_SPIKES = (1536, 2560)  # the outer ones lie where sensors saturate
CODES = 4096
USUAL_LSB, USUAL_SIGMA_LSB = 8.0, 1.0  # erratum RP2040-E11; one flaw of the mask causes all four
INSIDE, FLANK = 6, 66  # codes from a spike: where its samples may lie, and what they compare with
RAMP = 0.75  # codes: noise makes a mean code cross a wide code on a slope this broad
VAGUE = 1.5  # codes: nearer than this to a wide code, the input is known only to VAGUE_LSB
VAGUE_LSB = 2.5
ENOUGH = 200  # samples that a count needs


def width_lsb(samples: ArrayLike) -> tuple[float, float]:
    """(extra width of the wide codes in LSB, its standard error) from sampled codes (any shape).

    A weighted mean with the erratum's figure, which alone counts where there are too few samples.
    """
    values, weights = [USUAL_LSB], [USUAL_SIGMA_LSB**-2]
    for spike in MEASURED_SPIKES:
        away = np.abs(np.asarray(samples) - spike)
        inside, flank = np.sum(away <= INSIDE), np.sum((away > INSIDE) & (away <= FLANK))
        if flank >= ENOUGH:
            a_code = flank / (2 * (FLANK - INSIDE))
            values.append(inside / a_code - 2 * INSIDE)
            weights.append(a_code**2 / (inside + inside**2 / flank))
    return float(np.average(values, weights=weights)), float(sum(weights) ** -0.5)


def above_lsb(code: ArrayLike, width: float) -> NDArray[np.float64]:
    """By how many LSB the input is above a mean code (any shape) of a chip with this `width`."""
    code = np.asarray(code, float)[..., None]
    steps = np.clip((code - SPIKES) / (2 * RAMP) + 0.5, 0.0, 1.0)
    return width * (steps - code / CODES).sum(axis=-1)


def vague(code: ArrayLike) -> NDArray[np.bool_]:
    """(...) Whether the code is one of the wide ones, or next to one."""
    return np.any(np.abs(np.asarray(code)[..., None] - SPIKES) < VAGUE, axis=-1)
