"""Code that runs where it lies in the flash, so that the heap is free for the game.

MicroPython reads a .mpy file into the heap. Its functions' code, bytecode or viper's, is more than
half of what a module takes there; it is read only, and does not care where it lies: what is frozen
into a firmware runs in flash too. `move` imports the modules that the pages name (their layout:
host_tools/polarity_host/board/pages.py) and lets each function whose code lies in a page, byte for
byte, use it there.

Why that is safe. A page is a file of 4096 bytes, just a sector: littlefs keeps the data of such a
file in one block, from its first byte, and leaves it there while nobody writes the file (littlefs
SPEC.md, "CTZ skip-lists"; DESIGN.md, "Wear leveling"). Its place is looked for in the memory-mapped
flash (RP2040 datasheet 2.6.3) by the stamp that no other page has, and must be the only one: a
block that was given up, and may be erased, could look alike. A function's pointer is followed only
into RAM, and changed only when what it leads to is equal to the page's bytes. Whatever does not fit
stays in the heap: then memory is short, and nothing else.

The pointer is the fourth word of a function, viper's too (MicroPython, py/objfun.h,
mp_obj_fun_bc_t, the same since 1.20).
"""

import gc
import os
import sys
from binascii import crc32
from struct import unpack

import rp2
from machine import mem32
from uctypes import bytearray_at

MAGIC = b"PMC1"
HEAD = 16
PAGE_BYTES = 4096
FLASH_END = 0x10000000 + 2 * 1024 * 1024  # the Pico's W25Q16JV; its last part holds the files
RAM = 0x20000000, 0x20040000  # the striped banks, where the heap is: pico-sdk, addressmap.h
BLOCKS = 4  # a block device's ioctl for how many blocks it has
KINDS = ("function", "generator")  # a viper function's type has that name too
POINTER = 12  # where a function keeps its pointer
WORD = 4  # all parts of a page begin at a multiple of this


WIPED = 12  # calls: as deep as an import goes, and within the stack
# MicroPython takes memory for the larger functions' locals at each call, and looks for it from the
# heap's low end: this keeps room there until all that stays is in its place. Set it to None then.
ROOM_BYTES = 6144
room = None


def move(folder):
    """Imports what the pages name and moves it; returns a complaint, "" when all has its place."""
    global room
    room = bytearray(ROOM_BYTES)
    complaint = ""
    try:
        names = sorted(os.listdir(folder))
    except OSError:
        return "no code pages"
    for name in names:
        at = place(folder + "/" + name, MAGIC)
        if at:
            _use(at)
        else:
            complaint = "code page %s cannot be used" % name
        gc.collect()
    return complaint


def place(path, magic):
    """Where in the memory a page's file lies, 0 when it is damaged or that is not certain."""
    with open(path, "rb") as file:
        head, rest = file.read(HEAD), file.read()
    if len(rest) != PAGE_BYTES - HEAD or head[:4] != magic:
        return 0
    if unpack("<I", head[12:])[0] != crc32(rest):
        return 0
    found = 0
    at = FLASH_END
    for _ in range(rp2.Flash().ioctl(BLOCKS, 0)):
        at -= PAGE_BYTES
        if bytearray_at(at, HEAD) == head:
            if found:
                return 0
            found = at
    return found


def _use(at):
    """The page at this address: imports its modules and moves their functions into it."""
    at += HEAD
    length = bytearray_at(at, 1)[0]
    while length:
        name = bytes(bytearray_at(at + 1, length)).decode()
        at += _filled(1 + length)
        count, at = _short(at), at + WORD
        codes = []
        for _ in range(count):
            length, at = _short(at), at + WORD
            codes.append((at, length))
            at += _filled(length)
        __import__(name)
        _wipe(WIPED)
        _move_all(sys.modules[name].__dict__, codes)
        gc.collect()
        length = bytearray_at(at, 1)[0]


def _wipe(deeper):
    """Overwrites what the import left on the stack: a collection takes a stale word there for a
    pointer, and one to a module's code would keep all of it in the heap."""
    a = b = c = d = e = f = g = h = i = j = k = l = m = n = o = p = None  # noqa: E741, F841
    if deeper:
        _wipe(deeper - 1)


def _move_all(named, codes):
    for one in list(named.values()):
        if isinstance(one, type):
            _move_all(one.__dict__, codes)
        elif type(one).__name__ in KINDS and id(one) >= RAM[0]:
            _move(id(one) + POINTER, codes)


def _move(pointer, codes):
    now = mem32[pointer]
    if now < RAM[0]:
        return
    for k in range(len(codes)):
        at, length = codes[k]
        if now + length <= RAM[1] and bytearray_at(now, length) == bytearray_at(at, length):
            mem32[pointer] = at
            codes.pop(k)  # it is nobody else's: those that are left are soon looked through
            return


def _short(at):
    low, high = bytearray_at(at, 2)
    return low | high << 8


def _filled(length):
    return (length + WORD - 1) // WORD * WORD
