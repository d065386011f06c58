"""What keeps a mat from being bricked by its own files: attempts counted, a watchdog, a safe mode.

Each start counts one attempt in a register of the watchdog that outlives a reset, though not a
power cut (RP2040 datasheet 4.7; pico-sdk, hardware/regs/watchdog.h: SCRATCH0 to 7, of which its
watchdog.c and the boot ROM use 4 to 7). A start that comes to its loop clears the count. After
three that did not, or with the first button down at power-up, the mat stays in safe mode: the
program does not begin, and the REPL is there.
"""

from machine import WDT, Pin, mem32

SCRATCH0 = 0x4005800C
MAGIC = 0x504D0000
ATTEMPTS = 3
WATCHDOG_MS = 8000  # at most 8388: the counter has 24 bits and loses two a µs (RP2040-E1)
WATCHDOG_CTRL_CLEAR = 0x40058000 + 0x3000  # the alias that clears bits: addressmap.h
WATCHDOG_ENABLE = 1 << 30
BUTTON_PIN = 20  # the first button of every mat in hardware/mat.toml

why_safe = ""  # why this start must not begin the game, "" when it may


def begin():
    """Counts this start and sets `why_safe`; returns it."""
    global why_safe
    button = Pin(BUTTON_PIN, Pin.IN, Pin.PULL_UP)
    word = mem32[SCRATCH0]
    failed = word & 0xFF if word & 0xFFFFFF00 == MAGIC else 0
    mem32[SCRATCH0] = MAGIC | min(failed + 1, 255)
    if not button.value():
        why_safe = "the first button was down"
    else:
        why_safe = "%d starts failed" % failed if failed >= ATTEMPTS else ""
    return why_safe


def attempts():
    """Starts since the last that came to its loop, this one included."""
    word = mem32[SCRATCH0]
    return word & 0xFF if word & 0xFFFFFF00 == MAGIC else 0


def passed():
    """This start has come to its loop."""
    mem32[SCRATCH0] = MAGIC


def watchdog():
    """Starts the watchdog: feed() it within WATCHDOG_MS, or the chip starts anew."""
    return WDT(timeout=WATCHDOG_MS)


def unguard():
    """Stops the watchdog, so that a person at the REPL has time."""
    mem32[WATCHDOG_CTRL_CLEAR] = WATCHDOG_ENABLE
