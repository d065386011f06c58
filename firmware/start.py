"""Starts the mat, unless this must be a safe start: then nothing of the game is even loaded."""

import gc

from drivers import flash_code, guard


def main():
    """Starts the mat if it may be started."""
    if guard.why_safe:
        print("safe mode: " + guard.why_safe + "; start.run() starts the mat all the same")
    else:
        run()


def run():
    """Runs the mat; returns after Ctrl-C."""
    complaint = flash_code.move()
    import loop

    gc.collect()
    loop.run(complaint)
