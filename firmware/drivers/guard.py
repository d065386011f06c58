"""What keeps a mat from being bricked by its own files: attempts counted, a watchdog, a safe mode.

Each start counts one attempt in a register of the watchdog that outlives a reset, though not a
power cut (RP2040 datasheet 4.7; pico-sdk, hardware/regs/watchdog.h: SCRATCH0 to 7, of which its
watchdog.c and the boot ROM use 4 to 7). The watchdog is on from the beginning of the start, and
what raises an exception resets the chip: so a mat that fails starts anew by itself, and nobody
pulls the plug. One that has played for PASSED_MS, or was stopped by a person, clears the count.
After three that did not, or with the first button down at power-up, the mat stays in safe mode: the
program does not begin, the Pico's own LED is lit, and the REPL is there.
"""

from machine import WDT, Pin, mem32, reset

SCRATCH0 = 0x4005800C
MAGIC = 0x504D0000
ATTEMPTS = 3
WATCHDOG_MS = 8000  # at most 8388: the counter has 24 bits and loses two a µs (RP2040-E1)
WATCHDOG_CTRL_CLEAR = 0x40058000 + 0x3000  # the alias that clears bits: addressmap.h
WATCHDOG_ENABLE = 1 << 30
PASSED_MS = 10_000
BUTTON_PIN = 20  # the first button of every mat in hardware/mat.toml
LED_PIN = 25  # the Pico's own: Pico datasheet, 2.1

_dog = None


def begin():
    """Counts this start; returns why it must not begin the game, "" when it may."""
    button = Pin(BUTTON_PIN, Pin.IN, Pin.PULL_UP)
    failed = attempts()
    mem32[SCRATCH0] = MAGIC | min(failed + 1, 255)
    if not button.value():
        return "the first button was down"
    return "%d starts failed" % failed if failed >= ATTEMPTS else ""


def attempts():
    """Starts since the last that came to its loop, this one included."""
    word = mem32[SCRATCH0]
    return word & 0xFF if word & 0xFFFFFF00 == MAGIC else 0


def passed():
    """This start has gone well."""
    mem32[SCRATCH0] = MAGIC


def watchdog():
    """Starts the watchdog: feed() it within WATCHDOG_MS, or the chip starts anew."""
    global _dog
    _dog = WDT(timeout=WATCHDOG_MS)


def feed():
    """All goes well, as far as this; nothing where the watchdog is off."""
    if _dog:
        _dog.feed()


def unguard():
    """Stops the watchdog, so that a person at the REPL has time."""
    global _dog
    _dog = None
    mem32[WATCHDOG_CTRL_CLEAR] = WATCHDOG_ENABLE


def restart():
    """Starts the chip anew."""
    reset()


def show_safe():
    """Lights the Pico's LED: without a host nothing else tells safe mode."""
    Pin(LED_PIN, Pin.OUT, value=1)
