"""Judges a recording with the firmware's engine. Runs on CPython and on MicroPython alike, so that
two runtimes that are compared share everything but themselves.

It needs `polarity` on sys.path and nothing of the host.
"""

import json
from array import array

BOOT_ID = 1
CHUNK_BYTES = 4096

# What a host asks, by the number of the frame before which it asks: the answers are compared too.
COMMANDS = {
    0: b"hello\n",
    40: b"frames on\n",
    45: b"frames off\n",
    60: b"resume 1\n",
    80: b"snap\n",
    90: b"no such command\n",
}


class Judging:
    """One engine over one uncompressed .matrec; all that it says goes to the file `wire_path`."""

    def __init__(self, recording_path: str, wire_path: str):
        from polarity.engine import Engine
        from polarity.mat_data import load

        self.recording = open(recording_path, "rb")
        self.wire = open(wire_path, "wb")
        header = json.loads(self.recording.readline())
        self.engine = Engine(load(header["mat"]), header["edition"], BOOT_ID)
        self.time = bytearray(8)
        self.counts = array("H", [0] * header["n"])
        self.record_bytes = 8 + 2 * header["n"]
        self.frames = 0

    def step(self, frames: int) -> bool:
        """Judges up to so many frames. False once the recording is over: a last snapshot is
        asked for and both files are closed."""
        for _ in range(frames):
            got_bytes = self.recording.readinto(self.time) + self.recording.readinto(self.counts)
            if got_bytes != self.record_bytes:
                self.engine.command(b"snap\n")
                self._write_wire()
                self.recording.close()
                self.wire.close()
                return False
            self._judge(int.from_bytes(self.time, "little") // 1000)
        return True

    def _judge(self, t_ms: int) -> None:
        if self.frames in COMMANDS:
            self.engine.command(COMMANDS[self.frames])
        self.engine.frame(t_ms, self.counts)
        self.frames += 1
        self._write_wire()

    def _write_wire(self) -> None:
        while True:
            chunk = self.engine.read(CHUNK_BYTES)
            if not chunk:
                return
            self.wire.write(chunk)
