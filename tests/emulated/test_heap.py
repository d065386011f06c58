"""The heap on the chip: allocations stay fast among long-lived objects."""

import json

from polarity_host.device.flashing.firmware import firmware_files

# 1200 long-lived objects with gaps of one to three blocks between them, as the start leaves them.
GAPS = """
import gc, json, time
from heap import Heap
def took_us(make, size):
    begun = time.ticks_us()
    make(size)
    return time.ticks_diff(time.ticks_us(), begun)
kept = [None] * 1200
gc.collect()
for n in range(1200):
    kept[n] = bytearray(16 * (n % 3)) if n & 1 else object()
for n in range(1, 1200, 2):
    kept[n] = None
gc.collect()
told = [took_us(bytearray, 100)]
heap = Heap()
heap.refill()
told += [took_us(bytearray, 100), gc.mem_free()]
littered, free = heap.garbage(), gc.mem_free()
for n in range(100):
    bytearray(100)
told += [heap.garbage() - littered, free - gc.mem_free()]
kept[2] = kept[4] = None
gc.collect()
heap.collect()
kept[6:9] = []  # what a list no longer needs is free at once
heap.refill()
told.append(took_us(bytearray, 100))
print(json.dumps(told))
"""


def test_an_allocation_does_not_look_through_all_gaps(image):
    from polarity_host.simulation.pico.pico import EmulatedPico

    pico = EmulatedPico({"heap.mpy": firmware_files()["heap.mpy"]}, image=image)
    pico.boot()
    through_gaps_us, filled_us, free, garbage, taken, refilled_us = json.loads(pico.execute(GAPS))
    assert through_gaps_us > 100
    assert filled_us < 60 and refilled_us < 60
    assert free > 60_000  # of some 190 KB
    assert 10_000 < taken and abs(garbage - taken) < 1000  # as MicroPython counts its blocks


# A buffer that is kept lies behind little free memory; then there is much garbage. Last, functions
# whose frames MicroPython allocates, and frees as they return.
LITTLE_AND_MUCH = """
import gc, json
from heap import Heap
gc.collect()
before = [bytearray(2000) for n in range(12)]
hole = bytearray(2000)
kept, told = bytearray(12000), []
hole = None
heap = Heap()
collect = heap.collect
def counted():
    global collections
    collections += 1
    collect()
heap.collect = counted
collections = 0
for n in range(150):
    object()
told.append(heap.garbage())
heap.tidy(1000, 0)
told += [collections, heap.garbage()]
for n in range(600):
    object()
for ms, haste in ((2000, 2), (3000, 1), (4000, 0)):
    heap.refill()  # the list of what is told grows
    heap.tidy(ms, haste)
    told.append(collections)
def framed(a, b, c):
    d = e = f = g = h = i = j = k = l = m = n = o = a
    return a + b + c + d + e + f + g + h + i + j + k + l + m + n + o
for n in range(100):
    object()
used = gc.mem_alloc()
for n in range(3000):
    framed(1, 2, 3)
told.append(gc.mem_alloc() - used)
print(json.dumps(told))
"""


def test_garbage_is_collected_when_there_is_much_of_it_and_not_for_what_is_kept_or_freed(image):
    from polarity_host.simulation.pico.pico import EmulatedPico

    pico = EmulatedPico({"heap.mpy": firmware_files()["heap.mpy"]}, image=image)
    pico.boot()
    told = json.loads(pico.execute(LITTLE_AND_MUCH))
    garbage, collected, measured, *collected_then, freed = told
    assert garbage > 12_000 and collected == 0  # as addresses tell; 2.4 KB of it were garbage
    assert 2400 <= measured < 3500
    assert collected_then == [0, 0, 1]  # 12 KB: too much only while nothing moves
    assert 0 <= freed < 1000
