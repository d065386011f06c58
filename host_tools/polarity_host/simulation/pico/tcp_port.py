"""An emulated Pico's USB serial as a port for the host tools: a socket:// address."""

import socket
import threading
from collections.abc import Callable
from typing import TYPE_CHECKING

if TYPE_CHECKING:  # the emulator is imported after image.py has prepared it
    from polarity_host.simulation.pico.pico import EmulatedPico

LOOKS_S = 0.1  # how often one that waits looks whether it is over


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
        """Disconnects the host, if there is one, and accepts no other. Then the Pico's time no
        longer passes and it may be used as before; where `each_ms` calls this, once the host sees
        that the line is closed."""
        self._over = True
        if self._thread is not threading.current_thread():
            self._thread.join()

    def _serve(self) -> None:
        with self._listener:
            self._listener.settimeout(LOOKS_S)
            while not self._over:
                try:
                    line, _ = self._listener.accept()
                except TimeoutError:
                    continue
                with line:
                    try:
                        while not self._over and self._pass(line):
                            pass
                    except OSError:
                        pass  # they have gone

    def _pass(self, line: socket.socket) -> bool:
        """One millisecond. Returns False when the other side has closed the line."""
        line.setblocking(False)
        try:
            received = line.recv(4096)
        except BlockingIOError:
            received = None
        if received:
            self.pico.write(received)
        self.pico.run(1)
        self._each_ms()
        sent = self.pico.read()
        line.settimeout(LOOKS_S)
        while sent and not self._over:
            try:
                sent = sent[line.send(sent) :]
            except TimeoutError:
                pass  # a host that does not read
        return received != b""
