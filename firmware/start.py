"""Starts the mat, unless this must be a safe start: then nothing of the game is even loaded."""

import gc
import sys
import time

from drivers import guard

# While the mat starts MicroPython collects garbage each time this much was allocated. Otherwise
# long-lived objects fragment the heap, and nothing of 2 KB fits between them. It takes 0.8 s in
# all.
COLLECT_BYTES = 16384
READ_MS = 500  # for the host to read what went wrong


def main() -> None:
    """Starts the mat if it may be started. A failure restarts the chip, so that play goes on with
    the stored game; repeated failures end in safe mode."""
    why_safe = guard.begin()
    if why_safe:
        guard.show_safe()
        print("safe mode: " + why_safe + "; start.run() starts the mat all the same")
        return
    try:
        run()
    except Exception as error:
        sys.print_exception(error)
        time.sleep_ms(READ_MS)
        guard.restart()


def run() -> None:
    """Runs the mat; returns after Ctrl-C."""
    guard.watchdog()
    try:
        complaint = load()
        from drivers import clock

        if guard.attempts() == 1:  # a start after a failed one runs at the usual clock
            clock.speed_up()
        import loop

        gc.collect()
        loop.run(complaint)
    except KeyboardInterrupt:
        pass
    finally:
        guard.unguard()
    guard.passed()


def load() -> str:
    """Loads the firmware and moves it into the flash pages; returns a complaint, "" when all is
    well."""
    gc.threshold(COLLECT_BYTES)
    from flash_pages import code

    slot = sys.path[0]  # as boot.py chose it
    return code.move(slot + "/code" if slot else "code")
