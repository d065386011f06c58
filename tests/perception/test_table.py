"""What the table does: it is knocked against, and it is not flat."""

import math
from dataclasses import replace

import numpy as np
import pytest

from polarity import mat_data
from polarity.kernels import X, Y
from polarity.perception.tracker import Tracker
from polarity_host.simulation.twin.condition import MatCondition
from polarity_host.simulation.twin.nuisances import ALL, condition
from tests.perception.actions import lay, lean
from tests.perception.conftest import away_mm

SPOTS = ((-120.0, -90.0), (100.0, -110.0), (-60.0, 120.0), (130.0, 90.0), (0.0, -20.0))


def test_a_jolt_is_told_once_and_nothing_else(play):
    def script(stage):
        yield from stage.rest(0.5)
        for k, xy in enumerate(SPOTS):
            yield from lay(stage, 1 if k % 2 else -1, xy)
        yield from stage.rest(30.0)

    told = play(script, seed=2, condition=MatCondition(jolts_per_minute=6.0, jolt_shake_mm=1.0))
    laid_ms = max(f.t_ms for f in told.facts if f.kind == "placed")
    jolts = [f.t_us for f in told.truth if f.kind == "jolt" and f.t_us > laid_ms * 1000]
    later = [f for f in told.facts if f.t_ms > laid_ms]
    assert jolts and [f.kind for f in later] == ["jolt"] * len(jolts)
    for fact, t_us in zip(later, jolts, strict=True):
        assert 0 <= fact.t_ms - t_us / 1000 < 120


@pytest.mark.parametrize("seed", (1, 2, 3, 4))
def test_jolts_that_follow_each_other_leave_all_where_it_lies(play, seed):
    """One comes while the slip of another is being measured; leaners rock as well."""

    def script(stage):
        yield from stage.rest(0.5)
        for k, xy in enumerate(SPOTS):
            yield from lay(stage, 1 if k % 2 else -1, xy)
        yield from lean(stage, 1, (40.0, 60.0), 30.0, 40.0)
        yield from stage.rest(20.0)

    often = replace(condition(ALL), jolts_per_minute=30.0, reserve_gap_mm=0.0, phone_gap_mm=0.0)
    told = play(script, seed, condition=often)
    laid_ms = max(f.t_ms for f in told.facts if f.kind == "placed")
    assert {f.kind for f in told.facts if f.t_ms > laid_ms} == {"jolt"}
    jolts = [[f for f in facts if f.kind == "jolt"] for facts in (told.facts, told.truth)]
    assert len(jolts[0]) >= 0.6 * len(jolts[1])
    slip = told.stage.instruments.jolts.at(told.stage.t_us).slip_mm[:2]
    lie = [piece.centre[:2] + slip for piece in told.stage.pieces]
    off = [
        min(math.dist(xy, (body.pose[X] / 256, body.pose[Y] / 256)) for xy in lie)
        for body in told.tracker.scene.bodies
    ]
    assert max(off) < 0.9 and sum(off) / len(off) < 0.4


@pytest.mark.parametrize("seed", [1, 3, 6])
def test_a_weak_jolt_under_few_pieces_is_told(play, seed):
    def script(stage):
        yield from stage.rest(0.5)
        for k, spot in enumerate(SPOTS[:4]):
            yield from lay(stage, 1 if k & 1 else -1, spot)
        jolt_us = stage.instruments.jolts.times_us(stage.t_us, 400_000_000)[0]
        yield from stage.rest((jolt_us - stage.t_us) / 1e6 + 1.0)

    weak = replace(condition(ALL), jolts_per_minute=3.0, jolt_shake_mm=0.35)
    told = play(script, seed, condition=weak)
    jolts_ms = [f.t_us / 1000 for f in told.truth if f.kind == "jolt"]
    assert jolts_ms
    assert [f.t_ms for f in told.facts if f.kind == "jolt"] == pytest.approx(jolts_ms, abs=150)


@pytest.mark.parametrize("seed", (6, 7))
def test_a_jolt_is_told_whichever_piece_lies_in_the_middle(play, seed):
    def script(stage):
        yield from stage.rest(0.4)
        yield from lay(stage, 1, (0.0, 0.0))
        for degrees in range(0, 360, 60):
            angle = math.radians(degrees)
            yield from lay(stage, -1, (130 * math.cos(angle), 130 * math.sin(angle)))
        jolt_us = stage.instruments.jolts.times_us(stage.t_us + 2_000_000, 400_000_000)[0]
        yield from stage.rest((jolt_us - stage.t_us) / 1e6 + 1.0)

    jolts = replace(condition(ALL), jolts_per_minute=2.0, jolt_shake_mm=0.35)
    told = play(script, seed=seed, condition=jolts)
    jolts_ms = [f.t_us / 1000 for f in told.truth if f.kind == "jolt"]
    assert jolts_ms
    assert [f.t_ms for f in told.facts if f.kind == "jolt"] == pytest.approx(jolts_ms, abs=150)


def test_what_slips_in_a_jolt_is_found_where_it_then_lies(play):
    """Too little to be told, but not to be known."""

    def script(stage):
        yield from stage.rest(0.5)
        for xy in SPOTS[:3]:
            yield from lay(stage, 1, xy, seconds=0.1)
        yield from stage.rest(25.0)

    slips = MatCondition(jolts_per_minute=6.0, jolt_slip_mm=1.0, gain_sigma=0.0)
    told = play(script, seed=9, condition=slips)
    jolts, placed = told.stage.instruments.jolts, [f for f in told.facts if f.kind == "placed"]
    assert len(told.tracker.scene.bodies) == len(placed) == 3
    for body in told.tracker.scene.bodies:
        (fact,) = [f for f in placed if f.piece == body.id]
        slip = jolts.at(told.stage.t_us)[0] - (jolts.at(fact.t_ms * 1000) or (0,))[0]
        moved = np.array(body.pose[:2]) / 256 - np.array((fact.x, fact.y)) / 100
        assert np.hypot(*slip[:2]) > 1.0 and np.hypot(*(moved - slip[:2])) < 0.3


@pytest.mark.parametrize("seed", [4, 5])
def test_all_that_slips_in_a_jolt_goes_the_same_way(play, seed):
    """With every nuisance; each by itself would be some tenths of a millimetre off."""

    def script(stage):
        yield from stage.rest(1.0)
        for k in range(9):
            xy = (90.0 * (k % 3) - 80.0, 95.0 * (k // 3) - 100.0)
            yield from lay(stage, 1 if k % 2 else -1, xy, seconds=0.1)
        yield from stage.rest(2.0)
        lain.append({body.id: body.pose[:2] for body in tracker.scene.bodies})
        slipped.append((stage.instruments.jolts.at(stage.t_us) or (0,))[0])
        jolt_us = stage.instruments.jolts.times_us(stage.t_us, 400_000_000)[0]
        yield from stage.rest((jolt_us - stage.t_us) / 1e6 + 3.0)

    tracker, lain, slipped = Tracker(mat_data.load("standard"), False), [], []
    jolts = replace(condition(ALL), jolts_per_minute=3.0)
    told = play(script, seed=seed, condition=jolts, tracker=tracker)
    way = told.stage.instruments.jolts.at(told.stage.t_us)[0] - slipped[0]
    ways = [np.subtract(b.pose[:2], lain[0][b.id]) / 256 - way[:2] for b in tracker.scene.bodies]
    assert np.hypot(*way[:2]) > 0.1 and len(ways) == 9
    assert max(np.hypot(*off) for off in ways) < 0.06


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_a_disc_in_a_crease_lies_flat_with_its_tilt_and_moment(play, seed):
    discs = []

    def script(stage):
        yield from stage.rest(0.5)
        discs.append((yield from lay(stage, 1, (31.0, -47.0))))

    condition = MatCondition(crease_tilt_deg=4.0, gain_sigma=0.003)
    told = play(script, seed=seed, condition=condition)
    placed = told.only("placed")
    (body,) = told.tracker.scene.bodies
    tilt_deg = np.degrees(np.arccos(discs[0].axis[2]))
    assert placed.shape == "flat" and away_mm(placed, told.so("placed")) < 0.5
    assert np.degrees(np.arcsin(np.hypot(*body.pose[3:5]) / 4096)) == pytest.approx(
        tilt_deg, abs=0.7
    )
    moment = discs[0].discs[0].polarisation_t / told.stage.mat.disc.br_t
    assert body.pose[6] / 1024 == pytest.approx(moment, rel=0.015)


@pytest.mark.parametrize("seed", [15, 55])
def test_a_dead_sensor_leads_no_disc_in_a_crease_astray(play, seed):
    """Where a sensor is missing two ways of being tipped look alike at first."""

    def script(stage):
        yield from stage.rest(0.5)
        xyz = stage.mat.sensor_xyz_mm[stage.instruments.sensors.dead]
        x, y, _ = xyz[np.argmin(np.hypot(xyz[:, 0], xyz[:, 1]))]
        yield from lay(stage, 1, (x + 20.0, y - 8.0))

    told = play(script, seed, condition=MatCondition(crease_tilt_deg=2.0, dead_sensors=4))
    assert away_mm(told.only("placed"), told.so("placed")) < 0.3


def test_creases_make_no_leaner(play):
    def script(stage):
        yield from stage.rest(0.5)
        yield from lay(stage, 1, (0.0, 0.0))
        yield from lean(stage, 1, (30.0, 0.0), 0.0, 30.0)
        yield from lay(stage, -1, (100.0, 60.0))

    told = play(script, condition=MatCondition(crease_tilt_deg=2.0))
    assert [f.shape for f in told.facts if f.kind == "placed"] == ["flat", "leaner", "flat"]
