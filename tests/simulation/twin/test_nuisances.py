"""What disturbs the mat, each against a formula or a figure from outside."""

from dataclasses import replace

import magpylib
import numpy as np
import pytest

from polarity_host.mats.description import load_mat
from polarity_host.simulation.twin.condition import CLEAN, MatCondition
from polarity_host.simulation.twin.nuisances import ALL, NAMES, NUISANCES, condition
from polarity_host.simulation.twin.sensors import SensorArray
from polarity_host.simulation.twin.stage import Stage
from polarity_host.simulation.twin.surroundings import Surroundings, Turn, dipole_bz_mt
from polarity_host.simulation.twin.whole_games import random_game
from polarity_host.simulation.twin.wristwatch import watch_bz_mt
from tests.simulation.twin.test_stage import lay, rim_points


@pytest.fixture(scope="module")
def mat():
    return load_mat("standard")


def bz_of(stage, frames):
    """The exact field, before any sensor, of so many frames of nothing done. (frames, n) mT"""
    seen = []
    stage.instruments.sensors.counts = lambda t_us, bz: seen.append(bz) or np.zeros((len(t_us), 1))
    list(stage.stream(stage.rest(frames / 100)))
    return np.vstack(seen)


def test_all_holds_every_single_one():
    everything = vars(condition(ALL))
    for name, fields in NUISANCES.items():
        assert fields.items() <= everything.items(), name
        assert vars(condition(name)) == {**vars(CLEAN), **fields}
    assert condition("none") == CLEAN and condition("usual") == MatCondition()
    others = ("usual", "unsorted", "oversample", "none", "all")
    assert len(set(NAMES)) == len(NUISANCES) + len(others)


def test_ten_degrees_take_0_8_per_cent_of_a_disc(mat):
    """Ferrite loses 0.2 %/degC, the DRV5055A gains 0.12 %/degC to make up for it (SBAS640 7.5)."""
    warm = replace(condition("warming"), noise_mt=0.0, gain_sigma_per_c=0, offset_sigma_mv_per_c=0)
    sensors = SensorArray(mat, 3, warm)
    cold, hot = (sensors.counts([t], np.full((1, mat.n), 40.0))[0] for t in (0, 3_600_000_000))
    lost_mt = (cold.astype(float) - hot).mean() / mat.counts_per_mt
    assert lost_mt == pytest.approx(40.0 * 0.008, abs=0.06)  # the ADC's bow between the two


def test_discs_differ_by_three_per_cent(mat):
    stage = Stage(mat, 5, condition("moments"))
    br = [stage.new_disc(1).discs[0].polarisation_t for _ in range(400)]
    assert np.mean(br) == pytest.approx(0.38, rel=0.01)
    assert np.std(br) == pytest.approx(0.03 * 0.38, rel=0.15)


def test_a_slope_turned_round_sees_the_horizontal_field_from_the_other_side(mat):
    """20 uT along a slope of 10 degrees up and down: 2 x 20 uT x sin 10 = 6.9 uT."""
    around = Surroundings(mat, condition("earth"), 4)
    around._turns = [Turn(from_s=2.0, seconds=4.0, deg=180.0)]
    bz = around.bz_mt([0, 4_000_000, 9_000_000])
    assert np.ptp(bz, axis=1).max() == 0.0  # the same at every sensor
    assert bz[:, 0] == pytest.approx([-0.044, -0.044 - 0.00347, -0.044 - 0.00695], abs=1e-5)


def test_turns_come_now_slowly_now_at_once(mat):
    around = Surroundings(mat, condition("earth"), 4)
    told = [fields for _, _, fields in around.happened(-1, 600_000_000)]
    assert 5 < len(told) < 25 and {f["seconds"] > 0 for f in told} == {True, False}


def test_a_dipole_is_the_textbook_one():
    """On its axis mu0 2m / 4 pi r^3, beside it -mu0 m / 4 pi r^3."""
    points = np.array([[0.0, 0.0, -20.0], [200.0, 0.0, 0.0]])
    found = dipole_bz_mt((0, 0, 0), (0, 0, 0.05), points)
    assert found == pytest.approx([1000 * 2e-7 * 0.05 / 0.02**3, -1000 * 1e-7 * 0.05 / 0.2**3])


def test_a_phone_lies_150_mm_from_the_circle_for_a_while(mat):
    phone = condition("phone")
    around = Surroundings(mat, phone, 8)
    (came_us, came, where), (gone_us, gone, _) = around.happened(0, 600_000_000)[:2]
    assert (came, gone) == ("phone_comes", "phone_gone") and came_us > 1_500_000
    assert np.hypot(where["x_mm"], where["y_mm"]) == pytest.approx(225 + 150, abs=0.1)
    middle_us = (came_us + gone_us) // 2
    away, here = around.bz_mt([came_us - 10_000, middle_us]) - phone.earth_bz_mt
    assert np.abs(away).max() == 0.0
    nearest_m = np.hypot(*(mat.sensor_xyz_mm[:, :2] - (where["x_mm"], where["y_mm"])).T).min() / 1e3
    most_mt = 1000 * 2e-7 * phone.phone_moment_am2 / nearest_m**3  # of any dipole at that distance
    assert 0.2 * most_mt < np.abs(here).max() < most_mt * 1.02
    assert 0.01 < np.abs(here).max() < 0.05


def test_a_watch_over_a_disc_is_an_iron_sphere_in_its_field():
    """On the axis: B of a cylinder at 80 mm, m = 4 pi a^3 B / mu0, and its field 85 mm below."""
    z, radius = 0.08, 0.017
    b_t = (
        0.38
        / 2
        * ((z + 0.003) / np.hypot(z + 0.003, radius) - (z - 0.003) / np.hypot(z - 0.003, radius))
    )
    moment = b_t * 0.012**3 * 1e7
    expected_mt = 1000 * 2e-7 * moment / 0.085**3
    disc = 0.38 / (4e-7 * np.pi) * np.pi * 0.017**2 * 0.006
    found = watch_bz_mt(
        12.0, [np.array([0, 0, 80.0])], np.array([[0, 0, disc]]), np.zeros((1, 3)),
        np.array([[0, 0, -5.0]]),
    )  # fmt: skip
    assert found[0] == pytest.approx(expected_mt, rel=0.08)  # discs are dipoles to the watch


def test_a_wrist_follows_the_hand_and_goes_when_it_is_empty(mat):
    stage = Stage(mat, 6, condition("watch"))
    disc = stage.new_disc(1)
    wrists = []
    step = stage.instruments.wrists.step
    stage.instruments.wrists.step = lambda *args: wrists.append(step(*args)) or wrists[-1]

    def script():
        yield from stage.carry_in(disc, (0, 0))
        yield from stage.set_flat(disc, (0, 0))
        yield from stage.rest(2.0)

    list(stage.stream(script()))
    (over,) = wrists[-200 - 5]
    assert np.hypot(*over[:2]) == pytest.approx(130, abs=3) and over[1] < -100 and over[2] >= 40
    assert wrists[-1] == []


def test_a_reserve_stands_60_mm_off_and_shrinks(mat):
    """26 discs stuck together are one tall magnet; one of them in play makes it shorter."""
    stage = Stage(mat, 14, condition("reserve"))
    before = bz_of(stage, 1)[0]
    disc = stage.new_disc(1)

    def script():
        yield from stage.carry_in(disc, (0, 0))
        stage.pieces.remove(disc)
        stage._gone += disc.discs
        yield

    seen = []
    stage.instruments.sensors.counts = lambda t_us, bz: seen.append(bz) or np.zeros((len(t_us), 1))
    list(stage.stream(script()))
    for field, whites in ((before, 26), (seen[-1][-1], 25)):
        expected_mt = 0.0
        for count, azimuth, sign in ((whites, -50.0, 1), (26, 130.0, -1)):
            tall = magpylib.magnet.Cylinder(
                polarization=(0, 0, sign * 0.38), dimension=(0.034, 0.006 * count)
            )
            r, a = 0.225 + 0.060 + 0.017, np.radians(azimuth)
            tall.position = (r * np.cos(a), r * np.sin(a), 0.003 * count)
            expected_mt = expected_mt + 1000 * tall.getB(mat.sensor_xyz_mm / 1000)[:, 2]
        assert field == pytest.approx(expected_mt, abs=1e-6)
        assert np.abs(field).max() > 0.4
    assert stage.resting() == []


def test_what_is_carried_out_goes_back_on_a_stack(mat):
    stage = Stage(mat, 15, condition("reserve"))
    disc = stage.new_disc(-1)

    def script():
        yield from stage.carry_in(disc, (0, 40))
        yield from stage.turn_over(disc)
        yield from stage.carry_out(disc, 90.0)

    list(stage.stream(script()))
    assert [len(stack.discs) for stack in stage.reserves.stacks.values()] == [26, 26]
    assert [n["discs"] for n in stage.truth.nuisances if n["n"] == "reserve"] == [25, 26]
    assert {p.outside for p in stage.pieces} == {True}


def test_creases_tilt_flat_discs_and_their_low_rim_stays_on_the_mat(mat):
    stage = Stage(mat, 9, condition("creases"))
    discs = [stage.new_disc(1) for _ in range(12)]

    def script():
        for i, disc in enumerate(discs):
            disc.move_to((60.0 * (i % 4), 60.0 * (i // 4), 30.0))
            stage.enter(disc)
            yield from stage.set_flat(disc, disc.xy)

    list(stage.stream(script()))
    tilts = [disc.tilt_deg for disc in discs]
    assert max(tilts) <= 2.0 and np.mean(tilts) == pytest.approx(1.0, abs=0.5)
    lowest = [rim_points(d.discs[0], d.centre, d.axis)[:, 2].min() for d in discs]
    assert lowest == pytest.approx([0.0] * len(discs), abs=0.01)


def test_a_noisy_input_has_two_lsb_more(mat):
    """One LSB of 3.3 V / 4096 at 15 mV/mT is 0.054 mT; 0.03 mT are the Hall sensor's own."""
    sensors = SensorArray(mat, 3, condition("noisy-adc"))
    counts = sensors.counts(10_000 * np.arange(400), np.full((400, mat.n), 5.0)).astype(float)
    noise_mt = counts.std(axis=0) / mat.counts_per_mt
    lsb_mt = 3300 / 4096 / 15
    own = np.hypot(0.030, 0.97 * lsb_mt / np.sqrt(8))
    assert np.median(noise_mt[mat.adc == 0]) == pytest.approx(own, rel=0.1)
    noisy = np.median(noise_mt[mat.adc == 1])
    assert noisy == pytest.approx(np.hypot(own, 2 * lsb_mt), rel=0.1)


def test_a_jolt_shakes_all_discs_alike_and_leaves_them_shifted_alike(mat):
    often = replace(CLEAN, jolts_per_minute=20.0)
    stage = Stage(mat, 12, often)
    lay(stage, 1, (0.0, 0.0)), lay(stage, -1, (34.0, 0.0)), lay(stage, 1, (0.0, 90.0))
    frames = list(stage.stream_scenes(stage.rest(12.0)))
    jolts = [fact.t_us for fact in stage.truth.facts if fact.kind == "jolt"]
    assert jolts and 1_500_000 < jolts[0] < 11_000_000
    x = np.array([[piece.x_mm for piece in scene] for _, _, scene in frames])
    y = np.array([[piece.y_mm for piece in scene] for _, _, scene in frames])
    assert x[:, 1] - x[:, 0] == pytest.approx(34.0) and y[:, 1] == pytest.approx(y[:, 0])
    times = np.array([t_us for t_us, _, _ in frames])
    away = np.hypot(x[:, 0], y[:, 0])
    assert away[times <= jolts[0]].max() == 0.0
    during = away[(times > jolts[0]) & (times < jolts[0] + 400_000)]
    assert 0.1 < during.max() <= 0.8
    assert 0.0 < away[-1] <= 0.3 * len(jolts)


def test_a_jolt_that_shakes_two_pieces_shows_nobody_that_it_was_one(mat):
    """Reserves beside the mat shake too, and do not count."""
    stage = Stage(mat, 12, replace(CLEAN, jolts_per_minute=20.0, reserve_gap_mm=60.0))
    lay(stage, 1, (0.0, 0.0)), lay(stage, -1, (34.0, 0.0))
    list(stage.stream(stage.rest(12.0)))
    assert stage.truth.facts == []


def test_a_leaner_rocks_on_its_rim(mat):
    stage = Stage(mat, 12, replace(CLEAN, jolts_per_minute=20.0))
    disc = lay(stage, 1, (0.0, 0.0))
    disc.set_leaning(True)
    disc.move_to(axis=(np.sin(0.7), 0.0, np.cos(0.7)))
    disc.move_to((0, 0, disc.centre[2] - disc.lowest_mm(disc.centre, disc.axis)))
    poses = []

    def script():
        for _ in range(1200):
            yield
            poses.append(stage._pose(disc, stage.t_us - stage.frame_us))

    list(stage.stream(script()))
    tilts = [np.degrees(np.arccos(axis[2])) for _, axis in poses]
    assert 0.2 < np.ptp(tilts) < 3.0
    assert [disc.lowest_mm(*pose) for pose in poses] == pytest.approx([0.0] * 1200, abs=1e-9)


def test_truth_tells_what_the_twin_did(mat):
    game = random_game(3, 2, mat, replace(condition(ALL), jolts_per_minute=6.0))
    frames = list(game.frames())
    told = [r for r in game.truth if r["k"] == "nuisance"]
    assert [r["t_us"] for r in game.truth] == sorted(r["t_us"] for r in game.truth)
    (about,) = [r for r in told if r["n"] == "condition"]
    assert len(about["dead"]) == 4 and len(about["stuck"]) == 2
    counts = np.array([c for _, c in frames])
    assert set(np.flatnonzero((counts == 0).all(axis=0))) == set(about["dead"])
    missing = set(range(0, frames[-1][0], 10_000)) - {t for t, _ in frames}
    assert {r["t_us"] for r in told if r["n"] == "frame_dropped"} == missing
    assert [r for r in game.truth if r.get("f") == "jolt"]
    reserve = [r for r in told if r["n"] == "reserve" and r["side"] == "w"]
    assert reserve[-1]["discs"] <= 21


def test_a_sound_game_tells_no_nuisances(mat):
    game = random_game(3, 1, mat)
    assert not [r for r in game.without_counts() if r["k"] == "nuisance"]
