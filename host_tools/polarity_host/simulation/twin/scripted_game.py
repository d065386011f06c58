"""A game on the twin: its frames, and the truth that grows beside them."""

from collections.abc import Callable, Generator, Iterator
from dataclasses import replace
from typing import TypeAlias, TypeVar

import numpy as np

from polarity_host.mats.description import Mat, MatError
from polarity_host.simulation.drivers import SCRIPTED_EDITION

from .captures import Captures
from .condition import MatCondition
from .good_turns import GoodTurns
from .stage import Counts, PieceState, Stage
from .stage_state import Action
from .truth import Record, in_order

T = TypeVar("T")


class GameTable(Captures, GoodTurns):
    """A Table with everything that a scripted game can do on it."""


Script: TypeAlias = Callable[[GameTable], Action]


class ScriptedGame:
    """One game: frames to read once, and the truth, which grows as they are read.

    `truth`: dicts with `t_us`, of facts (`"k": "fact"`, `"f"`: kind, the fields of TruthFact) and
    of expected rulings (`"k": "ruling"`, see Books), with the time of the fact that led to them; in
    order once the frames are over or closed, and then with the nuisances (`"k": "nuisance"`).
    Raises MatError for a mat of another edition.
    """

    def __init__(self, seed: int, mat: Mat, script: Script, condition: MatCondition | None = None):
        if mat.edition != SCRIPTED_EDITION:
            raise MatError(
                "scripts play on mats of the {SCRIPTED_EDITION} edition, not on {id!r}",
                SCRIPTED_EDITION=SCRIPTED_EDITION,
                id=mat.id,
            )
        self.seed = seed
        self.mat = mat
        self.edition = SCRIPTED_EDITION
        self.truth: list[Record] = []
        self.stage = Stage(mat, seed, condition)
        self.table = GameTable(self.stage, np.random.default_rng([seed, 17]))
        self._script = script
        self._facts_noted = self._rulings_noted = 0

    def frames(self) -> Generator[tuple[int, Counts], None, None]:
        """Yield (t_us, counts) for every frame, once."""
        stream = self.stage.stream(self._script(self.table))
        yield from self._with_truth(stream, lambda frame: frame[0])

    __iter__ = frames

    def scenes(self) -> Generator[tuple[int, Counts, tuple[PieceState, ...]], None, None]:
        """Yield (t_us, counts, PieceStates) for every frame, once."""
        stream = self.stage.stream_scenes(self._script(self.table))
        yield from self._with_truth(stream, lambda frame: frame[0])

    def without_counts(self) -> list[Record]:
        """Play the game for its truth alone, in a fraction of the time. Returns the truth."""
        times = self.stage.stream_times(self._script(self.table))
        for _ in self._with_truth(times, lambda t_us: t_us):
            pass
        return self.truth

    def _with_truth(
        self, frames: Iterator[T], time_of: Callable[[T], int]
    ) -> Generator[T, None, None]:
        try:
            for frame in frames:
                self._note(until_us=time_of(frame))
                yield frame
            self._note()
        finally:
            self.truth += self.stage.truth.nuisances
            self.truth.sort(key=in_order)

    def _note(self, until_us: int | None = None) -> None:
        """Add to the truth what has happened until then (None: all the rest), in order."""
        facts, rulings = self.stage.truth.facts, self.table.books.rulings
        fresh: list[Record] = []
        while self._facts_noted < len(facts):
            fact = facts[self._facts_noted]
            if until_us is not None and fact.t_us > until_us:
                break
            otherwise = self.table.restated.get((fact.kind, fact.piece, fact.others), {})
            fresh.append(replace(fact, **otherwise).to_json())
            self._facts_noted += 1
        while self._rulings_noted < len(rulings):
            ruling = rulings[self._rulings_noted]
            if until_us is not None and ruling["t_us"] > until_us:
                break
            fresh.append(ruling)
            self._rulings_noted += 1
        self.truth += sorted(fresh, key=in_order)
