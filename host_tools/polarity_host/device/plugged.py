"""Mats that are plugged in, each by the serial number of its USB: that moves with a mat from port
to port, a device's path does not.
"""

from dataclasses import dataclass

from serial.tools import list_ports
from serial.tools.list_ports_common import ListPortInfo

from polarity_host.errors import BAD_INPUT, HostError

SCHEME = "usb:"
#: What MicroPython's serial port of an RP2040 is (ports/rp2/mpconfigport.h, MICROPY_HW_USB_VID and
#: _PID). Other serial devices are not asked what they are: a `hello` might mean something there.
VID, PID = 0x2E8A, 0x0005


@dataclass(frozen=True)
class Plugged:
    """A serial port of USB: its device, the serial number, and the socket of the computer or hub
    that it is in (as 1-1.2), "" where the system does not tell."""

    device: str
    serial: str
    place: str
    is_mat: bool


def plugged() -> list[Plugged]:
    """The ports that have a serial number, in the system's order."""
    return [
        Plugged(p.device, p.serial_number, p.location or "", _is_mat(p))
        for p in sorted(list_ports.comports())
        if p.serial_number
    ]


def plugged_mats() -> list[str]:
    """Every mat that is plugged in, as usb:SERIAL; with @PLACE where two have one serial number,
    and as its device where it has none."""
    found = plugged()
    urls = [url_of(one, found) for one in found if one.is_mat]
    nameless = [p.device for p in list_ports.comports() if _is_mat(p) and not p.serial_number]
    return urls + sorted(nameless)


def following(device: str) -> str:
    """A device's path as usb:SERIAL, which follows the mat wherever it is plugged in next; as it is
    where it has no serial number, or is no device."""
    found = plugged()
    return next((url_of(one, found) for one in found if one.device == device), device)


def url_of(one: Plugged, all_of_them: list[Plugged]) -> str:
    """The port of one among all that are plugged in: usb:SERIAL, with @PLACE where needed."""
    alike = sum(other.serial == one.serial for other in all_of_them)
    return f"{SCHEME}{one.serial}" + (f"@{one.place or one.device}" if alike > 1 else "")


def serial_number(port: str) -> str:
    """The serial number of the USB device behind a port, with its place as in usb:SERIAL@PLACE; ""
    where there is none."""
    if port.lower().startswith(SCHEME):
        return port[len(SCHEME) :]
    return next((one.serial for one in plugged() if one.device == port), "")


def device_of(url: str) -> str:
    """The device behind usb:SERIAL or usb:SERIAL@PLACE; any other port as it is. HostError
    BAD_INPUT where it is not plugged in, or two have that serial number."""
    if not url.lower().startswith(SCHEME):
        return url
    serial, _, place = url[len(SCHEME) :].partition("@")
    found = [one for one in plugged() if one.serial.lower() == serial.lower()]
    if place:
        found = [one for one in found if place in (one.place, one.device)]
    if len(found) > 1:
        raise HostError(
            BAD_INPUT, "several mats have the serial number of {url}: add where it is, as in {one}",
            url=url, one=url_of(found[0], found),
        )  # fmt: skip
    if not found:
        raise HostError(
            BAD_INPUT, "{url} is not plugged in; `polarity ports` lists what there is", url=url
        )
    return found[0].device


def _is_mat(port: ListPortInfo) -> bool:
    return (port.vid, port.pid) == (VID, PID)
