"""A game on a mat that has seen another: nothing of that is left."""

import re
from array import array

import numpy as np
import pytest

from polarity import mat_data
from polarity.perception.tracker import Tracker
from polarity_host.simulation.twin.nuisances import ALL, condition
from tests.perception.actions import appear, lay


def test_a_game_after_another_is_perceived_as_on_a_new_mat(play):
    def script(stage):
        yield from stage.rest(0.4)
        lain = yield from lay(stage, 1, (20.0, 10.0))
        yield from lay(stage, -1, (70.0, 10.0))
        disc = stage.new_disc(-1)
        yield from stage.carry_in(disc, lain.xy, from_deg=140.0)
        yield from stage.snap_to_hand(disc, lain)
        yield from stage.rest(0.3)  # and there it ends, in mid air

    first = play(script)
    assert first.tracker.scene.flying
    after = play(script, tracker=Tracker(mat_data.load("standard"), False, first.tracker))

    def said(told):
        return [(f.kind, f.t_ms, f.piece, f.others, f.x, f.y, f.confidence) for f in told.facts]

    assert len(said(first)) > 5
    assert said(after) == said(first)


@pytest.mark.parametrize("mat", ["standard", "small"])
@pytest.mark.parametrize("known", [False, True], ids=["first", "next"])
def test_the_mat_must_be_cleared_first(play, mat, known):
    """A disc is seen, and none of what the sensors' own errors look like is taken for one."""
    bare = play(lambda stage: stage.rest(1.0), 3, mat, condition(ALL))
    assert bare.tracker.ready
    tracker = Tracker(mat_data.load(mat), False, bare.tracker if known else None)
    complaints = []

    def script(stage):
        disc = appear(stage, -1, (31.0, 30.0))
        yield from stage.rest(1.0)
        complaints.append(tracker.complaint)
        assert not tracker.ready
        stage.leave(disc)
        yield from stage.rest(1.0)

    told = play(script, 3, mat, condition(ALL), tracker=tracker)
    (x, y) = map(int, re.findall(r"clear the mat: .* (\S+) mm, (\S+) mm", complaints[0])[0])
    assert abs(x - 31) < 22 and abs(y - 30) < 22
    assert tracker.ready and tracker.complaint == "" and told.facts == []


def test_a_mat_that_is_just_being_cleared_is_not_complained_of():
    """`new` is said as the last disc goes: the first frame still shows it."""
    data, rng = mat_data.load("standard"), np.random.default_rng(7)
    tracker = Tracker(data)
    for frame in range(70):
        counts = data.ZERO_COUNT + rng.integers(-12, 13, data.N)
        counts[40:100] += 4000 if frame == 0 else 0
        tracker.step(10 * frame, array("H", counts.tolist()))
        assert tracker.complaint == ""
    assert tracker.ready


def _ready_s(tracker, lies, seconds):
    """After how long a mat of which some sensors say too much is taken for bare; None if never."""
    data, rng = tracker.scene.mat, np.random.default_rng(7)
    bare = np.full(data.N, data.ZERO_COUNT)
    bare[40:56] += 4000 if lies else 0
    for frame in range(seconds * 100):
        counts = bare + rng.integers(-12, 13, data.N)
        assert tracker.step(10 * frame, array("H", counts.tolist())) == []
        if tracker.ready:
            assert tracker.complaint == ""
            return frame / 100
    return None


def test_what_lies_there_for_a_minute_is_a_fault_of_the_sensors():
    """Where nothing is known of the bare mat, and the host may be away: play goes on."""
    assert 50 < _ready_s(Tracker(mat_data.load("small")), True, 90) < 70


def test_a_mat_once_seen_bare_is_known_however_often_a_game_is_begun():
    data = mat_data.load("small")
    tracker = Tracker(data)
    assert _ready_s(tracker, False, 2) is not None
    for _ in range(2):  # `new`, said twice before the mat is cleared
        tracker = Tracker(data, False, tracker)
    assert _ready_s(tracker, True, 90) is None
    assert "clear the mat" in tracker.complaint
