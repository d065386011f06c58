"""`sim://` as a pyserial port: read, write, time-outs and disappearance as with hardware."""

from types import TracebackType
from typing import Any

from serial.serialutil import PortNotOpenError, SerialBase, SerialException, SerialTimeoutException

from polarity_host.device.ports import SimFailed, SimOver
from polarity_host.errors import HostError
from polarity_host.simulation.port import power
from polarity_host.simulation.port.sim_mat import Finished, SimMat, Unplugged


class Serial(SerialBase):
    """A port to the simulated mat of its URL, which simulation/port/address.py explains.

    Line settings are accepted and ignored, as with USB. Failures are SerialException; SimOver
    once the game is over.
    """

    BAUDRATES = SerialBase.BAUDRATES

    def __init__(self, *args: Any, **kwargs: Any):
        self._mat: SimMat | None = None
        self._read_cancelled = False
        super().__init__(*args, **kwargs)

    def open(self) -> None:
        """Attaches to the mat. SerialException when the URL is wrong or the mat cannot be made."""
        if self.port is None:
            raise SerialException("Port must be configured before it can be used.")
        if self.is_open:
            raise SerialException("Port is already open.")
        try:
            mat = power.mat_at(self.port)
        except HostError as error:
            raise SerialException(error.message) from error
        with _as_serial_errors():
            mat.attach()
        self._mat = mat
        self.is_open = True

    def close(self) -> None:
        """Detaches; the game goes on."""
        if self.is_open and self._mat:
            self.is_open = False
            self._mat.detach()
            self._mat.wake()

    @property
    def in_waiting(self) -> int:
        """Bytes that can be read at once."""
        with _as_serial_errors():
            return self._opened().waiting

    @property
    def out_waiting(self) -> int:
        """Always 0: what `write` accepted is with the mat."""
        self._opened()
        return 0

    def read(self, size: int = 1) -> bytes:
        """`size` bytes, or fewer after the time-out or `cancel_read`."""
        mat = self._opened()
        self._read_cancelled = False
        data = bytearray()
        with _as_serial_errors():
            while len(data) < size:
                part = mat.read(size - len(data), self.timeout, self._stopped)
                data += part
                if not part or self.timeout == 0:
                    break
        return bytes(data)

    def cancel_read(self) -> None:
        """Ends a `read` that waits in another thread."""
        self._read_cancelled = True
        self._opened().wake()

    def cancel_write(self) -> None:
        """Nothing to do: `write` waits no longer than its time-out."""
        self._opened()

    def write(self, data: Any) -> int:
        """Sends all of `data`; SerialTimeoutException when the mat does not take it in time."""
        whole = bytes(data)
        with _as_serial_errors():
            sent = self._opened().write(whole, self.write_timeout)
        if sent < len(whole):
            raise SerialTimeoutException("Write timeout")
        return sent

    def flush(self) -> None:
        """Nothing to do: `write` hands over at once."""
        self._opened()

    def reset_input_buffer(self) -> None:
        """Drops what has arrived and was not read."""
        self._opened().drop_input()

    def reset_output_buffer(self) -> None:
        """Nothing to do: nothing is buffered on the way to the mat."""
        self._opened()

    def _opened(self) -> SimMat:
        if not self.is_open or self._mat is None:
            raise PortNotOpenError()
        return self._mat

    def _stopped(self) -> bool:
        return self._read_cancelled or not self.is_open

    def _reconfigure_port(self) -> None:
        pass

    def _update_break_state(self) -> None:
        pass

    def _update_rts_state(self) -> None:
        pass

    def _update_dtr_state(self) -> None:
        pass

    @property
    def cts(self) -> bool:
        return True

    @property
    def dsr(self) -> bool:
        return True

    @property
    def ri(self) -> bool:
        return False

    @property
    def cd(self) -> bool:
        return True


class _as_serial_errors:
    """Turns the mat's own errors into those of a serial port."""

    def __enter__(self) -> None:
        pass

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if isinstance(error, Finished):
            raise SimOver(str(error)) from error
        if isinstance(error, Unplugged):
            raise SerialException(str(error)) from error
        if isinstance(error, Exception) and not isinstance(error, SerialException):
            text = getattr(error, "message", "") or f"the virtual mat broke down: {error!r}"
            raise SimFailed(text) from error
