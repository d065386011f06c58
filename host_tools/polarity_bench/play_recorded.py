"""Games that are played once and recorded whole, then judged as often as the engine changes: that
takes a small part of the time."""

import time
from collections.abc import Generator
from dataclasses import replace
from pathlib import Path

from polarity_host.mats.description import load_mat
from polarity_host.replay.recording import Counts, RecordingReader
from polarity_host.replay.truth import read_truth, truth_path
from polarity_host.simulation.twin.record import recorded_frames
from polarity_host.simulation.twin.truth import Record

from .play import TRUE_FACTS, Costs, EngineJudge, GameFigures, Spec, judged, played
from .play_folder import GameFolder


class RecordedGame:
    """A recorded game, read again. `truth` grows with its frames, as while it was played.
    RecordingError when its files cannot be read."""

    def __init__(self, path: Path):
        self._path = path
        self._records = read_truth(truth_path(path))
        self.truth: list[Record] = []
        with RecordingReader(path) as reader:
            self.mat, self.edition = load_mat(reader.mat_id), reader.edition

    def frames(self) -> Generator[tuple[int, Counts], None, None]:
        """Yields (t_us, counts) for every frame, once."""
        with RecordingReader(self._path) as reader:
            for t_us, counts in reader:
                self._grow(t_us)
                yield t_us, counts
        self.truth += self._records[len(self.truth) :]

    def _grow(self, t_us: int) -> None:
        """What was known before the players did the next thing, which was after this frame."""
        known = len(self.truth)
        while known < len(self._records) and self._records[known]["t_us"] < t_us:
            known += 1
        self.truth += self._records[len(self.truth) : known]


def play_recorded(spec: Spec, directory: str | Path) -> GameFigures:
    """The figures of this game, judged over its recording in the directory; it is played for that
    if it is not there. RecordingError, HostError when that cannot be stored."""
    folder = GameFolder(directory)
    unjudged = replace(spec, engine=TRUE_FACTS, pace=None, answers=True)
    path = folder.path / f"{unjudged.name}.whole.matrec.gz"
    if not folder.has(unjudged):
        folder.store(unjudged, _record(unjudged, path))
    figures = folder.figures(unjudged)
    if spec.engine == TRUE_FACTS:
        return figures
    game, costs = RecordedGame(path), Costs()
    judge = EngineJudge(game, spec)
    started = time.process_time()
    for t_us, counts in game.frames():
        costs.add(t_us, judge.frame(t_us, counts))
    figures["cpu_s"] += time.process_time() - started
    return judged(figures, game.truth, judge, costs)


def _record(spec: Spec, path: Path) -> GameFigures:
    match = spec.match()
    for left in (path, truth_path(path)):  # of a campaign that was cut
        left.unlink(missing_ok=True)
    started = time.process_time()
    for _ in recorded_frames(match, path, match.frames()):
        pass
    return played(spec, match, time.process_time() - started)
