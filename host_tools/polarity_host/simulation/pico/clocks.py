"""The emulated Pico's clocks: its processor runs as fast as the program sets it.

The emulator knows one time: cycles of the processor, 8 ns each, as at 125 MHz. Core, bus, DMA, PIO
and SysTick go by them on a chip too; but timer, watchdog, ADC and USB have clocks that the
processor's does not change (RP2040 datasheet 2.15.1). They, and all that is at the pins or at the
cable, go by a `Crystal` here, whose time passes the slower for the emulator's the faster the
processor runs. The real-time clock, which no program here reads, is left as it is.
"""

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, cast

from rp2040py.peripherals.clocks import CLK_SYS_CTRL, RPClocks
from rp2040py.peripherals.peripheral import BasePeripheral
from rp2040py.peripherals.watchdog import TICK_FREQUENCY

if TYPE_CHECKING:  # the emulator may pick compiled classes at run time
    from rp2040py._rp2040 import RP2040
    from rp2040py.clock.clock import IAlarm, IClock

USUAL_HZ, CRYSTAL_HZ = 125_000_000, 12_000_000
CYCLE_NS = 1_000_000_000 // USUAL_HZ  # as the emulator counts time
CLOCKS, PLL_SYS = 0x40008, 0x40028  # the upper bits of their addresses: datasheet 2.2
FROM_PLL_SYS, SOURCES = 1, 0xE1  # of CLK_SYS_CTRL: SRC its own mux, AUXSRC the PLL: 2.15.7
CS, PWR, FBDIV_INT, PRIM = 0x0, 0x4, 0x8, 0xC  # 2.18.4
LOCK, LOOP_OFF, OUTPUT_OFF = 1 << 31, 0x21, 0x08  # of CS, and of PWR
RESET_VALUES = {CS: 0x01, PWR: 0x2D, FBDIV_INT: 0, PRIM: 0x77000}


class Crystal:
    """Time that does not depend on the processor's clock, and alarms that go by it: `nanos`,
    `create_alarm` are as those of the emulator's clock. `stretch`: how much of that clock's time
    one ns takes."""

    def __init__(self, chip: "RP2040"):
        self._chip = chip
        self._clock: IClock = chip.clock
        self._alarms: list[CrystalAlarm] = []
        # when the clock last changed: by the emulator's time, and by this one
        self._since = self._nanos = 0.0
        self.stretch = 1.0
        chip.clocks = chip.peripherals[CLOCKS] = _Clocks(chip, self)
        timer, adc, usb = chip.timer, chip.adc, chip.usb_ctrl
        timer.clock = cast("IClock", self)
        for number, alarm in enumerate(timer.alarms):
            alarm.clock_alarm = self.create_alarm(partial(timer._fire_alarm, number))
        adc.sample_alarm = self.create_alarm(adc._on_sample_alarm)
        adc.multi_shot_alarm = self.create_alarm(adc._on_multi_shot_alarm)
        for number, endpoint in enumerate(usb.endpoint_read_alarms):
            endpoint.alarm = self.create_alarm(usb._make_read_alarm(number))
        for number, endpoint in enumerate(usb.endpoint_write_alarms):
            endpoint.alarm = self.create_alarm(usb._make_write_alarm(number))

    @property
    def nanos(self) -> float:
        """Since the chip was made."""
        return self._nanos + (self._clock.nanos - self._since) / self.stretch

    def create_alarm(self, callback: Callable[[], None]) -> "IAlarm":
        """An alarm that calls this once it is due."""
        alarm = CrystalAlarm(self, self._clock, callback)
        self._alarms.append(alarm)
        return alarm

    def run_at(self, hz: float) -> None:
        """From now on the processor has this clock."""
        self._nanos, self._since = self.nanos, self._clock.nanos
        self.stretch = hz / USUAL_HZ
        self._chip.watchdog.timer.frequency = round(TICK_FREQUENCY / self.stretch)
        for alarm in self._alarms:
            alarm.resume()


class CrystalAlarm:
    """As the emulator's alarms, but due by the crystal's time."""

    def __init__(self, crystal: Crystal, clock: "IClock", callback: Callable[[], None]):
        self._crystal, self._callback = crystal, callback
        self._alarm = clock.create_alarm(self._fire)
        self._due: float | None = None

    def schedule(self, delta_nanos: float) -> None:
        """It is due that long from now."""
        self._due = self._crystal.nanos + delta_nanos
        self._alarm.schedule(delta_nanos * self._crystal.stretch)

    def cancel(self) -> None:
        """It is no longer due."""
        self._due = None
        self._alarm.cancel()

    def resume(self) -> None:
        """The processor's clock has changed: it is due when it was, by the crystal's time."""
        if self._due is not None:
            self.schedule(max(0.0, self._due - self._crystal.nanos))

    def _fire(self) -> None:
        self._due = None
        self._callback()


class _Pll(BasePeripheral):
    """PLL_SYS, which a Pico's processor gets its clock from. It locks at once."""

    def __init__(self, chip: "RP2040"):
        super().__init__(chip, "PLL_SYS_BASE")
        self._registers = dict(RESET_VALUES)

    @property
    def hz(self) -> float:
        """What it gives: datasheet 2.18.2; 0 while it is off."""
        values = self._registers
        if values[PWR] & (LOOP_OFF | OUTPUT_OFF):
            return 0.0
        dividers = (values[PRIM] >> 16 & 7) * (values[PRIM] >> 12 & 7) * (values[CS] & 63)
        return CRYSTAL_HZ * values[FBDIV_INT] / dividers if dividers else 0.0

    def reset(self) -> None:
        self._registers = dict(RESET_VALUES)

    def read_uint32(self, offset: int) -> int:
        if offset not in self._registers:
            return super().read_uint32(offset)
        locked = offset == CS and not self._registers[PWR] & LOOP_OFF
        return self._registers[offset] | (LOCK if locked else 0)

    def write_uint32(self, offset: int, value: int) -> None:
        if offset in self._registers:
            self._registers[offset] = value & ~LOCK
        else:
            super().write_uint32(offset, value)


class _Clocks(RPClocks):
    """The clocks' registers, and what they do to the processor's. While that comes from anything
    but PLL_SYS, as between reset and the program's first lines, the emulator's 125 MHz stay."""

    def __init__(self, chip: "RP2040", crystal: Crystal):
        super().__init__(chip, "CLOCKS_BASE")
        self._crystal, self._pll = crystal, _Pll(chip)
        chip.peripherals[PLL_SYS] = self._pll

    def reset(self) -> None:
        super().reset()
        self._pll.reset()
        self._crystal.run_at(USUAL_HZ)

    def write_uint32(self, offset: int, value: int) -> None:
        super().write_uint32(offset, value)
        if offset == CLK_SYS_CTRL:
            hz = self._pll.hz * 256 / self.sys_div  # its divider has eight bits of a fraction
            by_pll = self.sys_ctrl & SOURCES == FROM_PLL_SYS and hz > 0
            self._crystal.run_at(hz if by_pll else USUAL_HZ)


def crystal_of(chip: "RP2040") -> Crystal:
    """The chip's crystal: the same one each time."""
    found = chip.__dict__.get("crystal")
    if found is None:
        found = chip.__dict__["crystal"] = Crystal(chip)
    return found
