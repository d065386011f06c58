"""How much a mat may have stored: far more than any game says, and yet no disk is filled by a
device that speaks without end.
"""

import shutil
import time
from collections.abc import Callable
from pathlib import Path

from polarity_host.device.link import Event, Gap
from polarity_host.errors import FAILED, HostError
from polarity_host.wire.lines import Message

#: A game says some 1 kB a second. A thousand turns that are played ten times as fast fit in.
MESSAGES = (8_000_000, 8_000)  # bytes at once, bytes a second
#: The evidence of a ruling has some 16 kB.
EVIDENCE = (32_000_000, 16_000)
EACH = 400  # bytes in the database beside a message's own
AGAIN = 0.1  # share of what may come at once that must be there before anything is taken again
MOST_BOOTS = 16  # of which it is told what was left out
LEAST_FREE = 200_000_000  # bytes of the disk that are left to others
LOOK_EVERY = 1_000_000  # stored bytes, after which the disk is looked at again


class Allowance:
    """`spend` says whether so many bytes may be stored now. Once they may not, nothing may until
    some time has passed."""

    def __init__(self, at_once: int, a_second: int, clock: Callable[[], float] = time.monotonic):
        self._most, self._a_second, self._clock = at_once, a_second, clock
        self._left, self._then_s, self._spent_out = float(at_once), clock(), False

    def spend(self, count: int) -> bool:
        """Takes `count` bytes off, if they are there."""
        now_s = self._clock()
        self._left = min(self._most, self._left + (now_s - self._then_s) * self._a_second)
        self._then_s = now_s
        if count > self._left or (self._spent_out and self._left < AGAIN * self._most):
            self._spent_out = True
            return False
        self._spent_out = False
        self._left -= count
        return True


class Admission:
    """Lets through what may be stored of what a link brings; of the rest a Gap names the numbers,
    once, before the next message that is let through.
    """

    def __init__(self, path: Path, clock: Callable[[], float] = time.monotonic):
        """`path`: the database, for its disk."""
        self._path, self._allowance = path, Allowance(*MESSAGES, clock)
        self._refused: dict[int, Gap] = {}  # by boot
        self._unlooked = LOOK_EVERY

    def admitted(self, batch: list[Event]) -> list[Event]:
        """Of `batch` what may be stored, or is not stored anyway. HostError FAILED when the disk is
        nearly full.
        """
        through: list[Event] = []
        for event in batch:
            if not isinstance(event, (Message, Gap)) or getattr(event, "fleeting", False):
                through.append(event)
                continue
            size = EACH + len(getattr(event, "raw", ""))
            if self._allowance.spend(size):
                self._look_at_disk(size)
                through += self._refused.values()
                self._refused.clear()
                through.append(event)
            else:
                self._refuse(event)
        return through

    def _refuse(self, event: Message | Gap) -> None:
        if isinstance(event, Message) and not event.numbered:
            return
        first = last = getattr(event, "number", 0)
        if isinstance(event, Gap):
            first, last = event.first, event.last
        before = self._refused.get(event.boot)
        if before or len(self._refused) < MOST_BOOTS:
            first = before.first if before else first
            self._refused[event.boot] = Gap(event.boot, first, last)

    def _look_at_disk(self, size: int) -> None:
        self._unlooked += size
        if self._unlooked < LOOK_EVERY:
            return
        self._unlooked = 0
        try:
            free = shutil.disk_usage(self._path.parent).free
        except OSError:
            return  # the database will say what is wrong
        if free < LEAST_FREE:
            raise HostError(
                FAILED,
                f"the disk of {self._path} is nearly full: make room and start again; everything "
                "shown until now is kept",
            )
