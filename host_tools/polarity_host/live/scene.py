"""What lies on the mat and what is in flight, built up from the mat's messages.

A `snap` has all of it. Between two snaps, facts and `flight` messages update it.
"""

from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

from polarity_host.wire.messages import FactMessage

#: Facts after which a piece is no longer on the mat.
REMOVING = ("lifted", "hand_out")
#: Facts that state where their piece lies from then on.
RESTING = ("placed", "fell", "flipped", "shifted", "rolled")


class PieceRow(NamedTuple):
    """A piece at rest, as `snap` lists it (PROTOCOL.md): 1/100 mm and degrees."""

    id: int
    shape: str
    face: str
    discs: int
    x_cmm: int
    y_cmm: int
    tilt_deg: int
    azimuth_deg: int


class FlightRow(NamedTuple):
    """A body in flight, as `flight` lists it: a PieceRow's fields and the height of its middle."""

    id: int
    shape: str
    face: str
    discs: int
    x_cmm: int
    y_cmm: int
    tilt_deg: int
    azimuth_deg: int
    z_cmm: int


class Scene:
    """`pieces` at rest by id, and `flight`, those that move. `vague` is True when a fact left
    something open that only a `snap` can tell.
    """

    def __init__(self) -> None:
        self.pieces: dict[int, PieceRow] = {}
        self.flight: list[FlightRow] = []
        self.vague = False

    def apply_snap(self, rows: Iterable[Any]) -> None:
        """Takes all that lies on the mat; rows that are not as PROTOCOL.md says are left out."""
        self.pieces = {row[0]: PieceRow(*row) for row in _wellformed(rows, len(PieceRow._fields))}
        self.vague = False

    def apply_flight(self, rows: Iterable[Any]) -> None:
        """Takes all that is in flight; rows that are not as PROTOCOL.md says are left out."""
        self.flight = [FlightRow(*row) for row in _wellformed(rows, len(FlightRow._fields))]

    def mark_vague(self) -> None:
        """Something changed that no fact describes."""
        self.vague = True

    def apply_fact(self, fact: FactMessage) -> None:
        """Takes what happened."""
        if fact.kind in RESTING:
            self._rest(fact)
        elif fact.kind in REMOVING:
            self.pieces.pop(fact.piece, None)
            self.vague = self.vague or bool(fact.others)
        elif fact.kind == "snapped":
            self._remove_others(fact)
            self.vague = True
        elif fact.kind == "contact" and fact.shape == "stack":
            self._remove_others(fact)
            if fact.piece in self.pieces:
                self.pieces[fact.piece] = self.pieces[fact.piece]._replace(
                    shape="tower", discs=fact.discs, face=fact.face, tilt_deg=0, azimuth_deg=0
                )
            self.vague = True

    def _remove_others(self, fact: FactMessage) -> None:
        for number in fact.others:
            if number != fact.piece:
                self.pieces.pop(number, None)

    def _rest(self, fact: FactMessage) -> None:
        before = self.pieces.get(fact.piece)
        shape = fact.shape or (before.shape if before else "flat")
        azimuth_deg = 0
        if shape == "leaner":
            last = next((row for row in self.flight if row.id == fact.piece), before)
            azimuth_deg = last.azimuth_deg if last else 0
            self.vague = True  # no fact states the azimuth of a leaner
        self.pieces[fact.piece] = PieceRow(
            fact.piece, shape, fact.face, fact.discs, fact.x, fact.y, fact.tilt, azimuth_deg
        )


def _wellformed(rows: Iterable[Any], length: int) -> Iterator[list[Any]]:
    """The rows that are as PROTOCOL.md says, cut to `length`."""
    for row in rows:
        if not isinstance(row, list) or len(row) < length:
            continue
        number, shape, face, *integers = row[:length]
        if (
            isinstance(shape, str)
            and isinstance(face, str)
            and all(isinstance(value, int) for value in (number, *integers))
        ):
            yield row[:length]
