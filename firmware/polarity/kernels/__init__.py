"""The hot loops of perception: C where that can run, the plain reference elsewhere.

`_reference*.py` define what each kernel returns. The C beside them does the same on the RP2040
(`_chip.py`) and, as an extension (`_native`), under CPython. KIND says which runs.
`KERNELS = "reference"` in a module named `polarity_settings` forces the reference on the chip, and
POLARITY_KERNELS=reference|native in the environment forces one elsewhere.

A kernel takes up to four numbers and buffers. What it needs more of stands in a record, whose words
_records.py numbers.
"""

import os
from array import array

from ._records import (  # noqa: F401 - words of those who use kernels
    AX,
    AY,
    AZ,
    BROKEN,
    DISCS,
    HAZE,
    LAYOUT,
    MOMENT,
    QUIET_NOISE,
    SATURATED,
    THICKNESS,
    X,
    Y,
    Z,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ._reference_kernels import Record

try:
    from polarity_settings import KERNELS  # pyright: ignore[reportMissingImports]
except ImportError:
    KERNELS = os.getenv("POLARITY_KERNELS") if hasattr(os, "getenv") else None
if KERNELS not in (None, "", "native", "reference"):
    raise ValueError("POLARITY_KERNELS is reference or native, not " + KERNELS)

_kernels: "Any" = None
KIND = "reference"
if KERNELS != "reference":
    try:
        from . import _native as _kernels  # pyright: ignore[reportAttributeAccessIssue]

        if _kernels.LAYOUT != LAYOUT:
            raise ImportError("the compiled kernels are older than these sources: install again")
        KIND = "native"
    except ImportError:
        if KERNELS == "native":
            raise
        try:
            from . import _chip as _kernels

            KIND = "chip"
        except (ImportError, SyntaxError, ValueError):  # no assembler, or one for another core
            pass
if KIND == "reference":
    from . import _reference_all as _kernels


def lock_heap() -> None:
    """From here to `unlock_heap` nothing is allocated but what the reference itself takes.

    MicroPython puts the locals of a call that needs more than eleven words for them into the heap,
    and looks through all of it for a place (py/objfun.c, fun_bc_call; py/gc.c, gc_alloc): on the
    chip that takes up to half a millisecond a call. While the heap is locked they lie on the stack
    instead, and whatever else wants memory raises MemoryError.
    """


unlock_heap = lock_heap
if KIND == "chip":
    import micropython

    lock_heap, unlock_heap = micropython.heap_lock, micropython.heap_unlock  # pyright: ignore[reportAssignmentType]

above = _kernels.above
add_at = _kernels.add_at
add_size = _kernels.add_size
advance = _kernels.advance
assess = _kernels.assess
average = _kernels.average
bulge = _kernels.bulge
copy = _kernels.copy
cost = _kernels.cost
distance = _kernels.distance
enter = _kernels.enter
exchange = _kernels.exchange
expect = _kernels.expect
fit = _kernels.fit
fly = _kernels.fly
follow = _kernels.follow
haze = _kernels.haze
height_of_centre = _kernels.height_of_centre
isqrt = _kernels.isqrt
learn_course = _kernels.learn_course
leave = _kernels.leave
left_over = _kernels.left_over
look = _kernels.look
loudest_first = _kernels.loudest_first
misfit = _kernels.misfit
near = _kernels.near
normalise = _kernels.normalise
offer = _kernels.offer
refine = _kernels.refine
restore = _kernels.restore
rival = _kernels.rival
scan = _kernels.scan
span = _kernels.span
strayed = _kernels.strayed
strongest = _kernels.strongest
surprise = _kernels.surprise
survey = _kernels.survey
tally = _kernels.tally
tangents = _kernels.tangents
tip = _kernels.tip
turned = _kernels.turned
unlearn = _kernels.unlearn
watch = _kernels.watch
weigh = _kernels.weigh

_WORD = "i" if KIND == "chip" else getattr(_kernels, "WORD", "")  # holds an address
TABLE_ROWS = ((41, 164), (41, 164), (25, 100))  # of the field table's levels: rows, bytes a row


def reference(buffer: "Any") -> "Any":
    """What a record holds of a buffer or another record."""
    return buffer if KIND == "reference" else _kernels.address(buffer)


def links() -> "list[int]":
    """What FLIGHT_LOOK to FLIGHT_MISFIT hold: where the code of these kernels lies. On the chip it
    may be moved (see flash_pages/code.py) before the first record is made, not after."""
    names = look, fit, enter, leave, misfit
    words = 1, 2, 3, 2, 2
    if KIND == "chip":
        return [kernel(*[0] * count) for kernel, count in zip(names, words)]
    return _kernels.links()


def record(values: "Record") -> "Record | array[int]":
    """The record of these words, each a number, a buffer or another record. It does not hold the
    buffers: whoever makes it does."""
    if KIND == "reference":
        return values
    address = _kernels.address
    return array(_WORD, [one if isinstance(one, int) else address(one) for one in values])


def gradient() -> int:
    """What FIT_GRADIENT holds, as `links`."""
    return _kernels.gradient(0) if KIND == "chip" else _kernels.gradient()


def put(record: "Record | array[int]", at: int, value: "Any") -> None:
    """record[at] = a number, a buffer or another record."""
    record[at] = value if isinstance(value, int) else reference(value)


def rows_of(table: "array[int]") -> "array[int]":
    """A mat's FIELD_TABLE as a scene holds it: where each row lies, for they may lie apart. A table
    that is that already (see flash_pages/tables.py) stays as it is."""
    if KIND == "reference" or len(table) == sum([rows for rows, _ in TABLE_ROWS]):
        return table
    at = _kernels.address(table)
    rows = array(_WORD, [])
    for count, length in TABLE_ROWS:
        for _ in range(count):
            rows.append(at)
            at += length
    return rows
