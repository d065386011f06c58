"""What each player did in a game, counted from what the mat said."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from statistics import mean

from polarity_host.wire.lines import Message

OTHER = {"w": "b", "b": "w"}


@dataclass
class Side:
    """One player in one game, or in several added up. `tilts_deg` of the leaners he placed;
    `turns_s`: how long each turn was, to the beginning of the next."""

    games: int = 0
    won: int = 0
    lost: int = 0
    drawn: int = 0
    faults: Counter = field(default_factory=Counter)  # by why
    captures_won: int = 0
    captures_failed: int = 0
    captures_lost: int = 0  # made by the opponent
    tilts_deg: list = field(default_factory=list)
    turns_s: list = field(default_factory=list)

    def add(self, other: "Side") -> None:
        """Adds another's numbers to these."""
        for name, value in vars(other).items():
            setattr(self, name, getattr(self, name) + value)

    def summary(self) -> dict:
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
    kept: list[Message] = []
    for message in messages:
        if message.kind not in ("fact", "ruling"):
            continue
        if not message.reopens:
            kept.append(message)
            continue
        void = min(message.fields["facts"], default=None)
        if void is not None:
            kept = [m for m in kept if m.kind == "fact" or max(m.fields["facts"], default=0) < void]
    return kept


def sides(messages: Iterable[Message]) -> dict[str, Side]:
    """{"w": Side, "b": Side} of one game. Numbers of three and four players are their colours'."""
    both = {"w": Side(games=1), "b": Side(games=1)}
    tilts, turn = {}, None  # fact's number -> tilt; (whose, since when)
    for message in standing(messages):
        fields = message.fields
        if message.kind == "fact":
            tilts[message.number] = fields["tilt"]
            continue
        side, code = both.get(fields["player"]), fields["code"]
        if code in ("turn", "end") and turn:
            both[turn[0]].turns_s.append((message.t_ms - turn[1]) / 1000.0)
            turn = None
        if code == "end":
            _end(both, fields["player"])
        if side is None:
            continue
        if code == "turn":
            turn = (fields["player"], message.t_ms)
        elif code == "fault":
            side.faults[fields["why"]] += 1
        elif code == "captured":
            side.captures_won += 1
            both[OTHER[fields["player"]]].captures_lost += 1
        elif code == "capture_failed":
            side.captures_failed += 1
        elif code == "leaner_placed":
            side.tilts_deg += [tilts[n] for n in fields["facts"][:1] if n in tilts]
    return both


def _end(both, winner) -> None:
    for letter, side in both.items():
        if not winner:
            side.drawn += 1
        elif letter == winner:
            side.won += 1
        else:
            side.lost += 1


def _mean(values) -> float | None:
    return round(mean(values), 1) if values else None
