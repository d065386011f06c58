"""The last numbered lines, in one buffer allocated once: the newest push out the oldest."""

_LENGTH_BYTES = 2


class Ring:
    """Lines with consecutive numbers from 1, as many of the newest as `capacity_bytes` hold.

    `first` is the number of the oldest line stored, `last` that of the newest; `first` is
    `last + 1` when none is.
    """

    def __init__(self, capacity_bytes: int) -> None:
        self._buffer = bytearray(capacity_bytes)
        self._start = 0
        self._used = 0
        self._next = 1  # the number after that of the line read last, and where it begins
        self._next_at = 0
        self.first = 1
        self.last = 0

    def append(self, line: bytes) -> None:
        """Stores `line` as number `last + 1`. ValueError for a line that can never fit."""
        need = len(line) + _LENGTH_BYTES
        if need > len(self._buffer):
            raise ValueError("line longer than the ring")
        while self._used + need > len(self._buffer):
            self._drop_oldest()
        at = self._start + self._used
        self._write(at, bytes((len(line) & 0xFF, len(line) >> 8)))
        self._write(at + _LENGTH_BYTES, line)
        self._used += need
        self.last += 1

    def line(self, number: int) -> "bytes | None":
        """The line of `number`, or None when it is not stored."""
        if number < self.first or number > self.last:
            return None
        known, at = self.first, self._start
        if known <= self._next <= number:  # mostly the one asked for
            known, at = self._next, self._next_at
        for _ in range(number - known):
            at += _LENGTH_BYTES + self._length(at)
        length = self._length(at)
        at += _LENGTH_BYTES
        self._next, self._next_at = number + 1, (at + length) % len(self._buffer)
        return self._read(at, length)

    def _drop_oldest(self) -> None:
        size = _LENGTH_BYTES + self._length(self._start)
        self._start = (self._start + size) % len(self._buffer)
        self._used -= size
        self.first += 1

    def _length(self, at: int) -> int:
        size = len(self._buffer)
        return self._buffer[at % size] | self._buffer[(at + 1) % size] << 8

    def _write(self, at: int, data: bytes) -> None:
        size = len(self._buffer)
        at %= size
        head = min(len(data), size - at)
        self._buffer[at : at + head] = data[:head]
        if head < len(data):
            self._buffer[: len(data) - head] = data[head:]

    def _read(self, at: int, count: int) -> bytes:
        size = len(self._buffer)
        at %= size
        head = min(count, size - at)
        data = bytes(self._buffer[at : at + head])
        if head < count:
            data += bytes(self._buffer[: count - head])
        return data
