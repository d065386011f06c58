"""What is set down is told: where, which face, what shape, under which id."""

import numpy as np
import pytest

from polarity_host.simulation.twin.nuisances import ALL, USUAL, condition
from tests.perception.actions import appear, lay, lean
from tests.perception.conftest import ByHand, away_mm

SEEDS = (1, 2, 3)


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("face", [1, -1])
def test_a_flat_disc(play, face, seed):
    def script(stage):
        yield from stage.rest(0.4)
        yield from lay(stage, face, (63.0, -152.5))

    told = play(script, seed)
    assert told.kinds() == ["placed"]
    hand, placed = told.only("hand_in"), told.only("placed")
    assert (placed.shape, placed.face, placed.discs, placed.tilt) == ("flat", face, 1, 0)
    assert placed.piece == hand.piece > 0
    assert away_mm(placed, told.so("placed")) < 0.5
    assert abs(placed.t_ms - told.so("placed").t_us / 1000) < 100
    assert told.seen_ms[-1] - told.so("placed").t_us / 1000 < 250


def test_on_the_small_mat(play):
    def script(stage):
        yield from stage.rest(0.4)
        yield from lay(stage, -1, (20.0, 35.0))

    told = play(script, mat="small")
    placed = told.only("placed")
    assert (placed.shape, placed.face, placed.discs) == ("flat", -1, 1)
    assert away_mm(placed, told.so("placed")) < 0.5


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("face", [1, -1])
def test_the_hand_is_told_when_it_crosses_the_circle(play, face, seed):
    def script(stage):
        yield from stage.rest(0.4)
        disc = stage.new_disc(face)
        yield from stage.carry_in(disc, (20.0, -100.0))

    told = play(script, seed)
    assert [f.kind for f in told.facts] == ["hand_in"]
    hand, truth = told.only("hand_in"), told.so("hand_in")
    assert abs(hand.t_ms - truth.t_us / 1000) <= 40
    assert (hand.face, hand.discs) == (face, 1)
    assert told.seen_ms[0] - hand.t_ms <= 60


@pytest.mark.parametrize("seed", (2, 6, 7))
def test_a_hand_that_waits_2_mm_outside_does_not_begin_a_turn(play, seed):
    def script(stage):
        yield from stage.rest(0.4)
        disc = stage.new_disc(1)
        angle = -np.pi / 2 + 0.1 * (seed - 4)
        place = (stage.mat.circle_radius_mm + 2.0) * np.array([np.cos(angle), np.sin(angle)])
        yield from stage.carry_in(disc, tuple(place), height_mm=80.0)
        yield from stage.rest(0.15)
        yield from stage.carry_out(disc)

    told = play(script, seed)
    assert not told.truth
    assert not told.facts


@pytest.mark.parametrize("seed", SEEDS)
def test_in_and_out_again(play, seed):
    def script(stage):
        yield from stage.rest(0.4)
        disc = stage.new_disc(1)
        yield from stage.carry_in(disc, (20.0, -100.0))
        yield from stage.carry_out(disc)

    told = play(script, seed)
    assert [f.kind for f in told.facts] == ["hand_in", "hand_out"]
    out = told.only("hand_out")
    assert (out.piece, out.face, out.discs) == (told.only("hand_in").piece, 1, 1)
    assert abs(out.t_ms - told.so("hand_out").t_us / 1000) <= 40


@pytest.mark.parametrize("face", [1, -1])
def test_the_red_disc_is_told_without_a_hand(play, face):
    def script(stage):
        yield from stage.rest(0.4)
        yield from stage.place_red((1.0, -0.5), face)
        yield from stage.rest(0.4)

    told = play(script, has_red=True)
    assert [f.kind for f in told.facts] == ["placed"]
    assert told.facts[0].shape == "red"
    assert away_mm(told.facts[0], told.so("placed")) < 0.5


@pytest.mark.parametrize("face", [1, -1])
@pytest.mark.parametrize("tilt", [25.0, 42.0, 60.0])
def test_a_leaner(play, tilt, face):
    def script(stage):
        yield from stage.rest(0.4)
        yield from lean(stage, face, (-38.0, 71.0), 30.0, tilt)

    told = play(script)
    assert told.kinds() == ["placed"]
    placed = told.only("placed")
    assert (placed.shape, placed.face, placed.piece) == ("leaner", face, told.facts[0].piece)
    assert abs(placed.tilt - tilt) <= 5
    assert away_mm(placed, told.so("placed")) < 2.0


def test_a_leaner_names_what_it_leans_over(play):
    def script(stage):
        yield from stage.rest(0.4)
        yield from lay(stage, 1, (10.0, -150.0))
        yield from lean(stage, 1, (10.0, -92.0), 90.0, 42.0)

    told = play(script)
    below, leaner = (f for f in told.facts if f.kind == "placed")
    assert (leaner.shape, leaner.others) == ("leaner", (below.piece,))
    assert told.so("placed", shape="leaner").others == (1,)


def test_a_disc_dropped_flat_is_no_leaner(play):
    def script(stage):
        yield from stage.rest(0.4)
        disc = stage.new_disc(1)
        yield from stage.carry_in(disc, (0.0, 60.0))
        yield from stage.drop_flat(disc, (0.0, 60.0))
        yield from stage.rest(0.5)

    told = play(script)
    assert told.facts[-1].kind in ("placed", "fell")  # it may have stood for a moment
    assert (told.facts[-1].shape, told.facts[-1].face) == ("flat", 1)
    assert away_mm(told.facts[-1], told.so("placed")) < 0.5


def test_lifted_and_set_down_elsewhere_keeps_its_id(play):
    def script(stage):
        yield from stage.rest(0.4)
        disc = yield from lay(stage, 1, (40.0, 20.0))
        yield from stage.lift(disc)
        yield from stage.turn_over(disc)
        yield from stage.set_flat(disc, (0.0, -70.0))
        yield from stage.rest(0.5)

    told = play(script)
    assert told.kinds() == ["placed", "lifted", "placed"]
    assert len({f.piece for f in told.facts}) == 1
    assert told.facts[-1].face == -1
    assert away_mm(told.facts[-1], told.truth[-1]) < 0.5


@pytest.mark.parametrize("seed", SEEDS)
def test_what_appears_without_a_hand_is_told(play, seed):
    """As after a restart in the middle of a game: three flat discs, a tower and a leaner."""

    def script(stage):
        yield from stage.rest(0.5)
        for face, xy in ((1, (60.0, -60.0)), (-1, (-90.0, 40.0)), (1, (150.0, 90.0))):
            appear(stage, face, xy)
        appear(stage, -1, (-60.0, -120.0), discs=3)
        appear(stage, 1, (60.0, -5.0), azimuth_deg=90.0, tilt_deg=40.0)
        yield from stage.rest(3.0)

    told = play(script, seed)
    assert set(told.kinds()) == {"placed"}
    found = {
        (f.shape, f.face, f.discs, round(f.x / 500), round(f.y / 500))
        for f in told.facts
        if f.kind == "placed"
    }
    assert found == {
        ("flat", 1, 1, 12, -12),
        ("flat", -1, 1, -18, 8),
        ("flat", 1, 1, 30, 18),
        ("tower", -1, 3, -12, -24),
        ("leaner", 1, 1, 12, -1),
    }


@pytest.mark.parametrize("seed", [30, 32])
def test_a_disc_that_a_hand_held_tipped_and_lets_go_of_is_no_hand_that_comes_in(seed):
    """It falls by some degrees then. If it had been told as lying before, its error, which is then
    lived with, would look like a disc in the air afterwards, and near the rim hands come in."""
    hand = ByHand(seed, condition(USUAL))
    hand.set_down("wb"[seed % 2], (16.5, 182.9), tilt_deg=20.0)
    kinds = [fact.kind for fact in hand.facts if fact.kind != "shifted"]
    assert kinds == ["hand_in", "placed"]


@pytest.mark.parametrize("tilt_deg", [5.0, 12.0])
@pytest.mark.parametrize("seed", [2, 6])
def test_what_a_hand_holds_tipped_on_the_mat_is_placed_when_it_is_let_go_of(seed, tilt_deg):
    """However still: nothing lies tipped by more than a crease does, so a hand is there, which may
    still turn it or take it away."""
    hand = ByHand(seed, condition(USUAL))
    motions = hand.motions
    hand.world.take(motions.hand, "w")
    hand.run(motions.carry((16.5, 100.0), 80.0))
    motions.hand.aim(z=0.0, tilt=tilt_deg, azimuth=0.0)
    hand.run(motions.wait(1.8))
    hand.world.release(motions.hand)
    hand.run(motions.wait(1.0))
    placed = hand.only("placed")
    assert abs(placed.t_ms - hand.so("placed").t_us / 1000) < 60


def test_crossings_are_dated_without_bias(play):
    """A track lags behind a hand by about a frame: that is taken off."""

    def script(stage):
        yield from stage.rest(0.4)
        disc = stage.new_disc(1)
        yield from stage.carry_in(disc, (20.0, -100.0))
        yield from stage.carry_out(disc)

    late_ms = []
    for seed in range(1, 9):
        told = play(script, seed, condition=condition(ALL))
        for kind in ("hand_in", "hand_out"):
            late_ms.append(told.only(kind).t_ms - told.so(kind).t_us / 1000)
    assert abs(np.mean(late_ms)) < 6
