"""What outlives a power cut: small records in files, each with its predecessor as a copy.

A record is written as a whole to `NAME.new`, and renamed only then: what was `NAME` becomes
`NAME.old`. Whatever byte the power fails at, one of the three is whole. Reading takes the whole one
with the highest number, and reports a damaged one.

    bytes 0-3      b"PMK2"
    bytes 4-7      number of the record, counted up by each save     little-endian
    bytes 8-       the data
    last 4 bytes   CRC-32 of the number and the data

What a start failed with is set aside as `NAME.bad`: it is never read again but by people.

Wear. The flash (W25Q16JV, 2 MB) stands 100,000 erasures a sector of 4 KB; littlefs spreads what is
written over its free sectors, at least 36 of 352 with two versions of the firmware there. A save
erases 1.4 of them on average up to 4 KB, a game with some 25 pieces, and 3.4 up to 8 KB. The loop
saves in a pause, half a second in which nothing moves, if the game has changed since: about once a
turn, and once a piece of the setup. With 60 turns a game, 15 saves before them and ten games a day
that is 1,050 erasures a day, 29 a sector: 9 years; 4 if all were of 8 KB. Never call `save`
while anything moves: the chip executes from the same flash, so an erasure stops everything,
interrupts included, for 45 ms typically and 400 ms at most (tSE of Winbond's W25Q64JV; that the
Pico's W25Q16JV is as good in this and in erasures is an ASSUMPTION).
"""

import os
from binascii import crc32
from struct import pack, unpack

TYPE_CHECKING = False
if TYPE_CHECKING:
    from array import array
    from collections.abc import Generator, Iterable

_MAGIC = b"PMK2"
_HEAD, _TAIL = 8, 4
_FORMS = ("", ".new", ".old")
ASIDE = ".bad"  # ends the name of a record that is not used any more


class FlashStore:
    """Records by name in one folder, made if it is not there."""

    def __init__(self, folder: str = "kept") -> None:
        self._folder = folder + "/"
        self._numbers: "dict[str, int]" = {}  # name -> number of the newest record, once loaded
        try:
            os.mkdir(folder)
        except OSError:
            pass  # it is there

    def load(self, name: str) -> "tuple[bytes | None, str]":
        """(data, complaint): the newest whole record, None if there is none; and what was found
        damaged, "" for nothing."""
        best, newest, complaint = None, 0, ""
        for form in _FORMS:
            number, data = self._read(name + form)
            if number > newest:
                best, newest = data, number
            elif number < 0 and form != ".new":  # a torn .new is what a power cut leaves
                complaint = name + form + " is damaged"
        self._numbers[name] = newest
        return best, complaint

    def save(self, name: str, data: bytes) -> None:
        """Stores `data` under the name. OSError when the flash is full or broken."""
        for _ in self.saving(name, (data,)):
            pass

    def saving(
        self, name: str, parts: "Iterable[bytes | bytearray | array[int]]"
    ) -> "Generator[None]":
        """A generator: as `save`, but takes the data in parts, one a step, and goes on in steps to
        the end. If it is closed before that, the record before stays."""
        if name not in self._numbers:
            self.load(name)
        number = self._numbers[name] + 1
        path = self._folder + name
        head = pack("<I", number)
        if self._read(name + ".new")[0] > 0:  # whole: it may be the newest there is
            for _ in self._replacing(path):
                yield
        crc = crc32(head)
        with open(path + ".new", "wb") as file:
            file.write(_MAGIC + head)
            for part in parts:
                crc = crc32(part, crc)
                file.write(part)
                yield
            file.write(pack("<I", crc & 0xFFFFFFFF))
        self._numbers[name] = number
        yield
        for _ in self._replacing(path):
            yield

    def set_aside(self, name: str) -> bool:
        """The newest whole record of this name is `NAME.bad` from now on, and `load` finds none.
        Returns whether there was one."""
        path, found = self._folder + name, False
        for form in (".old", "", ".new"):  # each is newer than the one before it
            try:
                if self._read(name + form)[0] > 0:
                    os.rename(path + form, path + ASIDE)
                    found = True
                else:
                    os.remove(path + form)
            except OSError:
                pass  # there was none
        self._numbers.pop(name, None)
        return found

    def _replacing(self, path: str) -> "Generator[None]":
        """What is new becomes current, what was current becomes the copy; in steps."""
        try:
            os.remove(path + ".old")
        except OSError:
            pass  # there was none
        yield
        try:
            os.rename(path, path + ".old")
        except OSError:
            pass  # there was none
        yield
        os.rename(path + ".new", path)

    def _read(self, name: str) -> "tuple[int, bytes | None]":
        """(number, data) of one file; (0, None) when there is none, (-1, None) when damaged."""
        path = self._folder + name
        try:
            length = os.stat(path)[6] - _HEAD - _TAIL
            with open(path, "rb") as file:
                head, data, tail = file.read(_HEAD), file.read(max(0, length)), file.read()
        except OSError:
            return 0, None
        if len(tail) != _TAIL or head[:4] != _MAGIC:
            return -1, None
        if unpack("<I", tail)[0] != crc32(data, crc32(head[4:])) & 0xFFFFFFFF:
            return -1, None
        return unpack("<I", head[4:])[0], data
