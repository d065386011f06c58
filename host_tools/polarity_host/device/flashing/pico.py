"""A Pico at a port that runs MicroPython: what it is, and the files on its flash."""

import errno
import json
import os
import struct
from collections.abc import Callable, Iterable
from contextlib import redirect_stdout, suppress
from io import StringIO
from typing import NamedTuple, ParamSpec, TypeVar

from polarity_host.device.flashing.compiled import RELEASE
from polarity_host.device.flashing.firmware import RP2040, RP2350, STARTS
from polarity_host.device.flashing.pages import FOLDER, HEAD_BYTES, SLOTS, TABLE_FOLDER
from polarity_host.device.ports import Port, available
from polarity_host.errors import BAD_INPUT, FAILED, HostError, MissingExtra, Said

PAGED = (FOLDER, TABLE_FOLDER)  # folders of pages, whose stamps do not count
TEMPORARY = ".new"  # what ends the name of a file that is not to be used yet
MB = 1024 * 1024


class Board(NamedTuple):
    """A board that the mat's carrier takes: its chip, its flash, how many bytes of that are left to
    files by MicroPython's image for it, and the image's name (ports/rp2/boards)."""

    chip: str
    flash_mb: int
    files_bytes: range
    image: str


# What MicroPython calls them. The firmware's pages are found from the end of the flash
# (flash_pages/code.py), and an image for another flash leaves another part of it to files: these
# leave 1408 KB and 3 MB.
BOARDS = {
    "Raspberry Pi Pico with RP2040": Board(RP2040, 2, range(MB, 2 * MB), "RPI_PICO"),
    "Raspberry Pi Pico2 with RP2350": Board(RP2350, 4, range(2 * MB, 4 * MB), "RPI_PICO2"),
}
CHIPS = (RP2040, RP2350)
# Why boards that look like them are refused, with what each lacks.
_UNLIKE = {
    "Raspberry Pi Pico W with RP2040": Said(
        " (a Pico W's LED and some of its supply's pins are its radio's, and its image leaves less "
        "of the flash to files)"
    ),
    "Raspberry Pi Pico2 with RP2350-RISCV": Said(
        " (its other cores, the Arm ones, run the mat's machine code: copy the image that is not "
        "for RISC-V)"
    ),
}  # fmt: skip
ANSWER_S, PATIENCE_S = 10, 60
CHUNK_BYTES = 1024
#: How the Pico's file system fails; other errors are the connection's.
FILE_ERRORS = {errno.ENOSPC, errno.ENOENT, errno.EISDIR, errno.ENOTDIR, errno.EROFS, errno.EACCES}


def _micropython(image: str = "RPI_PICO") -> Said:
    """How MicroPython comes onto a Pico."""
    return Said(
        "hold the Pico's BOOTSEL button while you plug it in, copy the UF2 of "
        "https://micropython.org/download/{image}/ to its drive, then try again",
        image=image,
    )


_ABOUT = """
import os, sys
about = sys.implementation
print(about.name)
print(*about.version[:3])
print(getattr(about, "_machine", "") or os.uname()[4])
"""
_FILES = """
import rp2
flash = rp2.Flash()
print(flash.ioctl(4, 0) * flash.ioctl(5, 0))
"""
# Prints each file as soon as it is read: there may be no memory for all of them at once.
_CONTENTS = """
import json, os
from binascii import crc32
part = bytearray(512)
def look(folder, skip):
    try:
        names = list(os.ilistdir(folder))
    except OSError:
        return
    for entry in names:
        path = folder + "/" + entry[0]
        if entry[1] & 0x4000:
            look(path, {head} if entry[0] in {pages} else 0)
            continue
        total = 0
        with open(path, "rb") as file:
            file.seek(skip)
            size = file.readinto(part)
            while size:
                total = crc32(memoryview(part)[:size], total)
                size = file.readinto(part)
        print(total & 0xFFFFFFFF, path)
def first(path):
    try:
        with open(path) as file:
            return file.read()
    except OSError:
        return ""
print(json.dumps([first("slot"), [first(name) for name in {starts}], os.uname()[4]]))
for slot in {slots}:
    look(slot, 0)
"""
_REPLACE = """
import os
with open("{name}{temporary}", "wb") as file:
    file.write({data})
os.rename("{name}{temporary}", "{name}")
"""
_PASS = """
import sys
with open("slot") as file:
    sys.path.insert(0, file.read(1))
from drivers import guard
guard.passed()
"""


P = ParamSpec("P")
T = TypeVar("T")


class Contents(NamedTuple):
    """What is on a Pico: `slot`, the one that starts, "" for none; `starts`, the text of each of
    STARTS; `checksums`, the CRC-32 of every file in the slots by its path, of a page without its
    stamp; `machine`, what MicroPython calls the Pico."""

    slot: str
    starts: list[str]
    checksums: dict[str, int]
    machine: str


class Pico:
    """The Pico at `port`, its program stopped; `chip`: RP2040, or RP2350 of a Pico 2. HostError
    when there is none, or no MicroPython on it that the firmware can use."""

    def __init__(self, port: str):
        try:
            from mpremote.transport import TransportError
            from mpremote.transport_serial import SerialTransport
        except ImportError:
            raise MissingExtra("mpremote") from None
        if port.lower().startswith("sim:"):
            raise HostError(
                BAD_INPUT, "{port} is a virtual mat: it has no Pico to put firmware on", port=port
            )
        self.port = port
        self.chip = RP2040
        self._folders: set[str] = set()  # that are known to be there
        # struct.error, ValueError: how mpremote fails when nothing answers, or at a wrong URL
        self._errors = (TransportError, OSError, struct.error, ValueError)
        try:
            self._transport = SerialTransport(port, timeout=ANSWER_S)
        except self._errors:
            raise _unopened(port) from None
        try:
            with _quiet():
                self._transport.enter_raw_repl(timeout_overall=ANSWER_S)
        except self._errors:
            self.close()
            raise self._silent() from None
        try:
            self._check()
        except HostError:
            with suppress(*self._errors):  # the program that was stopped starts again
                self._transport.serial.write(b"\r\x02\x04")
            self.close()
            raise

    def _check(self) -> None:
        """HostError unless the firmware is for what answers."""
        try:
            name, version, machine = self.run(_ABOUT).splitlines()[-3:]
            release = _numbers(version.split())
        except ValueError:
            raise self._silent() from None
        board = BOARDS.get(machine)
        hint = _micropython(board.image) if board else _micropython()
        if machine in _UNLIKE or not any(chip in machine.upper() for chip in CHIPS):
            why = Said(
                "the board at {port} is no Raspberry Pi Pico with an {chip} but: {machine}; "
                "connect the mat's own, `polarity ports` lists what there is{lacks}",
                port=self.port, chip=RP2040, machine=machine, lacks=_UNLIKE.get(machine, ""),
            )  # fmt: skip
        elif name != "micropython":
            why = Said(
                "the Pico at {port} runs {name}, not MicroPython: {hint}",
                port=self.port, name=name, hint=hint,
            )  # fmt: skip
        elif release < _numbers(RELEASE.split(".")):
            why = Said(
                "the Pico at {port} runs MicroPython {version}, older than {oldest}, the oldest "
                "that the mat can use: {hint}",
                port=self.port, version=version.replace(" ", "."), oldest=RELEASE, hint=hint,
            )  # fmt: skip
        elif board is None:
            why = Said(
                "the board at {port} is no Raspberry Pi Pico but: {machine}; its pins and its "
                "flash may be others",
                port=self.port, machine=machine,
            )  # fmt: skip
        elif int(self.run(_FILES)) not in board.files_bytes:
            why = Said(
                "the Pico at {port} runs MicroPython for another flash than its {mb} MB: {hint}",
                port=self.port, mb=board.flash_mb, hint=hint,
            )  # fmt: skip
        else:
            self.chip = board.chip
            return
        raise HostError(FAILED, why)

    def _silent(self) -> HostError:
        return HostError(
            FAILED,
            "no MicroPython answers at {port}: {hint}",
            port=self.port,
            hint=_micropython(),
        )

    def close(self) -> None:
        """Closes the port; never fails."""
        with suppress(*self._errors):  # the Pico may be unplugged
            self._transport.close()

    def contents(self) -> Contents:
        """What is on its flash. HostError when it cannot be read."""
        code = _CONTENTS.format(slots=SLOTS, starts=STARTS, head=HEAD_BYTES, pages=PAGED)
        about, *lines = self.run(code).splitlines()
        slot, starts, machine = json.loads(about)
        found = {path: int(total) for total, path in (line.split(" ", 1) for line in lines)}
        return Contents(slot, starts, found, machine)

    def run(self, code: str) -> str:
        """What the code prints. HostError when the code or the connection fails."""
        printed, complaint = self._do(self._transport.exec_raw, code, PATIENCE_S)
        if complaint:
            last = complaint.decode(errors="replace").strip().splitlines()[-1]
            raise HostError(FAILED, "the Pico at {port}: {last}", port=self.port, last=last)
        return printed.decode(errors="replace")

    def _do(self, action: Callable[P, T], *args: P.args, **options: P.kwargs) -> T:
        """What one of mpremote's functions returns. HostError when it or the connection fails."""
        try:
            with _quiet():
                return action(*args, **options)
        except self._errors as error:
            if isinstance(error, OSError) and error.errno in FILE_ERRORS:
                raise HostError(
                    FAILED,
                    "the Pico at {port} has trouble with its files: {why}",
                    port=self.port,
                    why=os.strerror(error.errno),
                ) from error
            raise HostError(
                FAILED,
                "the Pico at {port} no longer answers: plug it in again, then try again",
                port=self.port,
            ) from error

    def write(self, path: str, data: bytes) -> None:
        """Writes a file, and the folders above it."""
        folders = path.split("/")[:-1]
        for depth in range(1, len(folders) + 1):
            folder = "/".join(folders[:depth])
            if folder not in self._folders and not self._do(self._transport.fs_exists, folder):
                self._do(self._transport.fs_mkdir, folder)
            self._folders.add(folder)
        self._do(self._transport.fs_writefile, path, data, CHUNK_BYTES)

    def replace(self, name: str, data: bytes) -> None:
        """Replaces a small file in one step."""
        self.run(_REPLACE.format(name=name, data=data, temporary=TEMPORARY))

    def remove(self, path: str) -> None:
        """Removes a file."""
        self._do(self._transport.fs_rmfile, path)

    def rename(self, path: str, new: str) -> None:
        """Gives a file another name in one step."""
        self.run(f"import os\nos.rename({path!r}, {new!r})")

    def restart(self) -> None:
        """Restarts the Pico, and closes the port."""
        with suppress(HostError):  # it may have no guard
            self.run(_PASS)  # failed starts of another version are no reason for safe mode
        with _quiet(), suppress(*self._errors):  # it may be unplugged already
            self._transport.exec_raw_no_follow("import machine\nmachine.reset()")
        self.close()


def _unopened(port: str) -> HostError:
    """Why mpremote cannot open a port, and what to do."""
    try:
        Port(port).close()
    except HostError as error:
        if error.exit_code == BAD_INPUT and "://" not in port and port not in dict(available()):
            return HostError(
                BAD_INPUT,
                "{error}; a new Pico is no port until MicroPython is on it: {hint}",
                error=error,
                hint=_micropython(),
            )
        return error
    # It opens, but not for mpremote, which wants it exclusively.
    return HostError(FAILED, "{port} is in use by another program; close that one first", port=port)


def _quiet() -> redirect_stdout[StringIO]:
    """mpremote prints an unexpected answer on stdout: suppresses that."""
    return redirect_stdout(StringIO())


def _numbers(parts: Iterable[str]) -> tuple[int, ...]:
    return tuple(int(part) for part in parts)
