"""Recordings of raw frames.

`NAME.matrec`: one line of JSON, {"format": "matrec", "version": 1, "mat", "n", "edition", "seed"},
then records of a uint64 time in us and n x uint16 raw counts, little-endian, in frame order.
Append-only; may be gzipped (recognised by its first bytes when read, by the end of its name when
written).
"""

import gzip
import json
import os
import warnings
import zlib
from collections.abc import Callable, Iterator, Sequence
from io import BufferedReader, BufferedWriter
from pathlib import Path
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from polarity_host.mats.description import Mat

#: The raw counts of a frame, in frame order.
Counts = NDArray[np.uint16]

VERSION = 1
GZIP_MAGIC = b"\x1f\x8b"
MAX_HEADER_BYTES = 4096
FLUSH_FRAMES = 100  # a crash of the computer loses at most this many frames


class RecordingError(Exception):
    """A recording that cannot be read or written; one line that says what to do."""


class TornRecordingWarning(UserWarning):
    """The recording ends in half a record, which is dropped."""


def _record_type(n: int) -> np.dtype[np.void]:
    return np.dtype([("t_us", "<u8"), ("counts", "<u2", (n,))])


class RecordingWriter:
    """Writes a new recording. A context manager; append-only, flushed every FLUSH_FRAMES frames.

    After an error on writing (a full disk) the file still holds every whole record flushed before;
    at worst a torn one follows, which readers drop.
    """

    def __init__(
        self, path: str | Path, mat_id: str, n: int, edition: str = "", seed: int | None = None
    ):
        """Raises RecordingError when the file cannot be made or exists already."""
        self.path = Path(path)
        self.frames = 0
        self._n = n
        self._record = np.zeros(1, _record_type(n))
        self._zip: gzip.GzipFile | None = None
        header = {
            "format": "matrec",
            "version": VERSION,
            "mat": mat_id,
            "n": n,
            "edition": edition,
            "seed": seed,
        }
        try:
            self._file: BufferedWriter | None = open(self.path, "xb")  # None once closed
        except FileExistsError:
            raise RecordingError(
                f"{self.path} exists already; choose another name or delete it"
            ) from None
        except OSError as error:
            raise RecordingError(f"cannot write {self.path}: {error.strerror}") from error
        self._out: BufferedWriter | gzip.GzipFile = self._file
        if self.path.suffix == ".gz":
            self._out = self._zip = gzip.GzipFile(fileobj=self._file, mode="wb", mtime=0)
        self._put((json.dumps(header) + "\n").encode("ascii"))
        self.flush()

    def write(self, t_us: int, counts: Sequence[int] | Counts) -> None:
        """Append one frame. Raises RecordingError when the disk does not take it, ValueError when
        `counts` has not n values."""
        if len(counts) != self._n:
            raise ValueError(f"a frame has {self._n} counts, not {len(counts)}")
        self._record["t_us"], self._record["counts"] = t_us, counts
        self._put(self._record.tobytes())
        self.frames += 1
        if self.frames % FLUSH_FRAMES == 0:
            self.flush()

    def flush(self) -> None:
        """Hand everything written so far to the operating system."""
        self._guard(self._flush_all)

    def close(self) -> None:
        """Finish the file. Safe to call twice."""
        file, self._file = self._file, None
        if file is None:
            return
        try:
            if self._zip:
                self._guard(self._zip.close)
        finally:
            self._guard(file.close)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _put(self, data: bytes) -> None:
        if self._file is None:
            raise RecordingError(f"{self.path} is closed; start a new recording")
        self._guard(self._out.write, data)

    def _flush_all(self) -> None:
        if self._zip:
            self._zip.flush(zlib.Z_SYNC_FLUSH)
        if self._file:
            self._file.flush()

    def _guard(self, action: Callable[..., object], *args: bytes) -> None:
        try:
            action(*args)
        except OSError as error:
            reason = error.strerror or str(error)
            self._abandon()
            raise RecordingError(
                f"stopped writing {self.path} after {self.frames} frames: {reason}; "
                "what was written before is kept: free some space and start a new recording"
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
    an int and an array of n uint16, valid beyond the iteration.
    """

    def __init__(self, path: str | Path, mat: Mat | None = None):
        """Opens `path` and reads its header; `mat`, if given, is the Mat the frames must fit.

        Raises RecordingError: no such file, empty, not a recording, a newer version, another mat.
        """
        self.path = Path(path)
        self._file = self._open()
        try:
            self.header = self._read_header()
            self.mat_id, self.n = self.header["mat"], self.header["n"]
            self.edition, self.seed = self.header.get("edition", ""), self.header.get("seed")
            if mat is not None and (self.mat_id, self.n) != (mat.id, mat.n):
                raise RecordingError(
                    f"{self.path} was recorded on mat {self.mat_id!r} with {self.n} sensors, "
                    f"not on {mat.id!r} with {mat.n}; choose its mat"
                )
        except BaseException:
            self._file.close()
            raise
        self._type = _record_type(self.n)

    def __iter__(self) -> Iterator[tuple[int, Counts]]:
        size = self._type.itemsize
        rest = b""
        while True:
            block, damaged = self._read(256 * size - len(rest))
            data = rest + block
            whole = len(data) // size
            records = np.frombuffer(data, self._type, whole)
            for record in records:
                yield int(record["t_us"]), record["counts"]
            rest = data[whole * size :]
            if damaged or not block:
                break
        if rest or damaged:
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

    def _open(self) -> BufferedReader | gzip.GzipFile:
        try:
            self._source = file = open(self.path, "rb")
            self._size = os.fstat(file.fileno()).st_size
            if file.peek(2)[:2] == GZIP_MAGIC:
                return gzip.GzipFile(fileobj=file, mode="rb")
            return file
        except OSError as error:
            raise RecordingError(f"cannot read {self.path}: {error.strerror}") from error

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
        except (EOFError, zlib.error, gzip.BadGzipFile):
            return b"".join(parts), True
        except OSError as error:
            raise RecordingError(f"cannot read {self.path}: {error.strerror}") from error
        return b"".join(parts), False

    def _read_header(self) -> dict[str, Any]:
        wrong = f"{self.path} is no recording of a mat; give a .matrec file"
        try:
            line = self._file.readline(MAX_HEADER_BYTES)
        except (EOFError, zlib.error, gzip.BadGzipFile):
            raise RecordingError(f"{self.path} is damaged: no header can be read") from None
        except OSError as error:
            raise RecordingError(f"cannot read {self.path}: {error.strerror}") from error
        if not line:
            raise RecordingError(f"{self.path} is empty; record it again")
        try:
            header = json.loads(line)
        except ValueError:
            raise RecordingError(wrong) from None
        if not isinstance(header, dict) or header.get("format") != "matrec":
            raise RecordingError(wrong)
        version, n = header.get("version"), header.get("n")
        if not isinstance(version, int) or version < 1:
            raise RecordingError(wrong)
        if version > VERSION:
            raise RecordingError(
                f"{self.path} has version {version}, this program reads up to {VERSION}; update it"
            )
        if not isinstance(n, int) or not 0 < n <= 65536 or not isinstance(header.get("mat"), str):
            raise RecordingError(wrong)
        return header
