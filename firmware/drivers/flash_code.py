"""Bytecode that runs where it lies in the flash, so that the heap is free for the game.

MicroPython reads a .mpy file into the heap. Its bytecode, more than half of what a module takes
there, is read only, and does not care where it lies: what is frozen into a firmware runs in flash
too. `move` imports the modules that the pages name (host_tools/polarity_host/board/pages.py tells
their layout) and lets each function whose bytecode lies in a page, byte for byte, use it there.

Why that is safe. A page is a file of 4096 bytes, just a sector: littlefs keeps the data of such a
file in one block, from its first byte, and leaves it there while nobody writes the file (littlefs
SPEC.md, "CTZ skip-lists"; DESIGN.md, "Wear leveling"). Its place is looked for in the memory-mapped
flash (RP2040 datasheet 2.6.3) by the stamp that no other page has, and must be the only one: a
block that was given up, and may be erased, could look alike. A function's pointer is followed only
into RAM, and changed only when what it leads to is equal to the page's bytes. Whatever does not fit
stays in the heap: then memory is short, and nothing else.

The pointer is the fourth word of a function (MicroPython, py/objfun.h, mp_obj_fun_bc_t, the same
since 1.20).
"""

import gc
import os
import sys
from binascii import crc32
from struct import unpack

import rp2
from machine import mem32
from uctypes import bytearray_at

FOLDER = "code"
MAGIC = b"PMC1"
HEAD = 16
PAGE_BYTES = 4096
FLASH_END = 0x10000000 + 2 * 1024 * 1024  # the Pico's W25Q16JV; its last part holds the files
RAM = 0x20000000, 0x20040000  # RP2040 datasheet 2.6.2: the striped banks, where the heap is
_COUNT = 4  # a block device's ioctl for how many blocks it has
_BYTECODE = 12  # where a function keeps its pointer


def move(folder=FOLDER):
    """Imports what the pages name and moves it; returns a complaint, "" when all has its place."""
    complaint = ""
    try:
        names = sorted(os.listdir(folder))
    except OSError:
        return "no code pages"
    for name in names:
        head = _head(folder + "/" + name)
        at = _place(head) if head else 0
        if at:
            _use(at)
        else:
            complaint = "code page %s %s" % (
                name,
                "has no place of its own" if head else "is damaged",
            )
        gc.collect()
    return complaint


def _head(path):
    """What a page's file begins with, b"" unless it is whole."""
    with open(path, "rb") as file:
        head, rest = file.read(HEAD), file.read()
    whole = len(rest) == PAGE_BYTES - HEAD and head[:4] == MAGIC
    return head if whole and unpack("<I", head[12:])[0] == crc32(rest) else b""


def _place(head):
    """Where in the memory the page with this head lies, 0 when that is not certain."""
    found = 0
    at = FLASH_END
    for _ in range(rp2.Flash().ioctl(_COUNT, 0)):
        at -= PAGE_BYTES
        if bytearray_at(at, HEAD) == head:
            if found:
                return 0
            found = at
    return found


def _use(at):
    """The page at this address: imports its modules and moves their functions into it."""
    at += HEAD
    while bytearray_at(at, 1)[0]:
        length = bytearray_at(at, 1)[0]
        name = bytes(bytearray_at(at + 1, length)).decode()
        count, at = _short(at + 1 + length), at + 3 + length
        codes = []
        for _ in range(count):
            codes.append((at + 2, _short(at)))
            at += 2 + codes[-1][1]
        __import__(name)
        _move_all(sys.modules[name].__dict__, codes)
        gc.collect()


def _move_all(named, codes):
    for one in list(named.values()):
        if isinstance(one, _KINDS):
            _move(id(one) + _BYTECODE, codes)
        elif isinstance(one, type):
            _move_all(one.__dict__, codes)


def _move(pointer, codes):
    now = mem32[pointer]
    for at, length in codes:
        if RAM[0] <= now and now + length <= RAM[1]:
            if bytearray_at(now, length) == bytearray_at(at, length):
                mem32[pointer] = at
                return


def _short(at):
    low, high = bytearray_at(at, 2)
    return low | high << 8


def _generator():
    yield


_KINDS = (type(_short), type(_generator))
