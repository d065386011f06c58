"""Watches in play how much the sensors' counts differ from one look to the next.

What moves over the mat changes some sensors; noise changes them all. So the share of sensors counts
whose step is far beyond the usual one, and the share that takes no step at all.
"""

LEARNT = 12  # rounds after the bare mat was measured, of which the quietest is usual
LEAST_LEARNT = 4  # of them before anything is judged
LEAST = 8  # 1/16 counts: the usual step is at least this
FAR = 3  # times the usual step, which one sensor in sixty exceeds by noise alone
LOUD_PERCENT, QUIET_PERCENT = 25, 12  # of the sensors: 36 % exceed it at 2.6 times the noise
STILL_PERCENT = 90
LOOKS = 1400  # in succession, 200 a second, before it is told or taken back


class NoiseWatch:
    """`complaint`: "noise_in_play", "frozen" where frames never change, or ""."""

    def __init__(self) -> None:
        self.complaint = ""
        self._usual = 0  # step in 1/16 counts, 0 until it is learnt
        self._learnt = 0  # rounds of that
        self._total = self._looks = self._far = self._still = 0  # of this round
        self._otherwise = 0  # looks in succession that say otherwise than `complaint`

    def look(self, step: int) -> None:
        """A sensor's low eight bits differ by `step` from its last look."""
        step = (step + 128 & 255) - 128
        if step < 0:
            step = -step
        self._looks += 1
        self._total += step
        if not step:
            self._still += 1
        elif step << 4 > FAR * self._usual:
            self._far += 1

    def end_round(self) -> None:
        """All sensors were looked at once."""
        looks = self._looks
        if looks:
            far, still = 100 * self._far // looks, 100 * self._still // looks
            if self._learnt < LEARNT and (still < STILL_PERCENT or not self._usual):
                mean = max(LEAST, (self._total << 4) // looks)
                self._usual = min(mean, self._usual or mean)
                self._learnt += 1
            if self._learnt >= LEAST_LEARNT:
                self._judge(far, still, looks)
        self._total = self._looks = self._far = self._still = 0

    def _judge(self, far: int, still: int, looks: int) -> None:
        found = self.complaint
        if far > LOUD_PERCENT:
            found = "noise_in_play"
        elif still > STILL_PERCENT and self._usual > 2 * LEAST:
            found = "frozen"
        elif far < QUIET_PERCENT and still < STILL_PERCENT:
            found = ""
        self._otherwise = self._otherwise + looks if found != self.complaint else 0
        if self._otherwise >= LOOKS:
            self.complaint, self._otherwise = found, 0
