"""Compiled functions are found, and laid into pages of one sector, whole and in order."""

import zlib

import pytest

from polarity_host.board.compiled import compiled
from polarity_host.board.firmware import firmware_files, import_order, version
from polarity_host.board.mpy import codes
from polarity_host.board.pages import PAGE_BYTES, pages

SOURCE = """
import other
KEPT = "some words that are not short"
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
"""


@pytest.fixture
def module(tmp_path):
    def make(**sources):
        for name, text in sources.items():
            tmp_path.joinpath(name + ".py").write_text(text)
        return compiled([tmp_path / (name + ".py") for name in sources], tmp_path)

    return make


def unpacked(page):
    """[(module, [bytecode])] of a page, read by its description."""
    assert len(page) == PAGE_BYTES and page[:4] == b"PMC1"
    assert int.from_bytes(page[12:16], "little") == zlib.crc32(page[16:])
    words = memoryview(page)[16:]
    found = []

    def take(count):
        nonlocal words
        part, words = bytes(words[:count]), words[-(-count // 4) * 4 :]
        return part

    while words and words[0]:
        name = take(1 + words[0])[1:].decode()
        functions = int.from_bytes(take(2), "little")
        found.append((name, [take(int.from_bytes(take(2), "little")) for _ in range(functions)]))
    return found


def test_functions_methods_and_viper_are_found(module):
    mpy = module(m=SOURCE.format(5))["m.mpy"]
    found = codes(mpy)
    assert len(found) == 5  # two functions, one with another inside it; the class; viper's
    assert all(code in mpy for code in found)
    with pytest.raises(ValueError, match="version"):
        codes(b"M\x05\x00\x1f\x00")


def test_every_function_is_on_a_page_once(module):
    text = "".join(
        f"def f{k}(a):\n    return a * {k} + a.x{k} + a.y{k} + a.z{k}\n" for k in range(400)
    )
    files = module(first=text, second=SOURCE.format(7))
    laid = pages(files, ["first", "second"])
    sections = [section for page in laid.values() for section in unpacked(page)]
    assert len(laid) > 2
    for name in ("first", "second"):
        found = [code for section, codes in sections if section == name for code in codes]
        assert found == codes(files[name + ".mpy"])


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
        if path.startswith("code/")
        for name, _ in unpacked(page)
    }
    assert {"polarity.engine", "loop", "drivers.usb_link"} <= named
    assert "drivers.flash_code" not in named


def test_each_build_has_a_name_of_its_own():
    told = [
        version(files)["polarity/version.mpy"] for files in ({"a": b"1"}, {"a": b"2"}, {"a": b"1"})
    ]
    assert told[0] == told[2] != told[1]
    assert all(b"0.1.0+" in one for one in told)
    assert firmware_files()["polarity/version.mpy"] not in told
