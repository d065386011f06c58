"""The one clock: milliseconds since boot that never wrap."""

from time import ticks_diff, ticks_us


class Clock:
    """Counts on from where ticks_us stood when it was made.

    `ms` must be asked at least every 8 minutes: ticks_us wraps after 2**30 µs, 17.9 minutes, and a
    difference is good for half of that (MicroPython, time.ticks_diff).
    """

    def __init__(self):
        self._seen_us = ticks_us()
        self._ms = 0
        self._rest_us = 0

    def ms(self, at_us=None):
        """Milliseconds since the clock was made, now or when ticks_us was `at_us`.

        `at_us` may be a little before the moment last asked for; the answer then is that moment's.
        """
        now_us = ticks_us() if at_us is None else at_us
        passed_us = ticks_diff(now_us, self._seen_us)
        if passed_us > 0:
            self._seen_us = now_us
            self._rest_us += passed_us
            self._ms += self._rest_us // 1000
            self._rest_us %= 1000
        return self._ms
