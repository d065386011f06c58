"""The newest events of a mat, for viewers."""

from collections import deque
from collections.abc import Iterable
from typing import Any

MOST_EVENTS = 300  # which a viewer gets at first

ViewerEvent = dict[str, Any]  # as JSON, see API.md


class EventLog:
    """The last MOST_EVENTS events, and those that are new since viewers got some."""

    def __init__(self) -> None:
        self._events: deque[ViewerEvent] = deque(maxlen=MOST_EVENTS)
        self._new: list[ViewerEvent] = []

    def add(self, event: ViewerEvent) -> None:
        """Adds an event."""
        self._events.append(event)
        self._new.append(event)

    def mark_slow(self, numbers: Iterable[int]) -> None:
        """The evidence of these rulings is stored: they can be played in slow motion."""
        marked = set(numbers)
        for event in self._events:
            if event["k"] == "ruling" and event["n"] in marked:
                event["slow"] = True

    def announce_slow(self, number: int, boot: int) -> None:
        """Tells viewers the same of a ruling whose event they have already."""
        self._new.append({"k": "slow", "n": number, "b": boot})

    def newest(self) -> list[ViewerEvent]:
        """The last MOST_EVENTS events, oldest first."""
        return list(self._events)

    def take_new(self) -> list[ViewerEvent]:
        """The events added since the last call."""
        new, self._new = self._new, []
        return new
