"""The arbiter's desk of a hall: shows the newest tournament on its page, whoever changes it, and
does what the page asks for.
"""

import contextlib
import threading
from typing import Any

from polarity_host.errors import BAD_INPUT, HostError
from polarity_host.hub.hall import Hall
from polarity_host.hub.record import Away, Record
from polarity_host.hub.tournaments.book import Book
from polarity_host.hub.tournaments.export import as_object
from polarity_host.hub.tournaments.model import Tournament

LOOK_EVERY_S = 1.0
MOST_WORDS = 300  # of a request


class Desk:
    """Looks at the database until `stop`: mats, the page and `polarity tournament` change it."""

    def __init__(self, record: Record, hall: Hall):
        self._book, self._hall = Book(record), hall
        self._shown: Tournament | None = None
        self._stopped, self._asked = threading.Event(), threading.Event()
        self._thread = threading.Thread(target=self._run, name="desk", daemon=True)

    def start(self) -> None:
        """Begins."""
        self._thread.start()

    def stop(self) -> None:
        """Ends it."""
        self._stopped.set()
        self._asked.set()
        self._thread.join()

    def do(self, request: Any) -> None:
        """What an arbiter asks for: `do` is one of the options of `polarity tournament`, `name` the
        tournament. HostError BAD_INPUT for what cannot be done; Away."""
        try:
            what, name = str(request["do"]), str(request["name"])
            words = [str(word) for word in request.get("words", ())][:MOST_WORDS]
            place = (int(request.get("round", 0)), int(request.get("board", 0)))
            rounds = int(request.get("rounds", 0))
        except (TypeError, ValueError, KeyError, AttributeError):
            raise HostError(BAD_INPUT, 'send {{"do": "pair", "name": "Spring cup"}}') from None
        book, first = self._book, words[0] if words else ""
        match what:
            case "new":
                book.create(name, first, rounds)
            case "add":
                book.enter(name, words)
            case "withdraw":
                book.withdraw(name, first)
            case "pair":
                book.pair(name, words)
            case "unpair":
                book.unpair(name)
            case "result":
                book.set_result(name, place, first)
            case "mat":
                book.set_mat(name, place, first)
            case "swap":
                book.swap(name, place)
            case _:
                raise HostError(BAD_INPUT, "{what!r} is nothing to do", what=what[:40])
        self._asked.set()

    def look(self) -> None:
        """Shows the newest tournament, if it has changed. Away."""
        newest = self._book.newest()
        if newest is None or newest == self._shown:
            return
        self._shown = newest
        self._hall.take_tournament(as_object(newest))

    def _run(self) -> None:
        while not self._stopped.is_set():
            self._asked.clear()
            with contextlib.suppress(Away):  # the intake reports it
                self.look()
            self._asked.wait(LOOK_EVERY_S)
