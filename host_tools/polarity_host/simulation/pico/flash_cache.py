"""The cache through which a Pico reads its flash: where a line is not there, its processor waits.

It has 16 KB, two ways and lines of 8 bytes (RP2040 datasheet 2.6.3). Which of two lines a third one
replaces is not documented; here it is the one that was not used for longer. To read a line takes 28
clocks of the flash: 8 for address and mode, 4 of waiting, 16 for the data (W25Q16JV datasheet,
instruction EBh in continuous read mode). The flash's clock is the processor's, divided by what the
SSI's BAUDR says.

The emulator itself reads its flash at once. To look up each instruction in Python makes it some
five times as slow.
"""

from collections.abc import Callable
from typing import TYPE_CHECKING

from polarity_host.simulation.pico.clocks import CYCLE_NS

if TYPE_CHECKING:  # the emulator may pick compiled classes at run time
    from rp2040py._rp2040 import RP2040

SETS, LINE_BITS = 1024, 3
CACHED = 0x10  # the upper byte of an address of the flash that goes through the cache
SSI_BAUDR = 0x18000014  # RP2040 datasheet 4.10.13
LINE_CLOCKS = 28


class FlashCache:
    """From now on the chip waits for its flash, at the divider that holds now. `misses`: lines that
    were not there."""

    def __init__(self, chip: "RP2040"):
        self.misses = 0
        self.wait_cycles = LINE_CLOCKS * chip.read_uint32(SSI_BAUDR)
        wait_ns = CYCLE_NS * self.wait_cycles
        tick = chip.clock.tick
        newer, older = [-1] * SETS, [-1] * SETS
        last = -1

        def look_up(line: int) -> None:
            nonlocal last
            last, number = line, line % SETS
            if newer[number] == line:
                return
            if older[number] != line:
                self.misses += 1
                tick(wait_ns)
                for pio in chip.pio:
                    pio.advance(self.wait_cycles)
            newer[number], older[number] = line, newer[number]

        def through_cache(read: Callable[[int], int]) -> Callable[[int], int]:
            def cached(address: int) -> int:
                if address >> 24 == CACHED and address >> LINE_BITS != last:
                    look_up(address >> LINE_BITS)
                return read(address)

            return cached

        # the core, compiled or not, finds what an instance has before what its class has
        vars(chip).update(
            read_uint8=through_cache(chip.read_uint8),
            read_uint16=through_cache(chip.read_uint16),
            read_uint32=through_cache(chip.read_uint32),
        )
