"""Which rulings of a game come out differently when it is judged again."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from difflib import SequenceMatcher
from typing import Any

from polarity_host.wire.lines import Message
from polarity_host.wire.messages import RulingMessage

#: The fields of a ruling that are compared, and the sizes of the groups in `owed`. Not the numbers
#: of facts and pieces: they only name what was observed.
COMPARED = ("code", "player", "why", "returns", "reserve", "turn", "active", "score", "seat")


@dataclass(frozen=True)
class TimedRuling:
    """A ruling, the time in ms since the game began, and its message's JSON object as received."""

    t_ms: int
    ruling: RulingMessage
    received: dict[str, Any] = field(hash=False)

    @property
    def key(self) -> tuple[object, ...]:
        """Equal for rulings that mean the same."""
        owed = tuple((player, len(ids)) for player, ids in self.ruling.owed)
        return (*(getattr(self.ruling, name) for name in COMPARED), owed)


@dataclass(frozen=True)
class Change:
    """Rulings `before` that are not made any more, and `now` those in their place."""

    before: list[TimedRuling]
    now: list[TimedRuling]


def rulings(messages: Iterable[Message]) -> tuple[list[TimedRuling], int]:
    """The referee's own rulings, and how many corrections players made.

    A correction, and what was ruled anew after it in the same moment, is left out: it follows from
    the players' command, which no recording holds.
    """
    found: list[TimedRuling] = []
    corrections = 0
    begun_ms = corrected_ms = None
    for message in messages:
        begun_ms = message.t_ms if begun_ms is None else begun_ms
        if not isinstance(message.body, RulingMessage):
            continue
        if message.reopens:
            corrections += 1
            corrected_ms = message.t_ms
        elif message.t_ms != corrected_ms:
            t_ms = message.t_ms - begun_ms
            found.append(TimedRuling(t_ms, message.body, message.as_received()))
    return found, corrections


def changes(before: list[TimedRuling], now: list[TimedRuling]) -> Iterator[Change]:
    """What differs, in order."""
    keys = [[ruling.key for ruling in side] for side in (before, now)]
    for what, i1, i2, j1, j2 in SequenceMatcher(None, *keys, autojunk=False).get_opcodes():
        if what != "equal":
            yield Change(before[i1:i2], now[j1:j2])
