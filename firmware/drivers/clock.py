"""The processor's clock, and the one source of all times: milliseconds since boot that never wrap.

A Pico comes up at 125 MHz. Raspberry Pi supports the RP2040 up to 200 MHz with its core at 1.15 V
(pico-sdk 2.1.1, PICO_USE_FASTEST_SUPPORTED_CLOCK and SYS_CLK_VREG_VOLTAGE_MIN); MicroPython's
machine.freq slows the flash's clock where that is needed. Perception then takes less than two
thirds of the time, so that fewer frames are lost while several bodies move. ADC, USB and timers
have clocks of their own, and the PIO programs are given theirs in Hz. An RP2350 stays at 150 MHz.
"""

from time import sleep_ms, ticks_diff, ticks_us

from machine import freq, mem32

from drivers.chip import FAST_HZ, USUAL_HZ, VREG

VREG_VSEL, VREG_1V15 = 15 << 4, 12 << 4
SYST_CSR, SYST_RVR, SYST_CVR = 0xE000E010, 0xE000E014, 0xE000E018  # SysTick: datasheet 2.4.8
SYST_ON, SYST_MASK = 5, 0xFFFFFF  # enabled, counting the processor's clock
MEASURED_US, OFF_HZ = 2000, 5_000_000


def speed_up() -> int:
    """Runs the chip at FAST_HZ, or at USUAL_HZ if its clock does not come up to that. Returns the
    clock in Hz."""
    if VREG:
        mem32[VREG] = mem32[VREG] & ~VREG_VSEL | VREG_1V15
        sleep_ms(1)
        freq(FAST_HZ)
        if abs(measured_hz() - FAST_HZ) > OFF_HZ:
            freq(USUAL_HZ)
    return freq()


def machine_hz() -> int:
    """The processor's clock as it was set, Hz."""
    return freq()


def measured_hz() -> int:
    """The processor's clock, Hz, measured by the timer, which runs from the crystal."""
    mem32[SYST_RVR] = SYST_MASK
    mem32[SYST_CVR] = 0  # any value restarts it
    mem32[SYST_CSR] = SYST_ON
    begun_us, begun = ticks_us(), mem32[SYST_CVR]
    while ticks_diff(ticks_us(), begun_us) < MEASURED_US:
        pass
    passed_us = ticks_diff(ticks_us(), begun_us)
    cycles = (begun - mem32[SYST_CVR]) & SYST_MASK
    mem32[SYST_CSR] = 0
    return cycles * 1_000_000 // passed_us


class Clock:
    """Counts from the moment it was made.

    `ms` must be called at least every 8 minutes: ticks_us wraps after 2**30 µs, 17.9 minutes, and a
    difference is valid up to half of that (MicroPython, time.ticks_diff).
    """

    def __init__(self) -> None:
        self._last_us = ticks_us()
        self._ms = 0
        self._rest_us = 0

    def ms(self, at_us: "int | None" = None) -> int:
        """Milliseconds since the clock was made, now or when ticks_us was `at_us`: a frame that has
        waited is older than the last call."""
        now_us = ticks_us() if at_us is None else at_us
        passed_us = ticks_diff(now_us, self._last_us)
        if passed_us < 0:
            return self._ms + (self._rest_us + passed_us) // 1000
        self._last_us = now_us
        self._rest_us += passed_us
        self._ms += self._rest_us // 1000
        self._rest_us %= 1000
        return self._ms
