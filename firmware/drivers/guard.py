"""What keeps a mat from being bricked by its own files: attempts counted, a watchdog, a safe mode.

Each start counts one attempt in a register of the watchdog that outlives a reset, though not a
power cut (RP2040 datasheet 4.7.6, SCRATCH0 to 7; MicroPython and the boot ROM use 4 to 7). A
start that comes to its loop clears the count. After three that did not, or with the first button
down at power-up, the mat stays in safe mode: the program does not begin, and the REPL is there.
"""

from machine import WDT, Pin, mem32

SCRATCH0 = 0x4005800C
MAGIC = 0x504D0000
ATTEMPTS = 3
WATCHDOG_MS = 8000  # at most 8388 (4.7.2 and erratum RP2040-E1)


def begin(button_pin):
    """Counts this start; returns why the mat must stay in safe mode, "" when it need not."""
    button = Pin(button_pin, Pin.IN, Pin.PULL_UP)
    word = mem32[SCRATCH0]
    failed = word & 0xFF if word & 0xFFFFFF00 == MAGIC else 0
    mem32[SCRATCH0] = MAGIC | min(failed + 1, 255)
    if not button.value():
        return "button"
    return "failed starts" if failed >= ATTEMPTS else ""


def attempts():
    """Starts since the last that came to its loop, this one included."""
    word = mem32[SCRATCH0]
    return word & 0xFF if word & 0xFFFFFF00 == MAGIC else 0


def passed():
    """This start has come to its loop."""
    mem32[SCRATCH0] = MAGIC


def watchdog():
    """Starts the watchdog, which cannot be stopped again; feed() it within WATCHDOG_MS."""
    return WDT(timeout=WATCHDOG_MS)
