"""What the mat remembers over a power cut: small records in files, each with a copy before it.

A record is written as a whole to `NAME.new`, and renamed only then: what was `NAME` becomes
`NAME.old`. Whatever byte the power fails at, one of the three is whole. Reading takes the whole one
with the highest number; a damaged one is told and left out.

    bytes 0-3    b"PMK1"
    bytes 4-7    number of the record, counted up by each save     little-endian
    bytes 8-11   length of the data
    bytes 12-15  CRC-32 of bytes 4-11 and the data
    bytes 16-    the data

Wear. The flash (W25Q16JV, 2 MB) stands 100,000 erasures a sector of 4 KB; littlefs spreads what is
written over its free sectors, some 170 of 352 here with two versions of the firmware. A save of up
to 8 KB, a game with all its pieces, erases about five of them: three for the data, one or two for
the folder. With a save after each turn, 60 turns a game and ten games a day that is 3,000 a day, 18
a sector: 15 years. Never call `save` during a turn: the chip executes from the same flash, so an
erasure stops everything, interrupts too, for 45 ms typically and 400 ms at most (tSE of Winbond's
W25Q64JV; that the Pico's W25Q16JV is as good in this and in erasures is an ASSUMPTION).
"""

import os
from binascii import crc32
from struct import pack, unpack

_MAGIC = b"PMK1"
_HEAD = 16
_FORMS = ("", ".new", ".old")


class FlashStore:
    """Records by name in one folder, made if it is not there."""

    def __init__(self, folder="kept"):
        self._folder = folder + "/"
        self._numbers = {}  # name -> number of the newest record, once it was looked for
        try:
            os.mkdir(folder)
        except OSError:
            pass  # it is there

    def load(self, name):
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

    def save(self, name, data):
        """Keeps `data` (bytes) under the name. OSError when the flash is full or broken."""
        if name not in self._numbers:
            self.load(name)
        number = self._numbers[name] + 1
        path = self._folder + name
        head = pack("<II", number, len(data))
        if self._read(name + ".new")[0] > 0:  # whole: it may be the newest there is
            self._make_way(path)
        with open(path + ".new", "wb") as file:
            file.write(_MAGIC + head + pack("<I", _crc(head, data)))
            file.write(data)
        self._make_way(path)
        self._numbers[name] = number

    def forget(self, name):
        """Nothing is kept under the name any more."""
        for form in _FORMS:
            try:
                os.remove(self._folder + name + form)
            except OSError:
                pass  # there was none
        self._numbers[name] = 0

    def _make_way(self, path):
        """What is new becomes current, what was current becomes the copy."""
        try:
            os.remove(path + ".old")
        except OSError:
            pass  # there was none
        try:
            os.rename(path, path + ".old")
        except OSError:
            pass  # there was none
        os.rename(path + ".new", path)

    def _read(self, name):
        """(number, data) of one file; (0, None) when there is none, (-1, None) when damaged."""
        try:
            with open(self._folder + name, "rb") as file:
                whole = file.read()
        except OSError:
            return 0, None
        if len(whole) < _HEAD or whole[:4] != _MAGIC:
            return -1, None
        number, length = unpack("<II", whole[4:12])
        data = whole[_HEAD:]
        if len(data) != length or unpack("<I", whole[12:16])[0] != _crc(whole[4:12], data):
            return -1, None
        return number, data


def _crc(head, data):
    return crc32(data, crc32(head)) & 0xFFFFFFFF
