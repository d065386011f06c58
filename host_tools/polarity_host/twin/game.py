"""A game on the twin: its frames, and the truth that grows beside them."""

import numpy as np

from polarity_host.mat import MatError

from .stage import Stage
from .table import Table

EDITION = "temple"  # the edition that the books keep


class Game:
    """One game: frames to read once, and the truth, which grows as they are read.

    `truth`: dicts with `t_us`, of facts (`"k": "fact"`, `"f"`: kind, the fields of TruthFact) and of
    expected rulings (`"k": "ruling"`, see Books), in order. `result` is set when the frames are over:
    {"why", "winner", "score", "reserve"}; why and winner "" if the game was not played to its end.
    Raises MatError for a mat of another edition.
    """

    def __init__(self, seed, mat, script, condition=None):
        if mat.edition != EDITION:
            raise MatError(f"the twin plays on mats of the {EDITION} edition, not on {mat.id!r}")
        self.seed = seed
        self.mat = mat
        self.edition = EDITION
        self.truth = []
        self.result = None
        self.stage = Stage(mat, seed, condition)
        self.table = Table(self.stage, np.random.default_rng([seed, 17]))
        self._script = script

    def frames(self):
        """Yield (t_us, counts) for every frame, once."""
        facts_told = rulings_told = 0
        for t_us, counts in self.stage.stream(self._script(self.table)):
            facts, rulings = self.stage.truth.facts, self.table.books.rulings
            while facts_told < len(facts) and facts[facts_told].t_us <= t_us:
                self._tell_fact(facts[facts_told])
                facts_told += 1
            while rulings_told < len(rulings) and rulings[rulings_told]["t_us"] <= t_us:
                self.truth.append(rulings[rulings_told])
                rulings_told += 1
            yield t_us, counts
        for fact in self.stage.truth.facts[facts_told:]:
            self._tell_fact(fact)
        self.truth += self.table.books.rulings[rulings_told:]
        self.result = self._result()

    __iter__ = frames

    def scenes(self):
        """Yield (t_us, counts, PieceStates) for every frame, once; `truth` fills at the end."""
        yield from self.stage.stream_scenes(self._script(self.table))
        for fact in self.stage.truth.facts:
            self._tell_fact(fact)
        self.truth = sorted(
            [*self.truth, *self.table.books.rulings], key=lambda record: record["t_us"]
        )
        self.result = self._result()

    def _tell_fact(self, fact):
        self.truth.append(self.table.restated.get(fact, fact).to_json())

    def _result(self):
        last = self.table.books.rulings[-1]
        over = last["code"] == "end"
        return {
            "why": last["why"] if over else "",
            "winner": last["player"] if over else "",
            "score": last["score"] if over else None,
            "reserve": last["reserve"],
        }
