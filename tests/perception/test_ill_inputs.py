"""Inputs that show what no discs explain, or nothing new, are reported; what would cost somebody
anything is then asked. Games of a sound mat are judged as ever."""

from array import array

import numpy as np
import pytest

from polarity.facts import SUSPECT
from polarity.input_watch import InputWatch
from polarity.mat_data import load
from polarity.perception import pose
from polarity.perception.tracker import Tracker
from polarity_bench.faults import ailments, sick
from polarity_host.mats.description import load_mat
from polarity_host.replay.engine import build_engine, sent_messages

FROM_MS = 25_000
HAND_IN_MS = 33_810  # of the game: a hand comes in, the first after 26.5 s
COSTLY = {"fault", "capture_failed", "irregular", "end"}


@pytest.fixture(scope="module")
def game():
    return sick.played(4, 4)


def reported(game, ailment, seed=1):
    """(complaints, whys of rulings that cost something once it had complained, conf of facts)."""
    mat = load_mat(sick.MAT)
    at = int(np.searchsorted(game.times_ms, FROM_MS))
    draw = np.random.default_rng(seed)
    frames = np.clip(ailment(game.counts[at:].astype(np.int64), mat, draw), 0, 2**mat.bits - 1)
    engine = build_engine(sick.MAT, sick.EDITION, 1)
    complaints, costly, confidences, asked = [], [], [], 0
    for number, t_ms in enumerate(game.times_ms):
        counts = game.counts[number] if number < at else frames[number - at]
        engine.frame(t_ms, array("H", counts.astype("<u2").tobytes()))
        for message in sent_messages(engine):
            body = message.body
            if message.kind == "health" and body.why:
                complaints.append(body.why)
            if message.kind == "ruling" and complaints:
                costly += [body.why] if body.code in COSTLY else []
                asked += body.code == "unsure"
            if message.kind == "fact" and complaints:
                confidences.append(body.confidence)
    return complaints, costly, confidences, asked


@pytest.mark.parametrize(
    "ailment, why",
    [
        (ailments.swapped_inputs, "unexplained"),
        (ailments.doubled_gain, "unexplained"),
        (ailments.stuck_line, "unexplained"),
        (ailments.frozen_input, "frozen_input"),
        (ailments.noisy_input, "noise_in_play"),
    ],
)
def test_an_ill_input_is_told_and_nothing_is_ruled_from_it(game, ailment, why):
    complaints, costly, confidences, asked = reported(game, ailment)
    assert why in complaints
    assert costly == [] and max(confidences, default=0) <= SUSPECT


def test_what_it_would_have_ruled_is_asked(game):
    *_, asked = reported(game, ailments.swapped_inputs)
    assert asked


def test_whose_fault_it_is_is_asked_until_a_hand_comes_in_that_sound_sensors_report(game):
    """They are sound again, but who reached in meanwhile was not observed."""
    engine, ruled = build_engine(sick.MAT, sick.EDITION, 1), []
    for t_ms, counts in zip(game.times_ms, game.counts, strict=True):
        if t_ms == 27_000:  # white's hand is in, and is about to push two discs together
            engine.game.doubt_turn()
        engine.frame(t_ms, array("H", counts.astype("<u2").tobytes()))
        ruled += [(t_ms, m.body) for m in sent_messages(engine) if m.kind == "ruling"]
    before = [(body.code, body.why) for t_ms, body in ruled if 27_000 < t_ms < HAND_IN_MS]
    after = [body.code for t_ms, body in ruled if t_ms >= HAND_IN_MS]
    assert before[0] == ("unsure", "contact")
    assert not COSTLY & {code for code, _ in before}
    assert after == ["leaner_placed", "turn", "leaner_placed"]


def test_a_sound_mat_is_believed(game):
    engine = build_engine(sick.MAT, sick.EDITION, 1)
    sure = []
    for t_ms, counts in zip(game.times_ms, game.counts, strict=True):
        engine.frame(t_ms, array("H", counts.astype("<u2").tobytes()))
        assert engine.health.complaint == ""
        sure += [m.body.confidence for m in sent_messages(engine) if m.kind == "fact"]
    assert min(sure) > SUSPECT


def test_an_input_that_was_strange_for_a_moment_is_believed_again():
    mat = load("standard")
    tracker, watch, counts = Tracker(mat), InputWatch(mat), array("H", [mat.ZERO_COUNT] * mat.N)
    field = tracker.scene.field
    for entry in mat.SCAN_ORDER:
        field.resid[entry & 0x3FFF] = 5000 if entry >> 14 == 0 else 0

    def look():
        watch.sample(field, counts)
        watch.judge(tracker)
        return watch.doubts(tracker)

    assert look()
    field.resid[:] = array("i", [0] * mat.N)
    assert look()  # a second later it may still be ill
    assert not [look() for _ in range(12)][-1]


@pytest.mark.parametrize("jolted, odd, ill", [(True, 5, False), (True, 10, True), (False, 5, True)])
def test_a_jolt_brings_more_than_a_sixth_of_an_input(jolted, odd, ill):
    mat = load("standard")
    tracker, watch, counts = Tracker(mat), InputWatch(mat), array("H", [mat.ZERO_COUNT] * mat.N)
    looked_at = [i & 0x3FFF for i in mat.SCAN_ORDER[::4] if i >> 14 == 0]
    for sensor in looked_at[:odd]:
        tracker.scene.field.resid[sensor] = 900
    assert 6 * 5 > len(looked_at) > 3 * 5
    if jolted:
        tracker.slip.begin()
    watch.sample(tracker.scene.field, counts)
    assert watch.doubts(tracker) is ill


def test_an_input_that_is_torn_for_one_frame_is_told():
    mat = load("standard")
    tracker, watch, counts = Tracker(mat), InputWatch(mat), array("H", [mat.ZERO_COUNT] * mat.N)
    field = tracker.scene.field
    for entry in mat.SCAN_ORDER:
        field.resid[entry & 0x3FFF] = 5000 if entry >> 14 == 0 else 0
    watch.sample(field, counts)
    assert watch.doubts(tracker)
    field.resid[:] = array("i", [0] * mat.N)
    watch.sample(field, counts)
    watch.judge(tracker)
    assert watch.complaint == "unexplained"


def test_an_input_whose_level_steps_by_little_is_told():
    mat = load("standard")
    tracker, watch, counts = Tracker(mat), InputWatch(mat), array("H", [mat.ZERO_COUNT] * mat.N)
    field = tracker.scene.field
    watch.sample(field, counts, far_step=20)
    for k, entry in enumerate(mat.SCAN_ORDER):
        if entry >> 14 == 1:
            counts[entry & 0x3FFF] += 60  # 0.4 mT, of which noise and bias hide a part
            field.resid[entry & 0x3FFF] = 403 if k % 8 == 0 else 300
    watch.sample(field, counts, far_step=20)
    watch.judge(tracker)
    assert watch.complaint == "unexplained"


@pytest.mark.parametrize("flies", (False, True))
def test_what_flies_and_is_not_understood_is_no_ill_input(flies):
    """All sensors within 80 mm are odd: so they are where discs are thrown together."""
    mat = load("standard")
    tracker, watch, counts = Tracker(mat), InputWatch(mat), array("H", [mat.ZERO_COUNT] * mat.N)
    if flies:
        body = tracker.scene.new_body(pose.new_pose(mat.DISC_THICKNESS, 1))
        body.pose[0], body.pose[1] = -66 * 256, 20 * 256
    for i in range(mat.N):
        away_mm = np.hypot(mat.SENSOR_X[i] / 256 + 66, mat.SENSOR_Y[i] / 256 - 20)
        tracker.scene.field.resid[i] = 5000 if away_mm < 80 else 0
    watch.sample(tracker.scene.field, counts)
    assert watch.doubts(tracker) is not flies


@pytest.mark.parametrize(("ms", "ill"), [(10, True), (600, False)])
def test_pieces_that_were_not_followed_are_no_ill_input(ms, ill):
    """As many sensors are odd where pieces have moved since the last frame that was seen."""
    mat = load("standard")
    tracker, watch, counts = Tracker(mat), InputWatch(mat), array("H", [mat.ZERO_COUNT] * mat.N)
    tracker.scene.begin(1000, -1)
    for _ in range(100):
        tracker.scene.begin(tracker.scene.now_ms + 10, -1)
    tracker.scene.begin(tracker.scene.now_ms + ms, -1)
    for i in range(mat.N):
        away_mm = np.hypot(mat.SENSOR_X[i] / 256 + 66, mat.SENSOR_Y[i] / 256 - 20)
        tracker.scene.field.resid[i] = 5000 if away_mm < 80 else 0
    watch.sample(tracker.scene.field, counts)
    assert watch.doubts(tracker) is ill


@pytest.mark.parametrize("tiles", [(5, 6), (6, 10)])
def test_two_silent_tiles_of_a_small_mat_are_left_out(tiles):
    """They are a quarter of its sensors and more."""
    laid = sick.laid_out(10)
    own = np.isin(laid.mat.address >> 4, tiles)
    assert own.sum() * 4 > laid.mat.n
    at = int(np.searchsorted(laid.times_ms, 30_000))
    frames = np.where(own, laid.counts[at], laid.counts[at:]).astype(np.uint16)
    assert sick.judged(laid, at, frames).masked == set(np.flatnonzero(own).tolist())


def test_what_a_silent_tile_leaves_behind_is_not_believed_at_once():
    laid = sick.laid_out(10)
    own = laid.mat.address >> 4 == 5
    at = int(np.searchsorted(laid.times_ms, 30_000))
    frames = np.where(own, laid.counts[at], laid.counts).astype("<u2")
    engine, found_ms, doubted = build_engine("small", sick.SMALL_EDITION, 1), 0, {}
    for number, t_ms in enumerate(laid.times_ms):
        counts = array("H", (laid.counts if number < at else frames)[number].tobytes())
        engine.frame(t_ms, counts)
        if not found_ms and engine.game.tracker.scene.field.noise.count(255):
            found_ms = t_ms
        if found_ms:
            doubted[t_ms - found_ms] = engine.health.doubts(counts)
    assert all(doubts for ms, doubts in doubted.items() if ms < 3000)
    assert not any(doubts for ms, doubts in doubted.items() if ms > 6000)
    assert engine.health.complaint == ""


@pytest.mark.parametrize("moves", (False, True))
def test_what_is_odd_for_long_though_nothing_moves_is_an_ill_input_where_something_flies_too(moves):
    """An address line that no longer switches shows discs where none are: they seem to fly."""
    mat = load("small")
    tracker, watch, counts = Tracker(mat), InputWatch(mat), array("H", [mat.ZERO_COUNT] * mat.N)
    tracker.scene.new_body(pose.new_pose(mat.DISC_THICKNESS, 1))
    for i in range(mat.N):
        near = np.hypot(mat.SENSOR_X[i], mat.SENSOR_Y[i]) < 90 * 256
        tracker.scene.field.resid[i] = 900 if near and i % 5 < 2 else 0
    told = []
    for second in range(20):
        for i in range(mat.N if moves else 0):
            counts[i] = mat.ZERO_COUNT + (100 * (second % 2) if i % 2 else 0)
        watch.sample(tracker.scene.field, counts, far_step=20)
        watch.judge(tracker)
        told.append(watch.complaint)
    assert told[4] == ""
    assert told[-1] == ("" if moves else "unexplained")


def test_a_tower_that_is_carried_is_no_noise_of_a_small_mats_single_input():
    mat = load("small")
    tracker, watch, counts = Tracker(mat), InputWatch(mat), array("H", [mat.ZERO_COUNT] * mat.N)
    for second in range(20):
        for i in range(0, mat.N, 2):
            counts[i] = mat.ZERO_COUNT + 400 * (second % 2)
        for i in range(1, mat.N, 5):
            counts[i] = mat.ZERO_COUNT + 400 * (second % 2)
        watch.sample(tracker.scene.field, counts, far_step=20)
        watch.judge(tracker)
        assert watch.complaint == ""


def test_an_input_that_freezes_but_for_some_noisy_sensors_is_told(game):
    def but_for_some(frames, mat, draw):
        still = ailments.frozen_input(frames, mat, draw)
        own = np.flatnonzero((still != frames).any(axis=0))[::20]
        still[:, own] = frames[:, own]
        return still

    complaints, costly, *_ = reported(game, but_for_some)
    assert "frozen_input" in complaints
    assert costly == []
