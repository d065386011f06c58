"""Code and texts that are used where they lie in the flash, so that the heap is free for the game.

MicroPython reads a .mpy file into the heap. Its functions' code, bytecode or machine code, and its
longer texts are more than half of what a module takes there; they are read only, and do not care
where they lie: what is frozen into a firmware lies in flash too. `move` imports the modules that
the pages name and lets each function whose code lies in a page, byte for byte, use it there, and
each text. The pages' layout: host_tools/polarity_host/device/flashing/pages.py. Names: names.py.

Why that is safe. A page is a file of 4096 bytes, just a sector: littlefs keeps the data of such a
file in one block, from its first byte, and leaves it there while nobody writes the file (littlefs
SPEC.md, "CTZ skip-lists"; DESIGN.md, "Wear leveling"). Its place is looked for in the memory-mapped
flash (RP2040 datasheet 2.6.3) by the stamp that no other page has, and must be the only one: a
block that was given up, and may be erased, could look alike. A pointer is followed only into RAM,
and changed only when what it leads to is equal to the page's bytes. Whatever does not fit stays in
the heap: then memory is short, and nothing else.

Where the pointers are (MicroPython, py/, 1.22 to 1.29). A function's is its fourth word, viper's
too, behind that of the functions inside it (objfun.h, mp_obj_fun_bc_t); the assembler's its third
(mp_obj_fun_asm_t). A function that is inside another has the second and third of its raw code
(emitglue.h, mp_raw_code_t). A text's is its fourth, behind its length (objstr.h, mp_obj_str_t). A
module is its functions' context, whose fourth word leads to its constants (bc.h,
mp_module_context_t).
"""

import gc
import os
import sys
from binascii import crc32
from struct import unpack

import rp2
from machine import mem16, mem32
from uctypes import bytearray_at

from drivers import guard
from flash_pages import names as flash_names

MAGIC = b"PMC2"
HEAD = 16
PAGE_BYTES = 4096
FLASH_END = 0x10000000 + 2 * 1024 * 1024  # the Pico's W25Q16JV; its last part holds the files
RAM = 0x20000000, 0x20040000  # the striped banks, where the heap is: pico-sdk, addressmap.h
BLOCKS = 4  # a block device's ioctl for how many blocks it has
files = FLASH_END - rp2.Flash().ioctl(BLOCKS, 0) * PAGE_BYTES
KINDS = ("function", "generator")  # a viper or assembler function's type has that name too
FUNCTION_CODE, FUNCTION_INSIDE = 12, 8  # bytes into a function: its code, the functions inside it
RAW_CODE, RAW_INSIDE = 4, 8
ASSEMBLER_CODE, ASSEMBLER_TYPES = 8, 12
MODULE_CONSTANTS = 12
TEXT_LENGTH, TEXT = 8, 12
TUPLE_LENGTH, TUPLE = 4, 8
WORD = 4  # all parts of a page begin at a multiple of this


WIPED = 12  # calls: as deep as an import goes, and within the stack
# MicroPython takes memory for the larger functions' locals at each call, and looks for it from the
# heap's low end: this keeps room there until all that stays is in its place. Set it to None then,
# or let this module go, as loop.py does.
ROOM_BYTES = 6144
room = None
_whose = {}  # class -> the module that made it: those that import it need not look into it


def move(folder):
    """Imports what the pages name and moves it; returns a complaint, "" when all has its place."""
    global room
    room = bytearray(ROOM_BYTES)
    complaint = ""
    try:
        pages = sorted(os.listdir(folder))
    except OSError:
        return "no code pages"
    names = []
    for one in pages:
        naming = one.startswith(flash_names.PREFIX)
        at = place(folder + "/" + one, flash_names.MAGIC if naming else MAGIC)
        if not at:
            complaint = "code page %s cannot be used" % one
        elif naming:
            names.append(at + HEAD)
        else:
            _use(at)
        gc.collect()
        guard.feed()
    _whose.clear()
    flash_names.move(names, PAGE_BYTES - HEAD)
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
    for at in range(files, FLASH_END, PAGE_BYTES):
        if bytearray_at(at, HEAD) == head:
            if found:
                return 0
            found = at
    return found


def _use(at):
    """The page at this address: imports its modules and moves what is theirs into it."""
    at += HEAD
    length = bytearray_at(at, 1)[0]
    while length:
        name = bytes(bytearray_at(at + 1, length)).decode()
        at += _filled(1 + length)
        functions, texts, constants, _ = unpack("<4H", bytearray_at(at, 8))
        at += 2 * WORD
        codes = []
        while len(codes) < functions + texts:
            length = mem16[at]
            at += WORD
            codes.append((at, length, mem16[at]))
            at += _filled(length)
        words = [codes.pop() for _ in range(texts)]
        words.reverse()
        __import__(name)
        _wipe(WIPED)
        module = sys.modules[name]
        _move_all(module.__dict__, codes, module)
        if words:
            _move_texts(mem32[id(module) + MODULE_CONSTANTS], constants, words)
        codes = words = None
        gc.collect()
        flash_names.grow()
        length = bytearray_at(at, 1)[0]


def _wipe(deeper):
    """Overwrites what the import left on the stack: a collection takes a stale word there for a
    pointer, and one to a module's code would keep all of it in the heap."""
    a = b = c = d = e = f = g = h = i = j = k = l = m = n = o = p = None  # noqa: E741, F841
    if deeper:
        _wipe(deeper - 1)


def _move_all(named, codes, module):
    for one in list(named.values()):
        if isinstance(one, type):
            if _whose.setdefault(one, module) == module:
                _move_all(one.__dict__, codes, module)
        elif type(one).__name__ in KINDS and id(one) >= RAM[0]:
            if mem32[id(one) + ASSEMBLER_TYPES] >> 24:
                _move(id(one) + FUNCTION_CODE, id(one) + FUNCTION_INSIDE, codes)
            else:
                _move(id(one) + ASSEMBLER_CODE, 0, codes)


def _move(pointer, inside, codes):
    """Moves a function's code, and that of the functions `inside`. Where it was moved before, as
    its module goes over several pages, theirs may still be to do."""
    _repoint(pointer, codes)
    at = mem32[pointer]
    if inside and files < at < FLASH_END:
        for k in range(mem16[at - 2]):
            raw = mem32[mem32[inside] + WORD * k]
            _move(raw + RAW_CODE, raw + RAW_INSIDE, codes)


def _move_texts(table, count, texts):
    """Moves the texts among so many constants, and those in tuples among them."""
    for at in range(table, table + WORD * count, WORD):
        one = mem32[at]
        if one & 3 or not RAM[0] <= one < RAM[1]:
            continue
        if mem32[one] == TUPLE_TYPE:
            _move_texts(one + TUPLE, mem32[one + TUPLE_LENGTH], texts)
        elif mem32[one] in TEXT_TYPES:
            _repoint(one + TEXT, texts, mem32[one + TEXT_LENGTH] + 1)


def _repoint(pointer, parts, wanted=0):
    """Lets a pointer lead to the page, if what it leads to is one of its parts; where it is known
    to be `wanted` bytes long, to one as long."""
    now = mem32[pointer]
    if now & 3 or not RAM[0] <= now < RAM[1]:
        return
    begins = mem16[now]
    for k in range(len(parts)):
        at, length, first = parts[k]
        if first != begins or wanted and length != wanted or now + length > RAM[1]:
            continue
        if bytearray_at(now, length) == bytearray_at(at, length):
            mem32[pointer] = at
            parts.pop(k)  # it is nobody else's: those that are left are soon looked through
            return


def _filled(length):
    return (length + WORD - 1) // WORD * WORD


# A word that tells each of these kinds: the address of its type.
_PAIR = MAGIC, HEAD
TUPLE_TYPE = mem32[id(_PAIR)]
TEXT_TYPES = mem32[id(MAGIC)], mem32[id("a text, not a name: too long")]
