"""How tests wait for what must come. A busy machine is no fault: only what never comes is one, so
that the limit is far beyond what anything takes.
"""

import time

PATIENCE_S = 240


def wait_for(true):
    """Waits until `true()` is, and returns it; fails when it never is."""
    until = time.monotonic() + PATIENCE_S
    while not (found := true()):
        assert time.monotonic() < until, "it did not come"
        time.sleep(0.02)
    return found


def eventually(check):
    """Waits until `check()` asserts nothing any more, for instance of a picture that is drawn."""
    until = time.monotonic() + PATIENCE_S
    while True:
        try:
            return check()
        except AssertionError:
            if time.monotonic() > until:
                raise
        time.sleep(0.05)
