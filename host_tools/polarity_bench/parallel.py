"""A function of a seed for many seeds, on all cores."""

import os
import signal
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from typing import TypeVar

from polarity_host.errors import FAILED, HostError

Item = TypeVar("Item")
Result = TypeVar("Result")


def in_parallel(
    one: Callable[[Item], Result],
    seeds: Sequence[Item],
    jobs: int | None = None,
    in_order: bool = True,
) -> Iterator[Result]:
    """Yield one(seed) of every seed, `in_order` or each as soon as it is there, by `jobs` processes
    (default: one for every core); by this one if one is enough.

    Ctrl-C ends them silently with this one. HostError FAILED when one of them was killed.
    """
    jobs = min(jobs or os.cpu_count() or 1, len(seeds))
    if jobs <= 1:
        yield from map(one, seeds)
        return
    quiet = (signal.SIGINT, signal.SIG_DFL)
    try:
        with ProcessPoolExecutor(jobs, initializer=signal.signal, initargs=quiet) as pool:
            due = [pool.submit(one, seed) for seed in seeds]
            try:
                for done in due if in_order else as_completed(due):
                    yield done.result()
            finally:
                for one_due in due:
                    one_due.cancel()
    except BrokenProcessPool as error:
        raise HostError(
            FAILED, "a process was killed, perhaps for want of memory; try fewer --seeds"
        ) from error
