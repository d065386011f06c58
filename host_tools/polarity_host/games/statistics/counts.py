"""What each player did in a game, counted from the mat's messages."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from statistics import mean
from typing import Any

from polarity_host.wire.lines import Message
from polarity_host.wire.messages import FactMessage, RulingMessage

OTHER = {"w": "b", "b": "w"}


@dataclass
class Side:
    """One player in one game, or in several added up. `tilts_deg` of the leaners he placed;
    `turns_s`: how long each turn was, to the beginning of the next."""

    games: int = 0
    won: int = 0
    lost: int = 0
    drawn: int = 0
    faults: Counter[str] = field(default_factory=Counter)  # by why
    captures_won: int = 0
    captures_failed: int = 0
    captures_lost: int = 0  # made by the opponent
    tilts_deg: list[int] = field(default_factory=list)
    turns_s: list[float] = field(default_factory=list)

    def add(self, other: "Side") -> None:
        """Adds another's numbers to these."""
        for name, value in vars(other).items():
            setattr(self, name, getattr(self, name) + value)

    def summary(self) -> dict[str, Any]:
        """As plain data: counts, and means rounded to tenths (None where there is nothing)."""
        counted = {
            name: getattr(self, name)
            for name in (
                "games", "won", "lost", "drawn", "captures_won", "captures_failed", "captures_lost",
            )
        }  # fmt: skip
        return {
            **counted,
            "turns": len(self.turns_s),
            "turn_s": _mean(self.turns_s),
            "leaners": len(self.tilts_deg),
            "tilt_deg": _mean(self.tilts_deg),
            "faults": sum(self.faults.values()),
            "faults_by_kind": dict(self.faults.most_common()),
        }


def standing(messages: Iterable[Message]) -> list[Message]:
    """Facts and rulings that still count: what a correction made void is left out, and so is the
    correction itself."""
    valid: list[Message] = []
    for message in messages:
        if not isinstance(message.body, (FactMessage, RulingMessage)):
            continue
        if not message.reopens or isinstance(message.body, FactMessage):
            valid.append(message)
            continue
        void = min(message.body.facts, default=None)
        if void is not None:
            valid = [m for m in valid if not _rests_on(m, void)]
    return valid


def _rests_on(message: Message, number: int) -> bool:
    """Whether a message is a ruling that rests on that number or a later one."""
    body = message.body
    return isinstance(body, RulingMessage) and max(body.facts, default=0) >= number


def sides(messages: Iterable[Message]) -> dict[str, Side]:
    """{"w": Side, "b": Side} of one game. Numbers of three and four players are their colours'."""
    both = {"w": Side(games=1), "b": Side(games=1)}
    tilts: dict[int, int] = {}  # by the fact's number
    turn: tuple[str, int] | None = None  # whose it is, and since when, in ms
    for message in standing(messages):
        ruling = message.body
        if isinstance(ruling, FactMessage):
            tilts[message.number] = ruling.tilt
            continue
        if not isinstance(ruling, RulingMessage):
            continue
        side, code = both.get(ruling.player), ruling.code
        if code in ("turn", "end") and turn:
            if message.t_ms >= turn[1]:  # a damaged file's time may run backwards
                both[turn[0]].turns_s.append((message.t_ms - turn[1]) / 1000.0)
            turn = None
        if code == "end":
            _end(both, ruling.player)
        if side is None:
            continue
        if code == "turn":
            turn = (ruling.player, message.t_ms)
        elif code == "fault":
            side.faults[ruling.why] += 1
        elif code == "captured":
            side.captures_won += 1
            both[OTHER[ruling.player]].captures_lost += 1
        elif code == "capture_failed":
            side.captures_failed += 1
        elif code == "leaner_placed":
            side.tilts_deg += [tilts[n] for n in ruling.facts[:1] if n in tilts]
    return both


def _end(both: dict[str, Side], winner: str) -> None:
    for letter, side in both.items():
        if not winner:
            side.drawn += 1
        elif letter == winner:
            side.won += 1
        else:
            side.lost += 1


def _mean(values: Sequence[float]) -> float | None:
    return round(mean(values), 1) if values else None
