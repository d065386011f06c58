"""A game saved, and gone on with, while what is free of the heap lies in pieces of half a kilobyte.
Runs under MicroPython alone (host_tools/polarity_bench/limited.mjs)."""

import json
from array import array

from drivers.flash_store import FlashStore
from polarity.engine import Engine
from polarity.mat_data import load

PIECE, ROOM = 512, 512 * 1024  # bytes
frames = open("/short.matrec", "rb")
header = json.loads(frames.readline())
mat = load(header["mat"])
counts, stamp = array("H", [0] * header["n"]), bytearray(8)
engine, store = Engine(mat, header["edition"], 1), FlashStore("/kept")
pieces = [None] * 16384
filled = 0
kept = ()


def play():
    """A frame of the game; returns whether there was one."""
    there = frames.readinto(stamp) == 8 and frames.readinto(counts) == 2 * header["n"]
    if there:
        engine.frame(int.from_bytes(stamp, "little") // 1000, counts)
        while engine.read(512):
            pass
    return there


def fill(size=1 << 24):
    """Fills the heap with pieces, of `size` bytes and then ever smaller ones."""
    global filled
    while size >= PIECE:
        try:
            pieces[filled] = bytearray(size)
            filled += 1
        except MemoryError:
            size >>= 1


def fill_but_some():
    """ROOM bytes in one piece will be free."""
    room = bytearray(ROOM)
    fill()
    del room


def fill_and_scatter():
    """Every other piece of what was free will be free again."""
    first = filled
    fill(PIECE)
    for k in range(first, filled, 2):
        pieces[k] = None


def empty():
    global filled
    for k in range(filled):
        pieces[k] = None
    filled = 0


def save():
    persistence = engine.persistence
    for _ in store.saving("offsets", persistence.offset_parts()):
        pass
    for _ in store.saving("game", persistence.game_parts()):
        pass


def read():
    global kept
    kept = store.load("offsets")[0], store.load("game")[0]
    engine.persistence.restore(
        kept[0], kept[1], counts
    )  # this compiles modules, as the chip need not


def restore():
    try:
        scattered = not bytearray(2 * PIECE)
    except MemoryError:
        scattered = True
    print(json.dumps([scattered, engine.persistence.restore(kept[0], kept[1], counts)]))


STEPS = [
    fill_but_some, fill_and_scatter, save, empty, read, fill_but_some, fill_and_scatter, restore
]  # fmt: skip


def turn():
    """A frame or a step. Garbage is collected after each (2)."""
    if not play():
        STEPS.pop(0)()
    return 2 if STEPS else 0
