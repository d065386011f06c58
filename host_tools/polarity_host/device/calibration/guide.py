"""Leads a player who calibrates a mat by hand, from the frames."""

from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from polarity_host.mats.description import Mat

BARE_S = 1.0
COVERED_MT, NOTHING_MT, STILL_MT = 10.0, 1.0, 0.25
STILL_S = 0.8  # a disc that rests this long was laid down
DONE_S = 4.0  # once the mat is bare for this long, the player is done
GIVE_UP_S = 30.0  # or has left
ENOUGH = 0.97  # share of the sensors over which the disc was drawn
LAYINGS = 5

Step = Literal["bare", "draw", "lay", "end"]


class Guide:
    """What the player has shown so far, and what to do next.

    `step` is the message of the catalogues' section `maintenance`, and `values` fills it in. Masks
    of the sensors: `covered`, those over which a disc was drawn, and `sound`. `laid` counts the
    places in which a disc was laid down. `done`: the player has finished.
    """

    def __init__(self, mat: Mat):
        self.mat = mat
        self.done = False
        self.step: Step = "bare"
        self.values: dict[str, Any] = {}
        self.laid = 0
        self._begin_us: int | None = None
        self._bare: list[NDArray[np.uint16]] = []
        self._offset: NDArray[np.float64] | None = None  # in counts
        self.covered = np.zeros(mat.n, bool)
        self.sound = np.ones(mat.n, bool)
        self._last: NDArray[np.float64] | None = None  # the field (mT) others are compared with
        self._still_us = self._bare_us = 0
        self._counted = False

    @property
    def coverage(self) -> float:
        """Share of the sound sensors over which the disc was drawn."""
        return float(self.covered[self.sound].mean())

    def observe(self, t_us: int, counts: NDArray[np.uint16]) -> None:
        """Handles one frame."""
        if self._offset is None:
            self._begin_us = t_us if self._begin_us is None else self._begin_us
            self._bare.append(counts)
            if t_us - self._begin_us >= BARE_S * 1e6:
                self._offset = np.mean(self._bare, axis=0)
                self.sound = np.ptp(self._bare, axis=0) > 0
            return
        field_mt = np.abs(counts - self._offset) * self.sound / self.mat.counts_per_mt
        if field_mt.max() < NOTHING_MT:
            self._bare_us = self._bare_us or t_us
            self._counted = False
            self._last = None
            enough = self.coverage >= ENOUGH and self.laid >= LAYINGS
            wait_s = DONE_S if enough else GIVE_UP_S
            self.done = bool(self.covered.any()) and t_us - self._bare_us > wait_s * 1e6
        else:
            self._bare_us = 0
            self.covered |= field_mt > COVERED_MT
            self._count_laid(t_us, field_mt)
        self.step, self.values = self._next()

    def _count_laid(self, t_us: int, field_mt: NDArray[np.float64]) -> None:
        top = np.argsort(field_mt)[-5:]
        if self._last is None or np.abs(field_mt - self._last)[top].max() > STILL_MT:
            self._last, self._still_us = field_mt, t_us
        elif t_us - self._still_us > STILL_S * 1e6 and not self._counted and self.coverage > ENOUGH:
            self._counted = True
            self.laid += 1

    def _next(self) -> tuple[Step, dict[str, Any]]:
        if self.coverage < ENOUGH:
            return "draw", {"percent": round(100 * self.coverage)}
        if self.laid < LAYINGS:
            return "lay", {"laid": self.laid, "wanted": LAYINGS}
        return "end", {"laid": self.laid, "seconds": round(DONE_S)}
