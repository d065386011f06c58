"""What really happened on the stage: facts in the referee's words, and who touches whom.

Kinds and fields are those that perception gives, but with the time of the physical event and real
millimetres. `piece` and `others` are truth ids: a piece has one from entering to leaving.
"""

from dataclasses import asdict, dataclass

STACK, KISS, MIX = "stack", "kiss", "mix"
LETTER = {1: "w", -1: "b", 0: ""}


@dataclass(frozen=True)
class TruthFact:
    """One thing that happened. Faces +1 white, -1 black, 0 none; mm; degrees. `z_mm`: the height of
    a disc that is carried across the circle."""

    kind: str
    t_us: int
    piece: int = 0
    others: tuple = ()
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

    def to_json(self):
        """A flat dict for a truth file; `k` and `f` as on the wire, face as "w", "b" or ""."""
        values = asdict(self)
        kind = values.pop("kind")
        values["face"] = LETTER[self.face]
        values["others"] = list(self.others)
        for name in ("x_mm", "y_mm", "tilt_deg", "azimuth_deg", "d_mm", "z_mm"):
            values[name] = round(values[name], 3)
        return {"k": "fact", "f": kind, **values}


class TruthLog:
    """Collects truth facts and hands out truth ids.

    `nuisances`: what else the twin did, as records {"k": "nuisance", "n": name, "t_us", ...}.
    `slip_mm`: how far the mat has slipped under its discs; places are told with it.
    """

    def __init__(self):
        self._facts = []
        self._next_id = 1
        self.nuisances = []
        self.slip_mm = (0.0, 0.0, 0.0)

    @property
    def facts(self):
        """All TruthFacts so far, by time."""
        return sorted(self._facts, key=lambda fact: fact.t_us)

    def new_id(self):
        """The next free piece id."""
        self._next_id += 1
        return self._next_id - 1

    def add(self, kind, t_us, **fields):
        """Note a fact of `kind` at `t_us` (microseconds)."""
        self._facts.append(TruthFact(kind, int(round(t_us)), **fields))

    def add_piece(self, kind, t_us, piece, **fields):
        """Note a fact about `piece` with its face, discs and place (a leaner's: contact point)."""
        x, y = piece.contact_xy if piece.leaning else piece.xy
        x, y = x + float(self.slip_mm[0]), y + float(self.slip_mm[1])
        values = {"piece": piece.id, "face": piece.face, "discs": len(piece.discs)}
        self.add(kind, t_us, **{**values, "x_mm": x, "y_mm": y, **fields})

    def note(self, name, t_us, **fields):
        """Note a nuisance that began, ended or is there all along, at `t_us` (microseconds)."""
        record = {"k": "nuisance", "n": name, "t_us": int(round(t_us)), **fields}
        self.nuisances.append(record)


class TouchGraph:
    """Which pieces on the mat touch one another."""

    def __init__(self):
        self._pairs = set()

    def join(self, a, b):
        """`a` and `b` touch now."""
        self._pairs.add(frozenset((a, b)))

    def neighbours(self, piece):
        """Pieces that touch `piece` directly, by id."""
        others = {other for pair in self._pairs if piece in pair for other in pair} - {piece}
        return sorted(others, key=lambda other: other.id)

    def group(self, piece):
        """`piece` and all that hang together with it, by id."""
        found, open_ = {piece}, [piece]
        while open_:
            for other in self.neighbours(open_.pop()):
                if other not in found:
                    found.add(other)
                    open_.append(other)
        return sorted(found, key=lambda other: other.id)

    def part(self, piece):
        """`piece` touches nothing any more; returns those it touched."""
        parted = self.neighbours(piece)
        self._pairs = {pair for pair in self._pairs if piece not in pair}
        return parted

    def loosen(self, members):
        """Forget that `members` touch one another; what else they touch stays."""
        self._pairs = {pair for pair in self._pairs if not pair <= set(members)}

    def replace(self, gone, by):
        """`gone` became part of `by`: what touched it touches `by`."""
        for other in self.part(gone):
            if other is not by:
                self.join(other, by)
