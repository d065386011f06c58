"""A game on the twin: its frames, and the truth that grows beside them."""

from dataclasses import replace

import numpy as np

from polarity_host.mats.description import MatError

from .stage import Stage
from .table import Table

EDITION = "temple"  # the edition that the books keep


class _Unseen:
    """Field and sensors of a mat that nobody reads: every frame is None."""

    def frames(self, moves, wrists_mm):
        """No field."""

    def counts(self, times_us, fields):
        """No counts for each of `times_us`."""
        return [None] * len(times_us)


class ScriptedGame:
    """One game: frames to read once, and the truth, which grows as they are read.

    `truth`: dicts with `t_us`, of facts (`"k": "fact"`, `"f"`: kind, the fields of TruthFact) and
    of expected rulings (`"k": "ruling"`, see Books), with the time of the fact that led to them; in
    order once the frames are over or closed, and then with the nuisances (`"k": "nuisance"`).
    `result` is set when the frames are over: {"why", "winner", "score", "reserve"}; why and winner
    "" if the game just stopped.
    Raises MatError for a mat of another edition.
    """

    def __init__(self, seed, mat, script, condition=None):
        if mat.edition != EDITION:
            raise MatError(
                f"the twin plays on mats of the {EDITION} edition, not on {mat.id!r} yet"
            )
        self.seed = seed
        self.mat = mat
        self.edition = EDITION
        self.truth = []
        self.result = None
        self.stage = Stage(mat, seed, condition)
        self.table = Table(self.stage, np.random.default_rng([seed, 17]))
        self._script = script
        self._facts_told = self._rulings_told = 0

    def frames(self):
        """Yield (t_us, counts) for every frame, once."""
        yield from self._followed(self.stage.stream(self._script(self.table)))

    __iter__ = frames

    def scenes(self):
        """Yield (t_us, counts, PieceStates) for every frame, once."""
        yield from self._followed(self.stage.stream_scenes(self._script(self.table)))

    def without_counts(self):
        """Play the game for its truth alone, in a fraction of the time. Returns the truth."""
        self.stage.field = self.stage.sensors = _Unseen()
        for _ in self.frames():
            pass
        return self.truth

    def _followed(self, frames):
        try:
            for frame in frames:
                self._tell(until_us=frame[0])
                yield frame
            self._tell()
        finally:
            self.truth += self.stage.truth.nuisances
            self.truth.sort(key=_in_order)
        last = self.table.books.rulings[-1]
        over = last["code"] == "end"
        self.result = {
            "why": last["why"] if over else "",
            "winner": last["player"] if over else "",
            "score": last["score"] if over else None,
            "reserve": last["reserve"],
        }

    def _tell(self, until_us=None):
        """Add to the truth what has happened until then (None: all the rest), in order."""
        facts, rulings = self.stage.truth.facts, self.table.books.rulings
        news = []
        while self._facts_told < len(facts):
            fact = facts[self._facts_told]
            if until_us is not None and fact.t_us > until_us:
                break
            otherwise = self.table.restated.get((fact.kind, fact.piece, fact.others), {})
            news.append(replace(fact, **otherwise).to_json())
            self._facts_told += 1
        while self._rulings_told < len(rulings):
            ruling = rulings[self._rulings_told]
            if until_us is not None and ruling["t_us"] > until_us:
                break
            news.append(ruling)
            self._rulings_told += 1
        self.truth += sorted(news, key=_in_order)


def _in_order(record):
    """By time; a ruling after the fact that it rests on."""
    return record["t_us"], record["k"] == "ruling"
