"""The records of a recording: how each version writes them, and how they are found again.

Version 1: uint64 time in us, n x uint16 counts. Nothing says where a record begins or whether it is
whole. So a reader goes by what cannot be: a time before the one before, a count that the mat cannot
give. Where times make no sense any more, bytes are missing, and it looks for where they do again.

Version 2: SYNC, uint32 number of the frame (from 0), uint64 time in us, n x uint16 counts, uint32
CRC-32 of number, time and counts. Times rise from record to record. A finished recording ends in an
index: INDEX, uint32 frames, uint32 entries, then of every INDEX_FRAMES-th frame its number
(uint32), time (uint64) and place in the file (uint64, before compression), uint32 CRC-32 of all
that after INDEX, uint32 bytes of the whole index, so that it can be found from the end.
Where the header says "counts": "differences", a record has differences instead of counts, as
`differences` folds them: of a frame whose number INDEX_FRAMES divides, from counts of 0; of every
other, from the frame before. So what is lost costs the frames up to the next of the first sort.

All of it little-endian.
"""

import struct
import zlib
from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np

from polarity_host.errors import Said
from polarity_host.replay.differences import Counts, unfolded

#: Reads some bytes: (bytes, whether the file is broken there); b"" at the end.
Read = Callable[[int], tuple[bytes, bool]]

SYNC, INDEX = b"\xa5MR\x5a", b"\xa5MX\x5a"
INDEX_FRAMES = 100
BLOCK_BYTES = 1 << 18
HEAD, CHECK, ENTRY = struct.Struct("<IQ"), struct.Struct("<I"), struct.Struct("<IQQ")
MOST_T_US = 1 << 48  # some nine years
#: Version 1: a longer time without a frame needs a second frame to be believed.
GAP_US = 3_600_000_000
#: Version 1: how far apart two frames are at most where an interrupted row of records goes on.
NEAR_US = 10_000_000


class Damage(NamedTuple):
    """Bytes of a recording (before compression) that were skipped; `t_us` is the time of the last
    good frame before, None for none; `frames`, how many are lost, where that is known."""

    first: int
    end: int
    t_us: int | None
    frames: int | None
    why: str

    @property
    def said(self) -> Said:
        """Where it is, what is wrong there, and how much is lost."""
        after = Said("at its beginning")
        if self.t_us is not None:
            after = Said("after {seconds:.3f} s", seconds=self.t_us / 1e6)
        place = Said("nothing")
        if self.end > self.first:
            place = Said("bytes {first} to {last}", first=self.first, last=self.end - 1)
        values = {"after": after, "place": place, "why": Said(self.why), "frames": self.frames}
        if self.frames is None:
            return Said("{after}, {place}: {why}", **values)
        return Said("{after}, {place}: {why}, {frames} frames lost", **values)


class _Window:
    """The part of a file that is looked at: bytes from `at` on, and some before."""

    def __init__(self, read: Read, base: int, history: int):
        self._read, self._base, self._history = read, base, history
        self.data, self.at = b"", 0
        self.broken = False  # the file cannot be read further
        self._ended = False

    @property
    def place(self) -> int:
        """Where `at` is in the file."""
        return self._base + self.at

    @property
    def left(self) -> int:
        """Bytes that are here from `at` on."""
        return len(self.data) - self.at

    def has(self, count: int) -> bool:
        """Whether there are so many bytes from `at` on; reads them if need be."""
        while self.left < count and not self._ended:
            block, self.broken = self._read(BLOCK_BYTES)
            gone = max(0, self.at - self._history)
            self.data, self.at, self._base = (
                self.data[gone:] + block,
                self.at - gone,
                (self._base + gone),
            )
            self._ended = self.broken or not block
        return self.left >= count

    def move(self, at: int) -> None:
        """Goes on at this place of `data`."""
        self.at = at


class Records:
    """The frames of a recording whose records begin at `base`. Iterate over `frames()` once; then
    `damage` has what was skipped, and `torn` tells whether the end is missing."""

    def __init__(self, read: Read, base: int, n: int, full_scale: int):
        self.damage: list[Damage] = []
        self.torn = False
        self._n, self._full_scale = n, full_scale
        self._read, self._base = read, base
        self._last: int | None = None  # the time of the last good frame

    def frames(self, version: int, differences: bool = False) -> Iterator[tuple[int, Counts]]:
        """(time in us, counts) of each good frame; `differences`: records of version 2 have
        those."""
        return self._version_1() if version == 1 else self._version_2(differences)

    def _skipped(self, first: int, end: int, why: str, frames: int | None = None) -> None:
        self.damage.append(Damage(first, end, self._last, frames, why))

    # ---- version 2
    def _version_2(self, differences: bool) -> Iterator[tuple[int, Counts]]:
        size = len(SYNC) + HEAD.size + 2 * self._n + CHECK.size
        window = _Window(self._read, self._base, 0)
        due, bad, finished = 0, None, False
        counts = np.zeros(self._n, "<u2")
        while window.has(len(SYNC)):
            start = window.data[window.at : window.at + len(SYNC)]
            if start == INDEX and (found := self._index(window)) is not None:
                frames, length = found
                if bad is not None or frames > due:
                    first = window.place if bad is None else bad
                    self._skipped(first, window.place, "records are damaged", frames - due)
                bad, finished = None, True
                window.move(window.at + length)
                continue
            if start == SYNC and window.has(size):
                record = window.data[window.at + len(SYNC) : window.at + size]
                number, t_us = HEAD.unpack_from(record)
                (check,) = CHECK.unpack_from(record, len(record) - CHECK.size)
                whole = zlib.crc32(record[: -CHECK.size]) == check
                alone = number % INDEX_FRAMES == 0 or not differences
                known = alone or number == due  # else the frame is lost from which this one differs
                later = self._last is None or t_us > self._last
                if whole and known and later and number >= due:
                    if bad is not None or number > due:
                        first = window.place if bad is None else bad
                        self._skipped(first, window.place, "records are damaged", number - due)
                    bad, due, self._last = None, number + 1, t_us
                    if differences:
                        before = np.zeros_like(counts) if alone else counts
                        counts = unfolded(record[HEAD.size : -CHECK.size], before)
                    else:
                        counts = np.frombuffer(record, "<u2", self._n, HEAD.size)
                    window.move(window.at + size)
                    yield t_us, counts
                    continue
            if bad is None:
                bad = window.place
            window.has(2 * size)
            ahead = window.data.find(SYNC[:2], window.at + 1)
            window.move(ahead if ahead >= 0 else max(window.at + 1, len(window.data) - 1))
        end = window.place + window.left
        if bad is not None and end - bad >= size:
            self._skipped(bad, end, "records are damaged")
        self.torn = not finished

    def _index(self, window: _Window) -> tuple[int, int] | None:
        """(frames, bytes) of the index that begins here; None when it is damaged."""
        head = struct.Struct("<II")
        if not window.has(len(INDEX) + head.size):
            return None
        frames, entries = head.unpack_from(window.data, window.at + len(INDEX))
        body = head.size + entries * ENTRY.size
        length = len(INDEX) + body + 2 * CHECK.size
        if entries > frames // INDEX_FRAMES + 1 or not window.has(length):
            return None
        begin = window.at + len(INDEX)
        check, told = struct.unpack_from("<II", window.data, begin + body)
        good = zlib.crc32(window.data[begin : begin + body]) == check and told == length
        return (frames, length) if good else None

    # ---- version 1
    def _version_1(self) -> Iterator[tuple[int, Counts]]:
        size = 8 + 2 * self._n
        window = _Window(self._read, self._base, size)
        before = np.zeros(self._n, bool)  # the sensors beyond full scale in the frame before
        while window.has(size):
            window.has(3 * size)
            t_us, after, third = (_time(window, window.at + k * size, size) for k in range(3))
            assert t_us is not None  # there is a record
            good = self._is_time(t_us, after, third)
            resume = window.at + size
            last = t_us if good else self._last
            if after is not None and not _near(after, last) and not _near(third, last):
                found = self._found_again(window, size)
                if found is not None and found != resume:
                    good, resume = False, found  # bytes are missing or too many: in this record
            if not good:
                place = window.place
                self._skipped(place, place + max(0, resume - window.at), "its time cannot be")
                window.move(resume)
                continue
            counts = np.frombuffer(window.data, "<u2", self._n, window.at + 8)
            beyond = counts > self._full_scale
            if self._full_scale < 65535 and beyond.any():
                later = np.zeros(self._n, bool)
                if after is not None:
                    next_counts = np.frombuffer(window.data, "<u2", self._n, resume + 8)
                    later = next_counts > self._full_scale
                # A sensor that reads so in the next frame too is broken itself; the engine sees it.
                if not (beyond & (before | later)).any():
                    self._skipped(window.place, window.place + size, "a count cannot be")
                    window.move(resume)
                    continue
            before, self._last = beyond, t_us
            window.move(resume)
            yield t_us, counts
        self.torn = window.broken or window.left > 0

    def _is_time(self, t_us: int, after: int | None, third: int | None) -> bool:
        """Whether a frame can have this time, the next frame the time `after`, the one after that
        the time `third`."""
        last = self._last
        if t_us > MOST_T_US or (last is not None and t_us < last):
            return False
        jumps = last is not None and t_us > last + GAP_US
        if after is None:
            return not jumps
        if after < t_us:  # one of the two is wrong
            return third is not None and t_us <= third <= t_us + GAP_US
        return not jumps or after <= t_us + GAP_US

    def _found_again(self, window: _Window, size: int) -> int | None:
        """Where in the window, near its place, a record begins whose time follows the last good
        one closely, and is followed closely by another's."""
        data = window.data
        for at in range(max(0, window.at - size + 1), min(window.at + 2 * size, len(data) - 8)):
            t_us = int.from_bytes(data[at : at + 8], "little")
            if self._last is not None and not self._last < t_us <= self._last + NEAR_US:
                continue
            after = _time(window, at + size, size)
            if t_us <= MOST_T_US and after is not None and t_us < after <= t_us + NEAR_US:
                return at
        return None


def _time(window: _Window, at: int, size: int) -> int | None:
    """The time of a record of version 1 at this place; None where no whole one is left."""
    if at + size > len(window.data):
        return None
    return int.from_bytes(window.data[at : at + 8], "little")


def _near(t_us: int | None, last: int | None) -> bool:
    """Whether a time is that of a frame soon after another."""
    if t_us is None:
        return False
    return t_us <= MOST_T_US if last is None else last <= t_us <= last + NEAR_US
