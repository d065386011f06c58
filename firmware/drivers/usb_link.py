"""The USB port: never waits for the host, and stays a REPL that Ctrl-C reaches.

Out. MicroPython offers no count of free bytes, and a write that does not fit blocks for 500 ms
(shared/tinyusb/mp_usbd_cdc.c). Poll says only that at least one byte is free. But the buffer has
256 bytes and leaves for the host in packets of 64: as long as only whole packets are written, what
is free is a whole number of packets too, and one free byte means 64. So every write is one packet;
a message that ends inside one is followed by carriage returns, which a terminal does not show and
the protocol leaves out. While no host has opened the port, what is written is let go; the numbers
of the messages tell the next host what it missed.

In. Bytes are read as they come, a packet at most a turn. Ctrl-C is MicroPython's own, and raises
KeyboardInterrupt in the loop.
"""

import sys
from select import POLLIN, POLLOUT, poll

PACKET = 64  # USB 2.0 full speed, bulk: 5.8.3


class UsbLink:
    """Both directions of the port, for a source of bytes such as polarity's Outbox or Engine."""

    def __init__(self):
        self._out = sys.stdout.buffer
        self._in = sys.stdin.buffer
        self._poll_out = poll()
        self._poll_out.register(sys.stdout, POLLOUT)
        self._poll_in = poll()
        self._poll_in.register(sys.stdin, POLLIN)
        self._packet = bytearray(PACKET)
        self._line = bytearray(PACKET)
        self._one = memoryview(self._line)[:1]

    def send(self, source, packets=4):
        """Moves up to so many packets from `source.read(max_bytes)` to the host.

        Returns False when the host takes no more now, True when nothing is left or the turn is up.
        """
        packet = self._packet
        for _ in range(packets):
            if not _ready(self._poll_out):
                return False
            data = source.read(PACKET)
            if not data:
                return True
            if len(data) < PACKET:
                packet[: len(data)] = data
                for at in range(len(data), PACKET):
                    packet[at] = 13
                data = packet
            self._out.write(data)
        return True

    def receive(self):
        """What the host has sent, at most a packet; b"" mostly."""
        count = 0
        while count < PACKET and _ready(self._poll_in):
            if not self._in.readinto(self._one):
                break
            self._line[count] = self._one[0]
            count += 1
        return bytes(self._line[:count]) if count else b""


def _ready(one):
    for _ in one.ipoll(0):
        return True
    return False
