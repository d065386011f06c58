"""Keeps a mat from being bricked by its own files: counted starts, a watchdog, a safe mode.

Each start counts one attempt in a register of the watchdog that outlives a reset, though not a
power cut (RP2040 datasheet 4.7; pico-sdk, hardware/regs/watchdog.h: SCRATCH0 to 7, of which its
watchdog.c and the boot ROM use 4 to 7). The watchdog is on from the beginning of the start, and an
exception resets the chip: a mat that fails restarts by itself, and nobody needs to pull the plug. A
start that has played for PASSED_MS, or was stopped by a person, clears the count. After three that
did not, or with the first button down at power-up, the mat stays in safe mode: the program does not
begin, the Pico's own LED is lit, and the REPL is available.
"""

from machine import WDT, Pin, mem32, reset

from drivers.chip import WATCHDOG_BASE

SCRATCH0 = WATCHDOG_BASE + 12
MAGIC = 0x4D0000  # in the upper bytes of the register while its lowest is a count
ATTEMPTS = 3  # failed starts before safe mode
WATCHDOG_MS = 8000  # at most 8388: the counter has 24 bits and loses two a µs (RP2040-E1)
WATCHDOG_CTRL_CLEAR = WATCHDOG_BASE + 0x3000  # the alias that clears bits: addressmap.h
WATCHDOG_ENABLE = 1 << 30
PASSED_MS = 10_000  # of play, after which a start has not failed
BUTTON_PIN = 20  # the first button of every mat in hardware/mat.toml
LED_PIN = 25  # the Pico's own: Pico datasheet, 2.1

_dog: "WDT | None" = None


def begin() -> str:
    """Counts this start; returns why it must not begin the game, "" when it may."""
    button = Pin(BUTTON_PIN, Pin.IN, Pin.PULL_UP)
    failed = attempts()
    mem32[SCRATCH0] = MAGIC | min(failed + 1, 255)
    if not button.value():
        return "the first button was down"
    return "%d starts failed" % failed if failed >= ATTEMPTS else ""


def attempts() -> int:
    """Starts since the last one that passed, this one included."""
    count = mem32[SCRATCH0] ^ MAGIC
    return count if count < 256 else 0  # more: the power was away


def passed() -> None:
    """Records that this start has not failed."""
    mem32[SCRATCH0] = MAGIC


def watchdog() -> None:
    """Starts the watchdog: call feed() within WATCHDOG_MS, or it resets the chip."""
    global _dog
    _dog = WDT(timeout=WATCHDOG_MS)


def feed() -> None:
    """Feeds the watchdog, if it is on."""
    if _dog:
        _dog.feed()


def unguard() -> None:
    """Stops the watchdog, so that a person at the REPL has time."""
    global _dog
    _dog = None
    mem32[WATCHDOG_CTRL_CLEAR] = WATCHDOG_ENABLE


def restart() -> None:
    """Resets the chip."""
    reset()


def show_safe() -> None:
    """Lights the Pico's LED: without a host nothing else shows safe mode."""
    Pin(LED_PIN, Pin.OUT, value=1)
