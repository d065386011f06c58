"""What a compiled module holds is found, and laid into pages of one sector, whole and in order."""

import struct
import zlib

import pytest

from polarity_host.device.flashing.compiled import compiled
from polarity_host.device.flashing.firmware import STARTS, firmware_files, import_order, version
from polarity_host.device.flashing.mpy import module as inside
from polarity_host.device.flashing.pages import PAGE_BYTES, SLOTS, name_pages, pages
from polarity_host.simulation.pico.flash import SECTORS, file_system
from tests.emulated.flash_files import mounted

SOURCE = """
import other
kept = ["some words that are not short"]
PAIR = (3, "more of them, in a tuple")
def long(a, b):
    total = 0
    for i in range(a):
        total += i * b + {}
    return [total for _ in range(b)]
class Pile:
    def grow(self, n):
        for k in range(n):
            self.height = self.height + k * n - 1
@micropython.viper
def native(x: int) -> int:
    return x + 1
@micropython.asm_thumb
def assembled(r0):
    add(r0, r0, r0)
"""


@pytest.fixture
def module(tmp_path):
    def make(**sources):
        for name, text in sources.items():
            tmp_path.joinpath(name + ".py").write_text(text)
        return compiled([tmp_path / (name + ".py") for name in sources], tmp_path)

    return make


def unpacked(page):
    """[(module, [(function, how many in it)], [text])] of a page, read by its description."""
    assert len(page) == PAGE_BYTES and page[:4] == b"PMC2"
    assert int.from_bytes(page[12:16], "little") == zlib.crc32(page[16:])
    words = memoryview(page)[16:]
    found = []

    def take(count):
        nonlocal words
        part, words = bytes(words[:count]), words[-(-count // 4) * 4 :]
        return part

    def part():
        length, inner = struct.unpack("<2H", take(4))
        return take(length), inner

    while words and words[0]:
        name = take(1 + words[0])[1:].decode()
        functions, texts, _, _ = struct.unpack("<4H", take(8))
        found.append((name, [part() for _ in range(functions)], [part()[0] for _ in range(texts)]))
    return found


def test_functions_methods_and_machine_code_are_found(module):
    mpy = module(m=SOURCE.format(5))["m.mpy"]
    found = inside(mpy).codes
    # two functions, one with another inside it; the class with one; viper's, the assembler's
    assert [code.children for code in found] == [1, 0, 1, 0, 0, 0]
    assert [code.parent for code in found] == [-1, 0, -1, 2, -1, -1]
    assert all(code.code in mpy for code in found)
    with pytest.raises(ValueError, match="version"):
        inside(b"M\x05\x00\x1f\x00")


def test_names_and_texts_are_found(module):
    found = inside(module(m=SOURCE.format(5))["m.mpy"])
    assert {b"long", b"total", b"Pile", b"height", b"native"} - set(found.names) == {b"total"}
    assert found.texts == [b"some words that are not short", b"more of them, in a tuple"]
    assert found.objects == 3  # the text, the tuple, and what viper's code calls


def test_everything_is_on_a_page_once(module):
    text = "".join(
        f"def f{k}(a):\n    return a * {k} + a.x{k} + a.y{k} + a.z{k}\n" for k in range(400)
    )
    files = module(first=text, second=SOURCE.format(7))
    laid = pages(files, ["first", "second"])
    sections = [section for page in laid.values() for section in unpacked(page)]
    assert len(laid) > 2
    for name in ("first", "second"):
        there = inside(files[name + ".mpy"])
        codes = [code for one, codes, _ in sections if one == name for code in codes]
        assert sorted(codes) == sorted((code.code, code.children) for code in there.codes)
        texts = [text for one, _, texts in sections if one == name for text in texts]
        assert sorted(texts) == sorted(text + b"\0" for text in there.texts)


def test_a_function_is_on_no_earlier_page_than_the_one_that_it_is_inside_of(module):
    """The chip finds it by way of that. Others fill the room that a large one leaves."""
    small = "".join(f"def s{k}(a):\n    return a * {k} + a.x{k}\n" for k in range(10))
    large = "".join(
        f"def g{k}(a):\n"
        + f"    a = a.x{k} + a.y{k}\n" * 260
        + f"    return lambda b: a.z{k} + b\n"
        for k in range(3)
    )
    files = module(m=small + large)
    found = inside(files["m.mpy"]).codes
    at = {
        code: number
        for number, page in enumerate(pages(files, ["m"]).values())
        for _, codes, _ in unpacked(page)
        for code, _ in codes
    }
    within = [code for code in found if code.parent >= 0]
    assert len(within) == 3
    assert all(at[code.code] >= at[found[code.parent].code] for code in within)
    assert [code for code in found if code.parent < 0 and at[code.code] < max(at.values())]


def test_every_name_is_on_a_page_once(module):
    files = module(first="".join(f"name_{k} = {k}\n" for k in range(1200)), second=SOURCE.format(7))
    laid = name_pages(files, ["first", "second"]).values()
    assert len(laid) == 3 and all(page[:4] == b"PMN1" and page[16] == 0 for page in laid)
    names = [name for page in laid for name in page[16:].split(b"\0") if name]
    assert len(names) == len(set(names))
    assert {b"name_0", b"name_1199", b"height", b"second", b"b/second.mpy"} <= set(names)


def test_each_page_is_stamped_anew(module):
    files = module(m=SOURCE.format(5))
    stamps = {pages(files, ["m"])["code/00"][4:12] for _ in range(4)}
    assert len(stamps) == 4


def test_modules_come_behind_what_they_import():
    order = import_order("loop")
    assert order[-1] == "loop" and len(order) == len(set(order))
    for earlier, later in (
        ("polarity.facts", "polarity.perception.tracker"),
        ("polarity.perception.tracker", "polarity.engine"),
        ("drivers.sums", "drivers.hall_grid"),
    ):
        assert order.index(earlier) < order.index(later)


def test_what_goes_on_the_chip():
    files = firmware_files()
    assert {"boot.py", "main.py", "start.mpy", "loop.mpy", "polarity/engine.mpy"} <= set(files)
    assert not any("citations" in name for name in files)  # the host alone tells them
    named = {
        name
        for path, page in files.items()
        if path.startswith("code/") and "names" not in path
        for name, _, _ in unpacked(page)
    }
    assert {"polarity.engine", "loop", "drivers.usb_link"} <= named
    assert "flash_pages.code" not in named


def test_each_build_has_a_name_of_its_own():
    told = [
        version(files)["polarity/version.mpy"] for files in ({"a": b"1"}, {"a": b"2"}, {"a": b"1"})
    ]
    assert told[0] == told[2] != told[1]
    assert all(b"0.1.0+" in one for one in told)
    assert firmware_files()["polarity/version.mpy"] not in told


def test_two_versions_leave_the_flash_enough_to_wear():
    """So many free sectors drivers/flash_store.py counts on; those of a game's record besides."""
    files = firmware_files()
    starts = {name: files.pop(name) for name in STARTS}
    slots = {f"{slot}/{name}": data for slot in SLOTS for name, data in files.items()}
    assert SECTORS - mounted(file_system(starts | slots)).used_block_count >= 36
