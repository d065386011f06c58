"""What the converter's codes mean: how far the input is above what a code says.

The RP2040's ADC has four codes that are some eight times too wide, 512, 1536, 2560 and 3584
(erratum RP2040-E11), which pushes all others closer together. How wide is counted: a disc that is
drawn over the mat gives all inputs of a range alike, and the wide codes come up more often. The
smooth bow of some 2 LSB beside them is left alone: discs a little weaker or thicker would look the
same.
"""

import numpy as np

SPIKES = (512, 1536, 2560, 3584)
SPIKES_SEEN = (1536, 2560)  # the outer ones lie where sensors saturate
CODES = 4096
USUAL_LSB, USUAL_SIGMA_LSB = 8.0, 1.0  # erratum RP2040-E11; one flaw of the mask makes them all
INSIDE, FLANK = 6, 66  # codes from a spike: what its samples may show, and what is compared
RAMP = 0.75  # noise makes a mean code cross a wide code on so broad a slope
VAGUE = 1.5  # nearer than that to a wide code, the input is known to VAGUE_LSB only
VAGUE_LSB = 2.5
ENOUGH = 200  # samples, to count by


def width_lsb(seen):
    """(extra width of the wide codes in LSB, its standard error) by the codes seen (any shape).

    Weighed with what the erratum says, which stands alone where too little was seen.
    """
    values, weights = [USUAL_LSB], [USUAL_SIGMA_LSB**-2]
    for spike in SPIKES_SEEN:
        away = np.abs(np.asarray(seen) - spike)
        inside, flank = np.sum(away <= INSIDE), np.sum((away > INSIDE) & (away <= FLANK))
        if flank >= ENOUGH:
            a_code = flank / (2 * (FLANK - INSIDE))
            values.append(inside / a_code - 2 * INSIDE)
            weights.append(a_code**2 / (inside + inside**2 / flank))
    return float(np.average(values, weights=weights)), float(sum(weights) ** -0.5)


def above_lsb(code, width):
    """By how many LSB the input is above a mean code (any shape) of a chip with this `width`."""
    code = np.asarray(code, float)[..., None]
    steps = np.clip((code - SPIKES) / (2 * RAMP) + 0.5, 0.0, 1.0)
    return width * (steps - code / CODES).sum(axis=-1)


def vague(code):
    """(...) bool: the code is one of the wide ones, or beside it."""
    return (np.abs(np.asarray(code)[..., None] - SPIKES) < VAGUE).any(axis=-1)
