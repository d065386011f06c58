"""An emulated Pico's USB as a port for device/link.py, without a socket between (tcp_port.py)."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:  # the emulator is imported after image.py has prepared it
    from polarity_host.simulation.pico.pico import EmulatedPico

READ_MS = 20  # of the chip's time


class Cable:
    """A port as the link needs it; the Pico's time passes while it is read."""

    def __init__(self, pico: "EmulatedPico"):
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
