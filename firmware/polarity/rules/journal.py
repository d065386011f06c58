"""The last facts and declarations in the order in which they happened: what is judged again after a
correction, or when a fact is reported late. Its memory is allocated once."""

from polarity.facts import Fact

TYPE_CHECKING = False
if TYPE_CHECKING:
    from polarity.rules.declarations import Declaration
    from polarity.rules.ruling import Ruling

DEPTH = 64  # so many entries back a correction reaches: some twelve turns
SPARE = 8  # so many more wait until there is time to judge the oldest for good
_FIELDS = 14
_CONFIDENCE = 11  # where a fact has its confidence, a declaration has None
_SEQ = 12
_MARK = 13


class Journal:
    """A ring of `size` entries, oldest first; a fact's `tilt` is not stored.

    Each has a `mark`, a number that stands for the rulings it led to.
    """

    def __init__(self, size: int = DEPTH + SPARE) -> None:
        self.size = size
        self._ring: "list" = [0] * (_FIELDS * size)  # of values of many types
        self.clear()

    def clear(self) -> None:
        """It has no entry any more."""
        self.count = self._first = 0
        self._dropped: "list[int]" = []  # forgotten numbers above the lowest that is not
        for i in range(len(self._ring)):
            self._ring[i] = 0

    def full(self) -> bool:
        """Whether the oldest must go before another entry comes."""
        return self.count == self.size

    def place(self, fact: Fact) -> int:
        """Where a fact belongs by the time at which it happened: `count` unless it comes late. What
        players declare at that moment makes no difference to that."""
        place = self.count
        for at in range(self.count - 1, -1, -1):
            t_ms = self.t_ms(at)
            if t_ms == fact.t_ms:
                entry = self.entry(at)
                if isinstance(entry, Fact):
                    if entry.moment() <= fact.moment():
                        break
                    place = at
            elif t_ms < fact.t_ms:
                break
            else:
                place = at
        return place

    def add(self, entry: "Fact | Declaration", at: int) -> None:
        """Store a fact or a declaration before the one at this place; there must be room."""
        if isinstance(entry, Fact):
            values = [
                entry.kind, entry.t_ms, entry.piece, tuple(entry.others), entry.face, entry.discs,
                entry.x, entry.y, entry.d, entry.shape, entry.why, entry.confidence, entry.seq,
                0,
            ]  # fmt: skip
        else:
            values = [
                entry.kind, entry.t_ms, entry.about, entry.away, entry.player, entry.count,
                entry.seat, 0, 0, "", entry.verdict, None, entry.seq, 0,
            ]  # fmt: skip
        ring = self._ring
        for i in range(self.count, at, -1):
            start, before = self._start(i), self._start(i - 1)
            ring[start : start + _FIELDS] = ring[before : before + _FIELDS]
        self.count += 1
        start = self._start(at)
        ring[start : start + _FIELDS] = values

    def amend(self, away: "tuple[int, ...]") -> None:
        """The last entry is an undo that waits for these pieces."""
        self._ring[self._start(self.count - 1) + 3] = away

    def drop(self) -> None:
        """Forget the oldest."""
        dropped = self._dropped + [self.seq(0)]
        self._first = (self._first + 1) % self.size
        self.count -= 1
        lowest = min([self.seq(at) for at in range(self.count)]) if self.count else 0
        self._dropped = [number for number in dropped if number > lowest] if self.count else []

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
        return self._ring[self._start(at) + _SEQ]

    def piece(self, at: int) -> int:
        """The piece that the fact at this place is about; of a correction what it corrects."""
        return self._ring[self._start(at) + 2]

    def t_ms(self, at: int) -> int:
        """When the entry at this place happened, ms."""
        return self._ring[self._start(at) + 1]

    def mark(self, at: int) -> int:
        """The mark of the entry at this place."""
        return self._ring[self._start(at) + _MARK]

    def set_mark(self, at: int, mark: int) -> None:
        """The entry at this place led to rulings that this stands for."""
        self._ring[self._start(at) + _MARK] = mark

    def find(self, seq: int) -> int:
        """The place of the entry with the highest number that is not above this, -1 for none.

        Rulings are numbered after the fact that they rest on, so their numbers lead there too.
        """
        found, highest = -1, 0
        for at in range(self.count):
            number = self.seq(at)
            if highest <= number <= seq:
                found, highest = at, number
        for number in self._dropped:
            if highest < number <= seq:
                return -1
        return found

    def reach(self, at: int) -> "tuple[int, int]":
        """(place, number): the last place up to `at` for which the entries from there on are just
        those with this number or a higher one. They differ where facts were reported late."""
        while True:
            number = min([self.seq(i) for i in range(at, self.count)])
            first = at
            for i in range(at - 1, -1, -1):
                if self.seq(i) > number:
                    first = i
            if first == at:
                return at, number
            at = first

    def _start(self, at: int) -> int:
        return (self._first + at) % self.size * _FIELDS


def mark_of(rulings: "list[Ruling]") -> int:
    """A number that stands for the rulings of an entry: equal for those that say the same. Which of
    several faults sends back the disc in the hand is all the same, and so is whether a leaner is
    ruled before or after a fault of its moment.

    Marks are compared by their sum. Squares, because a tuple's hash grows by about as much with the
    number of a piece whatever else is in it, so that two rulings which change places would have the
    same sum. Nothing here is above 30 bits, where MicroPython's ints take memory.
    """
    mark = 0
    for r in rulings:
        why = "" if r.code == "leaner_placed" else r.why
        found = hash((r.code, r.player, why, r.evidence.pieces, r.after.score))
        low, high = found & 0x7FFF, found >> 15 & 0x7FFF
        mark += (low * low ^ high * high) >> 6
    return mark
