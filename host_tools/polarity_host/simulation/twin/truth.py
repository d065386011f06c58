"""What really happened on the stage: facts in the referee's words, and which pieces touch.

Kinds and fields are those of perception's facts, but with the time of the physical event and true
millimetres. `piece` and `others` are truth ids: a piece has one from entering to leaving.
"""

from collections.abc import Collection
from dataclasses import asdict, dataclass
from typing import Any, TypeAlias

from .motion import Vector
from .pieces import Piece

Record: TypeAlias = dict[str, Any]
"""One line of a truth file: a fact, an expected ruling or a nuisance, ready for JSON."""

STACK, KISS, MIX = "stack", "kiss", "mix"
LETTER = {1: "w", -1: "b", 0: ""}


def in_order(record: Record) -> tuple[int, bool]:
    """Key to sort records by: by time, a ruling after the fact that it rests on."""
    return record["t_us"], record["k"] == "ruling"


@dataclass(frozen=True)
class TruthFact:
    """One thing that happened. Faces +1 white, -1 black, 0 none; mm; degrees. `z_mm`: the height of
    a disc that is carried across the circle."""

    kind: str
    t_us: int
    piece: int = 0
    others: tuple[int, ...] = ()
    face: int = 0
    discs: int = 1
    x_mm: float = 0.0
    y_mm: float = 0.0
    tilt_deg: float = 0.0
    azimuth_deg: float = 0.0
    d_mm: float = 0.0
    z_mm: float = 0.0
    shape: str = ""
    why: str = ""

    def to_json(self) -> Record:
        """A flat dict for a truth file; `k` and `f` as on the wire, face as "w", "b" or ""."""
        values = asdict(self)
        kind = values.pop("kind")
        values["face"] = LETTER[self.face]
        values["others"] = list(self.others)
        for name in ("x_mm", "y_mm", "tilt_deg", "azimuth_deg", "d_mm", "z_mm"):
            values[name] = round(values[name], 3)
        return {"k": "fact", "f": kind, **values}


class TruthLog:
    """Collects truth facts and assigns truth ids.

    `nuisances`: what else the twin did, as records {"k": "nuisance", "n": name, "t_us", ...}.
    """

    def __init__(self) -> None:
        self._facts: list[TruthFact] = []
        self._next_id = 1
        self.nuisances: list[Record] = []
        self._slip_mm: tuple[float, float] = (0.0, 0.0)

    @property
    def facts(self) -> list[TruthFact]:
        """All TruthFacts so far, by time."""
        return sorted(self._facts, key=lambda fact: fact.t_us)

    def noted(self, after: int) -> list[TruthFact]:
        """The TruthFacts in the order in which they were noted, without the first `after`."""
        return self._facts[after:]

    def new_id(self) -> int:
        """The next free piece id."""
        self._next_id += 1
        return self._next_id - 1

    def slip(self, slip_mm: Vector) -> None:
        """The mat has slipped this far under its discs; places are reported with it."""
        self._slip_mm = float(slip_mm[0]), float(slip_mm[1])

    def slipped(self, x_mm: float, y_mm: float) -> tuple[float, float]:
        """Where a place of the table is on the mat."""
        return x_mm + self._slip_mm[0], y_mm + self._slip_mm[1]

    def add(self, kind: str, t_us: float, **fields: Any) -> None:
        """Note a fact of `kind` at `t_us` (microseconds)."""
        self._facts.append(TruthFact(kind, int(round(t_us)), **fields))

    def add_piece(self, kind: str, t_us: float, piece: Piece, **fields: Any) -> None:
        """Note a fact about `piece` with its face, discs and place (a leaner's: contact point)."""
        x, y = piece.contact_xy if piece.leaning else piece.xy
        x, y = self.slipped(x, y)
        values = {"piece": piece.id, "face": piece.face, "discs": len(piece.discs)}
        self.add(kind, t_us, **{**values, "x_mm": x, "y_mm": y, **fields})

    def note(self, name: str, t_us: float, **fields: Any) -> None:
        """Note a nuisance that began, ended or lasts for the whole game (microseconds)."""
        record = {"k": "nuisance", "n": name, "t_us": int(round(t_us)), **fields}
        self.nuisances.append(record)


class TouchGraph:
    """Which pieces on the mat touch one another."""

    def __init__(self) -> None:
        self._pairs: set[frozenset[Piece]] = set()

    def join(self, a: Piece, b: Piece) -> None:
        """`a` and `b` touch now."""
        self._pairs.add(frozenset((a, b)))

    def neighbours(self, piece: Piece) -> list[Piece]:
        """Pieces that touch `piece` directly, by id."""
        others = {other for pair in self._pairs if piece in pair for other in pair} - {piece}
        return sorted(others, key=lambda other: other.id)

    def group(self, piece: Piece) -> list[Piece]:
        """`piece` and all that touch it, directly or through others, by id."""
        found, open_ = {piece}, [piece]
        while open_:
            for other in self.neighbours(open_.pop()):
                if other not in found:
                    found.add(other)
                    open_.append(other)
        return sorted(found, key=lambda other: other.id)

    def part(self, piece: Piece) -> list[Piece]:
        """`piece` touches nothing any more. Returns the pieces that it touched."""
        parted = self.neighbours(piece)
        self._pairs = {pair for pair in self._pairs if piece not in pair}
        return parted

    def loosen(self, members: Collection[Piece]) -> None:
        """`members` no longer touch one another; their other contacts stay."""
        self._pairs = {pair for pair in self._pairs if not pair <= set(members)}

    def replace(self, gone: Piece, by: Piece) -> None:
        """`gone` became part of `by`: whatever touched `gone` touches `by` now."""
        for other in self.part(gone):
            if other is not by:
                self.join(other, by)
