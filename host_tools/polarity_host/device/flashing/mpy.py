"""Reads a .mpy file: its names, its constants and its functions.

The format: MicroPython, py/persistentcode.c (version 6). A function's code refers to strings by
their index in its module's table, and jumps by distances. So it is independent of its address, as
long as viper's and the assembler's code starts at a multiple of four.
"""

from collections.abc import Iterator
from typing import NamedTuple

_VERSION = 6
_TUPLE, _TEXTS, _WITHOUT_DATA = 10, (5, 6), (0, 1, 2, 3, 4)
_BYTECODE, _NATIVE, _VIPER, _ASSEMBLER = range(4)
# MP_SCOPE_FLAG_VIPERRELOC and so on: py/runtime0.h
_VIPER_RELOCATED, _VIPER_RODATA, _VIPER_BSS = 0x10, 0x20, 0x40


class Code(NamedTuple):
    """A function's code, how many functions are inside it, and the number of the one that it is
    inside of, -1 for none."""

    code: bytes
    children: int
    parent: int


class Module(NamedTuple):
    """What a module defines. `names`: those that MicroPython itself may not have. `texts`: the
    strings and bytes among its `objects` constants, also those inside tuples, in order. `codes`:
    those of all functions, methods and classes, in order, except code that depends on its address:
    viper's with data of its own, and machine code made from Python."""

    names: list[bytes]
    objects: int
    texts: list[bytes]
    codes: list[Code]


class _RawCode(NamedTuple):
    """A function as the file has it; `kind` is None when its code depends on its address."""

    kind: int | None
    code: bytes
    children: "list[_RawCode]"


class _Reader:
    def __init__(self, data: bytes):
        self.data, self.at = data, 0

    def byte(self) -> int:
        self.at += 1
        return self.data[self.at - 1]

    def bytes(self, count: int) -> bytes:
        self.at += count
        return self.data[self.at - count : self.at]

    def uint(self) -> int:
        value = 0
        while True:
            byte = self.byte()
            value = value << 7 | byte & 0x7F
            if byte < 0x80:
                return value


def module(mpy: bytes) -> Module:
    """The module in this file. ValueError for another version of the format."""
    reader = _Reader(mpy)
    if reader.bytes(2) != b"M%c" % _VERSION:
        raise ValueError(f"no .mpy file of version {_VERSION}")
    flags = reader.byte()
    reader.byte()  # bits of a small int
    if flags & 0x40:
        reader.uint()  # flags of the processor
    strings, objects = reader.uint(), reader.uint()
    names: list[bytes] = []
    texts: list[bytes] = []
    for _ in range(strings):
        length = reader.uint()
        if not length & 1:
            names.append(reader.bytes(length >> 1))
            reader.byte()  # a zero ends it
    for _ in range(objects):
        texts += _texts(reader)
    return Module(names, objects, texts, _inside(_raw_code(reader), -1, []))


def _inside(outer: _RawCode, parent: int, found: list[Code]) -> list[Code]:
    """Adds to `found` the functions inside `outer`, whose number there is `parent`; returns it."""
    for inner in outer.children:
        number = parent
        if inner.kind is not None:
            number = len(found)
            found.append(Code(inner.code, len(inner.children), parent))
        _inside(inner, number, found)
    return found


def _texts(reader: _Reader) -> Iterator[bytes]:
    """The strings and bytes of one constant."""
    kind = reader.byte()
    if kind in _WITHOUT_DATA:
        return
    length = reader.uint()
    if kind == _TUPLE:
        for _ in range(length):
            yield from _texts(reader)
    elif kind in _TEXTS:
        text = reader.bytes(length)
        reader.byte()  # a zero ends it
        if text:
            yield text
    else:
        reader.bytes(length)


def _raw_code(reader: _Reader) -> _RawCode:
    head = reader.uint()
    kind: int | None = head & 3
    code = reader.bytes(head >> 3)
    if kind == _NATIVE:
        reader.uint()
        kind = None  # there are pointers to it elsewhere too
    elif kind != _BYTECODE:
        scope = reader.uint()
        if kind == _ASSEMBLER:
            reader.uint()
            reader.uint()
        else:
            rodata = reader.uint() if scope & _VIPER_RODATA else 0
            if scope & _VIPER_BSS:
                reader.uint()
            reader.bytes(rodata)
            if scope & (_VIPER_RODATA | _VIPER_RELOCATED):
                kind = None  # it depends on its address
    children: list[_RawCode] = []
    if head & 4:
        children = [_raw_code(reader) for _ in range(reader.uint())]
    return _RawCode(kind, code, children)
