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
    from .selftest import Counts
    from .settings import Settings


class Persistence:
    """What must be stored of one mat. `settings`: those that the mat started with, None where none
    are stored, as in the twin."""

    def __init__(self, game: "Game", settings: "Settings | None" = None) -> None:
        self.settings = settings
        self.later: "tuple[str, ...]" = ()  # names of settings that apply from the next start on
        self.unsaved_settings: "bytes | None" = None  # to be stored, once they were changed
        self.unsaved_calibration: "bytearray | None" = None  # to be stored, once one was received
        self._upload: "Upload | None" = None
        self._game = game

    # ------------------------------------------------------------------ settings, calibration
    def change_setting(self, words: "list[str] | None") -> "tuple[str, str]":
        """Changes a setting, given [name, value]; None changes nothing. Returns (what to log, ""
        when nothing changed; why it is refused, "" when it is not)."""
        from . import settings  # hardly ever needed

        now = self.settings
        if not now:
            self.settings = now = settings.initial(self._game.mat.MAT, self._game.edition)
        if words is None:
            return "", ""
        changed, why = settings.changed(words, now)
        if changed is None or changed == now:
            return "", why
        self.settings, self.unsaved_settings = changed, json.dumps(changed).encode()
        self._game.mark_changed()
        text = "the setting %s is %s" % tuple(words)
        if words[0] != settings.AT_ONCE:
            text += " from the next start on"
            if words[0] not in self.later:
                self.later += (words[0],)
        return text, ""

    def settings_values(self) -> list:
        """The fields of a `settings` message, in order; `change_setting` comes before."""
        from .settings import NAMES

        now = self.settings or {}
        return [now[name] for name in NAMES] + [self.later, not self.unsaved_settings]

    def settings_stored(self) -> None:
        """`unsaved_settings` were written."""
        self.unsaved_settings = None

    def receive_calibration(self, words: "list[str]") -> "tuple[Calibration | None, str]":
        """Takes a piece of a calibration. Returns (the whole once it is there, why it is refused).
        After either, the next piece begins another calibration."""
        from .calibration import Upload  # hardly ever needed

        upload = self._upload or Upload(self._game.mat)
        self._upload = upload
        why = upload.take(words)
        calibration = upload.calibration
        if why or calibration:
            self._upload = None
        if calibration:
            self.unsaved_calibration = upload.data
        return calibration, why

    def calibration_stored(self) -> None:
        """`unsaved_calibration` was written."""
        self.unsaved_calibration = None

    # ------------------------------------------------------------------ the game
    def offsets(self) -> bytes:
        """What `restore` must know of the bare mat; b"" before it was measured."""
        tracker = self._game.tracker
        return bytes(tracker.field.offset) + bytes(tracker.field.noise) if tracker.ready else b""

    def game_parts(self) -> "Generator[bytes]":
        """The game and what lies on the mat, for `restore`: parts (bytes), each made within a
        frame's time. They are worth nothing once the game has changed meanwhile."""
        from .rules.stored_position import serialized

        game = self._game
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

        game = self._game
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
