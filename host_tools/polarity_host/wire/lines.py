"""From bytes of a port to messages: a damaged line costs that line only."""

import json
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from polarity.wire.framing import MAX_LINE_BYTES
from polarity.wire.messages import NUMBERED
from polarity.wire.reading import problem, unframe
from polarity_host.wire.messages import Body, body_of

TILDE = b"~"

#: Kinds of which only the newest is of interest: they are shown, never kept.
FLEETING = ("frame", "flight")

#: Corrections: an ending before one of these counts no more; what holds is ruled anew after it.
REOPENING = ("overruled", "answered", "undone")


@dataclass(frozen=True)
class Message:
    """One message of a mat. `raw` is its line as received, without the line feed."""

    raw: str
    boot: int
    number: int
    t_ms: int
    kind: str
    fields: dict[str, Any] = field(hash=False)

    @cached_property
    def body(self) -> Body:
        """What it says, as the struct of its kind; additional fields of a newer mat left out."""
        return body_of({**self.fields, "k": self.kind})

    def as_received(self) -> dict[str, Any]:
        """The whole JSON object, additional fields of a newer mat included, to be passed on."""
        return dict(self.fields)

    @property
    def numbered(self) -> bool:
        """True for the kinds that are part of the game's record and can be had again by
        `resume`.
        """
        return self.kind in NUMBERED

    @property
    def fleeting(self) -> bool:
        """True for what is shown at once or never, and is no part of the record."""
        return self.kind in FLEETING

    @property
    def reopens(self) -> bool:
        """True for a correction: a game that had ended goes on, unless its end is ruled anew."""
        return self.kind == "ruling" and self.fields["code"] in REOPENING


@dataclass(frozen=True)
class Damaged:
    """A line that is no message: noise, a traceback, half a line. `text` is its start,
    printable.
    """

    text: str
    why: str


class LineSplitter:
    """Cuts a stream into candidate lines, holding at most one line of MAX_LINE_BYTES.

    A message begins at a tilde and ends at a line feed; a tilde inside a line therefore means that
    the line before it broke off.
    """

    def __init__(self):
        self._line = bytearray()
        self._cut = False  # the line in hand is longer than a line can be: its rest is let go

    def feed(self, chunk: bytes) -> list[bytes]:
        """The lines that `chunk` completes, without their ends; empty ones are left out."""
        lines = []
        parts = chunk.replace(b"\r", b"").split(b"\n")
        for index, part in enumerate(parts):
            self._take(part, lines)
            if index + 1 < len(parts):
                self._finish(lines)
        return lines

    def _take(self, part: bytes, lines: list[bytes]) -> None:
        pieces = part.split(TILDE)
        for index, piece in enumerate(pieces):
            if index:
                self._finish(lines)
                piece = TILDE + piece
            if self._cut:
                continue
            self._line += piece
            if len(self._line) > MAX_LINE_BYTES:
                del self._line[MAX_LINE_BYTES:]
                self._cut = True

    def _finish(self, lines: list[bytes]) -> None:
        if self._line:
            lines.append(bytes(self._line))
        self._line.clear()
        self._cut = False


def decode(line: bytes) -> Message | Damaged:
    """The message in a line, or what is wrong with the line. Never raises."""
    text = unframe(line)
    if text is None:
        return _damaged(line, "not a line of a mat")
    try:
        fields = json.loads(text)
    except (ValueError, RecursionError):
        return _damaged(line, "no JSON inside")
    why = problem(fields)
    if not why and not all(-(2**63) <= fields[name] < 2**63 for name in "bnt"):
        why = "a number too large"
    if why:
        return _damaged(line, why)
    return Message(
        line.decode("ascii").rstrip("\r\n"),
        fields["b"],
        fields["n"],
        fields["t"],
        fields["k"],
        fields,
    )


def newer_version(damaged: Damaged) -> bool:
    """True when the line is of a mat that speaks a newer wire than this host."""
    return damaged.why.startswith("wire version")


def _damaged(line: bytes, why: str) -> Damaged:
    text = line[:60].decode("ascii", "replace")
    return Damaged("".join(c if c.isascii() and c.isprintable() else "?" for c in text), why)
