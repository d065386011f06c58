"""The RP2040's ADC as it was measured, one code table a chip; and others that a mat might have.

Sources: RP2040 datasheet section 4.9.3 (ENOB 8.7 bits) and erratum RP2040-E11 (DNL spikes at codes
512, 1536, 2560 and 3584); Mark Omo, "Characterizing the Raspberry Pi Pico ADC"
(pico-adc.markomo.me): largest DNL 8.9 LSB, largest INL 7.85, input-referred noise 0.97 LSB rms.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

SPIKE_CODES = (512, 1536, 2560, 3584)
SPIKE_LSB = 8.0  # extra width of a spike's code; E11's plot, "DNL 8.9" measured
SPIKE_SIGMA_LSB = 0.4
GRAIN_LSB = 0.1  # unevenness of every transition
BOW_LSB = 2.0  # smooth part of the INL; makes the measured INL and ENOB together
NOISE_LSB = 0.97


@dataclass(frozen=True)
class Kind:
    """A kind of converter, in LSB of 12 bits: noise rms of a conversion, the extra width of its
    spikes' codes, the largest smooth error. `each`: how many conversions it makes, and averages, in
    the time that an RP2040 takes for one."""

    noise_lsb: float = NOISE_LSB
    spike_lsb: float = SPIKE_LSB
    bow_lsb: float = BOW_LSB
    each: int = 1


#: Converters that hardware/REVISION_B.md compares; it has their sources.
KINDS = {
    "rp2040": Kind(),
    "rp2350": Kind(spike_lsb=0.0),
    "external": Kind(noise_lsb=0.35, spike_lsb=0.0, bow_lsb=0.5),
    "tile": Kind(noise_lsb=0.8, spike_lsb=0.0, bow_lsb=1.0, each=8),
    "ideal": Kind(noise_lsb=0.3, spike_lsb=0.0, bow_lsb=0.0, each=8),
}


class Rp2040Adc:
    """One chip's converter: `bits` bits, transition levels drawn from `rng`; of another `kind`, if
    one is given.

    `transitions[k - 1]` is the input, in ideal LSB, where the code changes from k-1 to k.
    """

    def __init__(self, rng: np.random.Generator, bits: int = 12, kind: Kind = KINDS["rp2040"]):
        self.kind = kind
        codes = 2**bits
        width = np.ones(codes)
        for code in SPIKE_CODES:
            at = code * codes // 4096
            spread = rng.normal(0.0, SPIKE_SIGMA_LSB)
            width[at] = 1.0 + (kind.spike_lsb + spread if kind.spike_lsb else 0.0)
        width *= codes / width.sum()  # exact end points, as an end-point fit of the INL assumes
        ideal = np.arange(1, codes) - 0.5
        bow = (
            kind.bow_lsb
            * rng.uniform(0.8, 1.2)
            * np.sin(2 * np.pi * (ideal / codes + rng.uniform()))
        )
        grain = np.clip(rng.normal(0.0, GRAIN_LSB, codes - 1), -3 * GRAIN_LSB, 3 * GRAIN_LSB)
        self.transitions = np.maximum.accumulate(np.cumsum(width)[:-1] - 0.5 + bow + grain)
        self.codes = codes

    def convert(
        self, level_lsb: ArrayLike, rng: np.random.Generator, conversions: int = 1
    ) -> NDArray[np.int64]:
        """Sum of `conversions` noisy conversions of each level (array in ideal LSB), as int64."""
        level = np.asarray(level_lsb, float)
        each = self.kind.each
        noise = rng.standard_normal((*level.shape, conversions * each), dtype=np.float32)
        noisy = level[..., None] + self.kind.noise_lsb * noise
        return np.searchsorted(self.transitions, noisy).sum(axis=-1) // each

    def dnl_lsb(self) -> NDArray[np.float64]:
        """Width error of the codes 1..2^bits-2, in LSB."""
        return np.diff(self.transitions) - 1.0

    def inl_lsb(self) -> NDArray[np.float64]:
        """Error of each transition against the straight line through the two end ones, in LSB."""
        k = np.arange(len(self.transitions))
        line = np.interp(k, [0, k[-1]], [self.transitions[0], self.transitions[-1]])
        return self.transitions - line
