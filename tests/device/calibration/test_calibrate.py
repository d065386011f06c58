"""`polarity calibrate` finds what is true of a virtual mat, and says what it cannot use."""

import json
from dataclasses import replace

import numpy as np
import pytest

from polarity import mat_data
from polarity.calibration import read, write
from polarity.engine import Engine
from polarity_host.device.calibration.measure import corrected, measure
from polarity_host.device.hands_on import calibrated
from polarity_host.errors import BAD_INPUT, DONE, FAILED, HostError
from polarity_host.mats import calibration_file as kept
from polarity_host.mats.description import load_mat
from polarity_host.replay.engine import raw_counts
from polarity_host.replay.recording import RecordingWriter
from polarity_host.simulation.twin.calibration_hand import CalibrationHand
from polarity_host.simulation.twin.condition import MatCondition
from polarity_host.simulation.twin.stage import Stage

MAT = load_mat("small")
SPREAD = 0.05  # the sensor's limits of 15 % as three sigma (hardware/SOURCES.md)
CONDITION = MatCondition(gain_sigma=SPREAD, dead_sensors=1, stuck_sensors=1)


@pytest.fixture(scope="module")
def played():
    """(the hand that calibrated, its frames)"""
    hand = CalibrationHand(MAT, seed=4, condition=CONDITION)
    hand.sensors.gain[[MAT.n // 4, 3 * MAT.n // 4]] = 1.15, 0.85  # as bad as the part may be
    return hand, list(hand.frames())


@pytest.fixture(scope="module")
def measured(played):
    return measure(played[1], MAT, "2026-11-20")


def recorded(path, frames, mat=MAT):
    with RecordingWriter(path, mat.id, mat.n) as recording:
        for t_us, counts in frames:
            recording.write(t_us, counts)
    return path


def test_gains_are_found(played, measured):
    sensors = played[0].sensors
    found = np.array(measured.calibration.gains) / 32768
    sound = found > 0
    true = sensors.gain[sound] / sensors.gain[sound].mean()
    assert np.std(true) > 0.045 and np.abs(true - 1).max() > 0.13
    assert np.std(found[sound] * true) < 0.006


def test_broken_sensors_are_named(played, measured):
    sensors = played[0].sensors
    assert dict(measured.calibration.broken) == {
        int(sensors.dead[0]): "dead", int(sensors.stuck[0]): "stuck",
    }  # fmt: skip
    assert {i for i, gain in enumerate(measured.calibration.gains) if not gain} == {
        *sensors.dead.tolist(), *sensors.stuck.tolist(),
    }  # fmt: skip


def test_the_disc_is_found(played, measured):
    hand = played[0]
    sound = np.array(measured.calibration.gains) > 0
    true = hand.disc.discs[0].polarisation_t / MAT.disc.br_t * hand.sensors.gain[sound].mean()
    assert measured.moment_share == pytest.approx(true, rel=0.01)
    assert measured.fit.diameter_mm == pytest.approx(MAT.disc.diameter_mm, abs=0.15)
    assert measured.fit.thickness_mm == pytest.approx(MAT.disc.thickness_mm, abs=0.15)
    assert len(measured.fit.stack_shares) == 2


def test_codes_are_put_right(played, measured):
    transitions = played[0].sensors.converter.transitions[1000:3000]
    code = np.arange(1001, 3001) - 0.5
    put_right = corrected(code * MAT.oversample, measured.calibration, MAT) / MAT.oversample
    assert np.std(transitions - put_right) < 0.75 * np.std(transitions - code)


def test_the_engine_measures_fields_with_it(played, measured):
    """A disc that lies over the mat: fields as magpylib has them, sensor by sensor."""
    data = write(measured.calibration)
    mat = mat_data.load("small")
    engine = Engine(mat, calibration=read(data, mat.MAT, mat.N))
    plain = Engine(mat)
    engine.command(b"new temple\n")  # another game on the same mat
    stage = Stage(MAT, 77, MatCondition(gain_sigma=SPREAD, moment_sigma=0.0), mat_seed=4)

    def script():
        yield from stage.rest(0.6)
        disc = stage.new_disc(+1)
        yield from stage.carry_in(disc, (8.0, -3.0))
        yield from stage.set_flat(disc, (8.0, -3.0))
        yield from stage.rest(0.3)

    for t_us, counts in stage.stream(script()):
        for one in (engine, plain):
            one.frame(t_us // 1000, raw_counts(counts))
    true_ut = 1000 * stage.instruments.field.frames([()])[0]
    strong = np.abs(true_ut) > 5000
    seen = [
        np.array(one.game.tracker.scene.field.field)[strong] / true_ut[strong]
        for one in (plain, engine)
    ]
    assert np.std(seen[1]) < 0.3 * np.std(seen[0])


def test_a_virtual_mat_is_calibrated_and_keeps_it(polarity, tmp_path):
    out = tmp_path / "mat.matcal"
    url = "sim://calibration?mat=small&seed=4&speed=0&nuisances=unsorted"
    code, told, _ = polarity("calibrate", url, "--out", out)
    assert code == DONE
    assert " of 121 sensors measured" in told and "The mat has stored it" in told
    calibration = kept.load(out, MAT.id, MAT.n)
    assert np.std(calibration.gains) / 32768 == pytest.approx(SPREAD, rel=0.3)


def test_a_recording_is_calibrated_by(polarity, tmp_path, played):
    path = recorded(tmp_path / "one.matrec", played[1])
    code, out, _ = polarity("calibrate", path, "--json")
    report = json.loads(out)
    assert code == DONE and set(report["broken"].values()) == {"dead", "stuck"}
    assert report["residual_mt_after"] < 0.7 * report["residual_mt_before"]


@pytest.mark.parametrize(
    ("choose", "code", "why"),
    [
        (lambda frames: frames[:120], FAILED, "no disc was seen"),
        (lambda frames: frames[:5], BAD_INPUT, "too few frames"),
        (lambda frames: frames[700:], FAILED, "not bare"),
        (lambda frames: frames[:900], FAILED, "sensors saw the disc"),
    ],
    ids=["only the bare mat", "a few frames", "a disc from the first", "hardly drawn"],
)
def test_what_shows_too_little_is_refused(polarity, tmp_path, played, choose, code, why):
    path = recorded(tmp_path / "short.matrec", choose(played[1]))
    exit_code, out, err = polarity("calibrate", path)
    assert (exit_code, out) == (code, "") and why in err and err.count("\n") == 1


def test_bad_input_is_one_line(polarity, tmp_path):
    out = tmp_path / "is.there"
    out.write_text("mine")
    for words, why in (
        (["none.matrec"], "cannot read none.matrec"),
        (["/dev/none"], "there is no port /dev/none"),
        (["sim://calibration?hand=1"], "no option 'hand'"),
        (["none.matrec", "--out", out], "exists already"),
    ):
        code, told, err = polarity("calibrate", *words)
        assert (code, told) == (BAD_INPUT, "") and why in err and err.count("\n") == 1
    assert out.read_text() == "mine"


def test_a_recording_is_judged_with_the_calibration_of_its_mat(polarity, tmp_path, measured):
    stage = Stage(MAT, 78, CONDITION, mat_seed=4)

    def script():
        yield from stage.rest(0.6)
        for xy in ((40.0, 10.0), (-35.0, 30.0), (5.0, -55.0)):
            disc = stage.new_disc(+1)
            yield from stage.carry_in(disc, xy)
            yield from stage.set_flat(disc, xy)
            yield from stage.rest(0.6)

    game = recorded(tmp_path / "game.matrec", stage.stream(script()))
    own, other = tmp_path / "own.matcal", tmp_path / "other.matcal"
    kept.save(own, write(measured.calibration))
    other.write_bytes(own.read_bytes().replace(b'"small"', b'"SMALL"'))
    plain = polarity("replay", game, "--json")
    told = polarity("replay", game, "--json", "--calibration", own)
    assert plain[0] == told[0] == DONE and plain[1] != told[1]
    code, out, err = polarity("replay", game, "--calibration", other)
    assert (code, out) == (BAD_INPUT, "") and "is damaged" in err


def placed(index):
    """As the netlist has it: a tile's sensors are U101 to U116 by its multiplexer's inputs."""
    tile = next(tile for tile in MAT.tiles if index in dict(tile.sensors))
    return f"{tile.name} U{101 + dict(tile.sensors)[index]}"


def test_the_first_hour_names_the_places_of_broken_sensors(played, measured):
    sensors = played[0].sensors
    step = calibrated(measured)
    assert f"{placed(sensors.dead[0])} (dead)" in step.wrong
    assert f"{placed(sensors.stuck[0])} (stuck)" in step.wrong
    assert "the disc is" not in step.wrong and " of 121 sensors" in step.reading


def weakened(played, share):
    """The frames as if the discs had this share of their moment; also one for each sensor."""
    offset = np.mean([counts for _, counts in played[1][:50]], axis=0)
    return [(us, np.rint(offset + share * (raw - offset)).astype("<u2")) for us, raw in played[1]]


def test_the_first_hour_tells_a_bad_joint_a_disc_and_a_gap(played, measured):
    """A sensor with a gain of 0.7; a disc of another strength; an edge that is left out."""
    bad = int(np.argmin(np.hypot(*(MAT.sensor_xyz_mm[:, :2] - (20, 20)).T)))
    share = np.ones(MAT.n)
    share[bad] = 0.7 / played[0].sensors.gain[bad]
    found = measure(weakened(played, share), MAT, "2026-11-20")
    step = calibrated(found)
    assert placed(bad) in step.wrong and placed(bad) not in calibrated(measured).wrong
    assert "the disc is" not in step.wrong
    strength = found.fit.strength_t
    for times, told in ((0.3, "too weak"), (1.5, "too strong")):
        other = replace(found, fit=replace(found.fit, strength_t=times * strength))
        assert told in calibrated(other).wrong
    gain = np.where(MAT.sensor_xyz_mm[:, 0] > 90, np.nan, found.fit.gain)
    step = calibrated(replace(found, fit=replace(found.fit, gain=gain)))
    edge = int(np.argmax(MAT.sensor_xyz_mm[:, 0]))
    assert placed(edge) in step.wrong.partition("saw too little")[0]


def test_a_disc_that_is_too_weak_for_the_sensors_is_one_line(played):
    with pytest.raises(HostError, match="too weak"):
        measure(weakened(played, 0.25), MAT, "2026-11-20")
