"""The store on the chip's own flash and file system: the plug is pulled at any time, and the flash
lasts."""

from collections import Counter

import pytest

from polarity_host.simulation.pico.flash import SECTOR_BYTES
from tests.emulated.flash_files import recorded
from tests.emulated.programs import pico_with

SAVE = """
from drivers.flash_store import FlashStore
store = FlashStore()
number = 0
while True:
    number += 1
    store.save("game", b"%d " % number * 200)
"""
SAVES = 40
AGAIN = """
from drivers.flash_store import FlashStore
store = FlashStore()
for number in range(%d):
    store.save("game", b"%%4d" %% number * %d)
"""
LOAD = """
from drivers.flash_store import FlashStore
data, complaint = FlashStore().load("game")
words = (data or b"").split()
print(len(set(words)), len(words), int(words[0]) if words else 0, repr(complaint))
"""


def test_the_plug_is_pulled_while_it_saves(image):
    pico = pico_with(image)
    for cut_ms in (60, 75, 90.5, 101, 113.7):
        pico.write(b"\r\x03\x01")
        pico.run(20)
        pico.write(SAVE.encode() + b"\x04")
        pico.run(cut_ms)
        pico.power_cut()
        pico.boot()
        kinds, words, number, complaint = pico.execute(LOAD).split()
        assert (kinds, words, complaint) == ("1", "200", "''")
        assert int(number) >= 1


@pytest.mark.parametrize(("size", "least", "most"), [(4000, 1.0, 1.5), (8192, 3.0, 3.5)])
def test_a_save_wears_the_flash_as_little_as_the_store_says(image, size, least, most):
    """So many sectors are erased in each, and none of them again and again."""
    pico = pico_with(image)
    pico.execute(AGAIN % (3, size // 4), 5000)  # its copy and the folder are there
    changes = recorded(pico.chip)
    pico.execute(AGAIN % (SAVES, size // 4), 60_000)
    erased = Counter(at for at, _, after in changes if len(after) >= SECTOR_BYTES)
    assert least < erased.total() / SAVES <= most
    assert max(erased.values()) <= SAVES // 4
