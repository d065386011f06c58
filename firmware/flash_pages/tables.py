"""A mat's tables, read where they lie in the flash: 20 KB of heap less.

They lie one part after another in pages as code.py describes them, no part across two pages, each
page with a head of its own: b"PMT1", a stamp, a CRC-32. First come the rows of the field table, of
which the kernels take the addresses; then, in the order of TABLES, the others. Their arrays stay,
but read the page's bytes: the pointer to an array's items is its fourth word (MicroPython,
py/objarray.h, mp_obj_array_t; of bytes too: objstr.h).
"""

import os
from array import array

from machine import mem32
from uctypes import addressof, bytearray_at

from flash_pages import code as flash_code

TYPE_CHECKING = False
if TYPE_CHECKING:
    from polarity.mat_data.mat import Mat

MAGIC = b"PMT1"
LEVELS = ((41, 164), (41, 164), (25, 100))  # rows, bytes a row: hardware/tools/generate.py
TABLES = ("SENSOR_X", "SENSOR_Y", "SCAN_ORDER", "GRID", "SCAN_ADDRESS")
POINTER = 12  # bytes into an array, or bytes
WORD = 4


class Rows:
    """Takes the place of the module polarity.mat_data.<mat>_field."""

    def __init__(self, addresses: "array[int]") -> None:
        self.FIELD_TABLE = addresses


class Tables:
    """The tables of the mat `name` in the pages of a folder. `complaint`: why they cannot be used,
    "" when they can."""

    def __init__(self, folder: str, name: str) -> None:
        self._places = []
        self._at = self._left = 0
        self.complaint = ""
        try:
            files = sorted([one for one in os.listdir(folder) if one.startswith(name + ".")])
        except OSError:
            files = []
        for one in files:
            at = flash_code.place(folder + "/" + one, MAGIC)
            if not at:
                self.complaint = "table page %s cannot be used" % one
                return
            self._places.append(at)
        if not files:
            self.complaint = "no table pages"

    def rows(self) -> "Rows | None":
        """The addresses of the field table's rows; None where there are none."""
        found = array("I", bytes(WORD * sum([count for count, _ in LEVELS])))
        number = 0
        for count, length in LEVELS:
            for _ in range(count):
                found[number] = self._next(length)
                number += 1
        return None if self.complaint else Rows(found)

    def move(self, mat: "Mat") -> None:
        """To be called after `rows`: lets the other tables of the mat's module be read here. Where
        this MicroPython's objects are unknown they stay in RAM."""
        if flash_code.unsupported():
            return
        for name in TABLES:
            table = getattr(mat, name)
            length = len(bytes(table))
            at, now = self._next(length), addressof(table)
            known = at and mem32[id(table) + POINTER] == now
            if known and bytearray_at(at, length) == bytearray_at(now, length):
                mem32[id(table) + POINTER] = at

    def _next(self, length: int) -> int:
        """The address of the next part, 0 when there is none."""
        if not self.complaint and self._left < length:
            if self._places:
                self._at = self._places.pop(0) + flash_code.HEAD
                self._left = flash_code.PAGE_BYTES - flash_code.HEAD
            else:
                self.complaint = "table pages are missing"
        if self.complaint:
            return 0
        at = self._at
        whole = (length + WORD - 1) // WORD * WORD
        self._at += whole
        self._left -= whole
        return at
