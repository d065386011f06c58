"""The mat's messages in order, whether the host reads quickly, slowly or not at all.

Numbered messages (facts, rulings, log) live in the ring: they wait there for the host and stay
there afterwards for `resume`. Passing messages (hello, snap, ack, health, gap) wait in a short
queue and leave after every event that came before them. A frame waits alone and leaves when nothing
else does.
"""

from polarity.wire.framing import MAX_LINE_BYTES, frame, frame_long
from polarity.wire.messages import NUMBERED, encode, encode_long

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

#: About 41 events of 210 bytes: some minutes of play.
RING_BYTES = 8704
#: One snapshot and a handful of answers.
PASSING_BYTES = 8192
#: A newer one of these replaces an older one that still waits.
_SUPERSEDED = ("hello", "snap", "health", "flight", "settings")
_LENGTH_BYTES = 2  # in front of each line of the ring


class Outbox:
    """The sending end of the wire of one boot of the mat.

    `boot` is an int that differs from boot to boot. `unsent` counts passing messages dropped
    because the host did not read; dropped numbered ones are reported to the host in a `gap`.
    """

    def __init__(
        self, boot: int, ring_bytes: int = RING_BYTES, passing_bytes: int = PASSING_BYTES
    ) -> None:
        self.boot = boot
        self.unsent = 0
        self._ring = Ring(ring_bytes)
        self._next = 1  # number of the numbered line to be sent next
        self._room = passing_bytes
        # (kind, number it must follow, bytes, line in parts)
        self._passing: "list[tuple[str, int, int, list[bytes]]]" = []
        self._frame: "bytes | None" = None
        self._line = b""  # what is sent now, copied so that nothing can change it half-way
        self._rest: "list[bytes]" = []  # the parts of the same line that follow
        self._sent = 0
        self._t_ms = 0

    @property
    def last(self) -> int:
        """Number of the newest numbered message, 0 before the first."""
        return self._ring.last

    @property
    def first(self) -> int:
        """Number of the oldest message that `resume` can still bring back."""
        return self._ring.first

    def send(self, kind: str, t_ms: int, values: "Sequence") -> int:
        """Queues a message; `values` in the order of the schema. Returns its number.

        A message too long for a line is replaced by a `log` that reports it. WireError as `encode`.
        """
        self._t_ms = t_ms
        numbered = kind in NUMBERED
        number = self._ring.last + (1 if numbered else 0)
        if kind == "snap":
            parts = frame_long(encode_long(kind, self.boot, number, t_ms, values))
        else:
            parts = [frame(encode(kind, self.boot, number, t_ms, values))]
        size = sum([len(part) for part in parts])
        if size > MAX_LINE_BYTES:
            text = "a message of kind %s had %d bytes and was not sent" % (kind, size)
            return self.send("log", t_ms, ("error", text))
        if numbered:
            self._ring.append(parts[0])
        elif kind == "frame":
            self._frame = parts[0]
        else:
            self._queue(kind, number, size, parts)
        return number

    def behind(self) -> int:
        """How many events have not been sent to the host."""
        return self._ring.last + 1 - self._next

    def frame_room(self) -> bool:
        """True when the last frame has been sent: the next one is made only then."""
        return self._frame is None

    def resume(self, number: int) -> str:
        """Sends again from `number` on. Returns "" or the reason why it was refused.

        Messages no longer stored are named in a `gap` that comes before the rest.
        """
        if number < 1:
            return "numbers start at 1"
        if number > self._ring.last + 1:
            return "ahead of the mat, which is at %d" % self._ring.last
        self._next = number
        return ""

    def pending(self, max_bytes: int) -> bytes:
        """The next bytes for the port: at most `max_bytes`, never beyond the end of a line.

        Allocates nothing when there are none: the loop calls this a dozen times a frame.
        """
        if self._sent >= len(self._line):
            self._line = self._rest.pop(0) if self._rest else self._next_line()
            self._sent = 0
            if not self._line:
                return self._line
        return self._line[self._sent : self._sent + max_bytes]

    def consumed(self, count: int) -> None:
        """The port took `count` of the bytes that `pending` returned."""
        self._sent += count

    def read(self, max_bytes: int) -> bytes:
        """Takes up to `max_bytes` at once: `pending` and `consumed` over as many lines as fit."""
        first = self.pending(max_bytes)
        self.consumed(len(first))
        if not first or len(first) == max_bytes:
            return first
        parts, max_bytes = [first], max_bytes - len(first)
        while max_bytes > 0:
            part = self.pending(max_bytes)
            if not part:
                break
            self.consumed(len(part))
            max_bytes -= len(part)
            parts.append(part)
        return b"".join(parts)

    def _queue(self, kind: str, number: int, size: int, parts: "list[bytes]") -> None:
        if kind in _SUPERSEDED:
            self._passing = [entry for entry in self._passing if entry[0] != kind]
        waiting = 0
        for entry in self._passing:
            waiting += entry[2]
        if waiting + size > self._room:
            self.unsent += 1
            return
        self._passing.append((kind, number, size, parts))

    def _next_line(self) -> bytes:
        first = self._ring.first
        if self._next < first:
            values = (self._next, first - 1)
            self._next = first
            return frame(encode("gap", self.boot, first - 1, self._t_ms, values))
        if self._passing and self._passing[0][1] < self._next:
            self._rest = self._passing.pop(0)[3]
            return self._rest.pop(0)
        if self._next <= self._ring.last:
            line = self._ring.line(self._next)
            self._next += 1
            return line or b""
        line = self._frame or b""
        self._frame = None
        return line


class Ring:
    """Lines with consecutive numbers from 1, as many of the newest as `capacity_bytes` hold, in one
    buffer allocated once: the newest push out the oldest.

    `first` is the number of the oldest line stored, `last` that of the newest; `first` is
    `last + 1` when none is.
    """

    def __init__(self, capacity_bytes: int) -> None:
        self._buffer = bytearray(capacity_bytes)
        self._view = memoryview(self._buffer)
        self._start = 0
        self._used = 0
        self._next = 1  # the number after that of the line read last, and where it begins
        self._next_at = 0
        self.first = 1
        self.last = 0

    def append(self, line: bytes) -> None:
        """Stores `line` as number `last + 1`. ValueError for a line that can never fit."""
        length, buffer = len(line), self._buffer
        need, size = length + _LENGTH_BYTES, len(buffer)
        if need > size:
            raise ValueError("line longer than the ring")
        while self._used + need > size:
            self._drop_oldest()
        at = (self._start + self._used) % size
        if at + need <= size:  # mostly: then in one piece
            buffer[at] = length & 0xFF
            buffer[at + 1] = length >> 8
            buffer[at + _LENGTH_BYTES : at + need] = line
        else:
            self._write(at, bytes((length & 0xFF, length >> 8)))
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
        head = size - at
        if len(data) <= head:
            self._buffer[at : at + len(data)] = data
            return
        self._buffer[at:] = data[:head]
        self._buffer[: len(data) - head] = data[head:]

    def _read(self, at: int, count: int) -> bytes:
        size = len(self._buffer)
        at %= size
        head = min(count, size - at)
        data = bytes(self._view[at : at + head])
        if head < count:
            data += bytes(self._view[: count - head])
        return data
