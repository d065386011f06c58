"""What every part of the campaign counts alike: exceptions that nobody expected."""

import traceback
from collections.abc import Iterator
from contextlib import contextmanager

MOST_DETAILS = 12


class Trouble:
    """Unexpected exceptions: `count`, and `details` of the first of each place, one line each."""

    def __init__(self) -> None:
        self.count = 0
        self._places: dict[str, str] = {}

    @property
    def details(self) -> list[str]:
        """What it was, where, and how to see it again."""
        return list(self._places.values())

    @contextmanager
    def noted(self, which: str, *expected: type[Exception]) -> Iterator[None]:
        """Runs a part; `which` says how to find it again, `expected` is no trouble."""
        try:
            yield
        except expected:
            pass
        except Exception as error:
            self.count += 1
            last = traceback.extract_tb(error.__traceback__)[-1]
            place = f"{last.filename.rpartition('/')[2]}:{last.lineno}"
            if place not in self._places and len(self._places) < MOST_DETAILS:
                self._places[place] = f"{which}: {type(error).__name__} at {place}: {error!s:.90}"
