"""Hands that rise beyond the sensors' reach over the mat, and discs lifted where they lie across
the circle's line. How far a sensor reaches: the field of a dipole on its axis."""

import math

import numpy as np
import pytest

from polarity import mat_data
from polarity.kernels import X, Y, Z
from polarity.kernels._limits import FADED_UT
from polarity.perception import pose as geometry
from polarity.perception.body import MOVING
from polarity.perception.tracker import Tracker
from polarity_host.mats.description import load_mat
from tests.perception.actions import lay
from tests.perception.conftest import ByHand, away_mm

HOLDS_MM = 45.0


def axial_field_ut(height_mm):
    """Of a disc that lies so high above a sensor: mu0 m / (2 pi z^3), m = Br V / mu0."""
    mat = load_mat()
    disc = mat.disc
    volume = math.pi * (disc.diameter_mm / 2) ** 2 * disc.thickness_mm
    z_mm = height_mm - mat.sensor_xyz_mm[0][2]
    return 1e6 * disc.br_t * volume / (2 * math.pi * z_mm**3)


BEYOND_MM = next(z for z in range(50, 300, 10) if axial_field_ut(z) < 0.7 * FADED_UT)


def rises(seconds, xy=(0.0, 60.0)):
    """A script: a disc is carried in over the mat, held out of sight so long, and laid down."""

    def script(stage):
        yield from stage.rest(0.4)
        disc = stage.new_disc(1)
        yield from stage.carry_in(disc, xy, height_mm=HOLDS_MM)
        yield from stage.carry_to(disc, xy, height_mm=BEYOND_MM)
        yield from stage.rest(seconds)
        yield from stage.carry_to(disc, xy, height_mm=HOLDS_MM)
        yield from stage.set_flat(disc, xy)
        yield from stage.rest(0.5)

    return script


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_a_hand_that_is_out_of_sight_for_a_moment_has_not_gone_out(play, seed):
    told = play(rises(0.1), seed)
    assert [f.kind for f in told.facts] == ["hand_in", "placed"]
    assert len({f.piece for f in told.facts}) == 1
    assert told.facts[-1].face == 1


def test_a_hand_that_stays_out_of_sight_is_gone_and_comes_in_again(play):
    told = play(rises(2.0))
    kinds = [f.kind for f in told.facts]
    assert kinds.count("hand_out") == 1 and kinds[0] == "hand_in" and kinds[-1] == "placed"


@pytest.mark.parametrize("seed", [1, 2])
def test_a_hand_that_goes_out_unseen_crosses_the_line(play, seed):
    """It rises beyond the sensors' reach 125 mm inside the circle, and goes on outward."""
    rises_ms = []

    def script(stage):
        yield from stage.rest(0.4)
        disc = stage.new_disc(1)
        yield from stage.carry_in(disc, (0.0, 60.0), height_mm=HOLDS_MM)
        rises_ms.append(stage.t_us / 1000)
        yield from stage.carry_to(disc, (0.0, 100.0), height_mm=BEYOND_MM)
        yield from stage.carry_to(disc, (0.0, 320.0), BEYOND_MM, speed_mm_s=700.0)
        yield from stage.rest(1.0)

    told = play(script, seed)
    out, so = told.only("hand_out"), told.so("hand_out")
    assert abs(math.hypot(out.x, out.y) / 100 - load_mat().circle_radius_mm) < 1.0
    assert away_mm(out, so) < 20.0
    told_ms = told.seen_ms[told.facts.index(out)]
    assert rises_ms[0] < out.t_ms <= told_ms and abs(out.t_ms - so.t_us / 1000) < 200


@pytest.mark.parametrize("high_mm", [98.0, 104.0])
def test_a_hand_that_was_hardly_seen_for_a_while_has_gone_out_when_it_did(high_mm):
    """It hovers where sensors feel it now and then, and goes out lower, seen until then."""
    hand = ByHand(1)
    hand.world.take(hand.motions.hand, "w")
    hand.run(hand.motions.carry((-150.0, 55.0), 80.0))
    hand.run(hand.motions.carry((-150.0, 55.0), high_mm))
    hand.run(hand.motions.wait(0.5))
    hand.run(hand.motions.carry((-165.0, 25.0), 85.0))
    hand.run(hand.motions.carry((-270.0, -180.0), 85.0))
    hand.run(hand.motions.wait(1.5))
    assert abs(hand.only("hand_out").t_ms - hand.so("hand_out").t_us / 1000) < 100


@pytest.mark.parametrize("azimuth_deg", [-90.0, 0.0, 135.0])
def test_a_disc_lifted_from_the_line_has_not_gone_out(play, azimuth_deg):
    """001 Out of the Circle: on the line is in. Its middle lies outside all the same."""
    mat = load_mat()
    reach_mm = mat.circle_radius_mm + mat.disc.diameter_mm / 4
    way = math.cos(math.radians(azimuth_deg)), math.sin(math.radians(azimuth_deg))

    def script(stage):
        yield from stage.rest(0.4)
        disc = yield from lay(stage, -1, (reach_mm * way[0], reach_mm * way[1]), 0.8)
        yield from stage.lift(disc)
        yield from stage.rest(0.3)
        yield from stage.carry_to(disc, (100.0 * way[0], 100.0 * way[1]))
        yield from stage.set_flat(disc, (100.0 * way[0], 100.0 * way[1]))
        yield from stage.rest(0.5)

    told = play(script)
    lifted = told.only("lifted")
    after = [f for f in told.facts if f.t_ms >= lifted.t_ms]
    assert "hand_out" not in [f.kind for f in after]
    assert after[-1].kind == "placed" and after[-1].piece == lifted.piece
    assert (after[-1].shape, after[-1].face) == ("flat", -1)


@pytest.mark.parametrize(
    ("at_mm", "waited_ms", "same"), [(60.0, 500, True), (60.0, 5000, False), (220.0, 500, False)]
)
def test_what_was_lost_in_a_hand_over_the_mat_is_what_is_seen_there_next(at_mm, waited_ms, same):
    """No hand comes in or goes out there. At the rim it may be another."""
    mat = mat_data.load("standard")
    scene = Tracker(mat, False).scene
    scene.begin(1000, -1)

    def held(y_mm):
        pose = geometry.new_pose(mat.DISC_THICKNESS)
        pose[Y], pose[Z] = int(256 * y_mm), 40 * 256
        body = scene.new_body(pose)
        scene.announce(body)
        scene.confirm(body)
        return body

    first = held(60.0)
    scene.go_astray(first)
    scene.drop(first)
    scene.begin(1000 + waited_ms, -1)
    second = held(at_mm)
    assert (second.id == first.id) is same
    assert len(scene.facts) == (0 if same else 1)


@pytest.mark.parametrize(("apart_mm", "at_once"), [(60.0, False), (160.0, True)])
def test_a_hand_near_what_is_leaving_its_place_is_told_a_moment_later(
    apart_mm, at_once, monkeypatch
):
    """It may be no hand, but what that leaves over, however well it explains that."""
    mat = mat_data.load("standard")
    scene = Tracker(mat, False).scene
    monkeypatch.setattr(scene.fitter, "misfit", lambda pose: 0)
    scene.begin(1000, -1)
    pose = geometry.new_pose(mat.DISC_THICKNESS)
    pose[Y], pose[Z] = 100 * 256, 15 * 256
    leaving = scene.new_body(pose)
    leaving.state = MOVING
    pose[X], pose[Z] = int(apart_mm * 256), 80 * 256
    newcomer = scene.new_body(pose)
    newcomer.rest[Y] += 40 * 256  # it was seen to come in so far
    newcomer.slot.velocity[Y] = -2 * 256
    scene.announce(newcomer)
    assert len(scene.facts) == at_once
    scene.confirm(newcomer)
    assert len(scene.facts) == 1


@pytest.mark.parametrize("seed", [1, 2, 3])
@pytest.mark.parametrize("degrees", [-100.0, -60.0, 75.0])
def test_a_hand_first_seen_further_in_came_in_at_the_line(play, degrees, seed):
    """It comes down as it comes in, and crosses the line out of sight."""
    along = np.array([math.cos(math.radians(degrees)), math.sin(math.radians(degrees))])

    def script(stage):
        yield from stage.rest(0.4)
        disc = stage.new_disc(1)
        disc.move_to((*(450.0 * along), 170.0))
        stage.enter(disc)
        yield from stage.carry_to(disc, tuple(-30.0 * along), HOLDS_MM)
        yield from stage.rest(0.3)

    told = play(script, seed)
    came, so = told.only("hand_in"), told.so("hand_in")
    assert axial_field_ut(so.z_mm) < FADED_UT
    assert away_mm(came, so) < 40.0
    assert abs(came.t_ms - so.t_us / 1000) < 100


def test_a_hand_that_seems_to_move_along_the_line_did_not_come_in_far_from_where_it_is():
    """The first fits of a disc high up are off by as much as it moves in some frames."""
    tracker = Tracker(mat_data.load("standard"), has_red=False)
    scene, circle_cmm = tracker.scene, tracker.scene.mat.CIRCLE_RADIUS * 100 >> 8
    pose = geometry.new_pose(scene.mat.DISC_THICKNESS)
    pose[Y], pose[Z] = 190 * 256, 85 * 256
    newcomer = scene.new_body(pose)
    newcomer.slot.velocity[X], newcomer.slot.velocity[Y] = 640, -128
    assert tracker.hands._came_in(newcomer) == ()
    newcomer.slot.velocity[X], newcomer.slot.velocity[Y] = 128, -640
    _, x, y = tracker.hands._came_in(newcomer)
    assert abs(math.hypot(x, y) - circle_cmm) < 100 and x < 0 < y
