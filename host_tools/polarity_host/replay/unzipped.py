"""A gzipped file that may be damaged: what lies behind the damage is read as well.

Deflate begins anew after a full flush (zlib's Z_FULL_FLUSH): what follows needs nothing of what was
before. Such a place is found again by what every flush ends with, an empty stored block (RFC 1951,
3.2.4). Where a file was flushed otherwise or never, nothing is found after its damage.
"""

import zlib
from collections.abc import Iterator
from io import RawIOBase
from typing import TYPE_CHECKING, BinaryIO

if TYPE_CHECKING:
    from _typeshed import WriteableBuffer

MAGIC = b"\x1f\x8b"
FLUSHED = b"\x00\x00\xff\xff"
READ_BYTES = 1 << 16
MOST_BYTES = 1 << 20  # of one piece, where the file has no flush
GZIP, RAW = 31, -15  # zlib's window bits: with gzip's header, and without any
TRAILER_BYTES = 8  # after the deflated data: RFC 1952, 2.3.1


class Unzipped(RawIOBase):
    """What `file` holds, as a raw stream. zlib.error where it is damaged, EOFError where it ends
    too early. Once `resumes` is set, reading goes on after damage instead, with what can be read
    from there."""

    def __init__(self, file: BinaryIO):
        super().__init__()
        self.resumes = False
        self._file = file
        self._parts = self._inflated()
        self._part = b""

    def readable(self) -> bool:
        """As every stream that can be read."""
        return True

    def readinto(self, buffer: "WriteableBuffer") -> int:
        """Fills the buffer as far as one part goes; 0 at the end."""
        if not self._part:
            self._part = next(self._parts, b"")
        count = min(memoryview(buffer).nbytes, len(self._part))
        memoryview(buffer)[:count] = self._part[:count]
        self._part = self._part[count:]
        return count

    def _inflated(self) -> Iterator[bytes]:
        inflate, kind = zlib.decompressobj(GZIP), GZIP
        for piece in self._pieces():
            left = piece
            while left:
                try:
                    part = inflate.decompress(left, READ_BYTES)
                except zlib.error:
                    if not self.resumes:
                        raise
                    inflate, kind = zlib.decompressobj(RAW), RAW
                    break  # the next piece may be whole
                if part:
                    yield part
                left = inflate.unconsumed_tail
                if inflate.eof:
                    left = inflate.unused_data[TRAILER_BYTES if kind == RAW else 0 :]
                    if not left.startswith(MAGIC):  # else another file follows in this one
                        return
                    inflate, kind = zlib.decompressobj(GZIP), GZIP
        if not inflate.eof:
            raise EOFError

    def _pieces(self) -> Iterator[bytes]:
        """The bytes of the file, broken after each flush."""
        piece = b""
        while block := self._file.read(READ_BYTES):
            searched = max(0, len(piece) - len(FLUSHED) + 1)
            piece += block
            while (end := piece.find(FLUSHED, searched) + len(FLUSHED)) >= len(FLUSHED):
                yield piece[:end]
                piece, searched = piece[end:], 0
            if len(piece) > MOST_BYTES:
                yield piece
                piece = b""
        if piece:
            yield piece
