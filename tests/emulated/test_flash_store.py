"""The store on the chip's own flash and file system: the plug is pulled at any time."""

from tests.emulated.programs import pico_with

SAVE = """
from drivers.flash_store import FlashStore
store = FlashStore()
number = 0
while True:
    number += 1
    store.save("game", b"%d " % number * 200)
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
