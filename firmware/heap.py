"""The heap: collects garbage while it does not hurt, and keeps allocations fast in between."""

import gc

# A collection takes 29 ms, as long as some of the work that allocates. So that the two do not
# coincide, the mat collects as soon as there is this much garbage, while the game is not busy and
# few frames wait; twice as much while something moves, and four times while there is no time for
# it: the free memory must not run out in the middle of a frame. MicroPython's own threshold
# (gc.threshold), which start.py sets for the start, is off then: it counts what was freed at once,
# too, such as the frames of functions, and what fills the gaps, and would collect several times a
# second, in the middle of frames.
GARBAGE_BYTES = 8192
MEASURE_MS = 100  # from one look at how much garbage there is to the next
# An allocation of one block (16 bytes) takes the first that is free. A longer one looks from there
# through all the gaps between long-lived objects, each time, which made most of what it took to
# tell a fact (tests/emulated/test_heap.py). So the gaps are filled with garbage. MicroPython
# allocates the frame of a larger function, too, so that every bit of work gains.
WHOLE = 120  # a tuple so long fits into no gap, only into the memory behind them
GAP_BYTES = 1024  # from the first free block to such a tuple, when the gaps are full
FILLS, REFILLS = 48, 4  # how often a part of them is filled at most, after a collection and later
FILL = range(1 << 30, (1 << 30) + 32)  # these ints take two blocks each


class Heap:
    """What the loop knows of MicroPython's heap. There is one."""

    def __init__(self) -> None:
        self._measured_ms = 0
        self._behind = 0  # address of the first free block once the gaps are full
        self._kept = 0  # bytes in use then, the gaps' included
        gc.threshold(-1)
        self.collect()

    def tidy(self, now_ms: int, haste: int) -> None:
        """Looks now and then whether there is much garbage, and collects it then. `haste`: 0 while
        nothing moves, 1 while something does, 2 while there is no time."""
        if now_ms - self._measured_ms >= MEASURE_MS:
            self._measured_ms = now_ms
            most = GARBAGE_BYTES << haste
            if self.garbage() > most:
                garbage = gc.mem_alloc() - self._kept
                self._behind = id(object()) - garbage  # what is kept may lie in between
                if garbage > most:
                    self.collect()

    def garbage(self) -> int:
        """At most how many bytes were allocated since the last collection: the gaps are full, so
        they came one after the other from the memory behind them. Where a gap is free again it is
        less, until that is filled. To count all blocks (gc.mem_alloc) takes the chip 8 ms."""
        return id(object()) - self._behind

    def collect(self) -> None:
        """Collects garbage, and fills the gaps."""
        gc.collect()
        for _ in range(FILLS):
            self._behind = id(object())  # an address: the first free block's
            if id((0,) * WHOLE) - self._behind <= GAP_BYTES:
                break
            max(FILL)
        self._kept = gc.mem_alloc()

    def refill(self) -> None:
        """Fills what was freed in the gaps since, by a list that grew or shrank. Takes a block."""
        for _ in range(REFILLS):
            if id(object()) >= self._behind:
                return
            max(FILL)
