"""The emulated Pico's clocks, by its registers alone: no image is needed. 200 MHz are 12 MHz times
100, divided by 6 and by 1, and 125 are times 125, divided by 6 and by 2 (pico-sdk, vcocalc.py)."""

import pytest
from rp2040py.rp2040 import RP2040

from polarity_host.simulation.pico.clocks import crystal_of

PLL, CLK_SYS_CTRL, CLEAR = 0x40028000, 0x4000803C, 0x3000  # RP2040 datasheet 2.18.4, 2.15.7, 2.1.2
CS, PWR, FBDIV_INT, PRIM = PLL, PLL + 4, PLL + 8, PLL + 12
WATCHDOG_CTRL, WATCHDOG_LOAD, ENABLE = 0x40058000, 0x40058004, 1 << 30  # 4.7.6
ADC_CS, ADC_ON, ADC_READY = 0x4004C000, 1 | 1 << 2, 1 << 8  # 4.9.6: enabled, one conversion
TIMER_INTE, TIMER_ALARM0, TIMER_INTR, TIMERAWL = 0x40054038, 0x40054010, 0x40054034, 0x40054028


def set_clock(chip: RP2040, times: int, first: int, second: int) -> None:
    """As pico-sdk's set_sys_clock_pll does it."""
    chip.write_uint32(CLK_SYS_CTRL, 1 | 1 << 5)  # from the USB's PLL meanwhile
    chip.write_uint32(CS, 1)
    chip.write_uint32(FBDIV_INT, times)
    chip.write_uint32(PWR + CLEAR, 0x21)
    assert chip.read_uint32(CS) >> 31  # locked
    chip.write_uint32(PRIM, first << 16 | second << 12)
    chip.write_uint32(PWR + CLEAR, 0x08)
    chip.write_uint32(CLK_SYS_CTRL, 1)


def pass_cycles(chip: RP2040, cycles: int) -> None:
    """The emulator counts 8 ns for each."""
    chip.clock.tick(8 * cycles)


@pytest.fixture
def chip() -> RP2040:
    chip = RP2040()
    crystal_of(chip)
    return chip


def test_a_second_has_as_many_cycles_as_the_clock_has_hertz(chip):
    crystal = crystal_of(chip)
    pass_cycles(chip, 125_000_000)
    assert crystal.nanos == pytest.approx(1e9)
    set_clock(chip, 100, 6, 1)
    pass_cycles(chip, 200_000_000)
    assert crystal.nanos == pytest.approx(2e9)
    assert chip.read_uint32(TIMERAWL) == pytest.approx(2_000_000, abs=1)
    set_clock(chip, 125, 6, 2)
    pass_cycles(chip, 125_000_000)
    assert crystal.nanos == pytest.approx(3e9)


def test_what_is_due_comes_in_its_time_though_the_clock_changes_meanwhile(chip):
    came_ns = []
    crystal = crystal_of(chip)
    crystal.create_alarm(lambda: came_ns.append(crystal.nanos)).schedule(1e6)
    chip.write_uint32(TIMER_INTE, 1)
    chip.write_uint32(TIMER_ALARM0, 1000)  # µs
    pass_cycles(chip, 62_500)  # half of it
    set_clock(chip, 100, 6, 1)
    pass_cycles(chip, 99_000)
    assert came_ns == [] and not chip.read_uint32(TIMER_INTR)
    pass_cycles(chip, 2_000)
    assert came_ns == [pytest.approx(1e6)] and chip.read_uint32(TIMER_INTR) == 1


def test_the_watchdog_waits_as_long_at_any_clock(chip):
    """Its count falls by two each µs: datasheet, erratum RP2040-E1."""
    fired = []
    chip.watchdog.on_watchdog_trigger = lambda: fired.append(crystal_of(chip).nanos)
    set_clock(chip, 100, 6, 1)
    chip.write_uint32(WATCHDOG_LOAD, 2_000_000)
    chip.write_uint32(WATCHDOG_CTRL, ENABLE)
    pass_cycles(chip, 199_900_000)
    assert not fired
    pass_cycles(chip, 200_000)
    assert fired == [pytest.approx(1e9, rel=1e-3)]


def test_a_conversion_takes_as_long_at_any_clock(chip):
    """96 cycles of the ADC's 48 MHz, 2 µs: RP2040 datasheet 4.9.2."""
    set_clock(chip, 100, 6, 1)
    chip.write_uint32(ADC_CS, ADC_ON)
    pass_cycles(chip, 398)
    assert not chip.read_uint32(ADC_CS) & ADC_READY
    pass_cycles(chip, 4)
    assert chip.read_uint32(ADC_CS) & ADC_READY


def test_a_reset_stops_the_pll(chip):
    set_clock(chip, 100, 6, 1)
    chip.reset()
    assert not chip.read_uint32(CS) >> 31 and crystal_of(chip).stretch == 1
