"""Recordings of raw frames.

`NAME.matrec`: one line of JSON, {"format": "matrec", "version", "mat", "n", "edition", "seed"},
then a record for each frame: `records` describes both versions. The header of version 2 has "check"
too, the CRC-32 of the same JSON object without it (keys in this order, no spaces) in 8 hexadecimal
digits. Append-only; may be gzipped (recognised by its first bytes when read, by the end of its name
when written). A gzipped recording of version 2 has "counts": "differences" in its header: see
`differences`.
"""

import gzip
import json
import os
import struct
import warnings
import zlib
from collections.abc import Callable, Iterator, Sequence
from io import BufferedReader, BufferedWriter
from pathlib import Path
from typing import Any, Self

import numpy as np

from polarity_host.errors import Said, SaidError
from polarity_host.mats.description import Mat, MatError, load_mat
from polarity_host.replay.differences import folded
from polarity_host.replay.records import (
    CHECK,
    ENTRY,
    HEAD,
    INDEX,
    INDEX_FRAMES,
    SYNC,
    Counts,
    Damage,
    Records,
)
from polarity_host.replay.unzipped import MAGIC, Unzipped

VERSIONS = (1, 2)
VERSION = 2  # of new recordings
GZIP_LEVEL = 3  # counts have noise: a higher level takes longer and saves little more
MAX_HEADER_BYTES = 4096
FLUSH_FRAMES = 100  # a crash of the computer loses at most this many frames
DIFFERENCES = "differences"  # the header's "counts", where the records have differences


class RecordingError(SaidError):
    """A recording that cannot be read or written; one line that says what to do."""


MOST_TOLD = 5  # damaged places of a recording that are told one by one


def complaints(path: str | Path, damage: Sequence[Damage], torn: bool = False) -> list[Said]:
    """What is wrong with a recording that could be read, in lines for people."""
    lines = [
        Said("{path} is damaged {place}; skipped", path=path, place=one.said)
        for one in damage[:MOST_TOLD]
    ]
    if len(damage) > MOST_TOLD:
        more = len(damage) - MOST_TOLD
        lines.append(Said("{path} is damaged at {more} more places; skipped", path=path, more=more))
    if torn:
        lines.append(Said("{path} is torn: its incomplete last record was dropped", path=path))
    return lines


class TornRecordingWarning(UserWarning):
    """The recording ends in half a record, which is dropped."""


def checked(header: dict[str, Any]) -> str:
    """What "check" says of this header."""
    rest = {name: value for name, value in header.items() if name != "check"}
    return f"{zlib.crc32(json.dumps(rest, separators=(',', ':')).encode()):08x}"


class RecordingWriter:
    """Writes a new recording. A context manager; append-only, flushed every FLUSH_FRAMES frames.

    After an error on writing (a full disk) the file still holds every whole record flushed before;
    at worst a torn one follows, which readers drop.
    """

    def __init__(
        self,
        path: str | Path,
        mat_id: str,
        n: int,
        edition: str = "",
        seed: int | None = None,
        version: int = VERSION,
    ):
        """Raises RecordingError when the file cannot be made or exists already."""
        self.path = Path(path)
        self.frames = 0
        self._n = n
        self._version = version
        self._last_us = -1
        self._place = 0  # bytes so far
        self._entries: list[bytes] = []  # of the index
        self._zip: gzip.GzipFile | None = None
        header = {
            "format": "matrec",
            "version": version,
            "mat": mat_id,
            "n": n,
            "edition": edition,
            "seed": seed,
        }
        zipped = self.path.suffix == ".gz"
        self._before = np.zeros(n, "<u2") if zipped and version > 1 else None
        if self._before is not None:
            header["counts"] = DIFFERENCES
        if version > 1:
            header["check"] = checked(header)
        try:
            self._file: BufferedWriter | None = open(self.path, "xb")  # None once closed
        except FileExistsError:
            raise RecordingError(
                "{path} exists already; choose another name or delete it", path=self.path
            ) from None
        except OSError as error:
            raise RecordingError(
                "cannot write {path}: {why}", path=self.path, why=error.strerror
            ) from error
        self._out: BufferedWriter | gzip.GzipFile = self._file
        if zipped:
            self._out = self._zip = gzip.GzipFile(
                fileobj=self._file, mode="wb", compresslevel=GZIP_LEVEL, mtime=0
            )
        self._put((json.dumps(header) + "\n").encode("ascii"))
        self.flush()

    def write(self, t_us: int, counts: Sequence[int] | Counts) -> None:
        """Append one frame. Raises RecordingError when the disk does not take it, ValueError when
        `counts` has not n values, or the time is not after the frame before."""
        if len(counts) != self._n:
            raise ValueError(f"a frame has {self._n} counts, not {len(counts)}")
        self._check_open()
        frame = np.array(counts, "<u2")
        data = frame.tobytes()
        if self._version == 1:
            self._put(t_us.to_bytes(8, "little") + data)
        else:
            if t_us <= self._last_us:
                raise ValueError(f"a frame at {t_us} us cannot follow one at {self._last_us} us")
            if self.frames % INDEX_FRAMES == 0:
                self._entries.append(ENTRY.pack(self.frames, t_us, self._place))
            if self._before is not None:
                if self.frames % INDEX_FRAMES == 0:
                    self._before = np.zeros_like(frame)
                data, self._before = folded(frame, self._before), frame
            data = HEAD.pack(self.frames, t_us) + data
            self._put(SYNC + data + CHECK.pack(zlib.crc32(data)))
        self._last_us = t_us
        self.frames += 1
        if self.frames % FLUSH_FRAMES == 0:
            self.flush()

    def flush(self) -> None:
        """Hand everything written so far to the operating system."""
        self._guard(self._flush_all)

    def close(self) -> None:
        """Finish the file. Safe to call twice."""
        if self._file is None:
            return
        if self._version > 1:
            index = struct.pack("<II", self.frames, len(self._entries)) + b"".join(self._entries)
            length = len(INDEX) + len(index) + 2 * CHECK.size
            self._put(INDEX + index + struct.pack("<II", zlib.crc32(index), length))
        file, self._file = self._file, None
        try:
            if self._zip:
                self._guard(self._zip.close)
        finally:
            self._guard(file.close)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _check_open(self) -> None:
        if self._file is None:
            raise RecordingError("{path} is closed; start a new recording", path=self.path)

    def _put(self, data: bytes) -> None:
        self._check_open()
        self._guard(self._out.write, data)
        self._place += len(data)

    def _flush_all(self) -> None:
        if self._zip:
            self._zip.flush(zlib.Z_FULL_FLUSH)  # what follows can be read alone: see `unzipped`
        if self._file:
            self._file.flush()

    def _guard(self, action: Callable[..., object], *args: bytes) -> None:
        try:
            action(*args)
        except OSError as error:
            reason = error.strerror or str(error)
            self._abandon()
            raise RecordingError(
                "stopped writing {path} after {frames} frames: {reason}; what was written "
                "before is kept: free some space and start a new recording",
                path=self.path,
                frames=self.frames,
                reason=reason,
            ) from error

    def _abandon(self) -> None:
        """Close the file without writing the data that is still in buffers."""
        file, self._file = self._file, None
        if self._zip:
            # without its file, closing it at exit writes nothing more
            self._zip.fileobj = None  # pyright: ignore[reportAttributeAccessIssue] None ends it
        if file is not None:
            try:
                file.raw.close()  # past the buffer: closing that would try to write again
            except OSError:
                pass


class RecordingReader:
    """Reads a recording frame by frame in little memory. A context manager and an iterable.

    `header` is its dict; `mat_id`, `n`, `edition`, `seed` from it. Iterating yields (t_us, counts):
    an int and an array of n uint16, valid beyond the iteration. `damage` has what was skipped so
    far, because it cannot have been recorded so.
    """

    def __init__(self, path: str | Path, mat: Mat | None = None):
        """Opens `path` and reads its header; `mat`, if given, is the Mat the frames must fit.

        Raises RecordingError: no such file, empty, not a recording, a newer version, another mat.
        """
        self.path = Path(path)
        self.damage: list[Damage] = []
        self._file = self._open()
        try:
            self.header = self._read_header()
            self.mat_id, self.n = self.header["mat"], self.header["n"]
            self.edition, self.seed = self.header.get("edition", ""), self.header.get("seed")
            if mat is not None and (self.mat_id, self.n) != (mat.id, mat.n):
                raise RecordingError(
                    "{path} was recorded on mat {mat_id!r} with {n} sensors, not on {id!r} "
                    "with {sensors}; choose its mat",
                    path=self.path,
                    mat_id=self.mat_id,
                    n=self.n,
                    id=mat.id,
                    sensors=mat.n,
                )
        except BaseException:
            self._file.close()
            raise

    def __iter__(self) -> Iterator[tuple[int, Counts]]:
        try:
            mat = load_mat(self.mat_id)
            full_scale = 2**mat.bits - 1 if mat.n == self.n else 65535
        except MatError:
            full_scale = 65535
        records = Records(self._read, self._header_bytes, self.n, full_scale)
        self.damage = records.damage
        version, told = self.header["version"], self.header.get("counts")
        if self._unzipped:
            self._unzipped.resumes = version > 1  # whose records are found again
        yield from records.frames(version, differences=told == DIFFERENCES)
        if records.torn:
            warnings.warn(
                f"{self.path} is torn: its last record is incomplete and was dropped",
                TornRecordingWarning,
                stacklevel=2,
            )

    @property
    def share(self) -> float:
        """How much of the file has been read, from 0 to 1."""
        return self._source.tell() / self._size if self._size and not self._source.closed else 1.0

    def close(self) -> None:
        """Close the file. Safe to call twice."""
        self._file.close()
        self._source.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _open(self) -> BufferedReader:
        self._unzipped: Unzipped | None = None
        try:
            self._source = file = open(self.path, "rb")
            self._size = os.fstat(file.fileno()).st_size
            if file.peek(2)[:2] == MAGIC:
                self._unzipped = Unzipped(file)
                return BufferedReader(self._unzipped)
            return file
        except OSError as error:
            raise RecordingError(
                "cannot read {path}: {why}", path=self.path, why=error.strerror
            ) from error

    def _read(self, size: int) -> tuple[bytes, bool]:
        """(bytes, whether the file breaks off or is damaged here)."""
        parts = []
        try:
            while size > 0:
                part = self._file.read1(size)
                if not part:
                    break
                parts.append(part)
                size -= len(part)
        except (EOFError, zlib.error):
            return b"".join(parts), True
        except OSError as error:
            raise RecordingError(
                "cannot read {path}: {why}", path=self.path, why=error.strerror
            ) from error
        return b"".join(parts), False

    def _read_header(self) -> dict[str, Any]:
        wrong = Said("{path} is no recording of a mat; give a .matrec file", path=self.path)
        try:
            line = self._file.readline(MAX_HEADER_BYTES)
            self._header_bytes = len(line)
        except (EOFError, zlib.error):
            raise RecordingError(
                "{path} is damaged: no header can be read", path=self.path
            ) from None
        except OSError as error:
            raise RecordingError(
                "cannot read {path}: {why}", path=self.path, why=error.strerror
            ) from error
        if not line:
            raise RecordingError("{path} is empty; record it again", path=self.path)
        try:
            header = json.loads(line)
            check = checked(header) if isinstance(header, dict) else ""
        except (ValueError, RecursionError):  # the latter: far too deep
            raise RecordingError(wrong) from None
        if not isinstance(header, dict) or header.get("format") != "matrec":
            raise RecordingError(wrong)
        version, n = header.get("version"), header.get("n")
        if not isinstance(version, int) or version < 1:
            raise RecordingError(wrong)
        if version not in VERSIONS:
            raise RecordingError(
                "{path} has version {version}, this program reads up to {VERSION}; update it",
                path=self.path,
                version=version,
                VERSION=VERSION,
            )
        if version > 1 and header.get("check") != check:
            raise RecordingError(
                "{path} is damaged: its header does not fit its checksum; nothing says how "
                "to read the rest",
                path=self.path,
            )
        if not isinstance(n, int) or not 0 < n <= 65536 or not isinstance(header.get("mat"), str):
            raise RecordingError(wrong)
        if not isinstance(header.get("edition", ""), str):
            raise RecordingError(wrong)
        return header
