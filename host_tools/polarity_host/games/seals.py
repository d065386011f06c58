"""Seals chain the lines of a stored game: each is the SHA-256 of the one before, and of its line.

So a line that is changed, put in or taken out later fits its own seal, or that of the next line, no
more. Who can write the file can make all seals anew; but not so that the last one stays the same.
Therefore people can note that of a game's result elsewhere, and compare.
"""

import base64
import hashlib
import struct
from collections.abc import Iterable
from typing import NamedTuple

BEGINNING = b""  # what stands for the seal before a game's first line
SHOWN_BYTES, GROUP = 10, 4  # of a seal, as people note it: 80 bits, in groups of letters


class SealedLine(NamedTuple):
    """A stored line; values of a damaged file may be of any type. `seal` is None where it was
    stored before there were seals."""

    id: int
    number: int
    received_ms: int
    raw: str
    seal: bytes | None


def seal_of(before: bytes, received_ms: int, raw: str) -> bytes:
    """The seal of a line that was received at that time (UTC, ms since 1970), after the line whose
    seal is `before`."""
    line = raw.encode("utf-8", "surrogatepass")
    return hashlib.sha256(before + struct.pack("<q", received_ms) + line).digest()


def shown(seal: bytes) -> str:
    """A seal as people note it, such as `K7QF-3M2A-YYTB-0123`."""
    text = base64.b32encode(seal[:SHOWN_BYTES]).decode("ascii")
    return "-".join(text[i : i + GROUP] for i in range(0, len(text), GROUP))


def broken(lines: Iterable[SealedLine]) -> list[SealedLine]:
    """The lines of a game, given in order, that do not fit their seals."""
    found, before = [], BEGINNING
    for line in lines:
        if line.seal is not None and not _fits(line, before):
            found.append(line)
        before = line.seal if isinstance(line.seal, bytes) else BEGINNING
    return found


def chained(lines: Iterable[SealedLine]) -> list[SealedLine]:
    """The same lines with the seals that they have one after the other; those without stay so."""
    made, before = [], BEGINNING
    for line in lines:
        if line.seal is not None:
            line = line._replace(seal=seal_of(before, line.received_ms, line.raw))
        made.append(line)
        before = line.seal or BEGINNING
    return made


def _fits(line: SealedLine, before: bytes) -> bool:
    try:
        return seal_of(before, line.received_ms, line.raw) == line.seal
    except (AttributeError, struct.error):  # something else in place of a text or a number
        return False
