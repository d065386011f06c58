"""Puts the firmware on a Pico that runs MicroPython, beside the version that is there.

Two places hold a version each, the folders `a` and `b`; the file `slot` names the one that boot.py
starts. A new version goes into the other one, only what differs there; when every file reads back
as it should, `slot` is exchanged. So a cable pulled at any moment leaves a version that is whole,
and the one before can be gone back to. What the mat keeps (kept/) is touched by neither.
"""

import json
import zlib
from collections.abc import Callable, Mapping

from polarity_host.board.firmware import STARTS
from polarity_host.board.pages import FOLDER, HEAD_BYTES, SLOTS, TABLE_FOLDER
from polarity_host.errors import FAILED, HostError

PAGED = (FOLDER, TABLE_FOLDER)  # folders of pages, whose stamps do not count
COMPLETE = "start.mpy"  # a slot with this can be started
PATIENCE_S = 60.0
CHUNK_BYTES = 1024
_NO_MICROPYTHON = (
    "no MicroPython answers at {port}: hold the Pico's BOOTSEL button while you plug it in, copy "
    "the UF2 of https://micropython.org/download/RPI_PICO/ to its drive, then try again"
)
_LOOK = """
import os
from binascii import crc32
def look(folder, into, skip):
    try:
        names = list(os.ilistdir(folder))
    except OSError:
        return
    for entry in names:
        path = folder + "/" + entry[0]
        if entry[1] & 0x4000:
            look(path, into, {head} if entry[0] in {pages} else 0)
        else:
            with open(path, "rb") as file:
                file.seek(skip)
                total, part = 0, file.read(512)
                while part:
                    total = crc32(part, total)
                    part = file.read(512)
            into[path] = total & 0xFFFFFFFF
def first(path):
    try:
        with open(path) as file:
            return file.read()
    except OSError:
        return ""
found = {{}}
for slot in {slots}:
    look(slot, found, 0)
import json
print(json.dumps([first("slot"), [first(name) for name in {starts}], found, os.uname()[4]]))
"""
_EXCHANGE = """
import os
with open("{name}.new", "wb") as file:
    file.write({data})
os.rename("{name}.new", "{name}")
"""


class Board:
    """A Pico at `port`, its program stopped. HostError when there is no MicroPython."""

    def __init__(self, port: str):
        try:
            from mpremote.transport import TransportError
            from mpremote.transport_serial import SerialTransport
        except ImportError:
            raise HostError(FAILED, "mpremote is not installed: pip install mpremote") from None
        self.port = port
        self._errors = (TransportError, OSError)
        try:
            self._transport = SerialTransport(port, timeout=10)
        except self._errors:
            raise HostError(
                FAILED, f"cannot open {port}; `polarity ports` lists what there is"
            ) from None
        try:
            self._transport.enter_raw_repl()
        except self._errors:
            self._transport.close()
            raise HostError(FAILED, _NO_MICROPYTHON.format(port=port)) from None

    def look(self) -> tuple:
        """(slot, starts, files, machine): the slot that starts, the text of each of STARTS, and the
        CRC-32 of every file in the slots; of a code page, behind its stamp."""
        code = _LOOK.format(slots=SLOTS, starts=STARTS, head=HEAD_BYTES, pages=PAGED)
        return tuple(json.loads(self.run(code).splitlines()[-1]))

    def run(self, code: str) -> str:
        """What the code prints. HostError when it, or the line, fails."""
        try:
            printed, complaint = self._transport.exec_raw(code, timeout=PATIENCE_S)
        except self._errors as error:
            raise HostError(FAILED, f"the Pico at {self.port} answers no more: {error}") from error
        if complaint:
            last = complaint.decode(errors="replace").strip().splitlines()[-1]
            raise HostError(FAILED, f"the Pico at {self.port}: {last}")
        return printed.decode()

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
        self.run(_EXCHANGE.format(name=name, data=data))

    def restart(self) -> None:
        """Starts the Pico anew; the board is closed."""
        try:
            self._transport.exec_raw_no_follow("import machine\nmachine.reset()")
        except self._errors:
            pass  # it is gone already
        self._transport.close()


def install(
    board: Board, files: Mapping[str, bytes], told: Callable[[str], None] = lambda line: None
) -> int:
    """Puts the firmware's files on the board and lets the next start use them; returns how many
    were copied. HostError when what was copied reads back otherwise: nothing is changed then."""
    slot, starts, found, machine = board.look()
    wanted, changed, gone = _differing(slot, files, found)
    if changed or gone:
        target = SLOTS[1] if slot == SLOTS[0] else SLOTS[0]
        told(f"{machine}: version in slot {slot or '-'}, the new one goes to {target}")
        wanted, changed, gone = _differing(target, files, found)
    else:
        target = slot
        told(f"{machine}: this version is in slot {slot} already")
    for path in gone:
        board.run(f"import os\nos.remove({path!r})")
    for number, path in enumerate(sorted(changed)):
        told(f"{number + 1} of {len(changed)}: {path}")
        board.write(path, wanted[path])
    wrong = _differing(target, files, board.look()[2])[1]
    if wrong:
        raise HostError(
            FAILED, f"{wrong[0]} reads back otherwise; the version before is still there"
        )
    for name, there in zip(STARTS, starts):
        if there.encode() != files[name]:
            board.exchange(name, files[name])
    board.exchange("slot", target.encode())
    return len(changed)


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
