"""Raw frames as a field in µT, and which sensors look faulty."""

import base64
from collections import deque

import numpy as np
from numpy.typing import NDArray

from polarity_host.mats.description import Mat

UNIT_UT = 10  # µT per unit of the field that viewers get: int16, so up to 327 mT
LAST_FRAMES = 25  # that a sensor is judged by
NOISY = 6.0  # times the median noise of all sensors


class FieldView:
    """The frames of one mat. The field is relative to the bare mat; until that was observed, to the
    sensors' nominal zero.
    """

    def __init__(self, mat: Mat):
        self._mat = mat
        self._zero = np.full(mat.n, float(mat.zero_count))
        self._changed = np.zeros(mat.n, bool)
        self._last: deque[NDArray[np.uint16]] = deque(maxlen=LAST_FRAMES)

    def take(self, counts: str, bare: bool) -> bool:
        """Takes a frame as on the wire; `bare`: nothing lies on the mat or is near it. False
        when it is not a frame of this mat.
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
        """Sensors, by number, that look faulty over the last frames: `stuck` ones have never
        changed, `railed` ones read 0 or full scale, `noisy` ones differ from frame to frame far
        more than most. {} until LAST_FRAMES frames have come.
        """
        if len(self._last) < LAST_FRAMES:
            return {}
        counts = np.array(self._last, float)
        full = 2**self._mat.bits - 1
        railed = np.mean((counts <= 0) | (counts >= full), axis=0) > 0.5
        stuck = ~self._changed & ~railed
        steps = np.median(np.abs(np.diff(counts, axis=0)), axis=0)
        noisy = (steps > NOISY * max(1.0, float(np.median(steps)))) & ~railed
        found = {"railed": railed, "stuck": stuck, "noisy": noisy}
        return {name: np.flatnonzero(which).tolist() for name, which in found.items()}
