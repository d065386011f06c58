"""From raw counts to news: calibrated field, the base that explains it, and what is left over.

`base` is the field that the resting scene is known to make: the sum of its bodies' model fields
plus `bias`, the part that no model explains (the earth, drift, each sensor's gain error under a
disc). A frame's residual is its field less the base; bodies in flight then take their share out of
it, and what stays is news.
"""

from array import array

from .. import kernels
from ..kernels._limits import FURTHEST_MM_Q8, NEAR_BODY_MM_Q8
from ..kernels._records import (
    SCENE_CENTRE_X,
    SCENE_CENTRE_Y,
    SCENE_WITHIN,
    SHARE_COUNT,
)
from ..units import INT16, MM
from .parameters import (
    BASELINE_FRAMES,
    BULGE_UT,
    GAIN_SLACK_BITS,
    LAIN_KNOWN_ROUNDS,
    LAIN_ROUNDS,
    LEARNT_NOISE_16UT,
    LIES_UT,
    MEAN_LEAST_FRAMES,
    MEAN_MOST_FRAMES,
    QUIET_UT,
    REACH_MM,
    RESTLESS_ONE_IN_SENSORS,
    RESTLESS_TIMES,
    RESTLESS_UT,
    ROUGH_UT,
    SEEN_SENSORS,
    SEEN_UT,
    STEP_8THS,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..mat_data.mat import Mat


class Share:
    """What a body does to the sensors that its field reaches, `most` of them: their indices and
    values (µT), and how many these are, in `record`. `reach`: how far (Q8 mm) it is followed, by
    its discs. `room`: another, never in use at the same time, in whose memory it is kept."""

    def __init__(self, most: int, reach: "array[int]", room: "Share | None" = None) -> None:
        self.index = room.index if room else array("H", bytes(2 * most))
        self.values = room.values if room else array("i", bytes(4 * most))
        self.reach = reach
        self.record = kernels.record([self.index, self.values, 0, most, 0, reach])


class Field:
    """The frame's arrays, µT, one entry a sensor in frame order. Allocates only when it is made."""

    def __init__(self, mat: "Mat") -> None:
        n = mat.N
        self.mat = mat
        self.n = n
        self.table = kernels.rows_of(mat.FIELD_TABLE)
        self.offset = array("i", [0] * n)
        self.gain = array("i", [_gain(mat)] * n)
        self.base = array("i", [0] * n)
        self.bias = array("h", [0] * n)
        self.field = array("i", [0] * n)
        self.resid = array("i", [0] * n)
        self.moving = array("i", [0] * n)
        self.noise = bytearray(n)  # rms, 16 µT; see kernels.scan
        # the mean residual since something moved, 1/16 µT; between `calm` and `stir`, by how much
        # this frame's is more, µT; before the offsets are known, the counts of a bare mat
        self._mean = array("i", [0] * n)
        self.record = kernels.record(
            [
                n, mat.GRID_SIDE, mat.PITCH, mat.DISC_RADIUS, mat.SENSOR_Z,
                mat.COUNT_MIN, mat.COUNT_MAX, mat.SENSOR_X, mat.SENSOR_Y, mat.GRID, self.table,
                self.offset, self.gain, self.base, self.field, self.resid, self.moving, self.noise,
                0, 0, 0, self.bias,
            ]
        )  # fmt: skip
        self.share = Share(n, array("i", [mm * MM for mm in REACH_MM]))  # of a body at rest
        self._known = False  # whether the bare mat was ever seen
        self.clear(False)

    def clear(self, seen: bool) -> None:
        """Nothing is known but the gains, and what the bare mat shows if that was ever seen;
        `seen`: it is what the offsets say."""
        self.frames = self.restless = self._noted = 0
        self._calm = False
        self.lies = -1
        for i in range(self.n):
            if seen:
                self._mean[i] = self.offset[i] >> 4
            elif not self._known:
                self._mean[i] = self.mat.ZERO_COUNT
            self.offset[i] = self.mat.ZERO_COUNT << 4
            self.noise[i] = self.bias[i] = 0
            for empty in (self.base, self.field, self.resid, self.moving):
                empty[i] = 0
        self._known = self._known or seen
        self._lain = LAIN_KNOWN_ROUNDS if self._known else LAIN_ROUNDS

    def calibrate(self, gains: "array[int]") -> None:
        """Takes each sensor's gain (Q15; polarity.calibration), 0 for one that says nothing."""
        usual = _gain(self.mat)
        for i in range(self.n):
            self.gain[i] = usual * gains[i] >> 15

    def baseline(self, counts: "Sequence[int]") -> bool:
        """Takes one frame of the bare mat. True when enough of them have made the offsets.

        Frames in which many sensors are restless (`restless`), or in which something lies there
        (`lies`: the sensor that sees most of it, else -1), are no bare mat: it starts again. What
        lies there for very long is a fault of the sensors, and is taken for what it is.
        """
        self._note(counts)
        self.frames += 1
        if self.frames < BASELINE_FRAMES:
            return False
        self.frames = 0
        self._learn()
        if self.restless * RESTLESS_ONE_IN_SENSORS >= self.n:
            return False
        self._lain -= 1
        if self._lain > 0:
            self.lies = self._lying()
            if self.lies >= 0:
                return False
        for i in range(self.n):
            self._mean[i] = 0
        return True

    def _note(self, counts: "Sequence[int]") -> None:
        """Adds one frame of the bare mat to what `_learn` learns from."""
        offset, low, high = self.offset, self.field, self.resid
        last, steps = self.moving, self.base
        if self.frames == 0:
            self.restless, self.lies = 0, -1
            for i in range(self.n):
                offset[i] = steps[i] = 0
                last[i] = low[i] = high[i] = counts[i]
        for i in range(self.n):
            c = counts[i]
            offset[i] += c
            steps[i] += abs(c - last[i])
            last[i] = c
            if c < low[i]:
                low[i] = c
            elif c > high[i]:
                high[i] = c

    def _learn(self) -> None:
        """Offsets and noise of the sensors, and how many are restless, from the noted frames."""
        offset, low, high = self.offset, self.field, self.resid
        last, steps = self.moving, self.base
        scale = self.mat.UT_PER_COUNT_Q16
        still = 0
        for i in range(self.n):
            far, steps_i = high[i] - low[i], steps[i]
            if far > RESTLESS_UT * 65536 // scale and (
                far * BASELINE_FRAMES > RESTLESS_TIMES * steps_i or far > ROUGH_UT * 65536 // scale
            ):
                self.restless += 1
            # a mean step of white noise is 2 / sqrt(pi) of its rms
            rms = steps_i * STEP_8THS // (8 * BASELINE_FRAMES) * scale >> 20
            self.noise[i] = min(rms, kernels.BROKEN - 1)
            if far == 0:
                still += 1
            offset[i] = offset[i] * 16 // BASELINE_FRAMES
        few = still * RESTLESS_ONE_IN_SENSORS < self.n
        for i in range(self.n):
            # where many keep quite still, it is not they that say nothing
            if self.gain[i] == 0 or (low[i] == high[i] and few):
                self.noise[i] = kernels.BROKEN
            low[i] = high[i] = last[i] = steps[i] = 0

    def _lying(self) -> int:
        """The sensor that sees most of something that lies on the mat; -1 if nothing does."""
        found, most, mat = -1, LIES_UT * 65536 // self.mat.UT_PER_COUNT_Q16, self.mat
        for i in range(self.n):
            count = self.offset[i] >> 4
            far = abs(count - self._mean[i])
            if far > most and mat.COUNT_MIN < count < mat.COUNT_MAX:
                if self.noise[i] != kernels.BROKEN:
                    found, most = i, far
        return found

    def scan(self, counts: "Sequence[int]") -> int:
        """Takes a frame; returns the largest residual, µT. The residual still holds the bodies in
        flight."""
        return kernels.scan(self.record, counts)

    def note(self) -> None:
        """Takes this frame's residual, before bodies in flight take their shares, into the mean."""
        if self._noted < MEAN_MOST_FRAMES:
            self._noted += 1
        kernels.average(self._mean, self.resid, 256 // self._noted, self.n)

    def moved(self) -> None:
        """Something has moved: the mean begins anew."""
        self._noted = 0

    def calm(self, shares: "Sequence[Share]") -> bool:
        """Makes the residual that of a mean frame, until `stir`, if nothing has moved for long
        enough. `shares`: of the bodies in flight. Returns whether it did."""
        if self._noted < MEAN_LEAST_FRAMES:
            return False
        kernels.exchange(self._mean, self.resid, self.n)
        self._calm = True
        for share in shares:
            kernels.add_at(self.resid, share.record, -1)
            kernels.add_at(self._mean, share.record, 1)
        return True

    def stir(self, shares: "Sequence[Share]") -> None:
        """The residual is this frame's again."""
        kernels.restore(self._mean, self.resid, self.n)
        self._calm = False
        for share in shares:
            kernels.add_at(self._mean, share.record, 16)

    def gather(self, index: "array[int]", x: int, y: int, radius: int, limit: int) -> int:
        """Fills `index` with the sensors within `radius` (Q8 mm) of (x, y); returns how many."""
        record = self.record
        record[SCENE_CENTRE_X], record[SCENE_CENTRE_Y], record[SCENE_WITHIN] = x, y, radius
        return kernels.near(record, index, limit)

    def spot(self, i: int) -> "tuple[int, int]":
        """(x, y) of sensor `i`, Q8 mm."""
        return self.mat.SENSOR_X[i], self.mat.SENSOR_Y[i]

    def look(
        self, index: "array[int]", pose: "array[int]", limit: int, far: int = FURTHEST_MM_Q8
    ) -> int:
        """Fills `index` with the sensors that know most of the body, the wider the higher it is,
        but none further than `far` (Q8 mm); returns how many."""
        radius = min(NEAR_BODY_MM_Q8 + (pose[kernels.Z] >> 1), far)
        return self.gather(index, pose[kernels.X], pose[kernels.Y], radius, limit)

    def weigh(self, weight: "array[int]", index: "array[int]", count: int) -> None:
        """weight[j] = how many bits sensor index[j] counts less in a fit."""
        kernels.weigh(self.record, weight, index, count)

    def _feel(self, pose: "array[int]") -> None:
        """Sets the share to what a body at `pose` does."""
        kernels.enter(self.record, self.share.record, pose)
        kernels.add_at(self.resid, self.share.record, 1)

    def take_out(self, pose: "array[int]") -> None:
        """A resting body may be about to move: its field leaves the base."""
        self._feel(pose)
        kernels.add_at(self.base, self.share.record, -1)
        self._left_over(1)

    def forget(self, pose: "array[int]", kept: "array[int] | None" = None) -> "array[int]":
        """The body that lay at `pose` does so no longer: its share of the bias ends too. Returns
        that share for `recall`: µT, (SEEN_SENSORS,), in `kept` if given."""
        kept = kept or array("h", bytes(2 * SEEN_SENSORS))
        share = self.share.record
        self._feel(pose)
        share[SHARE_COUNT] = self._see()
        kernels.unlearn(self.record, share, kept)
        if not self._calm:
            kernels.add_at(self._mean, share, 16)
        return kept

    def recall(self, pose: "array[int]", kept: "array[int]") -> None:
        """The body lies at `pose` after all: undoes `forget`."""
        self._feel(pose)
        for j in range(self._see()):
            self.learn(self.share.index[j], kept[j])

    def _see(self) -> int:
        """Leaves of the share the sensors that see the body well; returns how many."""
        return min(kernels.above(self.share.record, SEEN_UT), SEEN_SENSORS)

    def put_in(self, pose: "array[int]") -> None:
        """A body has come to rest: its field joins the base."""
        self._feel(pose)
        kernels.add_at(self.base, self.share.record, 1)
        self._left_over(-1)

    def lift_out(self, pose: "array[int]", sign: int) -> None:
        """A resting body is looked at as if it had begun to move (1), or no longer (-1)."""
        if sign > 0:
            self.take_out(pose)
        else:
            self.put_in(pose)
        kernels.add_size(self.moving, self.share.record, sign)

    def _left_over(self, sign: int) -> None:
        """The share is left over, too, or no longer."""
        kernels.add_at(self.resid, self.share.record, sign)
        if not self._calm:
            kernels.add_at(self._mean, self.share.record, sign << 4)

    def accept(self, slack: int = QUIET_UT >> 1) -> None:
        """What is left around the body that was put in last, once the scene is explained, becomes
        bias: gain errors, mostly. More than they can be, and `slack`, is news, and stays."""
        share = self.share
        for j in range(self._see()):
            i = share.index[j]
            v = self.resid[i]
            most = slack + (abs(share.values[j]) >> GAIN_SLACK_BITS)
            if -most < v < most and self.noise[i] < LEARNT_NOISE_16UT:
                if self.still(i):
                    self.learn(i, v)

    def live_with(self, x: int, y: int, within: int) -> None:
        """What is left over around (x, y), Q8 mm, is no news any more."""
        mat = self.mat
        for i in range(self.n):
            if kernels.span(mat.SENSOR_X[i] - x, mat.SENSOR_Y[i] - y) < within:
                self.learn(i, self.resid[i])

    def still(self, i: int) -> bool:
        """True when nothing that moves is felt by sensor `i`."""
        noise = self.noise[i]
        known = noise * kernels.HAZE if noise > kernels.QUIET_NOISE else 0
        return self.moving[i] < QUIET_UT + known

    def learn(self, i: int, v: int) -> None:
        """Adds `v` µT to the bias of sensor i, as far as that can hold it."""
        v = max(-INT16 - self.bias[i], min(INT16 - self.bias[i], v))
        self.bias[i] += v
        self.base[i] += v
        self.resid[i] -= v
        if not self._calm:
            self._mean[i] -= v << 4

    def settle(self, limit: int) -> None:
        """The base takes in all that is left over, where that is less than `limit`."""
        self._noted = 0
        for i in range(self.n):
            v = self.resid[i]
            if -limit < v < limit:
                self.base[i] += v
                self.resid[i] = 0

    def bulge(self) -> int:
        """The sensor round which the residual is raised though none sticks out: a disc high up.
        -1: none."""
        return kernels.bulge(self.record, BULGE_UT)

    def follow_drift(self, limit: int = QUIET_UT) -> None:
        """The base follows slow change, where nothing moves and the residual is below `limit`."""
        kernels.follow(self.record, limit)


def _gain(mat: "Mat") -> int:
    """A sound sensor's, in µT per 1/16 count, Q14; below 0 where counts fall under white."""
    return (mat.UT_PER_COUNT_Q16 >> 6) * mat.WHITE_UP_SIGN
