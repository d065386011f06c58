"""The world is measured as the scripted stage is: same discs, same condition, same counts."""

from dataclasses import replace

import numpy as np
import pytest

from polarity_host.mats.description import load_mat
from polarity_host.simulation.play.world import World
from polarity_host.simulation.twin.nuisances import condition
from polarity_host.simulation.twin.stage import Stage
from tests.simulation.conftest import Table

PLACES = ((1, 80.0, -60.0), (-1, -70.0, 40.0), (1, -20.0, 130.0))
SECONDS = 4


@pytest.mark.parametrize("name", ["none", "usual", "earth", "phone", "broken", "jolts"])
def test_stage_and_world_have_the_same_counts(name):
    mat = load_mat("standard")
    often = 120.0 if name == "jolts" else 0.0
    disturbed = replace(condition(name), moment_sigma=0.0, jolts_per_minute=often)
    stage, table = Stage(mat, 5, disturbed), Table(disturbed, seed=5)
    for face, x, y in PLACES:
        stage.appear(face, (x, y))
        table.put("w" if face > 0 else "b", x, y)
    scripted = [counts for _, counts in stage.stream(stage.rest(SECONDS))]
    physical = [table.world.step()[1] for _ in range(len(scripted))]
    assert np.array_equal(np.array(scripted), np.array(physical))
    if name == "jolts":
        assert [f.kind for f in table.world.truth.facts if f.kind == "jolt"]
        assert not np.array_equal(scripted[-1], scripted[0])


def counts_of(seed=3, seconds=0.2, **fields):
    table = Table(replace(condition("none"), **fields), seed)
    body = table.put("w", 80.0, -60.0)
    table.bring("b", -60.0, 60.0, 30.0)
    table.run(seconds)
    return body, table.world.step()[1].astype(int)


def test_a_watch_a_reserve_and_a_crease_change_the_field():
    """By so many counts at least: the same seed has the same noise."""
    _, plain = counts_of()
    assert np.array_equal(plain, counts_of()[1])
    for fields, most in (
        ({"watch_radius_mm": 12.0}, 1),
        ({"reserve_gap_mm": 20.0}, 50),
        ({"crease_tilt_deg": 4.0}, 50),
    ):
        body, disturbed = counts_of(**fields)
        assert np.abs(disturbed - plain).max() >= most, fields
        assert body.axis == (0.0, 0.0, 1.0)  # the physics knows nothing of creases


def test_frames_are_dropped_as_often_as_the_condition_says():
    world = World(load_mat("standard"), 4, replace(condition("none"), dropped_frames=0.1))
    dropped = sum(world.drops_frame(10_000 * k) for k in range(2000))
    assert 140 < dropped < 260  # 200 expected, 13 the standard deviation
    assert [note["n"] for note in world.truth.nuisances].count("frame_dropped") == dropped
