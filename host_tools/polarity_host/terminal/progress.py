"""One line on stderr that shows how far the work is; the game itself goes to stdout."""

import os
import sys
import time
from collections.abc import Callable
from typing import TextIO

from rich.progress import Progress as RichProgress
from rich.progress import TaskProgressColumn, TextColumn, TimeRemainingColumn

from polarity_host.terminal.console import ProgressConsole

EVERY_TTY_S = 0.1
EVERY_PLAIN_S = 5.0
SPEED_OVER_S = 86_400.0  # what is left is told by the speed so far: a step may take minutes
#: Values of TERM whose terminals cannot rewrite a line.
DUMB = ("dumb", "unknown")


class Progress:
    """A line that is rewritten in place on a terminal. Elsewhere it shows nothing or, if `wanted`,
    prints a line from time to time.
    """

    def __init__(
        self,
        wanted: bool = False,
        stream: TextIO | None = None,
        clock: Callable[[], float] = time.monotonic,
    ):
        self._clock = clock
        self._stream = stream or sys.stderr
        capable = os.environ.get("TERM", "").lower() not in DUMB
        self._in_place = self._stream.isatty() and capable
        self._on = self._in_place or wanted
        self._next_s = 0.0
        self._columns = (
            TextColumn("{task.description}", markup=False),
            TaskProgressColumn(),
            TimeRemainingColumn(),
        )
        self._line = RichProgress(
            *self._columns,
            console=ProgressConsole(file=self._stream, force_terminal=self._in_place),
            auto_refresh=False,
            transient=True,
            get_time=clock,
            speed_estimate_period=SPEED_OVER_S,
            redirect_stdout=False,
            redirect_stderr=False,
        )
        self._task = self._line.add_task("", total=None)

    def show(self, text: str, share: float | None = None) -> None:
        """Shows `text` and, where the total is known, the share of the work that is done (0 to 1)
        and the time that is left; nothing if the line was shown only just now.
        """
        if not self._on or self._clock() < self._next_s:
            return
        self._next_s = self._clock() + (EVERY_TTY_S if self._in_place else EVERY_PLAIN_S)
        total = None if share is None else 1.0
        self._line.update(self._task, description=text, total=total, completed=share or 0.0)
        self._guarded(self._rewrite if self._in_place else self._print)

    def clear(self) -> None:
        """Removes the line, so that something else can be printed."""
        if self._line.live.is_started:
            self._next_s = 0.0
            self._guarded(self._line.stop)

    def warn(self, text: str) -> None:
        """Prints a line on stderr that stays, whether or not progress is shown."""
        self.clear()
        self._guarded(lambda: self._write(text))

    def _rewrite(self) -> None:
        self._line.start()
        self._line.refresh()

    def _print(self) -> None:
        (task,) = self._line.tasks
        cells = (str(column.render(task)).strip() for column in self._columns)
        self._write(" ".join(filter(None, cells)))

    def _write(self, text: str) -> None:
        self._stream.write(f"{text}\n")
        self._stream.flush()

    def _guarded(self, action: Callable[[], None]) -> None:
        try:
            action()
        except OSError:
            self._on = False  # nobody can see it: the work goes on
