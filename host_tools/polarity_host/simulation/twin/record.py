"""Writes a game as a recording with its truth beside it, while it is played."""

from collections.abc import Generator, Iterable
from contextlib import closing, suppress
from pathlib import Path
from typing import Any, Protocol, TypeAlias, TypeVar

from polarity_host.mats.description import Mat
from polarity_host.replay.recording import VERSION, Counts, RecordingError, RecordingWriter
from polarity_host.replay.truth import TruthWriter, truth_path

from .truth import Record

Frame: TypeAlias = tuple[int, Counts]
F = TypeVar("F", bound=tuple[Any, ...])


class Recordable(Protocol):
    """A game of the simulation: its frames, to be read once, and the truth that grows meanwhile."""

    mat: Mat
    edition: str
    seed: int
    truth: list[Record]

    def frames(self) -> Generator[Frame, None, None]: ...


def recorded(
    game: Recordable, path: str | Path, version: int = VERSION
) -> Generator[Frame, None, None]:
    """Yield the frames of `game` while they are written to `path` (.matrec or .matrec.gz), in this
    version of the format.

    The truth is written once: when the frames are over, when the caller stops reading or when the
    disk is full. What was played until then is stored. Raises RecordingError, also if either file
    exists already.
    """
    yield from recorded_frames(game, path, game.frames(), version)


def recorded_frames(
    game: Recordable, path: str | Path, frames: Generator[F, None, None], version: int = VERSION
) -> Generator[F, None, None]:
    """`recorded` for other frames of the game: tuples that begin with t_us and counts."""
    truth = truth_path(path)
    for taken in (Path(path), truth):
        if taken.exists():
            raise RecordingError(
                "{path} exists already; choose another name or delete it", path=taken
            )
    with RecordingWriter(
        path, game.mat.id, game.mat.n, game.edition, game.seed, version
    ) as recording:
        try:
            with closing(frames) as played:
                for frame in played:
                    recording.write(frame[0], frame[1])
                    yield frame
        except RecordingError:
            with suppress(RecordingError):
                _write_truth(truth, game.truth)
            raise
        except BaseException:
            _write_truth(truth, game.truth)
            raise
    _write_truth(truth, game.truth)


def _write_truth(path: Path, records: Iterable[Record]) -> None:
    with TruthWriter(path) as truth:
        for record in records:
            truth.write(record)
