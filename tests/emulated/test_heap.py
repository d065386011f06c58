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
gc.threshold(-1)
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
