"""A game on the terminal: in colour, plain when piped, or as JSON lines."""

import json
import sys
from collections.abc import Callable, Mapping
from typing import TextIO

from rich.cells import cell_len
from rich.text import Text

from polarity_host.device.link import Event, Gap, PortState
from polarity_host.errors import FAILED, HostError
from polarity_host.terminal.console import CommandConsole
from polarity_host.terminal.progress import Progress
from polarity_host.wire.lines import Damaged, Message
from polarity_host.wire.messages import (
    AckMessage,
    FactMessage,
    GameMessage,
    HealthMessage,
    HelloMessage,
    LogMessage,
    RulingMessage,
    SnapMessage,
)
from polarity_host.wire.player_commands import refusal
from polarity_host.words import Words, clock

#: Facts that a ruling names anyway, or that mean nothing to a player.
UNREPORTED_FACTS = ("hand_in", "hand_out", "parted")
STYLES = {
    "fault": "bold red",
    "capture_failed": "bold red",
    "end": "bold green",
    "captured": "cyan",
    "irregular": "yellow",
    "unsure": "yellow",
    "turn": "bold",
}


class Reporter:
    """Prints the events of a link or a replay, one line for each, and remembers the result.

    `result` is the `end` ruling once there is one; `messages` and `damaged` count the lines that
    came. HostError FAILED when stdout cannot be written (a full disk); BrokenPipeError when its
    reader is gone. `share` says how much of the game has been played, for the progress line.
    """

    def __init__(
        self,
        as_json: bool = False,
        progress: Progress | None = None,
        words: Words | None = None,
        explain: bool = False,
        stream: TextIO | None = None,
        share: Callable[[], float | None] = lambda: None,
    ):
        self.words = words or Words()
        self.result: RulingMessage | None = None
        self.damaged = 0
        self.messages = 0
        self._as_json = as_json
        self._progress = progress or Progress()
        self._stream = stream or sys.stdout
        self._console = CommandConsole(file=self._stream, highlight=False, soft_wrap=True)
        self._wraps = self._stream.isatty()  # elsewhere a line stays one
        self._explain = explain
        self._share = share
        self._facts: dict[int, str] = {}  # by number: what an explanation may name
        self._edition = ""
        self._turn = 0
        self._complaint = ""
        self._begun_ms: int | None = None
        self._t_ms = 0

    def report(self, event: Event) -> None:
        """Prints one event, or nothing when it is of no interest to the reader."""
        if isinstance(event, Message):
            self._update(event)
        elif isinstance(event, Damaged):
            self.damaged += 1
        if self._as_json:
            self._report_as_json(event)
        else:
            self._report_in_words(event)
        self._progress.show(self._status(), self._share())

    def result_words(self, result: RulingMessage) -> str:
        """Who won, with the score where the rules of this game let it decide."""
        return self.words.result(result, self._edition)

    def line(self, text: str, style: str = "") -> None:
        """Prints a line of the program's own (not in JSON)."""
        if not self._as_json:
            self._print(Text(_printable(text), style=style))

    def json_line(self, value: Mapping[str, object]) -> None:
        """Prints an object of the program's own (only in JSON)."""
        if self._as_json:
            self._write(json.dumps(value, separators=(",", ":")))

    def _update(self, message: Message) -> None:
        self.messages += not message.fleeting
        self._t_ms = message.t_ms
        if self._begun_ms is None:
            self._begun_ms = message.t_ms
        if message.reopens:
            self.result = None
        match message.body:
            case GameMessage():
                self._begun_ms = message.t_ms
                self._facts.clear()
                self.result = None
                self._edition = message.body.edition
            case HelloMessage() | SnapMessage():
                self._edition = message.body.edition
            case FactMessage() if self._explain:
                happened = clock(message.t_ms - self._begun_ms)
                self._facts[message.number] = f"{happened} {self.words.fact(message.body)}"
            case RulingMessage():
                self._turn = message.body.turn
                if message.body.code == "end":
                    self.result = message.body

    def _report_as_json(self, event: Event) -> None:
        if isinstance(event, Message):
            if not event.fleeting:
                self._write(event.json)
        elif isinstance(event, Gap):
            self.json_line({"k": "lost", "b": event.boot, "first": event.first, "last": event.last})
        elif isinstance(event, PortState):
            self.json_line({"k": "port", "state": event.state, "why": event.why})
        elif isinstance(event, Damaged) and event.aside:
            self.json_line({"k": "aside", "why": event.why, "line": event.aside.decode("latin-1")})

    def _report_in_words(self, event: Event) -> None:
        if isinstance(event, Message):
            self._report_message(event)
        elif isinstance(event, Gap):
            count = event.last - event.first + 1
            span = {"number": count, "first": event.first, "last": event.last}
            self.line("       " + self.words.text("lost", count, **span), "yellow")
        elif isinstance(event, PortState) and event.state == "lost":
            self.line("       " + self.words.text("mat_gone", why=event.why), "yellow")
        elif isinstance(event, Damaged) and event.aside:
            self.line("       " + self.words.aside(event.why), "yellow")

    def _report_message(self, message: Message) -> None:
        match message.body:
            case RulingMessage() as ruling:
                self._event(self.words.ruling(ruling, self._edition), STYLES.get(ruling.code, ""))
                if self._explain:
                    self._explain_ruling(ruling)
            case FactMessage() as fact if fact.kind not in UNREPORTED_FACTS:
                self._event("  " + self.words.fact(fact), "dim")
            case LogMessage(level, text):
                self._event(f"{level}: {self.words.log(text)}", "" if level == "info" else "yellow")
            case HealthMessage(why=why) if why not in ("", self._complaint):
                self._complaint = why
                self._event(self.words.health(why), "yellow")
            case AckMessage(cmd, ok, why) if not ok and not refusal(cmd):
                refused = self.words.text("refused", cmd=cmd, why=why)
                self.line("       " + refused, "yellow")
            case GameMessage(edition, mat):
                self._event(self.words.game(edition, mat), "bold")

    def _explain_ruling(self, ruling: RulingMessage) -> None:
        for text in self.words.explanation(ruling, self._edition, self._facts):
            self._print(Text(" " * 20 + _printable(text), style="dim"), 20)

    def _event(self, text: str, style: str) -> None:
        turn = self.words.text("turn", number=f"{self._turn:<3}") if self._turn else ""
        line = Text().append(f"{self._clock()}  {turn:<8} ", style="dim")
        indent = line.cell_len
        line.append(_printable(text), style=style)
        self._print(line, indent + len(text) - len(text.lstrip()))

    def _status(self) -> str:
        text = self.words.text
        parts = [self._clock(), text("turn", number=self._turn) if self._turn else text("setup")]
        parts.append(text("messages", self.messages, number=self.messages))
        if self.damaged:
            parts.append(text("damaged", self.damaged, number=self.damaged))
        if self.result:
            parts.append(self.result_words(self.result))
        return " · ".join(parts)

    def _clock(self) -> str:
        return clock(self._t_ms - (self._begun_ms or 0))

    def _print(self, text: Text, indent: int = 0) -> None:
        self._progress.clear()
        if self._wraps and text.cell_len > self._console.width:
            text = _wrapped(text, self._console, indent)
        self._guarded(lambda: self._console.print(text))

    def _write(self, line: str) -> None:
        self._progress.clear()
        self._guarded(lambda: self._stream.write(line + "\n"))

    def _guarded(self, action: Callable[[], object]) -> None:
        try:
            action()
            self._stream.flush()
        except BrokenPipeError:
            raise
        except OSError as error:
            raise HostError(FAILED, "cannot write the output: {why}", why=error.strerror) from error


def _wrapped(text: Text, console: CommandConsole, indent: int) -> Text:
    """The text in lines as wide as the console, cut between words; all but the first are indented.
    Left as it is where a word is longer than a line, as a path may be, which is to be copied."""
    head, rest = text.divide([indent])
    width = console.width - indent
    if max(map(cell_len, rest.plain.split()), default=0) > width:
        return text
    lines = rest.wrap(console, width)
    return Text("\n" + " " * indent).join([head + lines[0], *lines[1:]])


def _printable(text: str) -> str:
    """Text from outside, without control characters that could move a terminal's cursor."""
    return "".join(c if c.isprintable() else "?" for c in text)
