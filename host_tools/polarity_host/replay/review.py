"""Which rulings of a game come out otherwise when it is judged again."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from difflib import SequenceMatcher

from polarity_host.wire.lines import Message

#: What of a ruling is compared. Not the numbers of facts and pieces: they only name what was seen.
COMPARED = ("code", "player", "why", "returns", "reserve", "turn", "active", "score", "seat")


@dataclass(frozen=True)
class Ruling:
    """A ruling and its time, in ms since the game began."""

    t_ms: int
    fields: dict

    @property
    def key(self) -> tuple:
        """Equal for rulings that say the same."""
        owed = [(player, len(ids)) for player, ids in self.fields["owed"]]
        return (*(str(self.fields.get(name)) for name in COMPARED), str(owed))


@dataclass(frozen=True)
class Change:
    """Rulings `before` that are not made any more, and `now` those in their place."""

    before: list[Ruling]
    now: list[Ruling]


def rulings(messages: Iterable[Message]) -> tuple[list[Ruling], int]:
    """The referee's own rulings, and how many corrections players made.

    A correction, and what was ruled anew after it in the same moment, is left out: it follows from
    what they said, which no recording holds.
    """
    found, corrections = [], 0
    begun_ms = corrected_ms = None
    for message in messages:
        begun_ms = message.t_ms if begun_ms is None else begun_ms
        if message.kind != "ruling":
            continue
        if message.reopens:
            corrections += 1
            corrected_ms = message.t_ms
        elif message.t_ms != corrected_ms:
            found.append(Ruling(message.t_ms - begun_ms, message.fields))
    return found, corrections


def changes(before: list[Ruling], now: list[Ruling]) -> Iterator[Change]:
    """What differs, in order."""
    keys = [[ruling.key for ruling in side] for side in (before, now)]
    for what, i1, i2, j1, j2 in SequenceMatcher(None, *keys, autojunk=False).get_opcodes():
        if what != "equal":
            yield Change(before[i1:i2], now[j1:j2])
