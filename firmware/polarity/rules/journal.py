"""The last facts and sayings, in memory that is taken once: what a correction judges again."""

from polarity.facts import Fact

DEPTH = 64  # so many back a correction reaches: some twelve turns
SPARE = 8  # so many more wait until there is time to judge the oldest for good
_FIELDS = 13


class Journal:
    """A ring of `size` facts, oldest first; a fact's `tilt` is not kept."""

    def __init__(self, size=DEPTH + SPARE):
        self.size = size
        self.count = 0
        self._first = 0
        self._ring = [0] * (_FIELDS * size)

    def full(self):
        """Whether the oldest must go before another fact comes."""
        return self.count == self.size

    def add(self, fact):
        """Keep a fact; there must be room."""
        start = self._start(self.count)
        self.count += 1
        self._ring[start : start + _FIELDS] = [
            fact.kind, fact.t_ms, fact.piece, tuple(fact.others), fact.face, fact.discs, fact.x,
            fact.y, fact.d, fact.shape, fact.why, fact.confidence, fact.seq,
        ]  # fmt: skip

    def amend(self, others):
        """Give the newest other `others`."""
        self._ring[self._start(self.count - 1) + 3] = others

    def drop(self):
        """Forget the oldest."""
        self._first = (self._first + 1) % self.size
        self.count -= 1

    def fact(self, at):
        """A fact equal to the one at this place, 0 being the oldest."""
        start = self._start(at)
        v = self._ring[start : start + _FIELDS]
        fact = Fact(v[0], v[1], v[2], v[3], v[4], v[5], v[6], v[7], 0, v[8], v[9], v[10], v[11])
        fact.seq = v[12]
        return fact

    def kind(self, at):
        """The kind of the fact at this place."""
        return self._ring[self._start(at)]

    def seq(self, at):
        """The number of the fact at this place."""
        return self._ring[self._start(at) + 12]

    def find(self, number):
        """The place of the newest fact whose number is not above this, -1 for none.

        Rulings are numbered after the fact that they rest on, so their numbers lead there too.
        """
        for at in range(self.count - 1, -1, -1):
            if self.seq(at) <= number:
                return at
        return -1

    def _start(self, at):
        return (self._first + at) % self.size * _FIELDS
