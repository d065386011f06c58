"""Pages of code and words that the chip uses where they lie in its flash: see
flash_pages/code.py and flash_pages/names.py.

A page fills one sector, so that its file is contiguous. It holds, little-endian,

    bytes 0-3     b"PMC2" code, b"PMN1" names, b"PMT1" rows of a table
    bytes 4-11    a stamp, different for each page and each time that the page is made
    bytes 12-15   CRC-32 of all that follows

A page of code has, for some modules in the order of their imports, these parts, each padded with
zeros to a multiple of four bytes:

        uint8 length and the module's name
        uint16 how many functions, texts, constants in the module; uint16 0
        of each function: uint16 length, uint16 how many functions are inside it; its code
        of each text: uint16 length, uint16 0; the text and a zero

A name of length 0 ends the page. A page of names holds them in the order in which the modules
introduce them, each between zeros.
"""

import os
import zlib
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from polarity_host.device.flashing.mpy import module

if TYPE_CHECKING:
    from polarity.mat_data.mat import Mat

PAGE_BYTES = 4096
MAGIC, NAMES_MAGIC, TABLE_MAGIC = b"PMC2", b"PMN1", b"PMT1"
STAMP_BYTES = 8
WORD_BYTES = 4
HEAD_BYTES = len(MAGIC) + STAMP_BYTES + 4
SLOTS = ("a", "b")  # folders of a version each: see install.py
PLACES = ("", *(slot + "/" for slot in SLOTS))
FOLDER, TABLE_FOLDER = "code", "table"
# rows, and bytes a row, of the field table's levels: hardware/tools/generate.py
TABLE_LEVELS = ((41, 164), (41, 164), (25, 100))
TABLES = ("SENSOR_X", "SENSOR_Y", "SCAN_ORDER", "GRID", "SCAN_ADDRESS")  # these follow it


class _Part(NamedTuple):
    text: bool  # not a function
    inside: int  # how many functions are inside it
    data: bytes
    number: int = -1  # among the module's functions
    parent: int = -1  # the number of the one that it is inside of


def pages(files: Mapping[str, bytes], order: Iterable[str]) -> dict[str, bytes]:
    """The pages of code for these compiled files, by their path on the flash. `order` names the
    modules whose functions and texts go into them; one that is longer than a page is left out."""
    found: list[bytes] = []
    page = b""
    for name in order:
        inside = module(files[_path(files, name)])
        head = _padded(bytes([len(name)]) + name.encode())
        most = PAGE_BYTES - HEAD_BYTES - len(head) - 3 * WORD_BYTES
        waiting = [
            _Part(False, code.children, _part(code.code, code.children), number, code.parent)
            for number, code in enumerate(inside.codes)
        ]
        waiting += [_Part(True, 0, _part(text + b"\0", 0)) for text in inside.texts]
        waiting = [part for part in waiting if len(part.data) <= most]
        waiting.sort(key=_place)
        while waiting:
            taken, waiting = _fitting(waiting, most - len(page))
            if taken:
                taken.sort(key=lambda part: part.text)
                texts = sum(part.text for part in taken)
                page += head + _shorts(len(taken) - texts, texts, inside.objects, 0)
                page += b"".join(part.data for part in taken)
            if waiting:
                found.append(page)
                page = b""
    found.append(page)
    return {f"{FOLDER}/{number:02}": _whole(MAGIC, page) for number, page in enumerate(found)}


def name_pages(files: Mapping[str, bytes], order: Iterable[str]) -> dict[str, bytes]:
    """The pages of the names in these compiled files, by their path on the flash; the name of a
    module and of its file are among them."""
    names: dict[bytes, None] = {}  # an ordered set
    for one in order:
        path = _path(files, one)
        own = one, one.rpartition(".")[2], *(place + path for place in PLACES)
        names |= dict.fromkeys(name.encode() for name in own)
        names |= dict.fromkeys(module(files[path]).names)
    found: list[bytes] = []
    page = b"\0"
    for name in names:
        if len(page) + len(name) + 1 > PAGE_BYTES - HEAD_BYTES:
            found.append(page)
            page = b"\0"
        page += name + b"\0"
    found.append(page)
    return {
        f"{FOLDER}/names.{number}": _whole(NAMES_MAGIC, page) for number, page in enumerate(found)
    }


def table_pages(name: str, mat: "Mat") -> dict[str, bytes]:
    """The pages of a mat's tables, by their path on the flash: see flash_pages/tables.py."""
    data = np.asarray(mat.FIELD_TABLE, "<i2").tobytes()
    parts: list[bytes] = []
    at = 0
    for rows, length in TABLE_LEVELS:
        for _ in range(rows):
            parts.append(data[at : at + length])
            at += length
    parts += [bytes(getattr(mat, one)) for one in TABLES]
    found: list[bytes] = []
    page = b""
    for part in parts:
        if len(page) + len(part) > PAGE_BYTES - HEAD_BYTES:
            found.append(page)
            page = b""
        page += _padded(part)
    found.append(page)
    return {
        f"{TABLE_FOLDER}/{name}.{number}": _whole(TABLE_MAGIC, page)
        for number, page in enumerate(found)
    }


def _place(part: _Part) -> int:
    """The larger of a module's parts first, as small ones fill what they leave; before them, as
    they are, the functions that others are inside of."""
    return -PAGE_BYTES if part.inside else -len(part.data)


def _fitting(parts: list[_Part], room: int) -> tuple[list[_Part], list[_Part]]:
    """The parts that have room, and the others. To leave one of them out may make room for others
    that fill the page better."""
    ways = [_taken(parts, room, without) for without in (None, *parts)]
    taken = max(ways, key=lambda way: sum(len(part.data) for part in way))
    return taken, [part for part in parts if part not in taken]


def _taken(parts: list[_Part], room: int, without: _Part | None) -> list[_Part]:
    """The first of the parts that have room, but not that one. A function comes into no earlier
    page than the one it is inside of: the chip finds it by way of that."""
    taken: list[_Part] = []
    left: set[int] = set()  # what others are inside of
    for part in parts:
        if part is not without and len(part.data) <= room and part.parent not in left:
            room -= len(part.data)
            taken.append(part)
        elif part.inside:
            left.add(part.number)
    return taken


def _whole(magic: bytes, page: bytes) -> bytes:
    page = page.ljust(PAGE_BYTES - HEAD_BYTES, b"\0")
    return magic + os.urandom(STAMP_BYTES) + zlib.crc32(page).to_bytes(4, "little") + page


def _part(data: bytes, children: int) -> bytes:
    return _shorts(len(data), children) + _padded(data)


def _shorts(*values: int) -> bytes:
    return b"".join(value.to_bytes(2, "little") for value in values)


def _padded(data: bytes) -> bytes:
    return data + bytes(-len(data) % WORD_BYTES)


def _path(files: Mapping[str, bytes], module: str) -> str:
    path = module.replace(".", "/")
    return path + ".mpy" if path + ".mpy" in files else path + "/__init__.mpy"
