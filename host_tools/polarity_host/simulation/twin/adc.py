"""The RP2040's ADC as it was measured, one code table a chip.

Sources: RP2040 datasheet section 4.9.3 (ENOB 8.7 bits) and erratum RP2040-E11 (DNL spikes at codes
512, 1536, 2560 and 3584); Mark Omo, "Characterizing the Raspberry Pi Pico ADC"
(pico-adc.markomo.me): largest DNL 8.9 LSB, largest INL 7.85, input-referred noise 0.97 LSB rms.
"""

import numpy as np
from numpy.typing import ArrayLike, NDArray

SPIKE_CODES = (512, 1536, 2560, 3584)
SPIKE_LSB = 8.0  # extra width of a spike's code; E11's plot, "DNL 8.9" measured
SPIKE_SIGMA_LSB = 0.4
GRAIN_LSB = 0.1  # unevenness of every transition
BOW_LSB = 2.0  # smooth part of the INL; makes the measured INL and ENOB together
NOISE_LSB = 0.97


class Rp2040Adc:
    """One chip's converter: `bits` bits, transition levels drawn from `rng`.

    `transitions[k - 1]` is the input, in ideal LSB, where the code changes from k-1 to k.
    """

    def __init__(self, rng: np.random.Generator, bits: int = 12):
        codes = 2**bits
        width = np.ones(codes)
        for code in SPIKE_CODES:
            at = code * codes // 4096
            width[at] = 1.0 + SPIKE_LSB + rng.normal(0.0, SPIKE_SIGMA_LSB)
        width *= codes / width.sum()  # exact end points, as an end-point fit of the INL assumes
        ideal = np.arange(1, codes) - 0.5
        bow = BOW_LSB * rng.uniform(0.8, 1.2) * np.sin(2 * np.pi * (ideal / codes + rng.uniform()))
        grain = np.clip(rng.normal(0.0, GRAIN_LSB, codes - 1), -3 * GRAIN_LSB, 3 * GRAIN_LSB)
        self.transitions = np.maximum.accumulate(np.cumsum(width)[:-1] - 0.5 + bow + grain)
        self.codes = codes

    def convert(
        self, level_lsb: ArrayLike, rng: np.random.Generator, conversions: int = 1
    ) -> NDArray[np.int64]:
        """Sum of `conversions` noisy conversions of each level (array in ideal LSB), as int64."""
        level = np.asarray(level_lsb, float)
        noise = rng.standard_normal((*level.shape, conversions), dtype=np.float32)
        noisy = level[..., None] + NOISE_LSB * noise
        return np.searchsorted(self.transitions, noisy).sum(axis=-1)

    def dnl_lsb(self) -> NDArray[np.float64]:
        """Width error of the codes 1..2^bits-2, in LSB."""
        return np.diff(self.transitions) - 1.0

    def inl_lsb(self) -> NDArray[np.float64]:
        """Error of each transition against the straight line through the two end ones, in LSB."""
        k = np.arange(len(self.transitions))
        line = np.interp(k, [0, k[-1]], [self.transitions[0], self.transitions[-1]])
        return self.transitions - line
