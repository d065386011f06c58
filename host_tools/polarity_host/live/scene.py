"""What lies on the mat and what is in flight, folded from the mat's messages as they come.

A `snap` tells all of it; between two, facts and `flight` messages carry it on.
"""

from collections.abc import Iterable, Iterator

from polarity_host.wire.messages import FactMessage

#: Fields of a piece as `snap` lists them; 1/100 mm and degrees (PROTOCOL.md).
ID, SHAPE, FACE, DISCS, X, Y, TILT, AZIMUTH = range(8)

#: Facts after which a piece is no longer on the mat.
GONE = ("lifted", "hand_out")
#: Facts that say where their piece lies from now on.
RESTING = ("placed", "fell", "flipped", "shifted", "rolled")


class Scene:
    """`pieces` {id: [id, shape, face, discs, x, y, tilt, azimuth]} at rest, and `flight`, the same
    with the height at the end, of those that move. `vague` is True when a fact did not tell all,
    and only a `snap` can.
    """

    def __init__(self):
        self.pieces: dict[int, list] = {}
        self.flight: list[list] = []
        self.vague = False

    def snap(self, pieces: Iterable[object]) -> None:
        """All that lies on the mat."""
        self.pieces = {piece[ID]: list(piece) for piece in _wellformed(pieces, 8)}
        self.vague = False

    def fly(self, pieces: Iterable[object]) -> None:
        """All that is in flight."""
        self.flight = list(_wellformed(pieces, 9))

    def fact(self, fact: FactMessage) -> None:
        """What happened."""
        kind, number, others = fact.kind, fact.piece, fact.others
        if kind in RESTING:
            self._rest(fact)
        elif kind in GONE:
            self.pieces.pop(number, None)
            self.vague = self.vague or bool(others)
        elif kind == "snapped":
            self._vanish(others, number)
            self.vague = True
        elif kind == "contact" and fact.shape == "stack":
            self._vanish(others, number)
            if number in self.pieces:
                piece = self.pieces[number]
                piece[SHAPE], piece[DISCS], piece[FACE] = "tower", fact.discs, fact.face
                piece[TILT] = piece[AZIMUTH] = 0
            self.vague = True

    def _vanish(self, others: Iterable[int], kept: int) -> None:
        for number in others:
            if number != kept:
                self.pieces.pop(number, None)

    def _rest(self, fact: FactMessage) -> None:
        number, before = fact.piece, self.pieces.get(fact.piece)
        shape = fact.shape or (before[SHAPE] if before else "flat")
        azimuth = 0
        if shape == "leaner":
            seen = [piece for piece in self.flight if piece[ID] == number] or [before]
            azimuth = seen[0][AZIMUTH] if seen[0] else 0
            self.vague = True  # no fact tells where a leaner looks
        where = (fact.x, fact.y, fact.tilt, azimuth)
        self.pieces[number] = [number, shape, fact.face, fact.discs, *where]


def _wellformed(pieces: Iterable[object], length: int) -> Iterator[list]:
    """Those that are what PROTOCOL.md says: a mat that talks nonsense is not shown."""
    for piece in pieces:
        if (
            isinstance(piece, list)
            and len(piece) >= length
            and isinstance(piece[SHAPE], str)
            and isinstance(piece[FACE], str)
            and all(isinstance(v, int) for v in (piece[ID], *piece[DISCS:length]))
        ):
            yield piece[:length]
