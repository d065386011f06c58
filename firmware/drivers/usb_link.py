"""The USB port: never waits for the host, and stays a REPL that Ctrl-C reaches.

Out. MicroPython offers no count of free bytes, and a write that does not fit blocks for 500 ms
(shared/tinyusb/mp_usbd_cdc.c). Poll reports only that at least one byte is free. But the buffer has
256 bytes and leaves for the host in packets of 64: as long as only whole packets are written, the
free space is a whole number of packets too, and one free byte means 64. So every write is one
packet. A message that ends inside one is followed by carriage returns, which a terminal does not
show and the protocol ignores. While no host has opened the port, MicroPython drops what is written;
the messages' numbers show the next host what it missed.

What others wrote before, a traceback or the REPL's prompt, may still be in the buffer and end
inside a packet. So the link begins with carriage returns, one by one, until the buffer is full, for
then it leaves in whole packets, or as many as BUFFER: a host that reads has taken all by then. With
a host that reads too slowly for either, the first write that does not fit may wait; that fills the
buffer, and the rest of the packet begins the next.

In. Bytes are read as they come, at most RECEIVED a turn: one takes the chip 0.2 ms. MicroPython's
own Ctrl-C would stop the mat at each byte 3 of whatever a stray program sends, so it is off while
the link is open. Here Ctrl-C counts only where nothing precedes it in its line and nothing follows
it, as a person types it and as mpremote sends it (CR and Ctrl-C, then CR again). It raises
KeyboardInterrupt in `receive`.
"""

import sys
from select import POLLIN, POLLOUT, poll
from time import sleep_ms, ticks_diff, ticks_ms

from micropython import kbd_intr

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Protocol

    class Source(Protocol):
        """What has bytes for the host: polarity's Outbox or Engine."""

        def read(self, max_bytes: int) -> bytes: ...


PACKET = 64  # USB 2.0 full speed, bulk: 5.8.3
BUFFER = 256  # shared/tinyusb/tusb_config.h, CFG_TUD_CDC_TX_BUFSIZE at full speed
TAKEN_MS = 3  # a host that reads has emptied the buffer by then: at least a packet a frame of 1 ms
RECEIVED = 16  # bytes
CTRL_C, CR = 3, 13
ALONE_MS = 100  # a byte that comes this long after the one before begins a line
FOLLOWS_MS = 20  # bytes sent together come within this


class UsbLink:
    """Both directions of the port, for a source of bytes such as polarity's Outbox or Engine."""

    def __init__(self) -> None:
        self._out = sys.stdout.buffer
        self._in = sys.stdin.buffer
        self._poll_out = poll()
        self._poll_out.register(sys.stdout, POLLOUT)
        self._poll_in = poll()
        self._poll_in.register(sys.stdin, POLLIN)
        self._packet = bytearray(PACKET)
        self._left = 0  # bytes at its beginning that did not fit when it was written
        self._line = bytearray(RECEIVED)
        self._one = bytearray(1)
        self._last = CR  # the byte received last, and when
        self._last_ms = ticks_ms()
        kbd_intr(-1)
        self._align()

    def _align(self) -> None:
        for _ in range(BUFFER):
            if not _ready(self._poll_out):
                return
            self._out.write(b"\r")
        sleep_ms(TAKEN_MS)

    def close(self) -> None:
        """Gives Ctrl-C back to MicroPython."""
        kbd_intr(CTRL_C)

    def send(self, source: "Source", packets: int = 2) -> bool:
        """Moves up to `packets` packets from `source` to the host.

        Returns False when the host takes no more now, True when nothing is left or all were sent.
        """
        for _ in range(packets):
            if not _ready(self._poll_out):
                return False
            data = source.read(PACKET - self._left)
            if not data and not self._left:
                return True
            if not self._write(data):
                return False
        return True

    def _write(self, data: "bytes | bytearray") -> bool:
        """Writes a packet: the rest of the last one, `data`, and padding if that is short. False
        when not all of it was taken."""
        packet, left = self._packet, self._left
        if len(data) < PACKET:
            filled = left + len(data)
            packet[left:filled] = data
            for at in range(filled, PACKET):
                packet[at] = CR
            data = packet
        written = self._out.write(data)
        self._left = PACKET - written
        if written < PACKET:
            packet[: PACKET - written] = data[written:]
            return False
        return True

    def receive(self) -> bytes:
        """The bytes that the host has sent, RECEIVED at most; mostly b"". KeyboardInterrupt for a
        Ctrl-C."""
        return self._read() if _ready(self._poll_in) else b""

    def _read(self) -> bytes:
        now_ms = ticks_ms()
        begins = self._last == CR or ticks_diff(now_ms, self._last_ms) > ALONE_MS  # a line
        ready, read, one, line = self._poll_in.ipoll, self._in.readinto, self._one, self._line
        count = 0
        while count < RECEIVED:
            for _ in ready(0):
                break
            else:
                break  # that was all
            read(one)
            code = one[0]
            if code == CTRL_C and begins:
                code = self._interrupted()
            line[count] = code
            count += 1
            begins = code == CR
        self._last, self._last_ms = code, now_ms
        return bytes(line[:count])

    def _interrupted(self) -> int:
        """Handles a Ctrl-C at the beginning of a line: KeyboardInterrupt unless something else
        follows it. Returns the last byte read."""
        begun_ms = ticks_ms()
        while ticks_diff(ticks_ms(), begun_ms) < FOLLOWS_MS:
            if _ready(self._poll_in):
                self._in.readinto(self._one)
                break
        if self._one[0] in (CTRL_C, CR):
            self.close()
            raise KeyboardInterrupt
        return self._one[0]


def _ready(stream: poll) -> bool:
    for _ in stream.ipoll(0):
        return True
    return False
