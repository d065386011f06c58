"""The last facts and sayings, in memory that is taken once: what a correction judges again."""

from polarity.facts import Fact

DEPTH = 64  # so many back a correction reaches: some twelve turns
_INTS = 9


class Journal:
    """A ring of `depth` facts, oldest first; a fact's `tilt` is not kept."""

    def __init__(self, depth=DEPTH):
        self.depth = depth
        self.count = 0
        self._first = 0
        self._ints = [0] * (_INTS * depth)
        self._kinds = [""] * depth
        self._shapes = [""] * depth
        self._whys = [""] * depth
        self._others = [()] * depth

    def full(self):
        """Whether the oldest must go before another fact comes."""
        return self.count == self.depth

    def add(self, fact):
        """Keep a fact; there must be room."""
        slot = self._slot(self.count)
        self.count += 1
        values = (fact.seq, fact.t_ms, fact.piece, fact.face, fact.discs, fact.x, fact.y, fact.d,
                  fact.confidence)  # fmt: skip
        for i in range(_INTS):
            self._ints[slot * _INTS + i] = values[i]
        self._kinds[slot] = fact.kind
        self._shapes[slot] = fact.shape
        self._whys[slot] = fact.why
        self._others[slot] = tuple(fact.others)

    def drop(self):
        """Forget the oldest."""
        self._others[self._first] = ()
        self._first = (self._first + 1) % self.depth
        self.count -= 1

    def fact(self, at):
        """A fact equal to the one at this place, 0 being the oldest."""
        slot = self._slot(at)
        v = self._ints[slot * _INTS : slot * _INTS + _INTS]
        fact = Fact(self._kinds[slot], v[1], v[2], self._others[slot], v[3], v[4], v[5], v[6], 0,
                    v[7], self._shapes[slot], self._whys[slot], v[8])  # fmt: skip
        fact.seq = v[0]
        return fact

    def kind(self, at):
        """The kind of the fact at this place."""
        return self._kinds[self._slot(at)]

    def seq(self, at):
        """The number of the fact at this place."""
        return self._ints[self._slot(at) * _INTS]

    def find(self, number):
        """The place of the newest fact whose number is not above this, -1 for none.

        Rulings are numbered after the fact that they rest on, so their numbers lead there too.
        """
        for at in range(self.count - 1, -1, -1):
            if self.seq(at) <= number:
                return at
        return -1

    def _slot(self, at):
        return (self._first + at) % self.depth
