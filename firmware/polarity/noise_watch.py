"""Judges how much the sensors' counts differ in play from one look to the next.

What moves over the mat changes some sensors; noise changes them all. So the share of sensors counts
whose step is far beyond the usual one, and the share that takes no step at all.
"""

LEARNT = 12  # rounds after the bare mat was measured, of which the quietest is usual
LEAST_LEARNT = 4  # of them before anything is judged
LEAST = 8  # 1/16 counts: the usual step is at least this
FAR = 3  # times the usual step, which one sensor in sixty exceeds by noise alone
LOUD_PERCENT, QUIET_PERCENT = 25, 12  # of the sensors: 36 % exceed it at 2.6 times the noise
STILL_PERCENT = 90
# What moves takes large steps on few sensors. The mean step in usual ones, times the percentage of
# those that are not far, is 150 to 195 for noise, however much it has grown; tall towers carried
# about make it more.
NOISE_MOST = 200
LOOKS = 1400  # in succession, 200 a second, before it is told or taken back


class NoiseWatch:
    """`complaint`: "noise_in_play", "frozen" where frames never change, or ""."""

    def __init__(self) -> None:
        self.complaint = ""
        self.far_step = 0  # counts: a larger step is far
        self._usual = 0  # step in 1/16 counts, 0 until it is learnt
        self._learnt = 0  # rounds of that
        self._otherwise = 0  # looks in succession that say otherwise than `complaint`

    def end_round(self, looks: int, still: int, far: int, total: int) -> None:
        """Sensors were looked at so often, without a step and with a far one so often; `total` of
        the steps in counts."""
        if not looks:
            return
        far, still = 100 * far // looks, 100 * still // looks
        if self._learnt < LEARNT and (still < STILL_PERCENT or not self._usual):
            mean = max(LEAST, (total << 4) // looks)
            self._usual = min(mean, self._usual or mean)
            self.far_step = FAR * self._usual >> 4
            self._learnt += 1
        if self._learnt >= LEAST_LEARNT:
            moved = (total << 4) * (100 - far) > NOISE_MOST * self._usual * looks
            if far <= LOUD_PERCENT or not moved:
                self._judge(far, still, looks)

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
