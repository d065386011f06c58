"""Bytecode runs where it lies in the chip's flash, and only where that is certain."""

import pytest

from polarity_host.board.compiled import compiled
from polarity_host.board.pages import pages
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
"""
LOOK = """
from drivers import flash_code
from machine import mem32
print(repr(flash_code.move("code")))
import thing
for f in (thing.work, thing.Thing.work):
    print(hex(mem32[id(f) + 12] >> 24))
print(thing.Thing().work(100))
"""
IN_FLASH, IN_RAM = "0x10", "0x20"
ANSWER = str(
    __import__("functools").reduce(lambda t, i: (t * 31 + i) & 0xFFFF, range(100), 0) + 100
)


@pytest.fixture
def said(image, tmp_path):
    def run(change=lambda files: None):
        source = tmp_path / "thing.py"
        source.write_text(MODULE)
        files = driver_files() | compiled([source], tmp_path)
        files |= pages(files, ["thing"])
        change(files)
        return pico_with(image, files=files).execute(LOOK).splitlines()

    return run


def test_it_runs_in_flash(said):
    assert said() == ["''", IN_FLASH, IN_FLASH, ANSWER]


def test_another_sector_that_looks_alike_leaves_it_in_the_heap(said):
    def twice(files):
        files["gone"] = files["code/00"]  # as a block that was given up

    assert said(twice) == ["'code page 00 cannot be used'", IN_RAM, IN_RAM, ANSWER]


def test_code_that_differs_stays_in_the_heap(said, tmp_path):
    def newer(files):
        source = tmp_path / "thing.py"
        source.write_text(MODULE.replace("* 31", "* 37").replace("+ n", "- n"))
        files |= pages(compiled([source], tmp_path), ["thing"])

    assert said(newer) == ["''", IN_RAM, IN_RAM, ANSWER]


def test_a_damaged_page_is_not_used(said):
    def damaged(files):
        page = bytearray(files["code/00"])
        page[40] ^= 1
        files["code/00"] = bytes(page)

    assert said(damaged) == ["'code page 00 cannot be used'", IN_RAM, IN_RAM, ANSWER]


def test_a_torn_page_is_not_used(said):
    def torn(files):
        files["code/00"] = files["code/00"][:-1]

    assert said(torn) == ["'code page 00 cannot be used'", IN_RAM, IN_RAM, ANSWER]
