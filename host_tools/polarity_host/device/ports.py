"""The one place that opens a port: a device path, `usb:SERIAL`, `socket://HOST:PORT`, or `sim://…`
for the twin.
"""

import errno
import importlib.util
from urllib.parse import urlsplit

import serial
from serial.tools import list_ports

from polarity_host.device.plugged import SCHEME, device_of
from polarity_host.device.port_user import user_of
from polarity_host.errors import BAD_INPUT, FAILED, HostError, MissingExtra, Said

if "polarity_host.simulation.port.urlhandler" not in serial.protocol_handler_packages:
    serial.protocol_handler_packages.append("polarity_host.simulation.port.urlhandler")

SIM_EXAMPLE = "sim://demo?seed=1"
READ_BYTES = 4096


class PortGone(Exception):
    """The port disappeared while it was open."""


class PortOver(PortGone):
    """The port came to its planned end and will not come back: a virtual game was played out."""


class SimOver(serial.SerialException):
    """Raised by `sim://` ports, instead of any other SerialException, once their game is over."""


class SimFailed(serial.SerialException):
    """Raised by `sim://` ports when the virtual mat itself failed; a retry does not help."""


class Port:
    """An open port: bytes in, bytes out, and PortGone for every way in which it can disappear."""

    def __init__(self, url: str, wait_s: float = 0.2):
        """Opens `url`; `read` then waits up to `wait_s`.

        HostError with BAD_INPUT when there is no such port, FAILED when it cannot be opened now.
        """
        if url.lower().startswith("sim://") and not importlib.util.find_spec("magpylib"):
            raise MissingExtra("magpylib")  # pyserial would call the protocol unknown
        self.url = url
        # A socket does not know how many bytes wait: request many, with a short timeout.
        self._is_socket = url.lower().startswith("socket://")
        if self._is_socket and not _names_a_port(url):
            raise HostError(
                BAD_INPUT, "{url} names no port: write socket://HOST:PORT, as in `polarity sim "
"--serve 127.0.0.1:7007`, whose mat is socket://127.0.0.1:7007", url=url
            )  # fmt: skip
        timeout_s = min(wait_s, 0.02) if self._is_socket else wait_s
        device = device_of(url)
        try:
            self._serial = serial.serial_for_url(
                device,
                baudrate=115200,
                timeout=timeout_s,
                write_timeout=2.0,
                # or two programs would get half of its bytes each
                exclusive=None if "://" in device else True,
            )
        except SimOver as error:
            raise PortOver(str(error)) from error
        except SimFailed as error:
            raise HostError(FAILED, str(error)) from error
        except (serial.SerialException, ValueError, OSError) as error:
            raise _refusal(device, error) from error

    def read(self) -> bytes:
        """Whatever has arrived, b"" when nothing came in time. PortGone, PortOver."""
        try:
            if self._is_socket:
                return self._serial.read(READ_BYTES)
            first = self._serial.read(1)
            waiting = self._serial.in_waiting if first else 0
            return first + self._serial.read(min(waiting, READ_BYTES)) if waiting else first
        except SimOver as error:
            raise PortOver(str(error)) from error
        except SimFailed as error:
            raise HostError(FAILED, str(error)) from error
        except (serial.SerialException, OSError, TypeError) as error:
            # TypeError: how pyserial fails when another thread closed the port
            raise PortGone(_plain(error)) from error

    def write_line(self, text: str) -> None:
        """Sends one command. PortGone, also when the mat accepts no byte for two seconds."""
        self.write(text.encode("ascii") + b"\n")

    def write(self, data: bytes) -> None:
        """Sends bytes that need be no command. PortGone, as `write_line`."""
        try:
            self._serial.write(data)
        except SimOver as error:
            raise PortOver(str(error)) from error
        except SimFailed as error:
            raise HostError(FAILED, str(error)) from error
        except (serial.SerialException, OSError, TypeError) as error:
            raise PortGone(_plain(error)) from error

    def close(self) -> None:
        """Closes the port; never fails."""
        try:
            self._serial.close()
        except (serial.SerialException, OSError):
            pass


def available() -> list[tuple[str, str]]:
    """The serial ports of this computer: (device, what it is), in the system's order."""
    found = []
    for port in sorted(list_ports.comports()):
        about = port.description if port.description and port.description != "n/a" else ""
        if port.vid is not None:
            about = f"{about} [{port.vid:04x}:{port.pid:04x}]".strip()
        if port.serial_number:
            about = f"{about} {SCHEME}{port.serial_number}".strip()
        found.append((port.device, about))
    return found


def _plain(error: Exception) -> str:
    text = getattr(error, "strerror", None) or str(error) or type(error).__name__
    return " ".join(text.split())


def _names_a_port(url: str) -> bool:
    """Whether a URL has a host and a port."""
    try:
        parts = urlsplit(url)
        return bool(parts.hostname) and parts.port is not None
    except ValueError:  # no number, or none that a port can have
        return False


def _refusal(url: str, error: Exception) -> HostError:
    code = getattr(error, "errno", None)
    hint = Said("`polarity ports` lists what there is")
    if code in (errno.EAGAIN, errno.EBUSY) or "PermissionError(13" in str(
        error
    ):  # the last: Windows
        return HostError(
            FAILED,
            "{url} is in use by {program}; close that one first",
            url=url,
            program=user_of(url),
        )
    if isinstance(error, PermissionError) or code == errno.EACCES:
        return HostError(
            FAILED,
            "no permission to open {url}; on Linux join the group `dialout`, then log in again",
            url=url,
        )
    if url.lower().startswith("socket://"):
        return HostError(
            BAD_INPUT,
            "nothing answers at {url}: {why}; is the mat's server running?",
            url=url,
            why=_plain(error),
        )
    if "://" in url:
        return HostError(BAD_INPUT, "cannot open {url}: {why}", url=url, why=_plain(error))
    if code == errno.ENOENT or isinstance(error, FileNotFoundError):
        return HostError(BAD_INPUT, "there is no port {url}; {hint}", url=url, hint=hint)
    return HostError(
        BAD_INPUT, "cannot open {url}: {why}; {hint}", url=url, why=_plain(error), hint=hint
    )
