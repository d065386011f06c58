"""Starts the mat, unless this must be a safe start: then nothing of the game is even loaded."""

import gc
import sys

from drivers import guard

# While the mat starts garbage is collected each time so much was taken, or what stays would lie
# scattered over all the memory, with no place between for anything of 2 KB; it takes 0.8 s in all.
COLLECT_BYTES = 16384


def main():
    """Starts the mat if it may be started."""
    if guard.why_safe:
        print("safe mode: " + guard.why_safe + "; start.run() starts the mat all the same")
    else:
        run()


def run():
    """Runs the mat; returns after Ctrl-C."""
    complaint = load()
    import loop

    gc.collect()
    loop.run(complaint)


def load():
    """Loads the firmware into its place; returns a complaint, "" when all is well."""
    gc.threshold(COLLECT_BYTES)
    from drivers import flash_code

    slot = sys.path[0]  # as boot.py chose it
    return flash_code.move(slot + "/code" if slot else "code")
