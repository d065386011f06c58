"""Where the RP2350 of a Pico 2 has what the drivers use: the names of chip.py.

Nothing of this was ever run: no Pico 2 was at hand, and no emulator of one. The addresses are those
of pico-sdk 2.2.0 (src/rp2350/hardware_regs), whose registers of the ADC, the PIO and the watchdog
have the bits of the RP2040's; the PIO's addresses and their DMA requests are the same. The clock
stays as MicroPython sets it: 150 MHz is what the chip is made for.
"""

ADC_BASE = 0x400A0000
DREQ_ADC = 48
WATCHDOG_BASE = 0x400D8000
VREG = 0  # no register is set: the clock stays
USUAL_HZ, FAST_HZ = 150_000_000, 150_000_000
FLASH_END = 0x10000000 + 4 * 1024 * 1024  # the Pico 2's W25Q32RV
RAM_END = 0x20080000  # of the striped banks
