"""Makes the heap's lock (polarity.kernels.lock_heap) hold under MicroPython without the chip.

On the chip kernels take no memory; their references do, so these are let out of the lock, each by a
function of as many arguments that `lock_kernels` writes. Whatever else takes memory while the heap
is locked raises MemoryError, as it does on the chip.
"""

import micropython  # pyright: ignore[reportMissingImports]  # this module runs there alone

SOURCES = (
    "_reference_kernels.py",
    "_reference_flight.py",
    "_reference_search.py",
    "_reference_fit.py",
    "_reference.py",
)

_LET_OUT = """
def call({0}):
    depth = free()
    found = kernel({0})
    hold(depth)
    return found
"""


def lock_kernels(firmware: str) -> None:
    """Call it once, before polarity.engine is imported; `firmware` is the folder it comes from."""
    from polarity import kernels

    done = set()
    for source in SOURCES:
        with open(firmware + "/polarity/kernels/" + source) as file:
            text = file.read()
        for part in text.split("\ndef ")[1:]:
            name, _, rest = part.partition("(")
            kernel = getattr(kernels, name, None)
            if kernel and name not in done:
                done.add(name)
                made = {"kernel": kernel, "free": _free, "hold": _hold}
                exec(_LET_OUT.format(_arguments(rest.split(")")[0])), made)
                setattr(kernels, name, made["call"])
    kernels.lock_heap = micropython.heap_lock
    kernels.unlock_heap = micropython.heap_unlock


def _arguments(annotated: str) -> str:
    """The names in a function's parameters, without their types: "a, b"."""
    names = [one.split(":")[0].strip() for one in annotated.split(",")]
    return ", ".join([name for name in names if name])


def _free() -> int:
    """Undoes every lock; returns how many there were."""
    micropython.heap_lock()
    depth = left = micropython.heap_unlock()
    while left:
        left = micropython.heap_unlock()
    return depth


def _hold(depth: int) -> None:
    for _ in range(depth):
        micropython.heap_lock()
