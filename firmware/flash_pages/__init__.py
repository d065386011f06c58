"""Code, names and tables that are used where they lie in the flash, so that the game has the heap:
`code` moves functions and texts, `names` the names of a program, `tables` a mat's tables.

What is done to MicroPython. It offers no such thing on a stock Pico: a .mpy file is read into the
heap as a whole. So pointers inside its objects are changed, with `machine.mem32`, to lead to equal
bytes in the flash; the heap's copies are then garbage. Which pointers stands at the head of each
module, with the file of MicroPython's sources that defines them.

For which versions. The layouts are those of MicroPython 1.22 to 1.29 (code.OLDEST, code.NEWEST), of
a 32-bit port whose heap is in the RP2040's RAM. Before anything is changed, `code.unsupported`
checks the version, and that objects of this program lie as they are described; `names` takes a
structure for a pool only if its pointers agree; and no pointer is changed unless the bytes that it
leads to are equal.

Elsewhere everything stays in RAM: the mat says so in its record and goes on, with less memory free.
"""

_held = None  # texts that MicroPython points at, whatever else is collected


def hold(text: bytes) -> None:
    """Keeps a text in the heap for ever: names.py does not stay to hold it."""
    global _held
    _held = (_held, text)
