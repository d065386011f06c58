"""Pages of code that the chip runs where they lie in its flash: see drivers/flash_code.py.

A page fills one sector, so that its file lies in one piece. It holds, little-endian and each part
filled up with zeros to a multiple of four bytes,

    bytes 0-3     b"PMC1"
    bytes 4-11    a stamp, another for each page and each time that it is written
    bytes 12-15   CRC-32 of all that follows
    then, for some modules in the order in which they are to be imported,
        uint8 length and the module's name
        uint16 how many functions
        of each: uint16 length; its code

A name of no length ends the page.
"""

import os
import zlib
from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from polarity_host.board.mpy import codes

PAGE_BYTES = 4096
MAGIC, TABLE_MAGIC = b"PMC1", b"PMT1"
STAMP_BYTES = 8
WORD_BYTES = 4
HEAD_BYTES = len(MAGIC) + STAMP_BYTES + 4
FOLDER, TABLE_FOLDER = "code", "table"
# rows, and bytes a row, of the field table's levels: hardware/generate.py
TABLE_LEVELS = ((41, 164), (41, 164), (25, 100))


def pages(files: Mapping[str, bytes], order: Iterable[str]) -> dict[str, bytes]:
    """The pages for these compiled files, by their path on the flash. `order`: the modules whose
    functions go into them. A function longer than a page is left out."""
    found, page = [], b""
    for module in order:
        waiting = [_part(code) for code in codes(files[_path(files, module)])]
        name = _filled(bytes([len(module)]) + module.encode())
        most = PAGE_BYTES - HEAD_BYTES - len(name) - 2 * WORD_BYTES
        waiting = [part for part in waiting if len(part) <= most]
        while waiting:
            room, taken = most - len(page), []
            while waiting and len(waiting[0]) <= room:
                room -= len(waiting[0])
                taken.append(waiting.pop(0))
            if taken:
                page += name + _filled(len(taken).to_bytes(2, "little")) + b"".join(taken)
            if waiting:
                found.append(page)
                page = b""
    found.append(page)
    return {f"{FOLDER}/{number:02}": _whole(MAGIC, page) for number, page in enumerate(found)}


def table_pages(name: str, table: Sequence[int]) -> dict[str, bytes]:
    """The pages of a mat's field table, by their path on the flash: see drivers/flash_table.py."""
    data = np.asarray(table, "<i2").tobytes()
    found, page, at = [], b"", 0
    for rows, length in TABLE_LEVELS:
        for _ in range(rows):
            if len(page) + length > PAGE_BYTES - HEAD_BYTES:
                found.append(page)
                page = b""
            page += data[at : at + length]
            at += length
    found.append(page)
    return {
        f"{TABLE_FOLDER}/{name}.{number}": _whole(TABLE_MAGIC, page)
        for number, page in enumerate(found)
    }


def _whole(magic: bytes, page: bytes) -> bytes:
    page = page.ljust(PAGE_BYTES - HEAD_BYTES, b"\0")
    return magic + os.urandom(STAMP_BYTES) + zlib.crc32(page).to_bytes(4, "little") + page


def _part(code: bytes) -> bytes:
    return _filled(len(code).to_bytes(2, "little")) + _filled(code)


def _filled(data: bytes) -> bytes:
    return data + bytes(-len(data) % WORD_BYTES)


def _path(files: Mapping[str, bytes], module: str) -> str:
    path = module.replace(".", "/")
    return path + ".mpy" if path + ".mpy" in files else path + "/__init__.mpy"
