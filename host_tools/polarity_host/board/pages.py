"""Pages of bytecode that the chip runs where they lie in its flash: see drivers/flash_code.py.

A page fills one sector, so that its file lies in one piece. It holds, little-endian,

    bytes 0-3     b"PMC1"
    bytes 4-11    a stamp, another for each page and each time that it is written
    bytes 12-15   CRC-32 of all that follows
    then, for some modules in the order in which they are to be imported,
        uint8 length and the module's name; uint16 how many functions; each a uint16 length and
        its bytecode
    and zeros; a name of no length ends the page.
"""

import os
import zlib
from collections.abc import Iterable, Mapping

from polarity_host.board.mpy import bytecodes

PAGE_BYTES = 4096
MAGIC = b"PMC1"
STAMP_BYTES = 8
HEAD_BYTES = len(MAGIC) + STAMP_BYTES + 4
FOLDER = "code"


def pages(files: Mapping[str, bytes], order: Iterable[str]) -> dict[str, bytes]:
    """The pages for these compiled files, by their path on the flash. `order`: the modules whose
    functions go into them."""
    found = []
    page = b""
    for module in order:
        codes = bytecodes(files[_path(files, module)])
        while codes:
            room = PAGE_BYTES - HEAD_BYTES - len(page) - len(module) - 4
            taken, fitting = 0, 0
            while fitting < len(codes) and taken + 2 + len(codes[fitting]) <= room:
                taken += 2 + len(codes[fitting])
                fitting += 1
            if fitting:
                page += bytes([len(module)]) + module.encode() + _short(fitting)
                page += b"".join(_short(len(code)) + code for code in codes[:fitting])
                codes = codes[fitting:]
            if codes:
                if not page:
                    raise ValueError(f"a function of {module} is longer than a page")
                found.append(page)
                page = b""
    found.append(page)
    return {f"{FOLDER}/{number:02}": _whole(page) for number, page in enumerate(found)}


def _whole(page: bytes) -> bytes:
    page = page.ljust(PAGE_BYTES - HEAD_BYTES, b"\0")
    return MAGIC + os.urandom(STAMP_BYTES) + zlib.crc32(page).to_bytes(4, "little") + page


def _path(files: Mapping[str, bytes], module: str) -> str:
    path = module.replace(".", "/")
    return path + ".mpy" if path + ".mpy" in files else path + "/__init__.mpy"


def _short(value: int) -> bytes:
    return value.to_bytes(2, "little")
