"""The position is told now and then while nothing moves: a few pieces a frame, and never half old
and half new."""

import json
from array import array

import pytest

from polarity import mat_data
from polarity.engine import Engine
from polarity.facts import LATEST_MS, Fact
from polarity.kernels import BROKEN
from polarity.perception.body import Body
from polarity.perception.memory import recall
from polarity.perception.parameters import MOST_PASSED_FRAMES, TOLD_FRAMES
from polarity.perception.tracker import Tracker
from polarity.telemetry import SNAP_EVERY_MS, SNAP_PIECES
from polarity.wire.reading import unframe
from polarity_host.mats.description import load_mat

PIECES = 40


class Table:
    """An engine with PIECES discs on its mat, whose sensors go on showing them."""

    def __init__(self):
        self.engine = engine = Engine(mat_data.load("standard"), "temple", 1)
        mat = load_mat("standard")
        self.counts = array("H", [mat.zero_count] * mat.n)
        kept = []
        for number in range(PIECES):
            x, y = (number % 7 - 3) * 56 * 256, (number // 7 - 3) * 56 * 256
            kept.append((number + 1, 4, x, y, -engine.mat.SENSOR_Z, 0, 0, 4096, 1024, 1, 1536))
        recall(engine.game.tracker, kept, self.counts)
        self.show()  # what the model says the sensors see of them

    def show(self):
        field = self.engine.game.tracker.scene.field
        for i, ut in enumerate(field.base):
            self.counts[i] = (field.offset[i] + ((ut << 14) // field.gain[i])) >> 4

    def frames(self, first_ms, last_ms):
        """The snapshots told in these frames, and of how many pieces each frame asked the place."""
        asked, spot = [], Body.spot_cmm
        self.engine.read(10**6)

        def counted(body, radius):
            asked[-1] += 1
            return spot(body, radius)

        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(Body, "spot_cmm", counted)
            for t_ms in range(first_ms, last_ms, 10):
                asked.append(0)
                self.engine.frame(t_ms, self.counts)
        return self.told(), asked

    def told(self, kind="snap"):
        lines = self.engine.read(10**6).split(b"\n")[:-1]
        messages = [json.loads(unframe(line)) for line in lines]
        return [message for message in messages if message["k"] == kind]


def test_it_is_spread_over_frames_and_says_what_one_asked_for_says():
    table = Table()
    told, asked = table.frames(SNAP_EVERY_MS - 1000, SNAP_EVERY_MS + 1000)
    assert len(told) == 1 and len(told[0]["pieces"]) == PIECES
    assert told[0]["pieces"] == table.engine.game.pieces()
    assert sum(asked) == PIECES and max(asked) == SNAP_PIECES
    table.engine.command(b"snap\n")
    (at_once,) = table.told()
    assert [at_once[key] for key in ("edition", "pieces", "state")] == [
        told[0][key] for key in ("edition", "pieces", "state")
    ]


def test_what_is_told_meanwhile_begins_it_anew():
    table = Table()
    told, _ = table.frames(SNAP_EVERY_MS - 1000, SNAP_EVERY_MS + 50)
    assert told == []  # it has begun
    for number, face, shape in ((1, 0, "red"), (2, 1, "flat")):
        table.engine.game.handle(
            Fact("placed", SNAP_EVERY_MS + 50, number, (), face, 1, shape=shape)
        )
    told, asked = table.frames(SNAP_EVERY_MS + 50, SNAP_EVERY_MS + 1000)
    assert len(told) == 1 and sum(asked) == PIECES
    assert told[0]["n"] == table.engine.outbox.last
    assert told[0]["state"] == table.engine.game.referee.state()
    assert [piece[0] for piece in told[0]["state"]["pieces"]] == [2]


def test_asked_for_again_and_again_it_is_made_at_once_only_now_and_then():
    table = Table()
    table.frames(4000, 4050)
    for _ in range(20):
        table.engine.command(b"snap\n")
    assert len(table.told()) == 1
    told, asked = table.frames(4050, 5000)
    assert len(told) == 1 and max(asked) == SNAP_PIECES
    table.engine.frame(5050, table.counts)
    table.engine.command(b"snap\n")
    assert len(table.told()) == 1


def test_with_it_goes_how_many_frames_were_lost_and_which_sensors_are_left_out():
    table = Table()
    table.engine.frame(10, table.counts, 7)
    table.engine.game.tracker.scene.field.noise[5] = BROKEN
    table.engine.command(b"snap\n")
    (health,) = table.told("health")
    assert (health["lost"], health["masked"], health["why"]) == (7, [5], "")


def test_frames_only_ends_when_another_host_comes_and_tells_how_long_nobody_reads():
    table = Table()
    table.engine.command(b"frames only\n")
    for t_ms in range(0, 9000, 10):
        table.engine.frame(t_ms, table.counts)
        if t_ms < 5000:
            assert table.engine.telemetry.unread_ms(t_ms) == 0 and table.told("frame")
    assert (
        table.engine.telemetry.only_frames and 3900 < table.engine.telemetry.unread_ms(t_ms) < 4100
    )
    table.engine.command(b"hello\n")
    assert not table.engine.telemetry.only_frames


@pytest.mark.parametrize(("hurried", "least", "most"), [(False, 20, 31), (True, 4, 7)])
def test_what_flies_is_told_more_seldom_while_frames_are_lost(hurried, least, most):
    table = Table()
    tracker = table.engine.game.tracker
    tracker.scene.new_body(tracker.scene.bodies[0].pose)
    tracker.step, tracker.scene.hurried = (lambda t_ms, counts, waiting: []), hurried
    table.engine.command(b"flight on\n")
    told = []
    for t_ms in range(0, 1000, 10):
        table.engine.frame(t_ms, table.counts)
        told += table.told("flight")
    assert least <= len(told) <= most


def test_it_waits_while_something_moves():
    table = Table()
    table.frames(SNAP_EVERY_MS - 100, SNAP_EVERY_MS - 10)
    tracker = table.engine.game.tracker
    hand = tracker.scene.new_body(tracker.scene.bodies[0].pose)
    tracker.step = lambda t_ms, counts, waiting: []
    told, _ = table.frames(SNAP_EVERY_MS - 10, 3 * SNAP_EVERY_MS - 10)
    assert told == []
    told, _ = table.frames(3 * SNAP_EVERY_MS - 10, 3 * SNAP_EVERY_MS + 500)
    assert len(told) == 1  # but not for ever
    tracker.scene.drop(hand)


def test_a_result_is_reported_as_final_once_nothing_earlier_can_come():
    table = Table()
    table.frames(0, 200)
    table.engine.command(b"declare w\nsnap\n")
    ended_ms = table.engine.t_ms
    (provisional,) = table.told()
    assert provisional["state"]["outcome"] == ["declared", "w"]
    assert provisional["state"]["final"] == 0
    first_ms = ended_ms + 10
    told, _ = table.frames(first_ms, ended_ms + LATEST_MS + 10)
    assert [snap["state"]["final"] for snap in told if snap["t"] <= ended_ms + LATEST_MS] == []
    told, _ = table.frames(ended_ms + LATEST_MS + 10, ended_ms + LATEST_MS + 1000)
    assert [snap["state"]["final"] for snap in told] == [1]


def test_no_fact_is_dated_further_back_than_a_result_is_provisional():
    """The longest that perception takes until it reports what lies still, at the slowest pace."""
    mat = mat_data.load("standard")
    assert TOLD_FRAMES * MOST_PASSED_FRAMES * 1000 // mat.FRAME_HZ == LATEST_MS
    tracker = Tracker(mat)
    tracker.scene.now_ms = 60_000
    tracker.scene.tell("hand_in", Body(mat.DISC_THICKNESS), 1000)
    assert tracker.scene.facts[0].t_ms == 60_000 - LATEST_MS
