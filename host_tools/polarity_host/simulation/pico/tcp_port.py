"""An emulated Pico's USB serial as a port for the host tools: a socket:// address."""

import socket
import threading
from collections.abc import Callable
from typing import TYPE_CHECKING

if TYPE_CHECKING:  # the emulator is imported after image.py has prepared it
    from polarity_host.simulation.pico.pico import EmulatedPico


class ServedPico:
    """The Pico's time passes while a host is connected to `url`; `each_ms` is called after every
    millisecond of it. `close` ends that."""

    def __init__(self, pico: "EmulatedPico", each_ms: Callable[[], None] = lambda: None):
        self.pico = pico
        self._each_ms, self._over = each_ms, False
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.url = f"socket://127.0.0.1:{self._listener.getsockname()[1]}"
        self._thread = threading.Thread(target=self._serve, daemon=True)
        self._thread.start()

    def close(self) -> None:
        """Disconnects the host, if there is one, and accepts no other."""
        self._over = True
        self._listener.close()

    def _serve(self) -> None:
        while not self._over:
            try:
                line, _ = self._listener.accept()
            except OSError:
                return  # closed
            with line:
                line.setblocking(False)
                try:
                    while not self._over and self._pass(line):
                        pass
                except OSError:
                    pass  # they have gone

    def _pass(self, line: socket.socket) -> bool:
        """One millisecond. Returns False when the other side has closed the line."""
        try:
            received = line.recv(4096)
        except BlockingIOError:
            received = None
        if received:
            self.pico.write(received)
        self.pico.run(1)
        self._each_ms()
        sent = self.pico.read()
        if sent:
            line.setblocking(True)
            line.sendall(sent)
            line.setblocking(False)
        return received != b""
