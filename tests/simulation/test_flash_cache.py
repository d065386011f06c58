"""What a read of the flash makes the emulated processor wait, worked by hand from the datasheets:
28 clocks of the flash for a line of 8 bytes, two lines in each of 1024 places."""

import pytest
from rp2040py.rp2040 import RP2040

from polarity_host.simulation.pico.flash_cache import FlashCache

FLASH, RAM, WAY = 0x10000000, 0x20000000, 8192
SSI_BAUDR = 0x18000014
NOPS = b"\x00\xbf" * 64


@pytest.fixture
def chip() -> RP2040:
    chip = RP2040()
    chip.write_uint32(SSI_BAUDR, 2)
    return chip


def waited(chip: RP2040, *addresses: int) -> float:
    """Cycles that pass while halfwords are read there."""
    before_ns = chip.clock.nanos
    for address in addresses:
        chip.read_uint16(address)
    return (chip.clock.nanos - before_ns) / 8


def test_a_line_is_waited_for_once(chip):
    cache = FlashCache(chip)
    assert waited(chip, *range(FLASH, FLASH + 16, 2)) == 2 * 56
    assert waited(chip, FLASH, FLASH + 8, FLASH + 6) == 0
    assert waited(chip, RAM, RAM + 8) == 0
    assert cache.misses == 2


def test_the_third_line_for_a_place_takes_the_room_of_the_one_used_longer_ago(chip):
    FlashCache(chip)
    first, second, third = (FLASH + number * WAY for number in range(3))
    assert waited(chip, first, second, first, third) == 3 * 56
    assert waited(chip, first) == 0
    assert waited(chip, second) == 56
    assert waited(chip, FLASH + 8) == 56  # another place


def test_a_slower_flash_is_waited_for_longer(chip):
    chip.write_uint32(SSI_BAUDR, 4)
    FlashCache(chip)
    assert waited(chip, FLASH) == 112


def test_instructions_and_data_wait_as_well(chip):
    """16 instructions are four lines; a word and a byte elsewhere are one each."""
    chip.flash[: len(NOPS)] = NOPS
    cache = FlashCache(chip)
    chip.core.pc = FLASH
    for _ in range(16):
        chip.core.execute_instruction()
    assert cache.misses == 4
    chip.read_uint32(FLASH + 0x1000)
    chip.read_uint8(FLASH + 0x1008)
    assert cache.misses == 6
