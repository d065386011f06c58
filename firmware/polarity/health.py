"""Whether the mat's sensors work: checked in play, and reported to the host and on the ring."""

from .kernels import BROKEN
from .selftest import SilenceDetector, baseline_report, missing_inputs

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .game import Game
    from .mat_data.mat import Mat
    from .selftest import Counts
    from .wire.outbox import Outbox

# Sensors are checked for silence in one of this many frames: at rest, and in flight.
SILENCE_EVERY_FRAMES = 4, 16
INPUTS_EVERY_MS = 1000  # how often all ADC inputs are checked


class Health:
    """Checks each frame of `game`; reports to `outbox`."""

    def __init__(self, mat: "Mat", outbox: "Outbox", game: "Game") -> None:
        self.frames = 0  # taken since power-up
        self.lost = 0  # frames that nobody took in time
        self.complaint = ""  # why the mat cannot be read, "" while it can
        self._mat = mat
        self._outbox = outbox
        self._game = game
        self._missing = ""  # which inputs a frame shows nothing of
        self._inputs_checked_ms = -INPUTS_EVERY_MS
        self._baseline_reported = False
        self._silence = SilenceDetector(mat)

    def count(self, lost: int) -> None:
        """Counts a frame that is not checked; `lost` so far."""
        self.frames += 1
        self.lost = lost

    def check(self, t_ms: int, counts: "Counts", lost: int) -> None:
        """Counts and checks a frame, and reports what has changed; `lost` so far."""
        self.frames += 1
        self.lost = lost
        if t_ms - self._inputs_checked_ms >= INPUTS_EVERY_MS:
            self._inputs_checked_ms = t_ms
            self._missing = missing_inputs(self._mat, counts)
        tracker = self._game.tracker
        complaint = tracker.complaint or self._missing
        if complaint != self.complaint:
            self.complaint = complaint
            if complaint:
                self._warn(t_ms, complaint)
            self.report(t_ms)
        if not tracker.ready:
            return
        if not self._baseline_reported:
            self._baseline_reported = True
            found = baseline_report(self._mat, tracker.field)
            if found:
                self._warn(t_ms, found)
        every = SILENCE_EVERY_FRAMES[1 if tracker.flying else 0]
        if not self._missing and self.frames % every == 0:
            silent = self._silence.check(t_ms, counts, tracker.field)
            if silent:
                self._warn(t_ms, silent)
                self.report(t_ms)

    def report(self, t_ms: int) -> None:
        """Sends the health message."""
        noise = self._game.tracker.field.noise
        masked = [i for i, value in enumerate(noise) if value == BROKEN]
        values = (self.frames, self.lost, self._outbox.unsent, masked, self.complaint)
        self._outbox.send("health", t_ms, values)

    def _warn(self, t_ms: int, text: str) -> None:
        self._outbox.send("log", t_ms, ("warn", text))
