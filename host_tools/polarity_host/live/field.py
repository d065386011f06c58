"""Raw frames as a field in µT, and which sensors look ill."""

import base64
from collections import deque

import numpy as np

from polarity_host.mats.description import Mat

UNIT_UT = 10  # of a field on its way to a viewer: int16, so up to 327 mT
LOOKS = 25  # frames that a sensor is judged by
NOISY = 6.0  # times the noise of most


class FieldView:
    """The frames of one mat. A bare mat shows what is to be taken away; until one was seen, the
    sensors' nominal zero is.
    """

    def __init__(self, mat: Mat):
        self._mat = mat
        self._zero = np.full(mat.n, float(mat.zero_count))
        self._changed = np.zeros(mat.n, bool)
        self._last: deque = deque(maxlen=LOOKS)

    def take(self, counts: str, bare: bool) -> bool:
        """A frame as on the wire; `bare`: nothing lies on the mat or is near it. False for one that
        is none of this mat.
        """
        try:
            data = np.frombuffer(base64.b64decode(counts, validate=True), "<u2")
        except ValueError:
            return False
        if len(data) != self._mat.n:
            return False
        if self._last:
            self._changed |= data != self._last[-1]
        self._last.append(data)
        if bare:
            self._zero = np.mean(self._last, axis=0)
        return True

    def field(self) -> str:
        """The last frame in units of UNIT_UT, int16, little-endian, in base64; "" before the
        first.
        """
        if not self._last:
            return ""
        micro = (self._last[-1] - self._zero) * (1000 / self._mat.counts_per_mt)
        units = np.clip(np.round(micro / UNIT_UT), -32767, 32767).astype("<i2")
        return base64.b64encode(units.tobytes()).decode()

    def zero(self) -> list[int]:
        """What each sensor counts on the bare mat."""
        return [int(count) for count in np.round(self._zero)]

    def ill(self) -> dict[str, list[int]]:
        """Sensors, by number, that look ill over the last frames: `stuck` ones have never
        changed, `railed` ones read 0 or full scale, `noisy` ones differ far more than most from
        frame to frame. {} until enough frames were seen.
        """
        if len(self._last) < LOOKS:
            return {}
        counts = np.array(self._last, float)
        full = 2**self._mat.bits - 1
        railed = np.mean((counts <= 0) | (counts >= full), axis=0) > 0.5
        stuck = ~self._changed & ~railed
        steps = np.median(np.abs(np.diff(counts, axis=0)), axis=0)
        noisy = (steps > NOISY * max(1.0, float(np.median(steps)))) & ~railed
        found = {"railed": railed, "stuck": stuck, "noisy": noisy}
        return {name: np.flatnonzero(which).tolist() for name, which in found.items()}
