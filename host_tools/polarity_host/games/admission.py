"""Limits what a mat may store: far more than any game sends, but a device that sends without end
does not fill the disk.
"""

import shutil
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from polarity_host.device.link import Event, Gap
from polarity_host.errors import FAILED, HostError
from polarity_host.wire.lines import Damaged, Message

#: A game sends about 1 kB a second. A thousand turns at ten times the speed fit in.
MESSAGES = (8_000_000, 8_000)  # bytes at once, bytes a second
#: The evidence of a ruling has about 16 kB.
EVIDENCE = (32_000_000, 16_000)
#: Lines that are no messages: a mat sends none.
ASIDE = (1_000_000, 100)
EACH = 400  # bytes in the database for each message, besides its line
AGAIN = 0.1  # share of the bytes at once that must be free before storing begins again
MOST_BOOTS = 16  # for which the refused numbers are remembered
LEAST_FREE = 200_000_000  # bytes of the disk that stay free
CHECK_EVERY = 1_000_000  # stored bytes, after which the disk is checked again


class Allowance:
    """A number of bytes at once that refills with time. Once it is used up, nothing may be stored
    until a share of it is free again."""

    def __init__(self, at_once: int, a_second: int, clock: Callable[[], float] = time.monotonic):
        self._most, self._a_second, self._clock = at_once, a_second, clock
        self._left, self._then_s, self._spent_out = float(at_once), clock(), False

    def spend(self, count: int) -> bool:
        """Takes `count` bytes off if they are free, and returns whether they were."""
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
    """Admits the events of a link that may be stored. A Gap names the numbers of the refused ones,
    once, before the next admitted message.
    """

    def __init__(self, path: Path, clock: Callable[[], float] = time.monotonic):
        """`path`: the database, for its disk."""
        self._path, self._allowance = path, Allowance(*MESSAGES, clock)
        self._asides = Allowance(*ASIDE, clock)
        self._refused: dict[int, Gap] = {}  # by boot
        self._unchecked = CHECK_EVERY

    def admitted(self, batch: list[Event]) -> list[Event]:
        """The events of `batch` that may be stored, and those that are never stored. HostError
        FAILED when the disk is nearly full.
        """
        through: list[Event] = []
        for event in batch:
            if isinstance(event, Damaged) and event.aside:
                through.append(self._bounded(event))
                continue
            if not isinstance(event, (Message, Gap)) or getattr(event, "fleeting", False):
                through.append(event)
                continue
            size = EACH + len(getattr(event, "raw", ""))
            if self._allowance.spend(size):
                self._check_disk(size)
                through += self._refused.values()
                self._refused.clear()
                through.append(event)
            else:
                self._refuse(event)
        return through

    def _bounded(self, damaged: Damaged) -> Damaged:
        """A line that is to be set aside, without its bytes where these may not be stored."""
        size = EACH + len(damaged.aside)
        if not self._asides.spend(size):
            return replace(damaged, aside=b"")
        self._check_disk(size)
        return damaged

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

    def _check_disk(self, size: int) -> None:
        self._unchecked += size
        if self._unchecked < CHECK_EVERY:
            return
        self._unchecked = 0
        try:
            free = shutil.disk_usage(self._path.parent).free
        except OSError:
            return  # the database will report what is wrong
        if free < LEAST_FREE:
            raise HostError(
                FAILED,
                "the disk of {path} is nearly full: make room and start again; everything "
                "shown until now is kept",
                path=self._path,
            )
