"""Code and texts that are used where they lie in the flash.

MicroPython reads a .mpy file into the heap. Its functions' code, bytecode or machine code, and its
longer texts are more than half of what a module takes there. They are read-only and may lie
anywhere: what is frozen into a firmware lies in flash too. `move` imports the modules that the
pages name, and lets each function and each text whose bytes are in a page use them there. The
pages' layout: host_tools/polarity_host/device/flashing/pages.py. Names: names.py.

Why that is safe. A page is a file of 4096 bytes, exactly a sector: littlefs stores the data of such
a file in one block, from its first byte, and leaves it there while nobody writes the file (littlefs
SPEC.md, "CTZ skip-lists"; DESIGN.md, "Wear leveling"). The page is found in the memory-mapped flash
(RP2040 datasheet 2.6.3) by a stamp that no other page has, and must be found once only: an
abandoned block, which may be erased any time, could look alike. A pointer is followed only into
RAM, and changed only when the bytes that it leads to are equal to the page's. Whatever does not fit
stays in the heap, which costs memory and nothing else.

Where the pointers are (MicroPython, py/, OLDEST to NEWEST). A function's context is its second
word and the pointer to its code its fourth, viper's too, behind the table of the functions inside
it (objfun.h, mp_obj_fun_bc_t); an assembler function's code is its third (mp_obj_fun_asm_t). A
function inside another has its pointers in the second and third word of its raw code (emitglue.h,
mp_raw_code_t). A text's is its fourth, behind its length (objstr.h, mp_obj_str_t). A module is its
functions' context, whose fourth word leads to its constants (bc.h, mp_module_context_t).
"""

import gc
import os
import sys
from binascii import crc32
from struct import unpack

import rp2
from machine import mem16, mem32
from uctypes import addressof, bytearray_at

from drivers import guard
from drivers.chip import FLASH_END, RAM_END
from flash_pages import names as flash_names

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

OLDEST, NEWEST = (1, 22), (1, 29)  # MicroPython versions whose objects lie as described above
MAGIC = b"PMC2"
HEAD = 16
PAGE_BYTES = 4096
RAM = 0x20000000, RAM_END  # the striped banks, where the heap is: pico-sdk, addressmap.h
BLOCKS = 4  # a block device's ioctl for how many blocks it has
files = FLASH_END - int(rp2.Flash().ioctl(BLOCKS, 0) or 0) * PAGE_BYTES  # where they begin
KINDS = ("function", "generator")  # a viper or assembler function's type has that name too
FUNCTION_CONTEXT, FUNCTION_INSIDE, FUNCTION_CODE = 4, 8, 12  # bytes into a function
RAW_CODE, RAW_INSIDE = 4, 8
ASSEMBLER_CODE, ASSEMBLER_TYPES = 8, 12
MODULE_CONSTANTS = 12
TEXT_LENGTH, TEXT = 8, 12
TUPLE_LENGTH, TUPLE = 4, 8
WORD = 4  # all parts of a page begin at a multiple of this


WIPED = 12  # calls: as deep as an import goes, and within the stack
# MicroPython allocates the larger functions' locals at each call, from the heap's low end: this
# reserves room there until all long-lived objects are in place. Set it to None then, or unload this
# module, as loop.py does.
ROOM_BYTES = 6144
room = None
_owners = {}  # class -> the module that defines it: those that import it need not search it


def move(folder: str) -> str:
    """Imports what the pages name and moves it; returns a complaint, "" when all was moved."""
    global room
    complaint = unsupported()
    if complaint:
        return complaint
    room = bytearray(ROOM_BYTES)
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
    _owners.clear()
    names_complaint = flash_names.move(names, PAGE_BYTES - HEAD)
    gc.collect()
    return complaint or names_complaint


def unsupported() -> str:
    """Why nothing can be moved on this MicroPython; "" when its version and its objects are as this
    module expects."""
    version = sys.implementation.version[:2]
    if not OLDEST <= version <= NEWEST:
        return "no code pages for MicroPython %d.%d: code stays in RAM" % version
    context = mem32[id(place) + FUNCTION_CONTEXT]
    text, length = mem32[id(MAGIC) + TEXT], mem32[id(MAGIC) + TEXT_LENGTH]
    if context != id(sys.modules[__name__]) or text != addressof(MAGIC) or length != len(MAGIC):
        return "no code pages for this build of MicroPython: code stays in RAM"
    return ""


def place(path: str, magic: bytes) -> int:
    """The address in memory of a page's file; 0 when it is damaged or not found exactly once."""
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


def _use(at: int) -> None:
    """Imports the modules of the page at this address, and moves their code and texts into it."""
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


def _wipe(deeper: int) -> None:
    """Overwrites what the import left on the stack. A collection takes a stale word there for a
    pointer, and one to a module's code would hold all of it in the heap."""
    a = b = c = d = e = f = g = h = i = j = k = l = m = n = o = p = None  # noqa: E741, F841
    if deeper:
        _wipe(deeper - 1)


def _move_all(named: "Mapping[str, object]", codes: list, module: object) -> None:
    for one in list(named.values()):
        if isinstance(one, type):
            if _owners.setdefault(one, module) == module:
                _move_all(one.__dict__, codes, module)
        elif type(one).__name__ in KINDS and id(one) >= RAM[0]:
            if mem32[id(one) + ASSEMBLER_TYPES] >> 24:
                _move(id(one) + FUNCTION_CODE, id(one) + FUNCTION_INSIDE, codes)
            else:
                _move(id(one) + ASSEMBLER_CODE, 0, codes)


def _move(pointer: int, inside: int, codes: list) -> None:
    """Moves a function's code, and that of the functions `inside`. Where its own was moved
    before, as its module spans several pages, theirs may still be in the heap."""
    _repoint(pointer, codes)
    at = mem32[pointer]
    if inside and files < at < FLASH_END:
        for k in range(mem16[at - 2]):
            raw = mem32[mem32[inside] + WORD * k]
            _move(raw + RAW_CODE, raw + RAW_INSIDE, codes)


def _move_texts(table: int, count: int, texts: list) -> None:
    """Moves the texts among the `count` constants at `table`, and those in tuples among them."""
    for at in range(table, table + WORD * count, WORD):
        one = mem32[at]
        if one & 3 or not RAM[0] <= one < RAM[1]:
            continue
        if mem32[one] == TUPLE_TYPE:
            _move_texts(one + TUPLE, mem32[one + TUPLE_LENGTH], texts)
        elif mem32[one] in TEXT_TYPES:
            _repoint(one + TEXT, texts, mem32[one + TEXT_LENGTH] + 1)


def _repoint(pointer: int, parts: list, wanted: int = 0) -> None:
    """Lets a pointer lead into the page, if its bytes are equal to one of the page's `parts`; only
    to one of `wanted` bytes where that is not 0."""
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
            parts.pop(k)  # nobody else uses it: fewer parts are left to compare
            return


def _filled(length: int) -> int:
    return (length + WORD - 1) // WORD * WORD


# An object's first word is the address of its type.
_PAIR = MAGIC, HEAD
TUPLE_TYPE = mem32[id(_PAIR)]
TEXT_TYPES = mem32[id(MAGIC)], mem32[id("a text, not a name: too long")]
