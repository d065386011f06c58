"""What lies inside a .mpy file: its names, its constants and its functions.

The format: MicroPython, py/persistentcode.c (version 6). A function's code names its strings by
their place in its module's table, and jumps by distances: it does not care where it lies, as long
as viper's and the assembler's lie at a multiple of four.
"""

from collections.abc import Iterator
from typing import NamedTuple

_VERSION = 6
_TUPLE, _TEXTS, _WITHOUT_DATA = 10, (5, 6), (0, 1, 2, 3, 4)
_BYTECODE, _NATIVE, _VIPER, _ASSEMBLER = range(4)
# MP_SCOPE_FLAG_VIPERRELOC and so on: py/runtime0.h
_VIPER_RELOCATED, _VIPER_RODATA, _VIPER_BSS = 0x10, 0x20, 0x40


class Code(NamedTuple):
    """A function's code, and how many it has inside it."""

    code: bytes
    children: int


class Module(NamedTuple):
    """What a module defines. `names`: those that MicroPython need not know already. `texts`: the
    strings and bytes among its `objects` constants, also those inside tuples, in their order.
    `codes`: of all functions, methods and classes, in their order, but those bound to their place:
    viper's with data of its own, and machine code made of Python."""

    names: list[bytes]
    objects: int
    texts: list[bytes]
    codes: list[Code]


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
    names, texts = [], []
    for _ in range(strings):
        length = reader.uint()
        if not length & 1:
            names.append(reader.bytes(length >> 1))
            reader.byte()  # a zero ends it
    for _ in range(objects):
        texts += _texts(reader)
    return Module(names, objects, texts, list(_inside(_raw_code(reader))))


def _inside(outer: tuple) -> Iterator[Code]:
    for kind, code, children in outer[2]:
        if kind is not None:
            yield Code(code, len(children))
        yield from _inside((kind, code, children))


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


def _raw_code(reader: _Reader) -> tuple:
    head = reader.uint()
    kind, code = head & 3, reader.bytes(head >> 3)
    if kind == _NATIVE:
        reader.uint()
        kind = None  # it is pointed at in other ways too
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
                kind = None  # bound to its place
    children = []
    if head & 4:
        children = [_raw_code(reader) for _ in range(reader.uint())]
    return kind, code, children
