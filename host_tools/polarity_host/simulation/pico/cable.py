"""An emulated Pico's USB as a port for device/link.py, without a socket between (tcp_port.py)."""

READ_MS = 20  # of the chip's time


class Cable:
    """A port as the link wants it; the Pico's time passes while it is read."""

    def __init__(self, pico):
        self._pico = pico

    def read(self) -> bytes:
        """What comes in the next READ_MS."""
        self._pico.run(READ_MS)
        return self._pico.read()

    def write_line(self, text: str) -> None:
        """Sends one command."""
        self._pico.write(text.encode("ascii") + b"\n")

    def close(self) -> None:
        """There is nothing to close."""
