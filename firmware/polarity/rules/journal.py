"""The last facts and declarations: what a correction judges again. Its memory is allocated once."""

from polarity.facts import Fact

TYPE_CHECKING = False
if TYPE_CHECKING:
    from polarity.rules.declarations import Declaration

DEPTH = 64  # so many entries back a correction reaches: some twelve turns
SPARE = 8  # so many more wait until there is time to judge the oldest for good
_FIELDS = 13
_CONFIDENCE = 11  # where a fact has its confidence, a declaration has None


class Journal:
    """A ring of `size` entries, oldest first; a fact's `tilt` is not stored."""

    def __init__(self, size: int = DEPTH + SPARE) -> None:
        self.size = size
        self.count = 0
        self._first = 0
        self._ring: "list" = [0] * (_FIELDS * size)  # of values of many types

    def full(self) -> bool:
        """Whether the oldest must go before another entry comes."""
        return self.count == self.size

    def add(self, entry: "Fact | Declaration") -> None:
        """Store a fact or a declaration; there must be room."""
        if isinstance(entry, Fact):
            values = [
                entry.kind, entry.t_ms, entry.piece, tuple(entry.others), entry.face, entry.discs,
                entry.x, entry.y, entry.d, entry.shape, entry.why, entry.confidence, entry.seq,
            ]  # fmt: skip
        else:
            values = [
                entry.kind, entry.t_ms, entry.about, entry.away, entry.player, entry.count,
                entry.seat, 0, 0, "", entry.verdict, None, entry.seq,
            ]  # fmt: skip
        start = self._start(self.count)
        self.count += 1
        self._ring[start : start + _FIELDS] = values

    def amend(self, away: "tuple[int, ...]") -> None:
        """The newest entry is an undo that waits for these pieces."""
        self._ring[self._start(self.count - 1) + 3] = away

    def drop(self) -> None:
        """Forget the oldest."""
        self._first = (self._first + 1) % self.size
        self.count -= 1

    def entry(self, at: int) -> "Fact | Declaration":
        """A fact or declaration equal to the one at this place, 0 being the oldest."""
        start = self._start(at)
        if self._ring[start + _CONFIDENCE] is None:
            return self.declaration(at)
        v = self._ring[start : start + _FIELDS]
        fact = Fact(v[0], v[1], v[2], v[3], v[4], v[5], v[6], v[7], 0, v[8], v[9], v[10], v[11])
        fact.seq = v[12]
        return fact

    def declaration(self, at: int) -> "Declaration":
        """A declaration equal to the one at this place."""
        from polarity.rules.declarations import Declaration

        start = self._start(at)
        v = self._ring[start : start + _FIELDS]
        declaration = Declaration(v[0], v[1], v[2], v[10], v[4], v[5], v[6], v[3])
        declaration.seq = v[12]
        return declaration

    def kind(self, at: int) -> str:
        """The kind of the entry at this place."""
        return self._ring[self._start(at)]

    def seq(self, at: int) -> int:
        """The number of the entry at this place."""
        return self._ring[self._start(at) + 12]

    def find(self, seq: int) -> int:
        """The place of the newest entry whose number is not above this, -1 for none.

        Rulings are numbered after the fact that they rest on, so their numbers lead there too.
        """
        for at in range(self.count - 1, -1, -1):
            if self.seq(at) <= seq:
                return at
        return -1

    def _start(self, at: int) -> int:
        return (self._first + at) % self.size * _FIELDS
