"""Starts the mat, unless this must be a safe start: then nothing of the game is even loaded."""

import gc
import sys
import time

from drivers import guard

# While the mat starts garbage is collected each time so much was taken, or what stays would lie
# scattered over all the memory, with no place between for anything of 2 KB; it takes 0.8 s in all.
COLLECT_BYTES = 16384
SAID_MS = 500  # for the host to read what went wrong


def main():
    """Starts the mat if it may be started. What fails starts the chip anew, so that play goes on
    with the game that was kept; what fails again and again ends in safe mode."""
    why_safe = guard.begin()
    if why_safe:
        guard.show_safe()
        print("safe mode: " + why_safe + "; start.run() starts the mat all the same")
        return
    try:
        run()
    except Exception as error:
        sys.print_exception(error)
        time.sleep_ms(SAID_MS)
        guard.restart()


def run():
    """Runs the mat; returns after Ctrl-C."""
    guard.watchdog()
    try:
        complaint = load()
        from drivers import clock

        if guard.attempts() == 1:  # a start after one that failed is made the usual way
            clock.hurry()
        import loop

        gc.collect()
        loop.run(complaint)
    except KeyboardInterrupt:
        pass
    finally:
        guard.unguard()
    guard.passed()


def load():
    """Loads the firmware into its place; returns a complaint, "" when all is well."""
    gc.threshold(COLLECT_BYTES)
    from flash_pages import code

    slot = sys.path[0]  # as boot.py chose it
    return code.move(slot + "/code" if slot else "code")
