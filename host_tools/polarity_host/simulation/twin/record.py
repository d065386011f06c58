"""Writes a game as a recording with its truth beside it, while it is played."""

from contextlib import closing, suppress
from pathlib import Path

from polarity_host.replay.recording import RecordingError, RecordingWriter, TruthWriter, truth_path


def recorded(game, path, frames=None):
    """Yield the frames of `game` while they are written to `path` (.matrec or .matrec.gz).

    `frames`: a generator of tuples that begin with t_us and counts; game.frames() unless given.
    The truth is written once, when they are over, when nobody reads on or when the disk is full:
    what was played until then is kept. Raises RecordingError, also if either file exists already.
    """
    truth = truth_path(path)
    for taken in (Path(path), truth):
        if taken.exists():
            raise RecordingError(f"{taken} exists already; choose another name or delete it")
    with RecordingWriter(path, game.mat.id, game.mat.n, game.edition, game.seed) as recording:
        try:
            with closing(game.frames() if frames is None else frames) as played:
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


def _write_truth(path, records):
    with TruthWriter(path) as truth:
        for record in records:
            truth.write(record)
