"""The firmware for a Pico 2: its constants, and the file that carries it."""

import ast
import shutil

import pytest

from hardware.tools import kernels, pico2
from polarity_host.cli import main
from polarity_host.device.flashing import pico2 as files_for_it
from polarity_host.device.flashing.firmware import firmware_files, read_files, write_files
from polarity_host.device.flashing.inline import inlined
from polarity_host.sources import FIRMWARE

#: pico-sdk 2.2.0, src/rp2350/hardware_regs/include/hardware/regs: addressmap.h, dreq.h
SDK = {
    "ADC_BASE": 0x400A0000, "DREQ_ADC": 48, "WATCHDOG_BASE": 0x400D8000, "RAM_END": 0x20080000,
}  # fmt: skip
#: Where the RP2040 has its peripherals that an RP2350 has elsewhere: RP2040 datasheet 2.2.4, 2.2.5.
RP2040_ONLY = range(0x40010000, 0x40068000)


def constants(name):
    found = {}
    for line in ast.parse((FIRMWARE / "drivers" / name).read_text(encoding="utf-8")).body:
        if isinstance(line, ast.Assign):
            exec(compile(ast.Module([line], []), name, "exec"), found)
    found.pop("__builtins__")
    return found


@pytest.fixture(scope="module")
def overlaid(tmp_path_factory):
    """The sources as they are compiled for a Pico 2."""
    root = tmp_path_factory.mktemp("sources") / "firmware"
    files_for_it.overlay(root, "")
    return root


def numbers(root):
    """Every number in the drivers and in what moves code, constants put in their places."""
    found = set()
    for folder in ("drivers", "flash_pages"):
        for path in sorted((root / folder).glob("*.py")):
            if not path.stem.startswith("chip"):
                module = f"{folder}.{path.stem}"
                tree = ast.parse(inlined(path.read_text(encoding="utf-8"), module, root))
                found |= {node.value for node in ast.walk(tree) if isinstance(node, ast.Constant)}
    return {number for number in found if type(number) is int}


def test_a_pico_2_has_the_names_of_a_pico_and_the_sdks_numbers():
    ours = constants("chip_rp2350.py")
    assert ours.keys() == constants("chip.py").keys()
    assert {name: ours[name] for name in SDK} == SDK
    assert ours["FLASH_END"] == 0x10400000  # 4 MB: pico-sdk, boards/pico2.h


def test_no_address_of_the_rp2040s_is_left_in_what_a_pico_2_gets(overlaid):
    theirs, ours = numbers(FIRMWARE), numbers(overlaid)
    assert {0x4004C000, 0x40058000 + 12, 36} <= theirs and theirs & set(RP2040_ONLY)
    assert not ours & set(RP2040_ONLY)
    assert {0x400A0000, 0x400A0008, 0x400A000C, 48, 0x400D800C, 0x400DB000, 0x10400000} <= ours


def test_the_constants_of_a_chip_are_no_module_on_it():
    """They are copied to where they are used, so that they cost no memory."""
    assert "drivers/chip.mpy" not in firmware_files()


@pytest.mark.skipif(shutil.which(kernels.GCC) is None, reason="no " + kernels.GCC)
def test_its_file_has_all_that_a_pico_gets(tmp_path):
    text, packed = str(tmp_path / "kernels.py"), str(tmp_path / "pico2.zip")
    assert pico2.main([text]) == 0 and files_for_it.main([text, packed]) == 0
    chip, files = read_files(tmp_path / "pico2.zip")
    theirs = firmware_files()
    pages = {name for name in files if "/" in name and name.split("/")[0] in ("code", "table")}
    assert chip == "RP2350" and files.keys() - pages <= theirs.keys()
    assert files["polarity/kernels/_chip.mpy"] != theirs["polarity/kernels/_chip.mpy"]
    assert files["polarity/rules/referee.mpy"] == theirs["polarity/rules/referee.mpy"]


def test_what_is_no_firmware_is_refused(capsys, tmp_path):
    (tmp_path / "text").write_text("no zip")
    write_files(tmp_path / "empty", "RP2350", {"main.py": b""})
    for name, why in (("none", "cannot read"), ("text", "cannot read"), ("empty", "no firmware")):
        assert main(["flash", "/dev/null", "--files", str(tmp_path / name)]) == 2
        assert why in capsys.readouterr().err
