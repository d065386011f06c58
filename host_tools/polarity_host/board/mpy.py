"""The functions inside a .mpy file.

The format: MicroPython, py/persistentcode.c (version 6). A function's code names its strings by
their place in its module's table, and jumps by distances: it does not care where it lies, as long
as viper's lies at a multiple of four.
"""

from collections.abc import Iterator

_VERSION = 6
_TUPLE, _WITHOUT_DATA, _WITH_END = 10, (0, 1, 2, 3, 4), (5, 6)
_BYTECODE, _NATIVE, _VIPER, _ASSEMBLER = range(4)
# MP_SCOPE_FLAG_VIPERRELOC and so on: py/runtime0.h
_VIPER_RELOCATED, _VIPER_RODATA, _VIPER_BSS = 0x10, 0x20, 0x40
_SMALLEST = 17  # bytes: a heap's block is 16, so a smaller function saves one at most


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


def codes(mpy: bytes) -> list[bytes]:
    """The code of all that a module defines, functions, methods and classes, in its order: bytecode
    or viper's. Not of viper with data of its own, nor of the inline assembler.

    ValueError for another version of the format.
    """
    reader = _Reader(mpy)
    if reader.bytes(2) != b"M%c" % _VERSION:
        raise ValueError(f"no .mpy file of version {_VERSION}")
    flags = reader.byte()
    reader.byte()  # bits of a small int
    if flags & 0x40:
        reader.uint()  # flags of the processor
    strings, objects = reader.uint(), reader.uint()
    for _ in range(strings):
        length = reader.uint()
        if not length & 1:
            reader.bytes((length >> 1) + 1)
    for _ in range(objects):
        _skip_object(reader)
    module = _raw_code(reader)
    return [code for code in _inside(module) if len(code) >= _SMALLEST]


def _inside(outer: tuple) -> Iterator[bytes]:
    for kind, code, children in outer[2]:
        if kind in (_BYTECODE, _VIPER):
            yield code
        yield from _inside((kind, code, children))


def _skip_object(reader: _Reader) -> None:
    kind = reader.byte()
    if kind in _WITHOUT_DATA:
        return
    length = reader.uint()
    if kind == _TUPLE:
        for _ in range(length):
            _skip_object(reader)
    else:
        reader.bytes(length + (kind in _WITH_END))


def _raw_code(reader: _Reader) -> tuple:
    head = reader.uint()
    kind, code = head & 3, reader.bytes(head >> 3)
    if kind == _NATIVE:
        reader.uint()
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
                kind = _ASSEMBLER  # bound to its place, as that is
    children = []
    if head & 4:
        children = [_raw_code(reader) for _ in range(reader.uint())]
    return kind, code, children
