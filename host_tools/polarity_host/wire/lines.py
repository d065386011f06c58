"""From bytes of a port to messages: a damaged line costs that line only."""

import json
from dataclasses import dataclass
from typing import Any

from polarity.wire.framing import MAX_LINE_BYTES
from polarity.wire.messages import NUMBERED
from polarity.wire.reading import problem, unframe
from polarity_host.wire.bounds import OutOfBounds, bounded, implausible
from polarity_host.wire.messages import (
    Body,
    FlightMessage,
    FrameMessage,
    RulingMessage,
    body_of,
    kind_of,
)

TILDE = b"~"

#: Rulings that correct earlier ones: an end of the game before one of these no longer counts; what
#: holds is ruled anew after it.
REOPENING = ("overruled", "answered", "undone", "revised")


@dataclass(frozen=True)
class Message:
    """One message of a mat. `raw` is its line as received, without the line feed; `boot`, `number`
    and `t_ms` are its head, `body` is the rest as the struct of its kind.
    """

    raw: str
    boot: int
    number: int
    t_ms: int
    body: Body

    @property
    def kind(self) -> str:
        """Which of PROTOCOL.md's messages it is."""
        return kind_of(self.body)

    @property
    def json(self) -> str:
        """The JSON text in its line."""
        return self.raw.split(" ", 1)[1]

    def as_received(self) -> dict[str, Any]:
        """The whole JSON object, with the additional fields of a newer mat, to be passed on."""
        return json.loads(self.json)

    @property
    def numbered(self) -> bool:
        """True for the kinds that are part of the game's record and that `resume` can repeat."""
        return self.kind in NUMBERED

    @property
    def fleeting(self) -> bool:
        """True for what is shown at once or never, and is no part of the record."""
        return isinstance(self.body, (FrameMessage, FlightMessage))

    @property
    def reopens(self) -> bool:
        """True for a correction: a game that had ended goes on, unless its end is ruled anew."""
        return isinstance(self.body, RulingMessage) and self.body.code in REOPENING


@dataclass(frozen=True)
class Damaged:
    """A line that is no message: noise, a traceback, half a line. `text` is its beginning, in
    printable characters; `why` says what is wrong. `aside` is the whole line where its form and
    its checksum are right but what it says is not: such a line is stored as it is.
    """

    text: str
    why: str
    aside: bytes = b""


class LineSplitter:
    """Cuts a stream into candidate lines and buffers at most one line of MAX_LINE_BYTES.

    A message begins at a tilde and ends at a line feed, so a tilde inside a line means that the
    line before it broke off.
    """

    def __init__(self) -> None:
        self._line = bytearray()
        self._cut = False  # the line is longer than a line can be: the rest of it is dropped

    def feed(self, chunk: bytes) -> list[bytes]:
        """The lines that `chunk` completes, without their ends; empty ones are left out."""
        lines: list[bytes] = []
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
        fields = bounded(text)
    except OutOfBounds as beyond:
        return _damaged(line, str(beyond), line)
    except (ValueError, RecursionError):
        return _damaged(line, "no JSON inside", line)
    why = problem(fields) or implausible(fields)
    if why:
        return _damaged(line, why, line)
    return Message(
        line.decode("ascii").rstrip("\r\n"),
        fields["b"],
        fields["n"],
        fields["t"],
        body_of(fields),
    )


def newer_version(damaged: Damaged) -> bool:
    """True when the line is of a mat that speaks a newer wire than this host."""
    return damaged.why.startswith("wire version")


def _damaged(line: bytes, why: str, aside: bytes = b"") -> Damaged:
    text = line[:60].decode("ascii", "replace")
    text = "".join(c if c.isascii() and c.isprintable() else "?" for c in text)
    return Damaged(text, why, bytes(aside))
