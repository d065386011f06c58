"""`sim://` as a pyserial port: read, write, time-outs and disappearance as with hardware."""

from serial.serialutil import PortNotOpenError, SerialBase, SerialException, SerialTimeoutException

from polarity_host.device.ports import SimFailed, SimOver
from polarity_host.errors import HostError
from polarity_host.simulation.port import power
from polarity_host.simulation.port.sim_mat import Finished, Unplugged


class Serial(SerialBase):
    """A port to the virtual mat of its URL, which `polarity_host.simulation.port.address` explains.

    Line settings are accepted and mean nothing, as with USB. Failures are SerialException; SimOver
    once the game is over.
    """

    BAUDRATES = SerialBase.BAUDRATES

    def __init__(self, *args, **kwargs):
        self._mat = None
        self._read_cancelled = False
        super().__init__(*args, **kwargs)

    def open(self):
        """Attaches to the mat. SerialException when the URL is wrong or the mat cannot be made."""
        if self._port is None:
            raise SerialException("Port must be configured before it can be used.")
        if self.is_open:
            raise SerialException("Port is already open.")
        try:
            mat = power.mat_at(self._port)
        except HostError as error:
            raise SerialException(error.message) from error
        with _as_serial_errors():
            mat.attach()
        self._mat = mat
        self.is_open = True

    def close(self):
        """Detaches; the mat plays on."""
        if self.is_open:
            self.is_open = False
            self._mat.detach()
            self._mat.wake()

    @property
    def in_waiting(self):
        """Bytes that can be read at once."""
        with _as_serial_errors():
            return self._opened().waiting

    @property
    def out_waiting(self):
        """Always 0: what `write` accepted is with the mat."""
        self._opened()
        return 0

    def read(self, size=1):
        """`size` bytes, or fewer when the time-out is over or `cancel_read` was called."""
        mat = self._opened()
        self._read_cancelled = False
        data = bytearray()
        with _as_serial_errors():
            while len(data) < size:
                part = mat.read(size - len(data), self._timeout, self._stopped)
                data += part
                if not part or self._timeout == 0:
                    break
        return bytes(data)

    def cancel_read(self):
        """Ends a `read` that waits in another thread."""
        self._read_cancelled = True
        self._opened().wake()

    def cancel_write(self):
        """Nothing to do: `write` waits no longer than its time-out."""
        self._opened()

    def write(self, data):
        """Sends all of `data`; SerialTimeoutException when the mat does not take it in time."""
        data = bytes(data)
        with _as_serial_errors():
            sent = self._opened().write(data, self._write_timeout)
        if sent < len(data):
            raise SerialTimeoutException("Write timeout")
        return sent

    def flush(self):
        """Nothing to do: `write` hands over at once."""
        self._opened()

    def reset_input_buffer(self):
        """Forgets what has arrived and was not read."""
        self._opened().drop_input()

    def reset_output_buffer(self):
        """Nothing is kept on the way to the mat."""
        self._opened()

    def _opened(self):
        if not self.is_open:
            raise PortNotOpenError()
        return self._mat

    def _stopped(self):
        return self._read_cancelled or not self.is_open

    def _reconfigure_port(self):
        pass

    def _update_break_state(self):
        pass

    def _update_rts_state(self):
        pass

    def _update_dtr_state(self):
        pass

    @property
    def cts(self):
        return True

    @property
    def dsr(self):
        return True

    @property
    def ri(self):
        return False

    @property
    def cd(self):
        return True


class _as_serial_errors:
    """Turns the mat's own errors into those of a serial port."""

    def __enter__(self):
        return self

    def __exit__(self, kind, error, trace):
        if isinstance(error, Finished):
            raise SimOver(str(error)) from error
        if isinstance(error, Unplugged):
            raise SerialException(str(error)) from error
        if isinstance(error, Exception) and not isinstance(error, SerialException):
            text = getattr(error, "message", "") or f"the virtual mat broke down: {error!r}"
            raise SimFailed(text) from error
        return False
