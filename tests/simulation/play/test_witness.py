"""The truth that the witness notes, held against what was done and where bodies truly are."""

import math

import pytest

from polarity_host.simulation.play.body import BodyState
from polarity_host.simulation.twin.equilibrium import leans
from tests.simulation.conftest import Table


def kinds(table):
    return [fact.kind for fact in table.world.truth.facts]


def facts(table, kind):
    return [fact for fact in table.world.truth.facts if fact.kind == kind]


def lay(table, side, x, y):
    """A disc is carried in and laid down; returns its body."""
    body = table.bring(side, x, y, 0.0)
    table.world.release(table.hand)
    table.run(0.3)
    return body


def test_a_disc_that_is_carried_in_and_laid_down(table):
    table.run(0.1)
    began_us = table.world.t_us
    body = lay(table, "w", 80.0, -60.0)
    assert kinds(table) == ["hand_in", "placed"]
    came, placed = table.world.truth.facts
    circle = table.world.mat.circle_radius_mm
    assert began_us < came.t_us < placed.t_us < table.world.t_us
    assert math.hypot(came.x_mm, came.y_mm) == pytest.approx(circle, abs=7.0)  # a frame's way
    assert (placed.shape, placed.face, placed.discs) == ("flat", 1, 1)
    assert (placed.x_mm, placed.y_mm) == body.centre[:2]
    assert placed.piece == came.piece == table.world.witness.id_of(body)
    assert table.world.witness.body_of(placed.piece) is body


def test_a_disc_that_is_taken_up_and_carried_out(table):
    body = lay(table, "b", 80.0, 60.0)
    table.world.grab(table.hand, body.id)
    table.run(0.5)
    table.hand.goal = (80.0, 290.0, 60.0)
    table.run(1.2)
    table.world.release(table.hand)
    assert kinds(table)[2:] == ["lifted", "hand_out"]
    assert facts(table, "hand_out")[0].face == -1
    assert table.world.witness.id_of(body) == 0


def test_what_lay_across_the_line_goes_out_when_all_of_it_has_left(table):
    body = lay(table, "b", 0.0, 232.0)
    circle = table.world.mat.circle_radius_mm
    table.world.grab(table.hand, body.id)
    table.run(0.5)
    table.hand.goal = (0.0, 400.0, 60.0)
    table.run(1.2)
    (out,) = facts(table, "hand_out")
    assert out.y_mm == pytest.approx(circle + body.radius, abs=7.0)  # a frame's way


def test_a_hand_that_trembles_over_the_line_crosses_it_once(table):
    body, circle = table.bring("w", 0.0, 200.0, 60.0), table.world.mat.circle_radius_mm
    for n, beyond in enumerate((-0.5, 0.5, -0.5, 1.5, -1.0, 2.5, 1.0, 0.5, 2.0)):
        body.place((0.0, circle + beyond, 60.0))
        table.world.witness.look(table.world.t_us + 10_000 * n, [body], [])
    (out,) = facts(table, "hand_out")
    assert kinds(table) == ["hand_in", "hand_out"]
    assert out.y_mm == pytest.approx(circle + 2.5)


def test_two_that_jump_together_touch_and_shift(table):
    first = lay(table, "w", 0.0, 0.0)
    second = table.bring("b", 60.0, 0.0, 0.0)
    table.hand.goal = (44.0, 0.0, 0.0)
    table.run(0.4)
    table.world.release(table.hand)
    table.run(0.5)
    assert table.world.touching(first) == [first, second]
    (contact,) = facts(table, "contact")
    assert contact.shape == "kiss" and contact.face == 0
    assert contact.others == tuple(sorted(map(table.world.witness.id_of, (first, second))))
    assert len(facts(table, "placed")) == 1  # the second one ended its way at the first
    shifted = {fact.piece: fact.d_mm for fact in facts(table, "shifted")}
    moved = math.dist(first.centre[:2], (0.0, 0.0))
    if moved >= 1.0:
        # the hand's tremble laid it down up to half a millimetre off
        assert shifted[table.world.witness.id_of(first)] == pytest.approx(moved, abs=0.6)


def test_a_leaner_stands_and_is_felled(table):
    lean = leans(table.world.mat.disc)[8]
    base = lay(table, "w", 0.0, 0.0)
    body = table.bring("w", lean.distance_mm - 13.0, 0, 0, tilt=lean.tilt_deg)
    table.run(0.8)
    table.world.release(table.hand)
    table.run(1.0)
    placed = facts(table, "placed")[-1]
    assert placed.shape == "leaner" and placed.tilt_deg == pytest.approx(body.tilt_deg)
    assert placed.others == (table.world.witness.id_of(base),)
    assert (placed.x_mm, placed.y_mm) == body.contact
    body.set_rim_speed(-30.0, 0.0, 0.0, 0.0)
    body.wake()
    table.run(1.0)
    assert facts(table, "fell")[0].piece == placed.piece
    assert not facts(table, "flipped")


def test_what_falls_from_the_hand_is_placed_where_it_comes_to_rest(table):
    body = table.bring("w", 30.0, -40.0, 60.0)
    released_us = table.world.t_us
    table.world.release(table.hand)
    table.run(1.0)
    (placed,) = facts(table, "placed")
    fall_s = math.sqrt(2 * 0.060 / 9.81)
    assert placed.t_us >= released_us + 1e6 * fall_s - 10_000
    assert (placed.x_mm, placed.y_mm) == body.centre[:2]


def test_a_disc_that_jumps_to_the_hand(table):
    low = lay(table, "w", 0.0, 0.0)
    gone = table.world.witness.id_of(low)
    held = table.bring("w", 0.0, 0.0, 20.0)
    table.run(0.3)
    (snapped,) = facts(table, "snapped")
    assert snapped.others == (gone,) and snapped.discs == 2
    assert snapped.piece == table.world.witness.id_of(held)


def test_a_group_that_is_gathered_is_one_tower_and_nothing_stays_behind(table):
    a, b = lay(table, "w", 40.0, 0.0), table.put("b", 40.0, 38.0)
    table.run(0.5)
    table.world.grab(table.hand, a.id, gather=True)
    table.run(1.0)
    table.hand.goal = (-60.0, -60.0, 0.0)
    table.run(1.0)
    table.world.release(table.hand)
    table.run(0.3)
    assert b not in table.world.bodies
    assert "parted" not in kinds(table)
    after = kinds(table)[kinds(table).index("lifted") :]
    assert after == ["lifted", "snapped", "placed"]
    placed = facts(table, "placed")[-1]
    assert (placed.shape, placed.discs) == ("tower", 2)


def test_a_disc_of_a_group_that_is_left_behind_has_parted(table):
    a, b = lay(table, "w", 40.0, 0.0), table.put("b", 40.0, 38.0)
    table.run(0.5)
    ids = tuple(sorted(map(table.world.witness.id_of, (a, b))))
    b.pin()  # a finger holds it down
    table.world.grab(table.hand, a.id, gather=[])
    b.pin()
    table.run(0.8)
    b.unpin()
    table.run(0.2)
    assert [fact.others for fact in facts(table, "parted")] == [ids]


def test_a_disc_that_slides_out_has_left_the_circle_and_one_on_the_line_has_not(table):
    on_line, out = table.put("w", 0.0, -230.0), lay(table, "b", 0.0, 215.0)
    out.set_velocity((0.0, 900.0, 0.0))
    out.wake()
    table.run(0.6)
    (left,) = facts(table, "left_circle")
    radius = table.world.mat.circle_radius_mm
    assert left.piece == table.world.witness.id_of(out) and out.centre[1] > radius + 17.0
    assert not table.world.witness.lies_outside(on_line)


@pytest.mark.parametrize(("outward", "out"), [(1, False), (-1, True)])
def test_a_leaner_is_out_when_none_of_it_is_over_the_circle(table, outward, out):
    """It touches the mat 6 mm beyond the line: in while it leans over the line."""
    radius = table.world.mat.circle_radius_mm
    body = table.bring("w", 0.0, radius - 60.0, 0.0)
    table.world.release(table.hand)
    table.run(0.3)
    body.become(BodyState.LEANING)
    body.set_lean((0.0, radius + 6.0), math.radians(90.0 * outward), math.radians(40.0))
    body.stand()
    witness = table.world.witness
    witness.look(table.world.t_us, [body], ())
    body.rest()
    witness.look(table.world.t_us, [body], ())
    assert kinds(table)[2:] == (["left_circle", "placed"] if out else ["placed"])


def test_what_touches_the_red_disc_and_red_off_its_dot(table):
    red = table.bring("red", 0.0, 0.0, 0.0)
    table.world.release(table.hand)
    table.run(0.3)
    assert [(f.kind, f.shape) for f in table.world.truth.facts] == [("placed", "red")]
    disc = table.bring("b" if red.face > 0 else "w", 75.0, 10.0, 0.0)
    table.hand.goal = (46.0, 6.0, 0.0)  # pushed along the mat: red jumps at it
    table.run(0.4)
    table.world.release(table.hand)
    table.run(0.5)
    touched = facts(table, "touched_red")[0]
    assert touched.piece == table.world.witness.id_of(disc)
    other = Table()
    red = other.bring("red", 0.0, 0.0, 0.0)
    other.world.release(other.hand)
    other.run(0.2)
    red.set_velocity((600.0, 0.0, 0.0))
    red.wake()
    other.run(0.6)
    off_mm = other.world.mat.dot_radius_mm + 17.0
    assert math.hypot(*red.centre[:2]) > off_mm and len(facts(other, "red_off")) == 1


def test_a_disc_let_go_outside_that_slides_in_has_come_in(table):
    radius = table.world.mat.circle_radius_mm
    body = table.put("w", 0.0, radius + 30.0)
    table.run(0.1)
    assert table.world.witness.id_of(body) == 0 and kinds(table) == []
    body.set_velocity((0.0, -1000.0, 0.0))
    body.wake()
    table.run(0.6)
    assert body.centre[1] < radius
    assert kinds(table) == ["hand_in", "placed"]
    came, placed = table.world.truth.facts
    assert came.piece == placed.piece == table.world.witness.id_of(body)


def test_a_stack_that_turns_over_as_it_falls_is_told_once_with_the_face_that_shows(table):
    leaner, other = table.put("w", 60.0, 0.0), lay(table, "b", 120.0, 90.0)
    table.run(0.1)
    leaner.become(BodyState.LEANING)
    leaner.lean(0.0)
    leaner.set_lean(tilt=math.radians(80.0))
    leaner.stand()
    leaner.rest()
    table.run(0.1)
    before = len(table.world.truth.facts)
    ids = sorted(map(table.world.witness.id_of, (leaner, other)))
    leaner.set_rim_speed(15.0, 0.0, 0.0, 0.0)
    leaner.wake()
    table.world.collisions.jump(other, leaner)
    table.run(1.0)
    assert leaner.state is BodyState.LYING and len(leaner.discs) == 2 and leaner.face == -1
    told = table.world.truth.facts[before:]
    assert [fact.kind for fact in told if fact.kind != "shifted"] == ["contact"]
    (contact,) = facts(table, "contact")
    assert (contact.shape, contact.face, list(contact.others)) == ("stack", -1, ids)


def rest_leaning(body, tilt_deg, azimuth_deg=0.0):
    """The body leans there, at rest, from now on."""
    body.become(BodyState.LEANING)
    body.lean(math.radians(azimuth_deg))
    body.set_lean(tilt=math.radians(tilt_deg))
    body.stand()
    body.rest()


@pytest.mark.parametrize(("mm_s", "after_us"), [(2.0, 300_000), (20.0, 2_000_000)])
def test_a_leaner_that_creeps_stands(table, mm_s, after_us):
    """One that hardly moves for seconds stands; one that is on its way does when it is there."""
    body = table.bring("w", 0.0, 60.0, 60.0)
    before, began_us = len(table.world.truth.facts), table.world.t_us
    rest_leaning(body, 60.0)
    for n in range(201):
        body.place((0.0, 60.0 + mm_s * n / 100, body.centre[2]))
        body.rest() if n == 200 else body.wake()
        table.world.witness.look(began_us + 10_000 * n, [body], [])
    (placed,) = table.world.truth.facts[before:]
    assert (placed.kind, placed.t_us - began_us) == ("placed", after_us)


def noted_since(table, before):
    return table.world.truth.facts[before:]


def test_a_stack_that_comes_to_rest_on_its_side_is_a_tower_that_leans(table):
    """Seven discs of 6 mm on their side are a roller; no magnet near raises or lowers it."""
    tower, other = lay(table, "w", 0.0, 0.0), table.put("b", 60.0, 100.0, discs=6)
    table.run(0.2)
    rest_leaning(other, 90.0)
    table.run(0.2)
    ids = sorted(map(table.world.witness.id_of, (tower, other)))
    before = len(table.world.truth.facts)
    table.world.collisions.jump(tower, other)
    table.run(1.5)
    assert other.state is BodyState.LEANING and other.still and len(other.discs) == 7
    told = [fact for fact in noted_since(table, before) if fact.kind not in ("rolled", "shifted")]
    assert [(fact.kind, fact.shape, fact.discs) for fact in told] == [
        ("contact", "stack", 7),
        ("placed", "leaner", 7),
    ]
    assert list(told[0].others) == ids and told[1].tilt_deg == pytest.approx(90.0, abs=3.0)
    assert told[0].face == told[1].face == 0  # it shows none
    other.set_lean(tilt=math.radians(20.0))  # something knocks it over later
    other.set_rim_speed(-5.0, 0.0, 0.0, 0.0)
    other.wake()
    table.run(1.0)
    last = [fact for fact in noted_since(table, before) if fact.kind in ("fell", "flipped")]
    assert [(fact.piece, fact.face) for fact in last] == [(told[0].piece, other.face)]
    assert other.state is BodyState.LYING


def test_what_lies_outside_is_no_piece_of_what_a_hand_takes_up_there(table):
    """001 Faults 5: it was out, and is nobody's action disc when it snaps to another one."""
    radius = table.world.mat.circle_radius_mm
    first, second = lay(table, "w", 0.0, 210.0), lay(table, "w", 60.0, 205.0)
    for body in (first, second):
        body.go((0.0, 950.0, 0.0))
    table.run(0.6)
    assert all(table.world.witness.lies_outside(body) for body in (first, second))
    assert kinds(table).count("left_circle") == 2
    before = len(table.world.truth.facts)
    held = table.world.grab(table.hand, first.id)
    table.run(0.3)
    table.hand.goal = (60.0, radius + 60.0, 8.0)
    table.run(0.8)
    assert len(held.discs) == 2  # the other one has jumped to it
    assert noted_since(table, before) == []


def test_discs_that_snap_to_a_hand_in_the_frame_in_which_it_comes_in_are_counted_one_by_one(table):
    radius = table.world.mat.circle_radius_mm
    lying = [lay(table, "w", x, 180.0) for x in (-20.0, 20.0)]
    ids = [table.world.witness.id_of(body) for body in lying]
    held = table.world.take(table.hand, "w", (0.0, radius + 80.0))
    table.run(0.1)
    held.place((0.0, radius - 1.0, 60.0))
    for body in lying:  # both arrive in this frame
        table.world.collisions.note("snap", held, body)
    held.restack([*held.discs, *(disc for body in lying for disc in body.discs)])
    witness, t_us = table.world.witness, table.world.t_us
    witness.look(t_us, [held], table.world.collisions.take_events())
    told = [(f.kind, f.discs, f.others) for f in table.world.truth.facts if f.t_us == t_us]
    assert told == [("hand_in", 1, ()), ("snapped", 2, (ids[0],)), ("snapped", 3, (ids[1],))]


@pytest.mark.parametrize("speed_mm_s", [330.0, 1200.0])
def test_a_roller_that_rolls_out_has_left_the_circle(table, speed_mm_s):
    """It comes to rest there, or rolls off the table and is picked up."""
    body = lay(table, "b", 0.0, 150.0)
    piece = table.world.witness.id_of(body)
    rest_leaning(body, 88.0)  # it looks along x, and rolls along y
    table.run(0.1)
    body.set_rim_speed(0.0, 0.0, speed_mm_s, 0.0)
    body.wake()
    table.run(2.0)
    assert (body in table.world.bodies) == (speed_mm_s < 1000.0)
    (left,) = facts(table, "left_circle")
    assert left.piece == piece
    assert math.hypot(left.x_mm, left.y_mm) > table.world.mat.circle_radius_mm + 17.0


def test_a_tower_that_is_flung_onto_another_face_has_flipped_before_it_touches(table):
    """Of a kiss the fact names no face, so what shows another one has flipped."""
    flung, other = table.put("w", 0.0, 0.0, discs=2), lay(table, "w", 90.0, 0.0)
    table.run(0.2)
    ids = sorted(map(table.world.witness.id_of, (flung, other)))
    flung.place((56.0, 0.0, 6.0), (0.0, 0.0, -1.0))  # all in one frame
    flung.wake()
    collisions, t_us = table.world.collisions, table.world.t_us
    collisions.joined.add(frozenset((flung, other)))
    collisions.note("kiss", flung, other)
    table.world.witness.look(t_us, [flung, other], collisions.take_events())
    told = [fact for fact in table.world.truth.facts if fact.t_us == t_us]
    assert [(fact.kind, fact.face) for fact in told] == [("flipped", -1), ("contact", 0)]
    assert told[0].discs == 2 and list(told[1].others) == ids


@pytest.mark.parametrize("in_play", [False, True])
def test_what_is_taken_up_outside_is_told_where_that_is_in_play(in_play):
    """001 Faults 5: outside the circle is out. 003 Game Play 6.4: only off the mat is."""
    table = Table()
    if in_play:
        table.world.play_beyond_circle()
    body = lay(table, "w", 0.0, 210.0)
    body.go((0.0, 950.0, 0.0))
    table.run(0.5)
    piece = table.world.witness.id_of(body)
    table.world.grab(table.hand, body.id)
    table.run(0.4)
    table.hand.goal = (0.0, 0.0, 0.0)
    table.run(1.2)
    table.world.release(table.hand)
    table.run(0.3)
    after = [kind for kind in kinds(table) if kind != "shifted"]
    after = after[after.index("left_circle") + 1 :]
    assert after == (["lifted", "placed"] if in_play else ["hand_in", "placed"])
    assert (facts(table, "placed")[-1].piece == piece) is in_play


def test_what_is_attracted_out_goes_by_its_own_name_and_has_left(table):
    """004 Attracted out: a disc that jumps to one outside is out as well."""
    out, piece = lay(table, "w", 0.0, 210.0), lay(table, "b", 60.0, 190.0)
    out.go((0.0, 950.0, 0.0))
    table.run(0.6)
    name = table.world.witness.id_of(piece)
    before = len(table.world.truth.facts)
    table.world.collisions.jump(piece, out)
    table.run(0.3)
    told = [fact for fact in noted_since(table, before) if fact.kind != "shifted"]
    assert [fact.kind for fact in told] == ["contact", "left_circle"]
    assert told[0].piece == told[1].piece == name and told[0].discs == 2


def test_a_disc_that_magnets_raise_is_a_leaner_from_then_on(table):
    body = lay(table, "w", 40.0, 0.0)
    before = len(table.world.truth.facts)
    rest_leaning(body, 89.9)
    table.run(0.3)
    (placed,) = noted_since(table, before)
    assert (placed.kind, placed.shape, placed.face) == ("placed", "leaner", 1)
    assert placed.piece == table.world.witness.id_of(body)


def test_a_leaner_that_goes_over_its_edge_shows_its_other_face_and_leans(table):
    body = lay(table, "w", 40.0, 0.0)
    rest_leaning(body, 89.9)
    table.run(0.3)
    before = len(table.world.truth.facts)
    body.over_its_side()
    body.set_rim_speed(0.0, 0.0, 0.0, 0.0)
    body.set_lean(tilt=math.radians(89.9))
    body.stand()
    body.rest()
    table.world.witness.look(table.world.t_us, [body], ())
    table.run(0.2)
    told = [(fact.kind, fact.face, fact.shape) for fact in noted_since(table, before)]
    assert told == [("flipped", -1, ""), ("placed", -1, "leaner")]


def test_red_that_jumps_into_a_stack_has_been_touched_and_the_stack_is_not_red(table):
    """001 End of the Game: red that jumps to a disc is touched by it."""
    red = table.bring("red", 0.0, 0.0, 0.0)
    table.world.release(table.hand)
    table.run(0.3)
    tower = table.put("w", 70.0, 0.0, discs=2)
    table.run(0.2)
    before = len(table.world.truth.facts)
    table.world.collisions.jump(red, tower)
    table.run(0.3)
    told = noted_since(table, before)
    assert [fact.kind for fact in told] == ["touched_red"]
    assert told[0].piece == table.world.witness.id_of(tower) and told[0].discs == 2
