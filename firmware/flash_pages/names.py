"""Names that lie in the flash: MicroPython stores each name of a program once, and for ever.

A name (a "qstr") is a number. Pools in the heap hold, for consecutive numbers, pointers to the
characters, a byte of hash each, and the lengths (MicroPython, py/qstr.h, qstr_pool_t, qstr.c). The
characters lie one name after another in small blocks, each ended by a zero. `move` lets the names
that are in a page, character for character, be read there; the others that existed before the game
was loaded it copies into one text. Names in the block that MicroPython is still filling stay. The
only other pointers to names' characters are what `bytes(name)` and `name.encode()` returned before
the call: no module may hold such an object.

Each full pool is followed by one of twice its size, of which half may stay empty. `grow` limits
pools to POOL names, and `move` makes one of all but the newest: MicroPython walks through the pools
for every name that it looks up.

A pool is taken for one only if its three pointers to itself are right. Where there is none, in a
MicroPython that stores names otherwise, all stays in the heap, and `move` says so.
"""

import gc
from array import array
from struct import pack

from machine import mem8, mem32
from micropython import kbd_intr
from uctypes import addressof, bytearray_at

from drivers.chip import RAM_END
from drivers.sums import find_words
from flash_pages import hold

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Generator, Sequence

MAGIC = b"PMN1"
PREFIX = "names."
RAM = 0x20000000, RAM_END
# Bytes into a pool: the pool before, how many names are in those before it, its size, its names so
# far, the addresses of its hashes and its lengths; then its pointers.
BEFORE, NUMBER, SIZE, USED, HASHES, LENGTHS, NAMES = 0, 4, 8, 12, 16, 20, 24
WORD = 4
CTRL_C = 3
LARGEST = 4096  # names: a pool larger than that is none
POOL = 128
NEARLY = 56  # free names in a pool: more than most modules add
AHEAD = 256  # bytes behind the last name found, within which the next one mostly is

_pool = 0  # the newest pool known


def grow() -> None:
    """To be called between modules: if the newest pool is nearly full, declares it full, so that a
    small one follows."""
    last = _last()
    size = last and mem32[last + SIZE]
    if size >= POOL and size - mem32[last + USED] < NEARLY:
        mem32[last + SIZE] = POOL // 2


def move(places: "Sequence[int]", length: int) -> str:
    """Lets the names be read in the pages, `length` bytes at each of `places`. Returns a complaint,
    "" when they are."""
    pools, count = [], 0
    pool = _last()
    while pool >= RAM[0]:
        pools.insert(0, pool)
        count += mem32[pool + USED]
        pool = mem32[pool + BEFORE]
    if not places:
        return ""
    if not pools:
        return "no name pages for this build of MicroPython: names stay in RAM"
    # Each name's new address is found before any is moved: moving the first of a block frees all.
    goes = array("I", bytes(WORD * count))
    left, page, at, k = [], 0, 0, 0
    stay = _filling(pools)
    for pointer, size in _pointers(pools):
        if pointer == stay:
            break
        now = mem32[pointer]
        if now >= RAM[0]:
            name = b"\0" + bytes(bytearray_at(now, size + 1))
            found, page, at = _find(name, places, length, page, at)
            if found:
                goes[k] = found + 1
            else:
                left.append(name)
        k += 1
    together = b"".join(left)
    hold(together)
    now, k = addressof(together), 0
    # While some of a block are moved and some are not, nothing may interrupt.
    kbd_intr(-1)
    gc.disable()
    for pointer, size in _pointers(pools):
        if pointer == stay:
            break
        if mem32[pointer] >= RAM[0]:
            if not goes[k]:
                goes[k] = now + 1
                now += size + 2
            mem32[pointer] = goes[k]
        k += 1
    gc.enable()
    kbd_intr(CTRL_C)
    _merge(pools)
    return ""


def _merge(pools: "list[int]") -> None:
    """Puts one pool in the place of all but the newest, which are full; names keep their numbers.
    `pools`: addresses, the oldest first. Only the newest pool leads to the others, so that garbage
    collection frees the old ones."""
    full = pools[:-1]
    if len(full) < 2:
        return
    count = sum([mem32[pool + USED] for pool in full])
    room = bytearray(NAMES + (WORD + 2) * count)
    merged = addressof(room)
    mem32[merged + BEFORE], mem32[merged + NUMBER] = (
        mem32[full[0] + BEFORE],
        mem32[full[0] + NUMBER],
    )
    mem32[merged + SIZE] = mem32[merged + USED] = count
    mem32[merged + HASHES] = hashes = merged + NAMES + WORD * count
    mem32[merged + LENGTHS] = lengths = hashes + count
    pointers = merged + NAMES
    for pool in full:
        used = mem32[pool + USED]
        _copy(pointers, pool + NAMES, WORD * used)
        _copy(hashes, mem32[pool + HASHES], used)
        _copy(lengths, mem32[pool + LENGTHS], used)
        pointers, hashes, lengths = pointers + WORD * used, hashes + used, lengths + used
    mem32[pools[-1] + BEFORE] = merged
    for pool in full:
        mem32[pool + HASHES] = 0  # it is no pool any more


def _copy(to: int, source: int, length: int) -> None:
    bytearray_at(to, length)[:] = bytearray_at(source, length)


def _pointers(pools: "list[int]") -> "Generator[tuple[int, int]]":
    """(address of the pointer to a name, the name's length) of all names, the oldest first."""
    for pool in pools:
        lengths = mem32[pool + LENGTHS]
        pointer = pool + NAMES
        for k in range(mem32[pool + USED]):
            yield pointer, mem8[lengths + k]
            pointer += WORD


def _find(
    name: bytes, places: "Sequence[int]", length: int, page: int, at: int
) -> "tuple[int, int, int]":
    """(address, page, offset in it) of a name; address 0 when it is in no page. Most names follow
    the one before, so the search begins there."""
    found = bytearray_at(places[page], length).find(name, at, at + AHEAD)
    if found >= 0:
        return places[page] + found, page, found
    for k in range(len(places)):
        found = bytearray_at(places[k], length).find(name)
        if found >= 0:
            return places[k] + found, k, found
    return 0, page, at


def _filling(pools: "list[int]") -> int:
    """The pointer to the first name in the block that is still being filled, or to one somewhat
    before: names in a block follow one another closely."""
    following = before = 0
    for pool in reversed(pools):
        lengths = mem32[pool + LENGTHS]
        for k in range(mem32[pool + USED] - 1, -1, -1):
            pointer = pool + NAMES + WORD * k
            now = mem32[pointer]
            if following and now + mem8[lengths + k] + 1 != following:
                return before
            following, before = now, pointer
    return before


def _last() -> int:
    """The pool that takes new names, 0 if none can be found."""
    global _pool
    if not _pool:
        _pool = _first()
    while _pool and mem32[_pool + USED] >= mem32[_pool + SIZE]:
        number = mem32[_pool + NUMBER] + mem32[_pool + USED]
        found = find_words(RAM[0], RAM[1], _pool, number)
        while found and not _is_pool(found):
            found = find_words(found + WORD, RAM[1], _pool, number)
        if not found:
            break
        _pool = found
    return _pool


def _first() -> int:
    """The pool that holds this module's name, 0 if there is none."""
    word = pack("<I", addressof(__name__))
    ram = bytearray_at(RAM[0], RAM[1] - RAM[0])
    at = ram.find(word)
    while at >= 0:
        pool = RAM[0] + at - NAMES
        for _ in range(LARGEST):
            if pool < RAM[0] or at & 3:
                break
            if _is_pool(pool):
                return pool
            pool -= WORD
        at = ram.find(word, at + 1)
    return 0


def _is_pool(at: int) -> bool:
    size = mem32[at + SIZE]
    return (
        mem32[at + HASHES] == at + NAMES + WORD * size
        and mem32[at + LENGTHS] == mem32[at + HASHES] + size
        and mem32[at + USED] <= size <= LARGEST
    )
