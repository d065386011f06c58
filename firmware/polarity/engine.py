"""The one engine: a frame of raw counts in; facts, rulings and messages out. The caller supplies
the time.

It runs unmodified on the chip, under CPython in the digital twin and over recordings.
"""

from . import version
from .buttons import command_for
from .facts import Fact
from .game import Game
from .health import Health
from .persistence import Persistence
from .rules.editions import rules_of
from .telemetry import Telemetry
from .wire.commands import CommandReader
from .wire.outbox import Outbox

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from .calibration import Calibration
    from .health import Counts
    from .mat_data.mat import Mat
    from .settings import Settings

NAME = "polarity-mat"
CAPABILITIES = ("facts", "rulings", "resume", "snap", "frames", "flight", "new", "corrections")


class Engine:
    """One mat and the game on it: `game`, `health` of its sensors, `telemetry` for the host, and
    `persistence` over a power cut.

    `mat` is a module of polarity.mat_data, `edition` an id of polarity.rules.editions, `boot_id`
    an int that differs from boot to boot, `calibration` a polarity.calibration.Calibration of this
    mat, if there is one, `settings` those of polarity.settings that the mat started with, where
    they are stored; `on_ruling` is called as soon as something was ruled. ValueError for an unknown
    edition.
    """

    def __init__(
        self,
        mat: "Mat",
        edition: str = "temple",
        boot_id: int = 0,
        calibration: "Calibration | None" = None,
        settings: "Settings | None" = None,
        on_ruling: "Callable[[], None] | None" = None,
    ) -> None:
        if rules_of(edition) is None:
            raise ValueError("no rules called " + edition)
        self.mat = mat
        self.t_ms = 0  # of the newest frame
        self.outbox = Outbox(boot_id)
        self.game = Game(mat, edition, self.outbox, on_ruling)
        self.health = Health(mat, self.outbox, self.game)
        self.telemetry = Telemetry(self.outbox, self.game, self.health)
        self.persistence = Persistence(self.game, settings)
        self.commands = CommandReader()
        if calibration:
            self.game.calibrate(calibration)

    # ------------------------------------------------------------------ frames in
    def frame(self, t_ms: int, counts: "Counts", lost: int = 0, waiting: int = -1) -> None:
        """Takes one frame: `counts` holds mat.N ints in frame order (array('H') or a list), `t_ms`
        its time; `lost` frames were missed so far, and so many are `waiting`, as in
        Tracker.step: while there are any, some work is left for later."""
        self.t_ms = t_ms
        if self.telemetry.only_frames:
            self.health.count(lost)
            self.telemetry.show_frame(t_ms, counts)
            return
        self.game.tracker.step(t_ms, counts, waiting)
        self._judge(counts)
        self.health.check(t_ms, counts, lost)
        self.telemetry.show(t_ms, counts, waiting)

    def _judge(self, counts: "Counts") -> None:
        facts = self.game.tracker.scene.facts
        if not facts:
            self.game.referee.judge_oldest()
            if self.game.is_due(self.t_ms) and not self.health.doubts(counts):
                self.game.recount(self.t_ms)
            return
        if self.health.doubts(counts):
            for fact in facts:
                fact.suspect()
        facts.sort(key=Fact.moment)  # as they happened
        for fact in facts:
            self.game.handle(fact)

    # ------------------------------------------------------------------ the wire
    def command(self, chunk: bytes) -> None:
        """Takes bytes from the host, in any portions; every complete line is answered by an ack."""
        for name, argument, line in self.commands.feed(chunk):
            why = self._obey(name, argument) if name else argument
            self.outbox.send("ack", self.t_ms, (line, not why, why))

    def _obey(self, name: str, argument: "Any") -> str:
        """Carries out a command; its argument is of the kind that commands.COMMANDS states. Returns
        why it is refused, or an empty string."""
        if name == "hello":
            self._hello()
        elif name == "resume":
            return self.outbox.resume(argument)
        elif name == "snap":
            self.telemetry.ask_snapshot(self.t_ms)
        elif name == "frames":
            self.telemetry.set_frames(argument)
        elif name == "flight":
            self.telemetry.set_flight(argument == "on")
        elif name == "new":
            if not rules_of(argument):
                return "no such edition"
            self.game.begin(argument, self.t_ms)
        elif name == "calibrate":
            return self._calibrate(argument)
        elif name == "settings" or name == "set":
            return self._settings(argument)
        else:
            return self._declare(name, argument)
        return ""

    def _hello(self) -> None:
        self.telemetry.greet(self.t_ms)
        mat = self.mat
        about = (NAME, version.number, mat.MAT, mat.N, self.game.edition, CAPABILITIES)
        self.outbox.send("hello", self.t_ms, about + (mat.FRAME_HZ, self.outbox.first))

    def _calibrate(self, words: "list[str]") -> str:
        """The last piece of a calibration begins a new game, on a bare mat and with the new
        gains."""
        calibration, why = self.persistence.receive(words)
        if calibration:
            self.game.calibrate(calibration)
            self.game.begin(self.game.edition, self.t_ms)
        return why

    def _settings(self, words: "list[str] | None") -> str:
        """Sends the settings, after one was changed if there are `words` for it."""
        values, text, why = self.persistence.set(words)
        if text:
            self.log("info", text)
        if not why:
            self.outbox.send("settings", self.t_ms, values)
        return why

    def _declare(self, name: str, words: "list[str]") -> str:
        """Judges what players declare. A correction is followed by a snapshot."""
        from .rules.declarations import CORRECTIONS

        why = self.game.declare(name, words, self.t_ms)
        if not why and name in CORRECTIONS:
            self.telemetry.snapshot(self.t_ms)
        return why

    def read(self, max_bytes: int) -> bytes:
        """Up to `max_bytes` of what waits for the host; b"" when nothing does."""
        return self.outbox.read(max_bytes)

    def log(self, level: str, text: str) -> None:
        """Puts a line into the record: `level` info, warn or error."""
        self.outbox.send("log", self.t_ms, (level, text))

    # ------------------------------------------------------------------ buttons and lights
    def button(self, number: int, held: bool) -> None:
        """Handles a press of button `number`, 0 or 1, `held` for long or not: see
        buttons.command_for.
        The record says why one is refused."""
        meant = command_for(number, held, self.game.referee.position.question)
        if meant:
            why = self._declare(*meant)
            if why:
                self.log("info", "button %d: %s" % (number + 1, why))

    def lights(self, t_ms: int, connected: bool = False) -> bytearray:
        """The LED ring's picture now: see polarity.lights.ring."""
        game = self.game
        ill, calibrating = bool(self.health.complaint), self.telemetry.only_frames
        return game.ring.paint(t_ms, game.referee.position, connected, ill, calibrating)
