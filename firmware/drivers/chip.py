"""Where the RP2040 has what the drivers use: addresses, numbers, clocks.

Only constants, which `make flash` copies to where they are used: this module is not on the chip.
chip_rp2350.py has the same names for a Pico 2, whose firmware is compiled with that in this one's
place. Sources: RP2040 datasheet, in its sections 2 and 4, and pico-sdk 2.2.0, hardware/regs.
"""

ADC_BASE = 0x4004C000  # 4.9; addressmap.h
DREQ_ADC = 36  # 2.5.3.1; dreq.h
WATCHDOG_BASE = 0x40058000  # 4.7; addressmap.h
VREG = 0x40064000  # 2.10.6; VSEL is in bits 4-7: vreg.h
USUAL_HZ, FAST_HZ = 125_000_000, 200_000_000
FLASH_END = 0x10000000 + 2 * 1024 * 1024  # the Pico's W25Q16JV; its last part holds the files
RAM_END = 0x20040000  # of the striped banks, where the heap is: addressmap.h
