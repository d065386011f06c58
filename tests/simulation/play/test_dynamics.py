"""Motions that can be worked out by hand, without magnets."""

import math

import pytest

from polarity_host.mats.description import load_mat
from polarity_host.simulation.play import dynamics
from polarity_host.simulation.play.body import Body, BodyState
from polarity_host.simulation.twin.pieces import TwinDisc

NOTHING = [0.0] * 6
G = 9810.0  # mm/s2
FRICTION = 0.6


def disc(face=1, discs=1):
    dimensions = load_mat("standard").disc
    stack = [TwinDisc(dimensions) for _ in range(discs)]
    return Body(1, 0, stack, (0.0, 0.0, 3.0 * discs), face)


def run(step, body, seconds, dt=0.0025, wrench=NOTHING):
    for k in range(round(seconds / dt)):
        if step(body, wrench, dt):
            return (k + 1) * dt
    return None


def test_a_disc_weighs_what_its_ferrite_does():
    assert disc().mass == pytest.approx(4800 * math.pi * 0.017**2 * 0.006)


def test_it_falls_as_galilei_says():
    body = disc()
    body.centre = (0.0, 0.0, 43.0)
    dynamics.fly(body)
    steps = 0
    while body.state != BodyState.LEANING:
        dynamics.fall(body, NOTHING, 0.0005)
        steps += 1
    assert steps * 0.0005 == pytest.approx(math.sqrt(2 * 40.0 / G), abs=0.001)


def test_a_disc_that_slides_stops_where_friction_has_eaten_its_energy():
    body = disc()
    body.velocity, body.awake = (300.0, 0.0, 0.0), True
    for _ in range(400):
        dynamics.slide([body], [NOTHING], 0.0005)
    assert not body.awake
    assert body.centre[0] == pytest.approx(300.0**2 / (2 * FRICTION * G), rel=0.02)


def test_a_pull_weaker_than_friction_moves_nothing_and_a_stronger_one_does():
    body = disc()
    grip = FRICTION * body.mass * 9.81
    assert not dynamics.wants_to_move(body, [0.99 * grip, 0, 0, 0, 0, 0])
    assert dynamics.wants_to_move(body, [0, 1.01 * grip, 0, 0, 0, 0])
    half_carried = [0.6 * grip, 0, 0.5 * body.mass * 9.81, 0, 0, 0]
    assert dynamics.wants_to_move(body, half_carried)


@pytest.mark.parametrize("lifted", [-0.5, 0.0, 0.7])  # shares of its weight
@pytest.mark.parametrize("azimuth_deg", [0, 72, 200])
def test_inside_the_friction_cone_it_sticks_and_outside_it_slides(azimuth_deg, lifted):
    """Coulomb: at rest up to mu times what the mat carries, beyond that the rest accelerates it."""
    grip = FRICTION * (1.0 - lifted) * disc().mass * 9.81
    a = math.radians(azimuth_deg)
    for share in (0.98, 1.02, 3.0):
        body = disc()
        pull = share * grip
        up = lifted * body.mass * 9.81
        wrench = [pull * math.cos(a), pull * math.sin(a), up, 0, 0, 0]
        assert dynamics.wants_to_move(body, wrench) == (share > 1.0)
        for _ in range(100):
            dynamics.slide([body], [wrench], 0.0005)
        speed = max(0.0, pull - grip) / body.mass * 0.05 * 1000.0  # mm/s after 50 ms
        expected = (speed * math.cos(a), speed * math.sin(a), 0.0)
        assert body.velocity == pytest.approx(expected, abs=1e-6)
        assert body.awake == (share > 1.0)


@pytest.mark.parametrize("slips", [False, True])
def test_the_rim_of_a_leaner_slips_outside_the_cone_only(slips):
    """Held at its tilt by a torque, pushed the way its face looks."""
    body = leaning(40.0)
    t, weight = math.radians(40.0), body.mass * 9.81
    push = (1.05 if slips else 0.95) * FRICTION * weight
    back, high = 17 * math.cos(t) - 3 * math.sin(t), 17 * math.sin(t) + 3 * math.cos(t)
    wrench = [push, 0, 0, 0, back * weight - high * push, 0]
    before = body.contact
    assert dynamics.wants_to_move(body, wrench) == slips
    for _ in range(40):
        dynamics.rock(body, wrench, 0.0025)
    assert (body.contact[0] > before[0] + 1.0) == slips and (body.contact == before) != slips
    assert body.tilt_deg == pytest.approx(40.0, abs=0.5)


def test_two_that_hang_together_need_twice_the_pull():
    pair = [disc(), disc()]
    grip = FRICTION * pair[0].mass * 9.81
    pull, inner = [1.9 * grip, 0, 0, 0, 0, 0], [3.0, 0, 0, 0, 0, 0]
    back = [-v for v in inner]
    assert not dynamics.drags(pair, [[a + b for a, b in zip(pull, inner)], back])
    pull[0] = 2.1 * grip
    assert dynamics.drags(pair, [[a + b for a, b in zip(pull, inner)], back])


def test_it_tips_when_the_torque_exceeds_weight_times_radius_and_over_the_right_rim():
    body = disc()
    limit = body.mass * 9.81 * 17.0  # N mm
    assert dynamics.tips_towards(body, [0, 0, 0, 0, 0.98 * limit, 0]) is None
    # about +y the face comes to look along +x: the rim there stays down
    assert dynamics.tips_towards(body, [0, 0, 0, 0, 1.02 * limit, 0]) == pytest.approx(0.0)
    assert dynamics.tips_towards(body, [0, 0, 0, -1.02 * limit, 0, 0]) == pytest.approx(math.pi / 2)
    tall = disc(discs=12)  # a pull at half its height of 72 mm, friction at its base
    pull = tall.mass * 9.81 * 17.0 / 36.0
    assert dynamics.tips_towards(tall, [0.98 * pull, 0, 0, 0, 0, 0]) is None
    assert dynamics.tips_towards(tall, [1.02 * pull, 0, 0, 0, 0, 0]) == pytest.approx(0.0)
    assert dynamics.tips_towards(body, [3.0, 0, 0, 0, 0, 0]) is None  # a low one slides off


def leaning(tilt_deg, face=1):
    body = disc(face)
    t = math.radians(tilt_deg)
    body.axis = (face * math.sin(t), 0.0, face * math.cos(t))
    body.state, body.awake = BodyState.LEANING, True
    body.lean()
    return body


def test_the_pose_of_a_leaner_is_that_of_a_cylinder_on_its_rim():
    body = leaning(40.0)
    assert body.low_point == pytest.approx(0.0, abs=1e-9)
    assert body.tilt_deg == pytest.approx(40.0)
    t = math.radians(40.0)
    assert body.centre[2] == pytest.approx(17 * math.sin(t) + 3 * math.cos(t))
    assert body.contact[0] - body.centre[0] == pytest.approx(17 * math.cos(t) - 3 * math.sin(t))


@pytest.mark.parametrize("face", [1, -1])
def test_a_leaner_that_nothing_holds_falls_flat_as_its_energy_lets_it(face):
    body = leaning(45.0, face)
    high = body.centre[2]
    seconds, fastest = 0.0, 0.0
    while not dynamics.rock(body, NOTHING, 0.0005):
        seconds += 0.0005
        fastest = max(fastest, -body.tilting)
    back = 17.0**2 + 3.0**2  # of the centre from the contact, mm2
    inertia = 17.0**2 / 4 + 6.0**2 / 12 + back
    free = math.sqrt(2 * G * (high - 3.0) / inertia)  # rad/s when it hits, were nothing lost
    assert 0.6 * free < fastest < free
    assert seconds < 0.3
    assert (body.state, body.face, body.centre[2]) == (BodyState.LYING, face, pytest.approx(3.0))


def test_one_that_is_pushed_over_shows_its_other_face():
    body = leaning(85.0)
    body.tilting = 6.0
    run(dynamics.rock, body, 1.0)
    assert (body.state, body.face) == (BodyState.LYING, -1)


def test_carried_by_the_magnets_it_leaves_the_mat():
    body = disc()
    assert not dynamics.lifts_off(body, [0, 0, 0.99 * body.mass * 9.81, 0, 0, 0])
    assert dynamics.lifts_off(body, [0, 0, 1.01 * body.mass * 9.81, 0, 0, 0])
