"""How much is guessed and fitted while hands are over the mat: both take the chip milliseconds."""

import numpy as np
import pytest

from polarity.perception.memory import recall
from polarity_bench import chip_engine, chip_loop
from polarity_host.mats.description import load_mat
from polarity_host.replay.engine import build_engine, raw_counts


def test_what_cannot_be_is_not_guessed_while_five_hands_come_in():
    """A disc that lies amid the sensors is seen by those below it: nothing is refined that they do
    not see, nowhere twice, and no tower is made higher once that explains less."""
    mat = load_mat("standard")
    chapters, pieces = chip_engine.scene(mat, chip_engine.FIVE)
    engine = build_engine(mat.id, mat.edition, 1)
    tracker, t_ms, flying = engine.game.tracker, 0, []
    for name, frames in chapters.items():
        counts = np.frombuffer(frames, "<u2").reshape(-1, len(mat.sensor_xyz_mm))
        if name == "lying":
            recall(tracker, pieces, raw_counts(counts[0]))
        for frame in counts:
            t_ms += 10
            engine.frame(t_ms, raw_counts(frame))
            flying.append(len(tracker.scene.flying))
            while engine.read(4096):
                pass
    assert max(flying) >= 5
    assert tracker.scene.search.guesses <= 45 and tracker.scene.search.searches <= 20


@pytest.mark.parametrize("number", [1, 4, 7])
def test_while_frames_come_a_snap_is_fitted_no_longer_than_it_gains(number):
    """A disc snaps to a hand, among forty: the next frame goes on with what gains little, and what
    one stack leaves over by far is not tried from elsewhere. It is told two frames later at most.
    """
    mat = load_mat("standard")
    chapters, pieces, _ = chip_loop.scene(mat)
    hand, snapped_at = chip_loop.fault_frames(mat, number)
    engine, bare = build_engine(mat.id, mat.edition, 1), chapters["bare"]
    tracker, work_us = engine.game.tracker, 0
    for at, (_, counts) in enumerate(bare + hand, -len(bare)):
        if at == 0:
            recall(tracker, pieces, raw_counts(counts))
        engine.frame(10 * (len(bare) + at), raw_counts(counts), waiting=0)
        if at >= snapped_at - 5:
            work_us += tracker.scene.solver.work_us
        if b'"snapped"' in engine.read(4096):
            break
    assert at <= snapped_at + 2
    assert work_us < 34_000
