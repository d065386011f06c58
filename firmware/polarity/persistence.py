"""What outlives a power cut: the game, the bare mat's offsets, settings and calibration.

Nothing is written here: loop.py does that, drivers/flash_store.py says how.
"""

import json
from array import array

from .perception.memory import recall, remembered
from .rules.editions import rules_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Generator

    from .calibration import Calibration, Upload
    from .game import Game
    from .health import Counts
    from .settings import Settings


class Persistence:
    """What must be stored of one mat. `settings`: those that the mat started with, None where none
    are stored, as in the twin."""

    def __init__(self, game: "Game", settings: "Settings | None" = None) -> None:
        self.game = game
        self.settings = settings
        self.later: "tuple[str, ...]" = ()  # names of settings that apply from the next start on
        self.unsaved: "dict[str, bytes | bytearray]" = {}  # records to be stored, by name
        self._upload: "Upload | None" = None

    # ------------------------------------------------------------------ settings, calibration
    def set(self, words: "list[str] | None") -> "tuple[list, str, str]":
        """Changes a setting, given [name, value]; None changes nothing. Returns (the fields of a
        `settings` message, what to log, why it is refused)."""
        from .settings import DEFAULTS, NAMES, apply  # hardly ever needed

        game, text, why = self.game, "", ""
        now = self.settings or dict(DEFAULTS, mat=game.mat.MAT, edition=game.edition)
        if words is not None:
            now, text, later, why = apply(words, now)
            if text:
                self.unsaved["settings"] = json.dumps(now).encode()
                game.mark_changed()
                if later and words[0] not in self.later:
                    self.later += (words[0],)
        self.settings = now
        values = [now[name] for name in NAMES]
        return values + [self.later, "settings" not in self.unsaved], text, why

    def receive(self, words: "list[str]") -> "tuple[Calibration | None, str]":
        """Takes a piece of a calibration. Returns (the whole once it is there, why it is refused).
        After either, the next piece begins another calibration."""
        from .calibration import Upload  # hardly ever needed

        upload = self._upload = self._upload or Upload(self.game.mat)
        why = upload.take(words)
        calibration = upload.calibration
        if why or calibration:
            self._upload = None
        if calibration:
            self.unsaved["calibration"] = upload.data
        return calibration, why

    def stored(self, name: str) -> None:
        """The record of this name in `unsaved` was written."""
        del self.unsaved[name]

    # ------------------------------------------------------------------ the game
    def offsets(self) -> bytes:
        """What `restore` must know of the bare mat; b"" before it was measured."""
        tracker = self.game.tracker
        return bytes(tracker.field.offset) + bytes(tracker.field.noise) if tracker.ready else b""

    def game_parts(self) -> "Generator[bytes]":
        """The game and what lies on the mat, for `restore`: parts (bytes), each made within a
        frame's time. They are worth nothing once the game has changed meanwhile."""
        from .rules.stored_position import serialized

        game = self.game
        yield ('["%s","%s",[' % (game.mat.MAT, game.edition)).encode()
        between = b""
        for piece in remembered(game.tracker):
            yield between + json.dumps(piece, separators=(",", ":")).encode()
            between = b","
        between = b"],"
        for text in serialized(game.referee.position):
            yield between + text.encode()
            between = b""
        yield b"]"

    def restore(self, offsets: bytes, text: bytes, counts: "Counts", t_ms: int = 0) -> str:
        """Goes on with a game, given `offsets` and all `game_parts` of the mat before the power
        cut, and a frame of the mat as it lies now. Returns the line for the log; "" when there is
        no game to go on with, and the mat must be bare.
        """
        from .rules.stored_position import restored

        game = self.game
        n, configured = game.mat.N, game.edition
        try:
            mat, edition, bodies, position = json.loads(text)
            if mat != game.mat.MAT or len(offsets) != 5 * n or not rules_of(edition):
                return ""
            game.begin(edition, t_ms)
            game.referee.continue_from(restored(game.referee.edition, position))
            field = game.tracker.field
            field.offset[:] = array("i", offsets[: 4 * n])
            field.noise[:] = offsets[4 * n :]
            elsewhere = recall(game.tracker, bodies, counts)
        except (AttributeError, IndexError, KeyError, TypeError, ValueError):
            game.begin(configured, t_ms)
            return ""
        if elsewhere * 2 > len(bodies):
            game.begin(configured, t_ms)
            return ""
        return "the game goes on: %d pieces remembered, %d lie elsewhere" % (len(bodies), elsewhere)
