"""What the first frames say of the sensors: which are dead, stuck at a limit, or noisy."""

from array import array

FRAMES = 16
NOISY_COUNTS = 400  # peak to peak over so many frames; a good sensor stays below 100


class SelfTest:
    """Look at FRAMES frames with `look`; then ask `dead`, `stuck` and `noisy`, sensor indices.

    `dead`: always 0, as an input without a sensor. `stuck`: beyond what a sensor can show.
    """

    def __init__(self, mat):
        self._mat = mat
        self._low = array("H", [0xFFFF] * mat.N)
        self._high = array("H", bytes(2 * mat.N))
        self.frames = 0

    def look(self, counts):
        """Takes one frame; returns True once there have been enough."""
        low, high = self._low, self._high
        for sensor in range(self._mat.N):
            count = counts[sensor]
            if count < low[sensor]:
                low[sensor] = count
            if count > high[sensor]:
                high[sensor] = count
        self.frames += 1
        return self.frames >= FRAMES

    def dead(self):
        """Sensors that showed nothing at all."""
        return [s for s in range(self._mat.N) if not self._high[s]]

    def stuck(self):
        """Sensors that never left what lies beyond their range, but for the dead."""
        low, high = self._low, self._high
        first, last = self._mat.COUNT_MIN, self._mat.COUNT_MAX
        return [s for s in range(self._mat.N) if 0 < high[s] < first or low[s] > last]

    def noisy(self):
        """Sensors that moved far while nothing should have."""
        return [s for s in range(self._mat.N) if self._high[s] - self._low[s] > NOISY_COUNTS]

    def report(self):
        """In words, "" when all is well."""
        said = []
        for what, sensors in (
            ("dead", self.dead()), ("stuck", self.stuck()), ("noisy", self.noisy()),
        ):  # fmt: skip
            if sensors:
                more = " and %d more" % (len(sensors) - 8) if len(sensors) > 8 else ""
                said.append(what + " sensors " + " ".join([str(s) for s in sensors[:8]]) + more)
        return "; ".join(said)
