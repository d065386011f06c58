"""Why a virtual game came to no end on the mat: what its truth says, and where the mat first ruled
something else.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple, Self

from polarity_host.device.link import Event
from polarity_host.errors import Said
from polarity_host.games.follow import Follower
from polarity_host.replay.recording import RecordingError
from polarity_host.replay.truth import read_truth, truth_path
from polarity_host.wire.lines import Message
from polarity_host.wire.messages import RulingMessage

NEAR_MS = 5000  # further apart, two rulings of the same words are not the same one
SIDES = {"w": Said("white"), "b": Said("black")}


class Ruled(NamedTuple):
    """A ruling, of the mat or of the truth."""

    t_ms: int
    code: str
    player: str
    why: str

    @classmethod
    def of(cls, record: dict[str, Any]) -> Self:
        """From a record of the truth."""
        return cls(record["t_us"] // 1000, record["code"], record["player"], record["why"])

    def words(self) -> Said:
        """On part of a line, with the game's time."""
        values = {"code": self.code, "why": self.why, "clock": clock(self.t_ms)}
        side = Said(" {colour}", colour=SIDES[self.player]) if self.player else ""
        if self.why:
            return Said("{code}{side} ({why}) at {clock}", side=side, **values)
        return Said("{code}{side} at {clock}", side=side, **values)


class Rulings:
    """Hands every event on to `follower`; `ruled`: the rulings that a mat sent."""

    def __init__(self, follower: Follower):
        self._follower = follower
        self.ruled: list[Ruled] = []

    @property
    def result(self) -> RulingMessage | None:
        """The end of the game, once it has one."""
        return self._follower.result

    def report(self, event: Event) -> None:
        """An event of the link."""
        if isinstance(event, Message) and isinstance(event.body, RulingMessage):
            body = event.body
            self.ruled.append(Ruled(event.t_ms, body.code, body.player, body.why))
        self._follower.report(event)


def missed_end(recording: Path, ruled: Sequence[Ruled]) -> Said:
    """What the mat missed in the game that is recorded there, with its truth beside it, as far as
    that can be read; words for one line."""
    try:
        truth = [Ruled.of(r) for r in read_truth(truth_path(recording)) if r["k"] == "ruling"]
    except RecordingError as error:
        return Said("its truth cannot be read: {error}", error=error)
    ends = [ruling for ruling in truth if ruling.code == "end"]
    ended = Said("its players came to no end either")
    if ends:
        ended = Said(
            "in truth it ended at {clock} ({why}), {winner} won",
            clock=clock(ends[-1].t_ms), why=ends[-1].why,
            winner=SIDES.get(ends[-1].player, Said("nobody")),
        )  # fmt: skip
    missed, added = unlike(truth, ruled)
    if missed and (not added or missed.t_ms <= added.t_ms):
        return Said(
            "{ended}; the first ruling that the mat missed is {ruling}",
            ended=ended, ruling=missed.words(),
        )  # fmt: skip
    if added:
        return Said(
            "{ended}; the first ruling of the mat that is not so is {ruling}",
            ended=ended, ruling=added.words(),
        )  # fmt: skip
    return Said("{ended}; the mat ruled as it should", ended=ended)


def unlike(truth: Sequence[Ruled], ruled: Sequence[Ruled]) -> tuple[Ruled | None, Ruled | None]:
    """(the first true ruling that the mat has not, its first ruling that is not true)."""
    left = list(ruled)
    missed: list[Ruled] = []
    for ruling in truth:
        same = [
            other
            for other in left
            if other[1:] == ruling[1:] and abs(other.t_ms - ruling.t_ms) <= NEAR_MS
        ]
        if same:
            left.remove(min(same, key=lambda other: abs(other.t_ms - ruling.t_ms)))
        else:
            missed.append(ruling)
    return (missed[0] if missed else None), (left[0] if left else None)


def clock(t_ms: int) -> str:
    """Minutes and seconds of the game."""
    seconds = t_ms // 1000
    return f"{seconds // 60}:{seconds % 60:02}"
