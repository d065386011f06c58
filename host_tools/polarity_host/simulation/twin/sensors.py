"""From the field at the sensors to raw counts: Hall sensors, multiplexers and ADC of one mat."""

import numpy as np
from numpy.typing import ArrayLike, NDArray

from polarity_host.mats.description import Mat

from .adc import KINDS, Rp2040Adc
from .condition import MatCondition
from .surroundings import Surroundings


class SensorArray:
    """One mat's electronics, drawn from `seed`. Frames must come in order.

    What it draws: `gain`, `offset_mt` and their drifts a degree, `dead` and `stuck`
    sensor indices, and the chip's `converter`. `surroundings` adds its field to every frame's
    (default: drawn from the same seed).
    """

    def __init__(
        self,
        mat: Mat,
        seed: int = 0,
        condition: MatCondition | None = None,
        surroundings: Surroundings | None = None,
    ):
        self.mat = mat
        self.condition = c = condition or MatCondition()
        rng = np.random.default_rng([seed, 1])
        n = mat.n
        self.gain = rng.normal(1.0, c.gain_sigma, n)
        self.offset_mt = rng.normal(0.0, c.offset_sigma_mv, n) / mat.mv_per_mt
        self.gain_drift_per_c = c.gain_per_c + rng.normal(0.0, c.gain_sigma_per_c, n)
        self.offset_drift_mt_per_c = rng.normal(0.0, c.offset_sigma_mv_per_c, n) / mat.mv_per_mt
        self.converter = Rp2040Adc(rng, mat.bits_per_conversion, KINDS[c.converter])
        broken = rng.permutation(n)
        self.dead = broken[: c.dead_sensors]
        self.stuck = broken[c.dead_sensors : c.dead_sensors + c.stuck_sensors]
        self.stuck_counts = rng.integers(0, 2**mat.bits, len(self.stuck))
        self.surroundings = surroundings or Surroundings(mat, c, seed)
        self._previous_on_adc = _previous_on_adc(mat.adc, mat.address)
        self._conversions = c.conversions or mat.oversample
        self._scan_us = mat.n * self._conversions * mat.conversion_us
        self._scan_us += len(np.unique(mat.address)) * mat.settle_us
        self._scan_us += len({tile.bank for tile in mat.tiles}) * mat.wake_us
        self._age = mat.age
        # three streams, so that the counts do not depend on how many frames are made at a time
        self._hall_noise = np.random.default_rng([seed, 2, 0])
        self._adc_noise = np.random.default_rng([seed, 2, 1])
        self._extra_noise = np.random.default_rng([seed, 2, 2])
        # (t_us, field) of the frame before
        self._last: tuple[float, NDArray[np.float64]] | None = None

    def counts(self, t_us: ArrayLike, bz_mt: NDArray[np.float64]) -> NDArray[np.uint16]:
        """Raw counts (frames, n) uint16 of the fields `bz_mt` (frames, n), at `t_us` (frames,).

        A frame's time is the end of its scan.
        """
        c, mat = self.condition, self.mat
        times_us = np.asarray(t_us, float)
        sensed = self._scanned(times_us, bz_mt) + self.surroundings.bz_mt(times_us)
        warm = (c.warming_c * (1 - np.exp(-times_us / 1e6 / c.warming_time_s)))[:, None]
        sensed = sensed * (self.gain * (1 + self.gain_drift_per_c * warm))
        sensed += c.noise_mt * self._hall_noise.standard_normal(sensed.shape, dtype=np.float32)
        np.clip(sensed, -mat.saturation_mt, mat.saturation_mt, out=sensed)
        sensed += self.offset_mt + self.offset_drift_mt_per_c * warm
        left = np.exp(-mat.settle_us / c.settle_time_constant_us)
        sensed += left * (sensed[:, self._previous_on_adc] - sensed)
        level = (mat.zero_count + mat.counts_per_mt * sensed) / mat.oversample
        if c.noisy_adc >= 0:
            extra = self._extra_noise.standard_normal(level.shape, dtype=np.float32)
            level += np.where(mat.adc == c.noisy_adc, c.noisy_adc_lsb * extra, 0.0)
        out = self.converter.convert(level, self._adc_noise, self._conversions)
        out = (out * mat.oversample // self._conversions).astype(np.uint16)
        out[:, self.dead] = 0
        out[:, self.stuck] = self.stuck_counts
        return out

    def _scanned(
        self, t_us: NDArray[np.float64], bz_mt: NDArray[np.float64]
    ) -> NDArray[np.float64]:
        """The field when each sensor is read: before the frame's time, depending on its address."""
        if not self.condition.rolling_scan:
            return bz_mt
        before_t, before = self._last or (t_us[0] - 1e6 / self.mat.frame_hz, bz_mt[0])
        self._last = (t_us[-1], bz_mt[-1].copy())
        earlier = np.vstack([before[None], bz_mt[:-1]])
        period_us = np.diff(t_us, prepend=before_t)[:, None]
        return bz_mt + (earlier - bz_mt) * np.minimum(self._scan_us * self._age / period_us, 1.0)


def _previous_on_adc(adc: NDArray[np.int_], address: NDArray[np.int_]) -> NDArray[np.int_]:
    """Index of the sensor read before each one on the same ADC input (the scan goes round)."""
    previous = np.empty(len(adc), int)
    for channel in np.unique(adc):
        own = np.flatnonzero(adc == channel)
        own = own[np.argsort(address[own])]
        previous[own] = np.roll(own, 1)
    return previous
