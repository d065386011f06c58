"""Code, texts and names are used where they lie in the chip's flash, and only where that is
certain."""

import functools

import pytest

from polarity_host.device.flashing.compiled import compiled
from polarity_host.device.flashing.pages import name_pages, pages
from tests.emulated.programs import driver_files, pico_with

MODULE = """
def work(n):
    total = 0
    for i in range(n):
        total = (total * 31 + i) & 0xFFFF
    return total
class Thing:
    def work(self, n):
        self.last = work(n) + n
        return self.last
def inside(n):
    def shifted(k):
        return (k << 3) - n
    return shifted(n)
@micropython.asm_thumb
def doubled(r0):
    add(r0, r0, r0)
def said():
    return "a text that is longer than a name is"
def pair():
    return ("another text, this one in a tuple", 2)
"""
LOOK = """
from flash_pages import code as flash_code
from machine import mem32
{other}
print(repr(flash_code.move("code")))
import thing
shifted = mem32[mem32[id(thing.inside) + 8]]
for at in (
    id(thing.work) + 12, id(thing.Thing.work) + 12, id(thing.inside) + 12, shifted + 4,
    id(thing.doubled) + 8, id(thing.said()) + 12, id(thing.pair()[0]) + 12,
):
    print(hex(mem32[at] >> 24))
print(thing.Thing().work(100), thing.inside(5), thing.doubled(21), thing.said(), thing.pair())
"""
IN_FLASH, IN_RAM = "0x10", "0x20"
ANSWER = (
    str(functools.reduce(lambda t, i: (t * 31 + i) & 0xFFFF, range(100), 0) + 100)
    + " 35 42 a text that is longer than a name is ('another text, this one in a tuple', 2)"
)


@pytest.fixture
def said(image, tmp_path):
    def run(change=lambda files: None, other=""):
        source = tmp_path / "thing.py"
        source.write_text(MODULE)
        files = driver_files() | compiled([source], tmp_path)
        files |= pages(files, ["thing"])
        change(files)
        return pico_with(image, files=files).execute(LOOK.format(other=other)).splitlines()

    return run


def test_it_is_used_in_flash(said):
    assert said() == ["''", *[IN_FLASH] * 7, ANSWER]


def test_another_sector_that_looks_alike_leaves_it_in_the_heap(said):
    def twice(files):
        files["gone"] = files["code/00"]  # as a block that was given up

    assert said(twice) == ["'code page 00 cannot be used'", *[IN_RAM] * 7, ANSWER]


def test_what_differs_stays_in_the_heap(said, tmp_path):
    def newer(files):
        source = tmp_path / "thing.py"
        text = MODULE.replace("* 31", "* 37").replace("+ n", "- n").replace("<< 3", "<< 4")
        text = text.replace("one in", "one out").replace("longer", "larger")
        text = text.replace("r0, r0, r0", "r0, r0, r1").replace("return s", "return 1 + s")
        source.write_text(text)
        files |= pages(compiled([source], tmp_path), ["thing"])

    assert said(newer) == ["''", *[IN_RAM] * 7, ANSWER]


def test_a_damaged_page_is_not_used(said):
    def damaged(files):
        page = bytearray(files["code/00"])
        page[40] ^= 1
        files["code/00"] = bytes(page)

    assert said(damaged) == ["'code page 00 cannot be used'", *[IN_RAM] * 7, ANSWER]


def test_a_torn_page_is_not_used(said):
    def torn(files):
        files["code/00"] = files["code/00"][:-1]

    assert said(torn) == ["'code page 00 cannot be used'", *[IN_RAM] * 7, ANSWER]


@pytest.mark.parametrize(
    ("other", "build"),
    [
        ("flash_code.OLDEST = flash_code.NEWEST = (1, 21)", "MicroPython 1."),
        ("flash_code.OLDEST = flash_code.NEWEST = (2, 0)", "MicroPython 1."),
        ("flash_code.place = print", "this build of MicroPython"),  # no function of the module
    ],
)
def test_in_another_micropython_all_stays_in_the_heap_and_a_complaint_says_so(said, other, build):
    complaint, *places, answer = said(other=other)
    assert complaint.startswith(f"'no code pages for {build}")
    assert complaint.endswith(": code stays in RAM'")
    assert (places, answer) == ([IN_RAM] * 7, ANSWER)


# Names that are in a page and names that are not, in the same blocks of the heap; then the heap is
# filled up, so that what was given free is written over, and more names come.
NAMES = """
import gc
from flash_pages import code as flash_code
print(repr(flash_code.move("code")))
flash_code.room = None
from machine import mem32
from uctypes import addressof
import many
gc.collect()
before = gc.mem_free()
flash_code.move("code")
flash_code.room = None
gc.collect()
print(gc.mem_free() - before > 500)
fill = []
try:
    while True:
        fill.append(bytearray(b"\\xff" * 48))
except MemoryError:
    fill = None
gc.collect()
for k in range(200):
    setattr(many, "later_%d" % k, k)
print(all(getattr(many, "later_%d" % k) == k for k in range(200)))
print(all(getattr(many, "name_%d" % k) == k for k in range(400)))
there = sorted([one for one in dir(many) if one[:5] == "name_"])
print(there == sorted(["name_%d" % k for k in range(400)]))
name = [one for one in dir(many) if one == "name_301"][0]
print(hex(addressof(name) >> 24))
from flash_pages import names
pool, pools = names._last(), 0
while pool >= 0x20000000:  # in RAM; its first word leads to the one before
    pool, pools = mem32[pool], pools + 1
print(pools)
"""
MOST_POOLS = 4  # 600 names came; the later ones have pools of their own


NO_POOL = """
from flash_pages import names
names._first = lambda: 0
print(repr(names.move([1], 1)), repr(names.move([], 1)))
"""


def test_where_names_are_stored_otherwise_they_stay_and_a_complaint_says_so(image):
    printed = pico_with(image).execute(NO_POOL)
    assert printed == ("'no name pages for this build of MicroPython: names stay in RAM' ''\n")


def test_names_are_read_in_flash_and_none_is_lost(image, tmp_path):
    for name, wanted in (("many", 400), ("most", 3)):
        lines = [f"name_{k} = {k}" for k in range(400) if k % 4 < wanted]
        tmp_path.joinpath(name + ".py").write_text("\n".join(lines))
    found = compiled([tmp_path / "many.py", tmp_path / "most.py"], tmp_path)
    files = driver_files() | {"many.mpy": found["many.mpy"]}
    files |= pages(files, ["drivers"]) | name_pages(found, ["most"])
    printed = pico_with(image, files=files).execute(NAMES, 60_000).splitlines()
    assert printed[:-1] == ["''", "True", "True", "True", "True", IN_FLASH]
    assert int(printed[-1]) <= MOST_POOLS
