"""A whole game of practice players, to watch, record or judge as the scripted ones are."""

from collections.abc import Generator, Iterable
from typing import Protocol

from polarity_host.mats.description import Mat, MatError
from polarity_host.replay.recording import Counts
from polarity_host.simulation.twin.condition import MatCondition
from polarity_host.simulation.twin.stage import PieceState
from polarity_host.simulation.twin.truth import Record, in_order

from .match import MOST_TURNS, Match, mat_for
from .skill import USUAL, Skill


class Declared(Protocol):
    """What players declare to: an engine."""

    def command(self, chunk: bytes, /) -> object: ...


class PlayedGame:
    """One game, physics deciding what happens: frames to read once, and the truth, which grows.

    `truth`: dicts with `t_us`, of facts, of the oracle's rulings and of what players declare
    (`"k": "declaration"`); once the frames are over or closed also of nuisances, in order.
    `turns`: it is stopped after so many. MatError for a mat that the edition is not played on.
    """

    def __init__(
        self,
        seed: int,
        edition: str,
        mat: Mat | None = None,
        condition: MatCondition | None = None,
        skill: Skill = USUAL,
        turns: int | None = None,
    ):
        self.mat = mat or mat_for(edition)
        if self.mat.disc_count != mat_for(edition).disc_count:
            right = mat_for(edition).id
            raise MatError(
                "{edition!r} is played on the {right} mat, not on {id!r}",
                edition=edition,
                right=right,
                id=self.mat.id,
            )
        self.seed = seed
        self.edition = edition
        self.match = Match(edition, seed, skill, self.mat, condition, turns or MOST_TURNS)
        self.truth: list[Record] = self.match.truth
        self._engine: Declared | None = None
        self._declared = 0

    def judged_by(self, engine: Declared) -> None:
        """This engine gets the frames, so players declare to it what they declare. To be called
        before the first frame."""
        self._engine = engine

    def frames(self) -> Generator[tuple[int, Counts], None, None]:
        """Yield (t_us, counts) for every frame, once."""
        try:
            for frame in self.match.frames():
                yield frame
                self._declare()
        finally:
            self.truth += self.match.world.truth.nuisances
            self.truth.sort(key=in_order)

    def scenes(self) -> Generator[tuple[int, Counts, tuple[PieceState, ...]], None, None]:
        """Yield (t_us, counts, PieceStates) for every frame, once."""
        for t_us, counts in self.frames():
            yield t_us, counts, self.match.world.scene()

    def without_counts(self) -> list[Record]:
        """Play the game for its truth alone, in a fraction of the time. Returns the truth."""
        for _ in self.match.times():
            pass
        return self.truth

    def _declare(self) -> None:
        """Hands on what players have declared up to the frame that the engine has just had."""
        if self._engine:
            declare(self.truth[self._declared :], self._engine)
        self._declared = len(self.truth)


def declare(records: Iterable[Record], engine: Declared) -> None:
    """Declares to the engine what players have declared in these records of the truth."""
    for record in records:
        if record["k"] == "declaration":
            engine.command(f"{record['words']}\n".encode())
