"""When a piece lies entirely outside the circle: 001 Faults 5, 000 Faults d, 002 Start 7.2; one of
which some part is inside or on the circle is in (004 FAQ 4). Seen from above, as players see it."""

import math

import numpy as np
import pytest

from polarity import mat_data
from polarity.kernels import X, Z
from polarity.perception.tracker import Tracker
from polarity.units import MM
from polarity_host.simulation.twin.motion import heading
from tests.perception.actions import SETTLED_S, lay, lean
from tests.perception.conftest import ByHand

CIRCLE_MM, RADIUS_MM, THICKNESS_MM = 225.0, 17.0, 6.0


def innermost_mm(contact_mm, out_deg, tilt_deg):
    """How far from the circle's centre the part of a leaner is that is nearest to it: points all
    around both rims. It touches the mat at (0, -contact_mm), its upper face looks along -90° +
    `out_deg`."""
    azimuth, tilt = math.radians(-90.0 + out_deg), math.radians(tilt_deg)
    along = np.array([math.cos(azimuth), math.sin(azimuth)])
    across = np.array([-along[1], along[0]])
    angles = np.linspace(0.0, 2.0 * math.pi, 720)[:, None]
    # from the lowest point of the lower rim: up the disc's face, then through its thickness
    face = -along * (RADIUS_MM * (1.0 - np.cos(angles)) * math.cos(tilt))
    lower = np.array([0.0, -contact_mm]) + face + across * (RADIUS_MM * np.sin(angles))
    upper = lower + along * (THICKNESS_MM * math.sin(tilt))
    return float(np.hypot(*np.concatenate([lower, upper]).T).min())


def let_fall(stage, disc, place):
    """A hand lets go of a disc, which falls to this place (mm)."""
    stage.let_go(disc)
    begun, (x, y) = disc.centre.copy(), place
    way = np.array([x, y, disc.thickness_mm / 2]) - begun
    fall_s = math.sqrt(-2.0 * way[2] / 9810.0)
    yield from stage.animate(fall_s, lambda p: disc.move_to(begun + way * np.array([p, p, p**2])))


def drop_at_the_line(stage, over_mm, lies_mm):
    """A hand brings a disc in, and lets it fall from low over (0, -over) to (0, -lies). -> Piece"""
    disc = stage.new_disc(1)
    yield from stage.carry_in(disc, (0.0, -150.0), height_mm=40.0)
    yield from stage.carry_to(disc, (0.0, -over_mm), 15.0)
    yield from stage.rest(0.1)
    yield from let_fall(stage, disc, (0.0, -lies_mm))
    yield from stage.rest(1.0)  # where few sensors see it, it is told late
    return disc


@pytest.mark.parametrize("face", (1, -1))
@pytest.mark.parametrize(
    ("contact_mm", "out_deg", "tilt_deg"),
    [
        (226.2, 0.0, 40.0),  # touches the mat 1 mm beyond the line, and reaches over it
        (232.0, 30.0, 35.0),
        # leans outward: none of it is over the circle. At 231 mm it might lie in a reserve
        (230.0, 180.0, 40.0),
        (227.0, 180.0, 40.0),  # so thick that its upper rim still is
        (236.0, 0.0, 75.0),
    ],
)
def test_a_leaner_is_out_only_if_none_of_it_is_over_the_circle(
    play, face, contact_mm, out_deg, tilt_deg
):
    def script(stage):
        yield from stage.rest(0.4)
        yield from lean(stage, face, (0.0, -contact_mm), -90.0 + out_deg, tilt_deg)
        yield from stage.rest(1.5)  # where few sensors see it, it is told late

    beyond_mm = innermost_mm(contact_mm, out_deg, tilt_deg) - CIRCLE_MM
    assert abs(beyond_mm) > 1.0  # nothing doubtful
    told = play(script)
    assert told.only("placed").shape == "leaner"
    assert ("left_circle" in told.kinds()) == (beyond_mm > 0.0)


def test_what_the_field_does_not_decide_is_asked_once(play):
    """Its rim just touches the circle's line: inside by a hundredth of a millimetre."""

    def script(stage):
        yield from stage.rest(0.4)
        disc = yield from lay(stage, 1, (0.0, -205.0), 0.8)
        yield from stage.slide(disc, (0.0, -(CIRCLE_MM + RADIUS_MM - 0.01)))
        yield from stage.rest(1.0)
        yield from stage.slide(disc, (0.0, -(CIRCLE_MM + RADIUS_MM + 2.0)))
        yield from stage.rest(SETTLED_S)

    told = play(script)
    asked, out = (fact for fact in told.facts if fact.kind == "left_circle")
    assert asked.confidence < 50 < 90 < out.confidence


def test_what_does_not_come_to_rest_beyond_the_line_is_told_all_the_same(play):
    """A disc that magnets have pushed out rocks there for a second and a half."""

    def script(stage):
        yield from stage.rest(0.4)
        disc = yield from lay(stage, 1, (0.0, -205.0), 0.8)
        for turn in range(15):
            beyond = (8.0 * (turn % 2), -(CIRCLE_MM + RADIUS_MM + 2.0))
            yield from stage.slide(disc, beyond, seconds=0.1)
        yield from stage.rest(SETTLED_S)

    told = play(script)
    assert told.kinds() == ["placed", "left_circle"]
    assert told.seen_ms[-1] < told.stage.t_us / 1000 - 1000 * (SETTLED_S + 1.0)


def test_what_snaps_to_a_hand_outside_the_circle_is_no_fault(play):
    """001 Faults 3 is of pieces in play; the one that is out was told as that."""

    def script(stage):
        yield from stage.rest(0.4)
        disc = yield from lay(stage, 1, (0.0, -205.0), 0.8)
        yield from stage.slide(disc, (0.0, -(CIRCLE_MM + RADIUS_MM + 6.0)))
        yield from stage.rest(1.0)
        taker = stage.new_disc(1)
        yield from stage.carry_in(taker, (0.0, -(CIRCLE_MM + RADIUS_MM + 6.0)), height_mm=30.0)
        yield from stage.snap_to_hand(taker, disc)
        yield from stage.rest(0.5)
        yield from stage.carry_out(taker, -90.0)

    assert play(script).kinds() == ["placed", "left_circle"]


def test_where_it_is_in_play_what_lies_outside_is_told_like_any_piece(play):
    """003 Game Play: discs are knocked off the mat, not out of a circle, and placed anywhere."""
    outside = (0.0, -(CIRCLE_MM + RADIUS_MM + 5.0))

    def script(stage):
        yield from stage.rest(0.4)
        disc = yield from lay(stage, 1, (0.0, -205.0), 0.8)
        yield from stage.slide(disc, outside)
        yield from stage.rest(1.0)
        held = yield from stage.lift(disc, height_mm=50.0)
        yield from stage.carry_to(held, (0.0, -60.0), 40.0)
        yield from stage.set_flat(held, (0.0, -60.0))
        yield from stage.rest(SETTLED_S)
        held = yield from stage.lift(disc, height_mm=15.0)
        yield from stage.carry_to(held, (0.0, -215.0), 15.0)
        yield from let_fall(stage, held, outside)
        yield from stage.rest(0.5)
        held = yield from stage.lift(disc, height_mm=50.0)
        yield from stage.carry_to(held, (0.0, -60.0), 40.0)

    told = play(script, tracker=Tracker(mat_data.load("standard"), False, ends_at_circle=False))
    moved = ["lifted", "placed"]
    assert told.kinds() == ["placed", "left_circle", *moved, *moved, "lifted"]
    assert len({fact.piece for fact in told.facts}) == 1


@pytest.mark.parametrize("lies_mm", (112.0, 116.0, 120.0, 132.0))
@pytest.mark.parametrize("from_mm", (90.0, 96.0))
def test_on_the_small_mat_it_is_told_where_few_sensors_see_it(play, from_mm, lies_mm):
    """Beyond the outermost sensors (110 mm) what lies there seems to be tilted, and to creep."""
    out = heading(-60.0)[:2]

    def script(stage):
        yield from stage.rest(0.4)
        disc = stage.new_disc(1)
        yield from stage.carry_in(disc, tuple(60.0 * out), height_mm=40.0)
        yield from stage.carry_to(disc, tuple(from_mm * out), 15.0)
        yield from stage.rest(0.1)
        yield from let_fall(stage, disc, tuple(lies_mm * out))
        yield from stage.rest(1.0)

    tracker = Tracker(mat_data.load("small"), False, ends_at_circle=False)
    told = play(script, mat="small", tracker=tracker)
    assert [fact.kind for fact in told.facts] == ["hand_in", "placed"]
    fact = told.only("placed")
    assert fact.shape == "flat"
    assert math.dist((fact.x / 100, fact.y / 100), lies_mm * out) < 5.0


@pytest.mark.parametrize(("azimuth_deg", "lies_mm"), [(20.0, 118.0), (20.0, 121.0), (200.0, 121.0)])
@pytest.mark.parametrize("seed", (1, 2))
def test_on_the_small_mat_it_is_taken_up_again_from_there(play, azimuth_deg, lies_mm, seed):
    """As it rises it seems to slide on, out of the sensors' sight; but then no other comes in from
    there. What two discs became is retrieved, and placed anywhere (003 Game Play)."""
    out, inside = heading(azimuth_deg)[:2], tuple(40.0 * heading(azimuth_deg + 40.0)[:2])

    def script(stage):
        yield from stage.rest(0.4)
        disc = yield from lay(stage, 1, tuple(80.0 * out))
        yield from stage.slide(disc, tuple(lies_mm * out), seconds=0.3)
        yield from stage.rest(1.0)
        held = yield from stage.lift(disc, height_mm=45.0)
        yield from stage.rest(0.5)
        yield from stage.carry_to(held, inside, 45.0)
        yield from stage.set_flat(held, inside)
        yield from stage.rest(SETTLED_S)

    tracker = Tracker(mat_data.load("small"), False, ends_at_circle=False)
    told = play(script, seed, mat="small", tracker=tracker)
    assert told.kinds() == ["placed", "left_circle", "lifted", "placed"]
    assert len({fact.piece for fact in told.facts}) == 1
    lifted = told.only("lifted")
    assert math.dist((lifted.x / 100, lifted.y / 100), lies_mm * out) < 10.0


@pytest.mark.parametrize(
    ("azimuth_deg", "seed"), [(-50.0, 5), (230.0, 4), (230.0, 5), (230.0, 7), (230.0, 8)]
)
def test_a_disc_lifted_there_is_no_pair_within_one_another(play, azimuth_deg, seed):
    """As it rises, what it leaves behind looks like another of the other face in its place: their
    fields would cancel, but where one is there is no room for two."""
    inside = tuple(40.0 * heading(azimuth_deg + 57.3)[:2])

    def script(stage):
        yield from stage.rest(0.4)
        disc = yield from lay(stage, 1, tuple(105.0 * heading(azimuth_deg)[:2]), 1.3)
        held = yield from stage.lift(disc, height_mm=40.0)
        yield from stage.carry_to(held, inside, 40.0)
        yield from stage.set_flat(held, inside)
        yield from stage.rest(SETTLED_S)

    tracker = Tracker(mat_data.load("small"), False, ends_at_circle=False)
    told = play(script, seed, mat="small", tracker=tracker)
    assert [fact.kind for fact in told.facts][-3:] == ["placed", "lifted", "placed"]
    assert len({fact.piece for fact in told.facts[-3:]}) == 1


def test_whether_red_has_left_its_dot_is_asked_before_a_game_is_lost(play):
    """The dot's radius is 10 mm, red's 17 mm."""

    def script(stage):
        yield from stage.rest(0.4)
        red = yield from stage.place_red()
        yield from stage.rest(SETTLED_S)
        yield from stage.slide(red, (0.0, 26.99))
        yield from stage.rest(1.0)

    told = play(script, has_red=True)
    assert told.only("red_off").confidence < 50


def test_what_is_thrown_off_the_mat_is_out(play):
    """Followed until no sensor sees it any more: it has not come back, nor has another come."""

    def script(stage):
        yield from stage.rest(0.4)
        disc = yield from lean(stage, -1, (-205.0, 20.0), 180.0, 40.0)
        there, axis = disc.centre.copy(), disc.axis.copy()
        away = np.array([-110.0, 30.0, 0.0])
        yield from stage.animate(0.3, lambda p: disc.move_to(there + p * p * away, axis))
        yield from stage.rest(SETTLED_S)

    told = play(script)
    assert told.kinds() == ["placed", "fell", "left_circle"]
    assert [fact.kind for fact in told.facts].count("hand_in") == 1


@pytest.mark.parametrize(
    ("high_mm", "mm_a_frame", "is_out"),
    [(3.0, 0, True), (3.0, 6, False), (60.0, 0, False), (-20.0, 0, False)],
)
def test_what_seems_to_leave_as_no_disc_can_is_not_out(play, high_mm, mm_a_frame, is_out):
    """High over the mat a hand has caught it; below it, or where it still slides at 0.6 m/s, its
    track has run away where no sensor sees it: friction stops a disc within 0.2 s."""

    def script(stage):
        yield from stage.rest(0.4)
        yield from lay(stage, -1, (-205.0, 20.0))
        yield from stage.rest(SETTLED_S)

    tracker = play(script).tracker
    scene, (body,) = tracker.scene, tracker.scene.bodies
    scene.wake(body)
    scene.fitter.leave(body.slot)
    body.pose[X], body.pose[Z] = -290 * MM, round(high_mm * MM) - scene.mat.SENSOR_Z
    body.slot.velocity[X] = -mm_a_frame * MM
    scene.fitter.enter(body.slot, body.pose)
    scene.flight.assess(body)
    assert tracker.resting.flew_out(body) is is_out


def test_where_all_of_the_mat_is_in_play_what_is_out_of_sight_has_been_taken_up(play):
    """003 Game Play: a hand takes it up where it lay. Told as lying outside, it would count as in
    play for the rest of the game, though nothing lies there."""

    def script(stage):
        yield from stage.rest(0.4)
        yield from lay(stage, -1, (-80.0, 20.0))
        yield from stage.rest(SETTLED_S)

    tracker = Tracker(mat_data.load("small"), False, ends_at_circle=False)
    play(script, mat="small", tracker=tracker)
    scene, (body,) = tracker.scene, tracker.scene.bodies
    scene.wake(body)
    scene.fitter.leave(body.slot)
    body.pose[X] = -180 * MM
    scene.fitter.enter(body.slot, body.pose)
    scene.flight.assess(body)
    scene.facts.clear()
    assert tracker.resting.flew_out(body) and scene.bodies == []
    (told,) = scene.facts
    assert (told.kind, told.piece) == ("lifted", body.id)
    assert math.dist((told.x / 100, told.y / 100), (-80.0, 20.0)) < 1.0


@pytest.mark.parametrize("y_mm, seed", [(212.0, 2), (220.0, 4)])
def test_what_snaps_to_a_hand_over_the_line_is_not_out(y_mm, seed):
    """Its own track runs away over the line, where no sensor says that it is not there."""
    hand = ByHand(seed)
    hand.set_down("w", (20.0, 206.0))
    hand.set_down("b", (-30.0, y_mm))
    assert hand.so("snapped") and "left_circle" not in hand.kinds()


@pytest.mark.parametrize("lies_mm, high_mm", [(227.0, 66.0), (224.5, 60.0)])
@pytest.mark.parametrize("seed", (1, 2, 3))
def test_a_hand_that_hovers_over_the_line_does_not_go_in_and_out(play, lies_mm, high_mm, seed):
    """It has lifted what lay across the line, where that is: high up, that is not known well."""

    def script(stage):
        yield from stage.rest(0.4)
        disc = yield from lay(stage, 1, (0.0, -lies_mm))
        held = yield from stage.lift(disc, height_mm=high_mm)
        yield from stage.rest(2.0)
        yield from stage.carry_to(held, (0.0, -100.0), 60.0)
        yield from stage.rest(0.2)

    kinds = [fact.kind for fact in play(script, seed).facts]
    assert kinds[-1] == "lifted" and "hand_out" not in kinds


@pytest.mark.parametrize("lies_mm", (236.0, 240.0))
@pytest.mark.parametrize("seed", (1, 2))
def test_what_is_let_go_low_at_the_line_was_placed(play, lies_mm, seed):
    """Its middle is inside then, and it falls outward: on the line is in (001 Out of the Circle).
    The hand that let go has not gone out with it, and nothing has come in since."""

    def script(stage):
        yield from stage.rest(0.4)
        yield from drop_at_the_line(stage, 215.0, lies_mm)

    told = play(script, seed)
    assert [fact.kind for fact in told.facts] == ["hand_in", "placed"]
    assert abs(told.only("placed").y / 100 + lies_mm) < 1.0


@pytest.mark.parametrize("seed", (1, 2))
def test_what_is_let_go_and_falls_outside_has_not_been_played(play, seed):
    """Nothing of it lies in the circle: the hand that picks it up begins anew."""

    def script(stage):
        yield from stage.rest(0.4)
        disc = yield from drop_at_the_line(stage, 220.0, CIRCLE_MM + RADIUS_MM + 2.0)
        held = yield from stage.lift(disc, height_mm=40.0)
        yield from stage.carry_to(held, (0.0, -150.0), 40.0)
        yield from stage.set_flat(held, (0.0, -150.0))
        yield from stage.rest(SETTLED_S)

    told = play(script, seed)
    assert [fact.kind for fact in told.facts] == ["hand_in", "hand_out", "hand_in", "placed"]
