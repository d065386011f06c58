"""A simulated mat at the far end of a TCP connection, for `socket://` ports of other processes."""

import socket
import threading

from polarity_host.errors import BAD_INPUT, FAILED, HostError
from polarity_host.simulation.port.sim_mat import Finished, SimMat, Unplugged


class MatServer:
    """Offers one simulated mat, to one host at a time; between two hosts the mat goes on."""

    def __init__(self, mat: SimMat, address: str):
        """Binds to `HOST:PORT` (port 0: any). HostError when that is no address or is taken."""
        host, _, port = address.rpartition(":")
        try:
            number = int(port)
        except ValueError:
            number = -1
        if not host or not 0 <= number <= 65535:
            raise HostError(
                BAD_INPUT,
                "{address} is no address; write HOST:PORT, as 127.0.0.1:7007",
                address=address,
            )
        self._mat = mat
        try:
            self._listener = socket.create_server((host.strip("[]"), number))
        except OSError as error:
            raise HostError(
                FAILED,
                "cannot listen at {address}: {why}",
                address=address,
                why=error.strerror or error,
            ) from error

    @property
    def url(self) -> str:
        """The port to give to `polarity log`."""
        host, port = self._listener.getsockname()[:2]
        return f"socket://{host}:{port}"

    def serve(self) -> None:
        """Serves hosts one after the other until `close` or until the mat is unplugged or
        finished.
        """
        while True:
            try:
                connection, _ = self._listener.accept()
            except OSError:
                return
            with connection:
                if not self._serve_one(connection):
                    self.close()
                    return

    def close(self) -> None:
        """Stops listening."""
        try:
            self._listener.shutdown(socket.SHUT_RDWR)
        except OSError:
            pass
        self._listener.close()

    def _serve_one(self, connection: socket.socket) -> bool:
        """Returns whether another host may connect."""
        gone = threading.Event()
        listener = threading.Thread(target=self._listen, args=(connection, gone), daemon=True)
        try:
            self._mat.attach()
            listener.start()
            while not gone.is_set():
                data = self._mat.read(4096, 0.5, gone.is_set)
                if data:
                    connection.sendall(data)
        except OSError:
            pass
        except (Finished, Unplugged):
            return False
        finally:
            self._mat.detach()
            if listener.ident:
                try:
                    connection.shutdown(socket.SHUT_RDWR)
                except OSError:
                    pass
                listener.join(timeout=5)
        return True

    def _listen(self, connection: socket.socket, gone: threading.Event) -> None:
        try:
            while data := connection.recv(512):
                self._mat.write(data, 5.0)
        except (OSError, Finished, Unplugged):
            pass
        gone.set()
        self._mat.wake()
