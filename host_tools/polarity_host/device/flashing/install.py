"""Puts the firmware on a Pico that runs MicroPython, beside the version that is there.

Two places hold a version each, the folders `a` and `b`; the file `slot` names the one that boot.py
starts. A new version goes into the other one, only what differs there; its start.mpy has another
name from before the first change until every file reads back as it should, and a slot without one
is never started. Then `slot` is exchanged. So a cable pulled at any moment leaves a version that is
whole, and the one before can be gone back to as long as it is. What the mat keeps (kept/) is
touched by neither.
"""

import json
import struct
import zlib
from collections.abc import Callable, Iterable, Mapping
from contextlib import redirect_stdout, suppress
from io import StringIO

from polarity_host.device.flashing.compiled import RELEASE
from polarity_host.device.flashing.firmware import STARTS
from polarity_host.device.flashing.pages import FOLDER, HEAD_BYTES, SLOTS, TABLE_FOLDER
from polarity_host.device.ports import Port, available
from polarity_host.errors import BAD_INPUT, FAILED, HostError

PAGED = (FOLDER, TABLE_FOLDER)  # folders of pages, whose stamps do not count
COMPLETE = "start.mpy"  # a slot with this is whole and can be started
WAITS = ".new"  # what is not to be found under its own name yet
CHIP = "RP2040"
ANSWER_S, PATIENCE_S = 10.0, 60.0
CHUNK_BYTES = 1024
_MICROPYTHON = (
    "hold the Pico's BOOTSEL button while you plug it in, copy the UF2 of "
    "https://micropython.org/download/RPI_PICO/ to its drive, then try again"
)
_ABOUT = """
import os, sys
about = sys.implementation
print(about.name)
print(*about.version[:3])
print(getattr(about, "_machine", "") or os.uname()[4])
"""
# Says each file as soon as it is read: memory for all of them in one piece there may not be.
_LOOK = """
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
_EXCHANGE = """
import os
with open("{name}{waits}", "wb") as file:
    file.write({data})
os.rename("{name}{waits}", "{name}")
"""
_PASS = """
import sys
with open("slot") as file:
    sys.path.insert(0, file.read(1))
from drivers import guard
guard.passed()
"""


class Board:
    """A Pico at `port`, its program stopped. HostError when there is none, or no MicroPython on it
    that the firmware is for."""

    def __init__(self, port: str):
        try:
            from mpremote.transport import TransportError
            from mpremote.transport_serial import SerialTransport
        except ImportError:
            raise HostError(FAILED, "mpremote is not installed: pip install mpremote") from None
        if port.lower().startswith("sim:"):
            raise HostError(
                BAD_INPUT, f"{port} is a virtual mat: it has no Pico to put firmware on"
            )
        self.port = port
        # struct.error, ValueError: mpremote's way of failing when nothing answers, or at no URL
        self._errors = (TransportError, OSError, struct.error, ValueError)
        try:
            self._transport = SerialTransport(port, timeout=ANSWER_S)
        except self._errors:
            raise _unopened(port) from None
        try:
            with _quiet():
                self._transport.enter_raw_repl(timeout_overall=ANSWER_S)
        except self._errors:
            self._close()
            raise self._silent() from None
        try:
            self._check()
        except HostError:
            with suppress(*self._errors):  # what was stopped there begins anew
                self._transport.serial.write(b"\r\x02\x04")
            self._close()
            raise

    def _check(self) -> None:
        """HostError unless the firmware is for what answers."""
        try:
            name, version, machine = self.run(_ABOUT).splitlines()[-3:]
            release = _numbers(version.split())
        except ValueError:
            raise self._silent() from None
        if CHIP not in machine.upper():
            why = f"the board at {self.port} is no Raspberry Pi Pico with an {CHIP} but: {machine}"
            why += "; connect the mat's own, `polarity ports` lists what there is"
        elif name != "micropython":
            why = f"the Pico at {self.port} runs {name}, not MicroPython: {_MICROPYTHON}"
        elif release < _numbers(RELEASE.split(".")):
            version = version.replace(" ", ".")
            why = f"the Pico at {self.port} runs MicroPython {version}, older than {RELEASE}, the "
            why += f"oldest that the mat can use: {_MICROPYTHON}"
        else:
            return
        raise HostError(FAILED, why)

    def _silent(self) -> HostError:
        return HostError(FAILED, f"no MicroPython answers at {self.port}: {_MICROPYTHON}")

    def _close(self) -> None:
        with suppress(*self._errors):  # the line may be gone
            self._transport.close()

    def look(self) -> tuple:
        """(slot, starts, files, machine): the slot that starts, the text of each of STARTS, and the
        CRC-32 of every file in the slots; of a code page, behind its stamp."""
        code = _LOOK.format(slots=SLOTS, starts=STARTS, head=HEAD_BYTES, pages=PAGED)
        about, *lines = self.run(code).splitlines()
        slot, starts, machine = json.loads(about)
        found = {path: int(total) for total, path in (line.split(" ", 1) for line in lines)}
        return slot, starts, found, machine

    def run(self, code: str) -> str:
        """What the code prints. HostError when it, or the line, fails."""
        try:
            with _quiet():
                printed, complaint = self._transport.exec_raw(code, timeout=PATIENCE_S)
        except self._errors as error:
            why = f"the Pico at {self.port} answers no more: plug it in again, then try again"
            raise HostError(FAILED, why) from error
        if complaint:
            last = complaint.decode(errors="replace").strip().splitlines()[-1]
            raise HostError(FAILED, f"the Pico at {self.port}: {last}")
        return printed.decode(errors="replace")

    def write(self, path: str, data: bytes) -> None:
        """Writes a file, and the folders above it."""
        folders = path.split("/")[:-1]
        for depth in range(1, len(folders) + 1):
            folder = "/".join(folders[:depth])
            self.run(f"import os\ntry:\n os.mkdir({folder!r})\nexcept OSError:\n pass")
        self.run(f"file = open({path!r}, 'wb')")
        for at in range(0, len(data), CHUNK_BYTES):
            self.run(f"file.write({data[at : at + CHUNK_BYTES]!r})")
        self.run("file.close()")

    def exchange(self, name: str, data: bytes) -> None:
        """Replaces a small file, as a whole."""
        self.run(_EXCHANGE.format(name=name, data=data, waits=WAITS))

    def remove(self, path: str) -> None:
        """Removes a file."""
        self.run(f"import os\nos.remove({path!r})")

    def rename(self, path: str, new: str) -> None:
        """Gives a file another name, as a whole."""
        self.run(f"import os\nos.rename({path!r}, {new!r})")

    def restart(self) -> None:
        """Starts the Pico anew; the board is closed."""
        with suppress(HostError):  # it may have no guard
            self.run(_PASS)  # that others failed to start is no reason for safe mode
        with _quiet(), suppress(*self._errors):  # it may be gone already
            self._transport.exec_raw_no_follow("import machine\nmachine.reset()")
        self._close()


def install(
    board: Board, files: Mapping[str, bytes], told: Callable[[str], None] = lambda line: None
) -> int:
    """Puts the firmware's files on the board and lets the next start use them; returns how many
    were copied. HostError when what was copied reads back otherwise: the same version as before
    starts then."""
    slot, starts, found, machine = board.look()
    target, copied = slot, 0
    if _differs(slot, files, found):
        target = SLOTS[1] if slot == SLOTS[0] else SLOTS[0]
        told(f"{machine}: version in slot {slot or '-'}, the new one goes to {target}")
        if _differs(target, files, found):
            copied = _copy(board, target, files, found, told)
    else:
        told(f"{machine}: this version is in slot {slot} already")
    for name, there in zip(STARTS, starts):
        if there.encode() != files[name]:
            board.exchange(name, files[name])
    board.exchange("slot", target.encode())
    return copied


def _copy(
    board: Board,
    slot: str,
    files: Mapping[str, bytes],
    found: Mapping[str, int],
    told: Callable[[str], None],
) -> int:
    """Lets the slot hold these files; returns how many were copied."""
    mark = f"{slot}/{COMPLETE}"
    named = {name + WAITS if name == COMPLETE else name: data for name, data in files.items()}
    if mark in found:
        board.rename(mark, mark + WAITS)
        found = {path + WAITS if path == mark else path: crc for path, crc in found.items()}
    wanted, changed, gone = _differing(slot, named, found)
    for path in gone:
        board.remove(path)
    for number, path in enumerate(sorted(changed)):
        told(f"{number + 1} of {len(changed)}: {path.removesuffix(WAITS)}")
        board.write(path, wanted[path])
    _, wrong, left = _differing(slot, named, board.look()[2])
    if wrong or left:
        path = [*wrong, *left][0].removesuffix(WAITS)
        raise HostError(FAILED, f"{path} reads back otherwise; the version before is still there")
    board.rename(mark + WAITS, mark)
    return len(changed)


def _differs(slot: str, files: Mapping[str, bytes], found: Mapping[str, int]) -> bool:
    _, changed, gone = _differing(slot, files, found)
    return bool(changed or gone)


def _differing(slot: str, files: Mapping[str, bytes], found: Mapping[str, int]) -> tuple:
    """(wanted, changed, gone): path -> bytes of what is to be in a slot; the paths that are not so
    there; and those that are there beyond."""
    wanted = {f"{slot}/{name}": data for name, data in files.items() if name not in STARTS}
    changed = [path for path, data in wanted.items() if found.get(path) != checksum(path, data)]
    gone = [path for path in found if path.startswith(slot + "/") and path not in wanted]
    return wanted, changed, gone


def go_back(board: Board) -> str:
    """Lets the next start use the version before; returns its slot. HostError without one."""
    slot, _, found, _ = board.look()
    before = SLOTS[1] if slot == SLOTS[0] else SLOTS[0]
    if slot not in SLOTS or f"{before}/{COMPLETE}" not in found:
        raise HostError(FAILED, "there is no version before this one on the Pico")
    board.exchange("slot", before.encode())
    return before


def checksum(path: str, data: bytes) -> int:
    """CRC-32 of a file, of a code page behind its stamp: each writing stamps it anew."""
    return zlib.crc32(data[HEAD_BYTES:] if path.split("/")[-2] in PAGED else data)


def _unopened(port: str) -> HostError:
    """Why mpremote cannot open a port, and what to do."""
    try:
        Port(port).close()
    except HostError as error:
        if error.exit_code == BAD_INPUT and "://" not in port and port not in dict(available()):
            about = "a new Pico is no port until MicroPython is on it"
            return HostError(BAD_INPUT, f"{error.message}; {about}: {_MICROPYTHON}")
        return error
    # but mpremote wants it for itself
    return HostError(FAILED, f"{port} is in use by another program; close that one first")


def _quiet():
    """mpremote shows on stdout what it got instead of what it wanted."""
    return redirect_stdout(StringIO())


def _numbers(parts: Iterable[str]) -> tuple:
    return tuple(int(part) for part in parts)
