"""One line on stderr that says how far the work is; the game itself goes to stdout."""

import sys
import time

EVERY_TTY_S = 0.1
EVERY_PLAIN_S = 5.0


class Progress:
    """A line that is rewritten in place on a terminal; elsewhere, if `wanted`, a line now and
    then.
    """

    def __init__(self, wanted: bool = False, stream=None):
        self._stream = stream or sys.stderr
        self._in_place = self._stream.isatty()
        self._on = self._in_place or wanted
        self._next_s = 0.0
        self._shown = ""

    def show(self, text: str) -> None:
        """Shows `text`, unless the last line was shown only just now."""
        if not self._on or time.monotonic() < self._next_s:
            return
        self._next_s = time.monotonic() + (EVERY_TTY_S if self._in_place else EVERY_PLAIN_S)
        self._shown = text
        self._write(f"\r\x1b[K{text}" if self._in_place else f"{text}\n")

    def clear(self) -> None:
        """Takes the line away, so that something else can be printed."""
        if self._in_place and self._shown:
            self._shown = ""
            self._next_s = 0.0
            self._write("\r\x1b[K")

    def warn(self, text: str) -> None:
        """A line on stderr that stays, whether or not progress is shown."""
        self.clear()
        self._write(f"{text}\n")

    def _write(self, text: str) -> None:
        try:
            self._stream.write(text)
            self._stream.flush()
        except OSError:
            self._on = False  # nobody looks: the work goes on
