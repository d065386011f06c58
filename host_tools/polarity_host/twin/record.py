"""Writes what a stage plays as a recording with the truth beside it."""

from ..recording import RecordingWriter, TruthWriter, truth_path


def record(stage, script, path, edition="", seed=None, progress=None):
    """Play `script` to its end into `path` (.matrec or .matrec.gz) and its truth file.

    `progress(t_us)` is called once a frame. Returns the number of frames. Raises RecordingError.
    """
    mat = stage.mat
    with RecordingWriter(path, mat.id, mat.n, edition, seed) as frames:
        for t_us, counts in stage.stream(script):
            frames.write(t_us, counts)
            if progress:
                progress(t_us)
    with TruthWriter(truth_path(path)) as truth:
        for fact in stage.truth.facts:
            truth.write(fact.to_json())
    return frames.frames
