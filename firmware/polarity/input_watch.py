"""Watches in play whether what each ADC input shows can come from discs.

What the known scene does not explain is on few sensors at a time, wherever discs move. Inputs that
are swapped, shifted or amplified, or an address line that no longer switches, show it on many
sensors of an input at once. An input without a wire shows it beyond the sensors' range.
"""

from array import array

from . import kernels
from .kernels import X, Y
from .kernels._records import (
    INPUTS_FAR,
    ODD_UT,
    QUIET_NOISE,
    TALLIES,
    TALLY_BEYOND,
    TALLY_FAR,
    TALLY_ODD,
    TALLY_SAMPLE,
    TALLY_SAMPLED,
    TALLY_SOUND,
)
from .perception.parameters import DOUBTED_PERCENT
from .perception.pose import span
from .units import MM

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .health import Counts
    from .mat_data.mat import Mat
    from .perception.field import Field
    from .perception.tracker import Tracker

# An input of which more than a sixth of the sensors shows what nothing explains is not to be
# believed; where there are several, discs bring one to a 25th. A single one has the sensors round a
# disc to itself; and a jolt brings more than a sixth of any.
SHARE, SINGLE_SHARE = 6, 3
LEAST = 4  # sensors
STRANGE, MOST = 3, 12  # how much longer each strange look is remembered, in good ones; and at most
SHAKEN = 5  # good looks after sensors were left out until the others are believed
LOUD_PERCENT = 40  # of an input's sensors: 48 % take far steps at 3.4 times the usual noise
LOUD_LOOKS = 6  # how many more of them than of others before it is reported
TOLD = 6  # when it is reported: after two strange looks in succession, or one at a torn input
MOST_INPUTS = 4
# What flies, and a jolt, excuse odd sensors only while something moves, and the few seconds that
# perception needs then: how many more looks without a change than others, until it is reported.
AT_REST_LOOKS = 8
ODD_WITHIN = 100 * MM  # so near to what flies a sensor may be odd


class InputWatch:
    """`complaint`: "unexplained", "noise_in_play" where one input is noisier than it was, or "".
    What it judges is the frame that `sample` took last."""

    def __init__(self, mat: "Mat") -> None:
        self.complaint = ""
        self._pins = mat.ADC_PINS
        self._share = SHARE if len(mat.ADC_PINS) > 1 else SINGLE_SHARE
        self._level = self._loud = self._at_rest = 0
        self._last = array("H", [0] * ((mat.N + TALLY_SAMPLE - 1) // TALLY_SAMPLE))
        self._tallies = array("H", [0] * (MOST_INPUTS * TALLIES))
        self._order = mat.SCAN_ORDER
        self._record = kernels.record([self._order, self._last, self._tallies, -1])

    def begin(self) -> None:
        """The bare mat is measured anew."""
        self.complaint, self._level, self._loud, self._at_rest = "", 0, 0, 0

    def sample(self, field: "Field", counts: "Counts", far_step: int = 0) -> None:
        """Takes a frame. `far_step`, once a second: the largest step of a count since the last time
        that is not far; 0 where that is not asked, or not known yet."""
        self._record[INPUTS_FAR] = far_step or -1
        kernels.tally(field.record, self._record, counts)

    def judge(self, tracker: "Tracker") -> None:
        """Once a second, after `sample`: reports what lasts, and takes it back when it is over."""
        at_rest = self._odd_at_rest()
        if not self._strange(tracker):
            if at_rest:  # what is reported meanwhile is doubted
                lasts = self._at_rest >= AT_REST_LOOKS
                self._level = max(self._level, TOLD if lasts else STRANGE)
            elif self._level:
                self._level -= 1
        self._at_rest = _counted(self._at_rest, at_rest, AT_REST_LOOKS)
        # A tower that is carried changes most of a single input. All sensors are NoiseWatch's.
        several = len(self._pins) > 1
        noisy = several and self._any(TALLY_FAR, TALLY_SAMPLED, 100, LOUD_PERCENT)
        self._loud = _counted(self._loud, noisy, LOUD_LOOKS)
        if self._level >= TOLD:
            self.complaint = "unexplained"
        elif self._loud >= LOUD_LOOKS:
            self.complaint = "noise_in_play"
        elif not (self._level or self._loud):
            self.complaint = ""

    def shake(self) -> None:
        """Sensors were left out: where they were wrong the scene is, for some seconds."""
        self._level = max(self._level, SHAKEN)

    def doubts(self, tracker: "Tracker") -> bool:
        """Whether some input's sensors are not to be believed, now or a few seconds ago."""
        self._strange(tracker)
        return self._level > 0

    def _strange(self, tracker: "Tracker") -> bool:
        """Whether many sensors of some input show what nothing explains, which is remembered."""
        share = SINGLE_SHARE if tracker.news.shaken() else self._share
        if not self._many_odd(share):
            return False
        # most of an input, or all of it has stepped: no disc does that, so it is told at once
        torn = self._any(TALLY_ODD, TALLY_SOUND, 3, 2) or self._any(TALLY_FAR, TALLY_SAMPLED, 10, 9)
        if not torn:
            if tracker.scene.seen() <= DOUBTED_PERCENT:
                return False  # where pieces were not followed, it is no input's fault
            self._leave_out(tracker)
            if not self._many_odd(share):
                return False
        self._level = min(MOST, self._level + (MOST if torn else STRANGE))
        return True

    def _many_odd(self, share: int) -> bool:
        return self._any(TALLY_ODD, TALLY_SOUND, share, 1, LEAST)

    def _odd_at_rest(self) -> bool:
        """Whether an input has many odd sensors, of which few have changed within a second: asked
        before any are left out."""
        if self._record[INPUTS_FAR] < 0:
            return False
        tallies = self._tallies
        for at in range(0, len(self._pins) * TALLIES, TALLIES):
            odd, most = tallies[at + TALLY_ODD], tallies[at + TALLY_SOUND]
            if odd >= LEAST and tallies[at + TALLY_FAR] * SHARE <= most < odd * SHARE:
                return True
        return False

    def _leave_out(self, tracker: "Tracker") -> None:
        """Leaves out what is odd near what flies: discs that are not understood, or were thrown
        together, are odd to every sensor near them, and it is no input's fault."""
        tallies, field, mat = self._tallies, tracker.scene.field, tracker.scene.mat
        for k in range(0, mat.N, TALLY_SAMPLE):
            i, at = self._order[k] & 0x3FFF, (self._order[k] >> 14) * TALLIES
            if field.noise[i] <= QUIET_NOISE and abs(field.resid[i]) > ODD_UT:
                x, y = mat.SENSOR_X[i], mat.SENSOR_Y[i]
                for body in tracker.scene.flying:
                    if span(body.pose[X] - x, body.pose[Y] - y) < ODD_WITHIN:
                        tallies[at + TALLY_ODD] -= 1
                        break

    def _any(self, part: int, whole: int, times: int, most: int, least: int = 0) -> bool:
        """Whether `times` a part of some input's sensors, `least` at least, exceeds `most` times
        the whole of them."""
        tallies = self._tallies
        for at in range(0, len(self._pins) * TALLIES, TALLIES):
            own = tallies[at + part]
            if own >= least and own * times > tallies[at + whole] * most:
                return True
        return False

    def missing(self) -> str:
        """Which ADC inputs carry no signal, in words; "" when all do: then it allocates nothing.

        A count beyond a sensor's range comes from a loose wire, or from a magnet too strong for the
        sensor.
        """
        if not self._any(TALLY_BEYOND, TALLY_SAMPLED, 4, 3):
            return ""
        silent = []
        for adc in range(len(self._pins)):
            sampled, beyond = [
                self._tallies[adc * TALLIES + k] for k in (TALLY_SAMPLED, TALLY_BEYOND)
            ]
            if beyond * 4 > sampled * 3:
                silent.append("%d (GP%d)" % (adc, self._pins[adc]))
        if len(silent) == len(self._pins):
            return "all sensors are saturated, or without power"
        return "nothing comes from ADC input " + ", ".join(silent)


def _counted(looks: int, counts: bool, enough: int) -> int:
    """One look more or less, from 0 to a little more than are enough."""
    return min(enough + 2, looks + 1) if counts else max(0, looks - 1)
