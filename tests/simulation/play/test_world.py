"""What discs do to one another when hands move them."""

import math

import magpylib
import numpy as np
import pytest

from polarity_host.mats.description import load_mat
from polarity_host.simulation.play.body import BodyState
from polarity_host.simulation.twin.equilibrium import FRICTION, leans, resting_distance_mm, weight_n
from tests.simulation.conftest import Table

DISC = load_mat("standard").disc


def apart(a, b):
    return math.dist(a.centre[:2], b.centre[:2])


def counted(world):
    return sum(len(b.discs) for b in world.bodies) + sum(map(len, world.reserves.values()))


def happened(world):
    return [kind for _, kind, _ in world.events]


def test_opposite_faces_that_lie_too_near_jump_together_and_touch_exactly(table):
    a, b = table.put("w", 0, 0), table.put("b", 46, 0)
    table.run(0.5)
    assert apart(a, b) == pytest.approx(34.0, abs=0.02)
    assert happened(table.world) == ["kiss"]
    assert table.world.touching(a) == [a, b] and a.still and b.still


def test_same_faces_that_lie_too_near_part(table):
    a, b = table.put("w", 0, 0), table.put("w", 38, 0)
    table.run(1.0)
    assert apart(a, b) > 50.0 and a.still and b.still
    assert happened(table.world) == []


@pytest.mark.parametrize("side", ["w", "b"])
def test_farther_than_the_twin_says_discs_stay_where_they_are(table, side):
    a, b = table.put("w", 0, 0), table.put(side, resting_distance_mm(DISC) + 1.0, 0)
    before = a.centre, b.centre
    table.run(0.5)
    assert (a.centre, b.centre) == before


def holds_from_mm(disc, stack, face):
    """Least distance of the axes at which a disc lies still beside a lone stack: where what
    magpylib has it pulled by stays below friction, and what tips it below its weight's torque."""
    fixed, other = (
        magpylib.magnet.Cylinder(
            polarization=(0, 0, f * disc.br_t),
            dimension=(1e-3 * disc.diameter_mm, 1e-3 * disc.thickness_mm * n),
        )
        for f, n in ((1, stack), (face, 1))
    )
    fixed.position = (0, 0, 5e-4 * disc.thickness_mm * stack)
    for x_mm in np.arange(4.5, 1.0, -0.02) * disc.diameter_mm:
        other.position = (1e-3 * x_mm, 0, 5e-4 * disc.thickness_mm)
        force, torque = magpylib.getFT(fixed, other, meshing=200)
        carried = weight_n(disc) - force[2]
        base = 5e-4 * disc.thickness_mm * force[0]  # what the pull at half its height turns
        tips = abs(torque[1] + base) > carried * 5e-4 * disc.diameter_mm
        if abs(force[0]) > FRICTION * carried or tips:
            return x_mm
    raise AssertionError("it lies still right beside it")


@pytest.mark.parametrize("side", ["w", "b"])
@pytest.mark.parametrize(("mat", "stack"), [("standard", 1), ("standard", 4), ("small", 1)])
def test_a_disc_is_drawn_or_pushed_from_where_magpylib_s_force_beats_friction(mat, stack, side):
    disc = load_mat(mat).disc
    limit_mm = holds_from_mm(disc, stack, 1 if side == "w" else -1)
    far, near = Table(mat=mat), Table(mat=mat)
    for table, x in ((far, limit_mm + 2.0), (near, limit_mm - 2.0)):
        table.put("w", 0, 0, discs=stack)
        table.put(side, x, 0)
        table.run(0.8)
    assert [body.centre[0] for body in far.world.bodies] == [0.0, limit_mm + 2.0]
    if side == "w":
        assert near.world.bodies[1].centre[0] > limit_mm - 1.0
    else:
        assert happened(near.world)[0] in ("kiss", "stack")


@pytest.mark.parametrize("discs", [2, 6, 12])
def test_a_tower_stands(table, discs):
    """Let go a little above the mat, and with others around it that lie still by themselves."""
    tower = table.put("w", 0, 0, discs=discs)
    tower.place((0.0, 0.0, tower.height / 2 + 2.0))
    tower.become(BodyState.FLYING)
    around = [table.put(side, x, y) for side, x, y in (("w", 150, 0), ("b", -150, 0))]
    table.run(3.0)
    assert (tower.state, tower.still, tower.face) == (BodyState.LYING, True, 1)
    assert tower.centre == pytest.approx((0.0, 0.0, 3.0 * discs), abs=0.5)
    assert [body.centre[:2] for body in around] == [(150.0, 0.0), (-150.0, 0.0)]
    assert len(tower.discs) == discs and happened(table.world) == []


def test_a_disc_lifted_off_another_that_it_touches_makes_it_snap_underneath(table):
    """004 Successful Capture 3."""
    lifted, other = table.put("w", 0, 0), table.put("b", 34, 0)
    table.run(0.3)
    assert table.world.touching(lifted) == [lifted, other]
    table.world.grab(table.hand, lifted.id)
    table.run(1.0)
    assert happened(table.world)[-1] == "snap" and len(lifted.discs) == 2


@pytest.mark.parametrize("lean", leans(DISC)[2::4], ids=lambda lean: f"{lean.distance_mm:.0f} mm")
def test_a_leaner_stands_as_magpylib_says_where_the_hand_leaves_it(table, lean):
    table.put("w", 0, 0)
    body = table.bring("w", lean.distance_mm - 13.0, 0, 0, tilt=lean.tilt_deg - 6.0)
    x, y, z = table.hand.goal
    for _ in range(80):  # the hand keeps the rim where it is wanted while the disc finds its tilt
        body.lean()
        body.state = BodyState.HELD
        x += lean.distance_mm - body.contact[0]
        table.hand.goal = (x, y, z)
        table.run(0.02)
    table.world.release(table.hand)
    table.run(1.0)
    assert body.state == BodyState.LEANING and body.still
    near = min(leans(DISC), key=lambda each: abs(each.distance_mm - body.contact[0]))
    assert abs(near.distance_mm - body.contact[0]) < 1.5
    assert body.tilt_deg == pytest.approx(near.tilt_deg, abs=2.0)


def test_a_leaner_where_none_can_stand_falls_flat(table):
    table.put("w", 0, 0)
    body = table.bring("w", 100.0, 0, 0, tilt=40.0)
    table.world.release(table.hand)
    table.run(1.0)
    assert (body.state, body.face) == (BodyState.LYING, 1)


def carrying_height_mm():
    """Gap over a flat disc at which another, held right above it, carries its weight."""
    fixed, other = (
        magpylib.magnet.Cylinder(polarization=(0, 0, DISC.br_t), dimension=(0.034, 0.006))
        for _ in range(2)
    )
    for z_mm in np.arange(60.0, 20.0, -0.25):
        other.position = (0, 0, z_mm / 1000.0)
        force, _ = magpylib.getFT(fixed, other, meshing=200)
        if -force[2] > weight_n(DISC):
            return z_mm - 6.0
    raise AssertionError("never carries it")


def test_a_disc_jumps_to_the_hand_when_the_magnets_carry_it_and_not_before(table):
    low = table.put("w", 0, 0)
    gap = carrying_height_mm()
    held = table.bring("w", 0, 0, 6.0 + gap + 4.0)
    assert low.centre == (0.0, 0.0, 3.0)
    table.hand.goal = (0, 0, 6.0 + gap - 4.0)
    table.run(0.5)
    assert len(held.discs) == 2 and low not in table.world.bodies
    assert happened(table.world) == ["snap"]
    assert counted(table.world) == 53


def test_a_tower_is_gathered_turned_over_and_set_down(table):
    a, b = table.put("w", 40, 0), table.put("b", 40, 38)
    table.run(0.3)
    assert table.world.touching(a) == [a, b]
    table.world.grab(table.hand, a.id, gather=True)
    table.run(1.0)
    assert len(a.discs) == 2 and a.face == 1
    table.hand.flip()
    table.run(0.8)
    assert a.face == -1
    table.hand.goal = (-60, -60, 0)
    table.run(1.0)
    table.world.release(table.hand)
    table.run(0.3)
    assert (a.state, a.still, a.centre[2]) == (BodyState.LYING, True, pytest.approx(6.0))
    assert counted(table.world) == 53


def test_the_top_of_a_tower_comes_off(table):
    a = table.put("w", 0, 0, discs=4)
    top = table.world.grab(table.hand, a.id, discs=1)
    assert (len(top.discs), len(a.discs)) == (1, 3)
    assert top.centre[2] == pytest.approx(21.0) and a.centre[2] == pytest.approx(9.0)


def test_what_is_let_go_beside_the_mat_is_in_its_own_reserve_again(table):
    """Wherever it is let go, and whichever side is up."""
    body = table.bring("w", 0, 0, 60)
    assert len(table.world.reserves["w"]) == 25
    table.hand.flip()
    table.run(1.0)
    assert body.face < 0
    table.hand.goal = (0, 290, 60)
    table.run(1.0)
    assert table.world.release(table.hand) is None
    assert body not in table.world.bodies
    assert [len(table.world.reserves[side]) for side in "wb"] == [26, 26]


def test_the_same_seed_and_hands_give_the_same_counts():
    def played():
        table = Table()
        table.put("b", 20, 0)
        table.bring("w", 0, 0, 25, tilt=20)
        table.world.release(table.hand)
        return [table.world.step()[1].tolist() for _ in range(30)]

    assert played() == played()


@pytest.mark.parametrize("seed", [1, 2])
def test_whatever_hands_do_no_disc_is_lost_or_leaves_the_world(seed):
    table, rng = Table(seed=seed), np.random.default_rng(seed)
    for turn in range(14):
        if table.world.take(table.hand, "wb"[turn % 2]) is None:
            break
        reach, angle = 110 * math.sqrt(rng.uniform()), rng.uniform(0, 2 * math.pi)
        table.hand.goal = (reach * math.cos(angle), reach * math.sin(angle), 60.0)
        table.run(0.5)
        table.hand.tilt_goal, table.hand.azimuth_goal = rng.uniform(0, 80), rng.uniform(0, 360)
        table.hand.goal = (*table.hand.goal[:2], rng.uniform(0, 30))
        table.run(0.3)
        table.world.release(table.hand)
        table.run(0.4)
        for body in table.world.bodies:
            assert all(map(math.isfinite, body.centre + body.axis))
            assert body.low_point > -0.7
            assert math.hypot(*body.axis) == pytest.approx(1.0)
        assert counted(table.world) == 53
    assert happened(table.world)


def test_a_scene_has_all_bodies_where_they_are(table):
    table.put("w", 60, 40, discs=2)
    leaner = table.put("b", -60, 0)
    table.bring("b", 0, -90, 30)
    tilt = math.radians(50.0)  # its black face looks along +y
    leaner.place(axis=(0.0, -math.sin(tilt), -math.cos(tilt)))
    leaner.become(BodyState.LEANING)
    leaner.lean()
    table.run(0.01)
    scene = {(piece.shape, piece.held): piece for piece in table.world.scene()}
    stack, lean, hand = (
        scene[key] for key in [("tower", False), ("leaner", False), ("flat", True)]
    )
    assert (stack.discs, stack.face, stack.x_mm, stack.y_mm, stack.z_mm) == (2, 1, 60, 40, 3)
    assert (lean.face, lean.tilt_deg) == (-1, pytest.approx(50.0, abs=2.0))
    assert lean.azimuth_deg == pytest.approx(90.0)
    # the rim is a radius from the middle of the face that looks down, which is half a disc away
    reach = 17.0 * math.cos(tilt) - 3.0 * math.sin(tilt)
    assert lean.contact_xy == pytest.approx((-60.0, reach), abs=0.5)
    assert (hand.face, hand.z_mm) == (-1, pytest.approx(33.0, abs=1.5)) and hand.id
    assert math.dist((hand.x_mm, hand.y_mm), (0.0, -90.0)) < 2.0


@pytest.mark.parametrize("face", [1, -1])
def test_what_is_drawn_to_a_disc_does_not_throw_it(table, face):
    """The end of a jump is drawn and not computed: nothing would hold against its pull."""
    still = table.put("w", 60, 40)
    other = table.put("w", 96, 40, face)
    table.run(0.02)
    table.world.collisions.jump(other, still)
    fastest = 0.0
    for _ in range(50):
        table.run(0.01)
        fastest = max(fastest, math.hypot(*still.speed()))
    assert table.world.bodies == [still] and len(still.discs) == 2 and still.still
    assert math.dist(still.centre[:2], (60, 40)) < 12.0 and fastest < 400.0


def test_discs_that_meet_share_their_speed(table):
    """Without friction's part, as two lumps of clay: the whole has half the speed of the one."""
    still = table.put("w", 0, 0)
    other = table.put("w", 36, 0)
    other.state, other.velocity = BodyState.FLYING, (-800.0, 0.0, 0.0)
    table.world.collisions.jump(other, still)
    assert still.speed() == (-400.0, 0.0, 0.0) and still.awake


def magpylib_force_n(on, by):
    """Of one lying disc on another, by magpylib."""
    magnets = [
        magpylib.magnet.Cylinder(
            polarization=(0, 0, body.face * DISC.br_t),
            dimension=(1e-3 * DISC.diameter_mm, 1e-3 * DISC.thickness_mm),
            position=np.array(body.centre) / 1000.0,
        )
        for body in (by, on)
    ]
    return magpylib.getFT(*magnets, meshing=200)[0]


@pytest.mark.parametrize("side", ["w", "b"])
def test_a_disc_that_no_hand_moves_is_pulled_as_it_should_be_from_where_it_is(table, side):
    """It slides off from near, where charges are summed, to where discs are dipoles. 1 m/s ends
    after 1 / (2 * 0.6 * 9.81) m = 85 mm, the magnets' push or pull aside."""
    fixed, moved = table.put("w", 0, 0), table.put(side, 60, 0)
    table.run(0.1)
    moved.go((1000.0, 0.0, 0.0))
    table.run(0.5)
    assert moved.still and 125.0 < moved.centre[0] < 160.0
    force = table.world.magnets.wrench[moved.slot, fixed.slot, :3]
    true = magpylib_force_n(moved, fixed)
    assert force == pytest.approx(true, abs=0.12 * np.linalg.norm(true))


def test_a_disc_at_rest_is_drawn_by_one_that_slides_near_though_no_hand_moves(table):
    """Equal discs pull each other with equal forces: both start where that beats friction."""
    resting, sliding = table.put("w", 0, 0), table.put("b", 100, 0)
    limit_mm = holds_from_mm(DISC, 1, -1)
    way_mm = 100.0 - (limit_mm - 1.0)
    table.run(0.1)
    sliding.go((-math.sqrt(2 * FRICTION * 9810.0 * way_mm), 0.0, 0.0))
    while not happened(table.world) and table.world.t_us < 2e6:
        before = resting.centre[0]
        table.run(0.01)
    assert happened(table.world)[0] == "kiss"
    assert before > 0.3  # it had come some way to meet the other
