"""Watches in play whether what each ADC input shows can come from discs.

What the known scene does not explain is on few sensors at a time, wherever discs move. Inputs that
are swapped, shifted or amplified, or an address line that no longer switches, show it on many
sensors of an input at once.
"""

from array import array

from .kernels import BROKEN, QUIET_NOISE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .health import Counts
    from .mat_data.mat import Mat
    from .perception.field import Field

SAMPLE = 4  # every fourth sensor is looked at, each time others
LIMIT_UT = 350  # more than noise: see field.QUIET_UT
NOISE_UT = 64  # and so much for each 16 µT of known noise, 4 sigma
# An input of which more than a sixth of the sensors shows that is not to be believed; where there
# are several, discs bring one to a 25th. A single one has the sensors round a disc to itself.
SHARE, SINGLE_SHARE = 6, 3
LEAST = 4  # sensors
STRANGE, MOST = 3, 12  # how much longer each strange look is remembered, in good ones; and at most
LOUD_PERCENT = 40  # of an input's sensors: 48 % take far steps at 3.4 times the usual noise
LOUD_LOOKS = 6  # how many more of them than of others before it is reported
TOLD = 6  # when it is reported: after two strange looks in succession
BITS = 10  # of a tally of one input's sensors


class InputWatch:
    """`complaint`: "unexplained", "noise_in_play" where one input is noisier than it was, or ""."""

    def __init__(self, mat: "Mat") -> None:
        self.complaint = ""
        self._mat = mat
        self._share = SHARE if len(mat.ADC_PINS) > 1 else SINGLE_SHARE
        self._level = self._loud = 0
        self._last = array("H", [0] * ((mat.N + SAMPLE - 1) // SAMPLE))

    def begin(self) -> None:
        """The bare mat is measured anew."""
        self.complaint, self._level, self._loud = "", 0, 0

    def look(self, field: "Field", counts: "Counts", far_step: int) -> None:
        """Once a second: reports what lasts, and takes it back when it is over. A step of a count
        beyond `far_step` is unusual, 0: that is not known yet."""
        if self._strange(field):
            self._level = min(MOST, self._level + STRANGE)
        elif self._level:
            self._level -= 1
        noisy = self._noisy(counts, far_step) if far_step else False
        self._loud = min(LOUD_LOOKS + 2, self._loud + 1) if noisy else max(0, self._loud - 1)
        if self._level >= TOLD:
            self.complaint = "unexplained"
        elif self._loud >= LOUD_LOOKS:
            self.complaint = "noise_in_play"
        elif not (self._level or self._loud):
            self.complaint = ""

    def doubts(self, field: "Field") -> bool:
        """Whether some input's sensors are not to be believed, now or a few seconds ago."""
        if self._strange(field):
            self._level = min(MOST, self._level + STRANGE)
        return self._level > 0

    def _strange(self, field: "Field") -> bool:
        """Whether many sensors of some input show what nothing explains."""
        mat, resid, noise = self._mat, field.resid, field.noise
        k = sampled = odd = 0
        while k < mat.N:
            entry = mat.SCAN_ORDER[k]
            i = entry & 0x3FFF
            own = noise[i]
            if own != BROKEN:
                one = 1 << BITS * (entry >> 14)
                sampled += one
                most = LIMIT_UT + (own * NOISE_UT if own > QUIET_NOISE else 0)
                if resid[i] > most or resid[i] < -most:
                    odd += one
            k += SAMPLE
        while odd:
            own = odd & (1 << BITS) - 1
            if own >= LEAST and own * self._share > sampled & (1 << BITS) - 1:
                return True
            odd >>= BITS
            sampled >>= BITS
        return False

    def _noisy(self, counts: "Counts", far_step: int) -> bool:
        """Whether many sensors of some input have changed unusually far since the last look."""
        mat, last = self._mat, self._last
        k = j = sampled = far = 0
        while k < mat.N:
            entry = mat.SCAN_ORDER[k]
            one = 1 << BITS * (entry >> 14)
            count = counts[entry & 0x3FFF]
            step = count - last[j]
            last[j] = count
            sampled += one
            if step > far_step or step < -far_step:
                far += one
            k += SAMPLE
            j += 1
        while sampled:
            own, of = far & (1 << BITS) - 1, sampled & (1 << BITS) - 1
            if own * 100 > of * LOUD_PERCENT:
                return True
            far >>= BITS
            sampled >>= BITS
        return False
