"""Poses, motions and truth of the stage, from geometry."""

import numpy as np
import pytest

from polarity_host.mats.description import load_mat
from polarity_host.simulation.twin.pieces import TwinDisc, leaner_pose
from polarity_host.simulation.twin.stage import Stage


@pytest.fixture(scope="module")
def mat():
    return load_mat("standard")


def play(stage, script, **options):
    return list(stage.stream_scenes(script, **options))


def kinds(stage):
    return [fact.kind for fact in stage.truth.facts]


def lay(stage, face, xy):
    """A disc that lies there from the first frame on, as if placed long ago."""
    return stage.appear(face, xy)


def rim_points(disc, centre, axis):
    """Points on both rims of a disc, (2000, 3) mm."""
    side = np.cross(axis, (0.3, 0.9, 0.1))
    side /= np.linalg.norm(side)
    angle = np.linspace(0, 2 * np.pi, 1000, endpoint=False)
    circle = np.outer(np.cos(angle), side) + np.outer(np.sin(angle), np.cross(axis, side))
    half = disc.thickness_mm / 2 * axis
    return np.vstack([centre + disc.radius_mm * circle + s * half for s in (1, -1)])


@pytest.mark.parametrize("tilt", [0.5, 20, 43, 70, 89, 91, 120, 179])
@pytest.mark.parametrize("face", [1, -1])
def test_a_leaners_low_rim_is_on_the_mat(mat, tilt, face):
    disc = TwinDisc(mat.disc)
    contact, azimuth = np.array([30.0, -20.0]), 25.0
    centre, axis = leaner_pose(disc, contact, azimuth, tilt, face)
    points = rim_points(disc, centre, axis)
    lowest = points[points[:, 2].argmin()]
    assert lowest[2] == pytest.approx(0.0, abs=1e-3)
    assert axis[2] * face == pytest.approx(np.cos(np.radians(tilt)))
    if tilt <= 90:
        assert lowest[:2] == pytest.approx(contact, abs=0.5)  # the points lie 0.1 mm apart


def test_going_over_the_upright_is_continuous(mat):
    disc = TwinDisc(mat.disc)
    poses = [leaner_pose(disc, (0, 0), 0, tilt, 1)[0] for tilt in np.arange(80, 100, 0.1)]
    assert np.linalg.norm(np.diff(poses, axis=0), axis=1).max() < 0.05


def test_a_placed_leaner_leans_away_from_its_foundation(mat):
    stage = Stage(mat, 1)
    foundation = lay(stage, 1, (0.0, 0.0))
    disc = stage.new_disc(1)

    def script():
        yield from stage.carry_in(disc, (0, 40))
        yield from stage.set_leaner(disc, (0.0, 62.0), 90.0, 41.0)
        yield from stage.rest(0.1)

    frames = play(stage, script())
    placed = stage.truth.facts[-1]
    assert (placed.kind, placed.shape, placed.others) == ("placed", "leaner", (foundation.id,))
    assert (placed.x_mm, placed.y_mm) == pytest.approx((0, 62))
    assert disc.contact_xy == pytest.approx((0, 62))
    assert 0 < disc.xy[1] < 62  # raised edge towards the foundation
    assert disc.tilt_deg == pytest.approx(41) and disc.azimuth_deg == pytest.approx(90)
    still = [scene[1] for _, _, scene in frames[-10:]]
    assert all(state == still[0] for state in still)


def test_hand_in_is_noted_when_the_centre_crosses(mat):
    stage = Stage(mat, 2)
    disc = stage.new_disc(-1)
    frames = play(stage, stage.carry_in(disc, (10, 20), from_deg=90))
    fact = stage.truth.facts[0]
    assert (fact.kind, fact.piece, fact.face) == ("hand_in", 1, -1)
    assert np.hypot(fact.x_mm, fact.y_mm) == pytest.approx(mat.circle_radius_mm)
    times = np.array([t_us for t_us, _, _ in frames])
    radius = [np.hypot(scene[0].x_mm, scene[0].y_mm) for _, _, scene in frames]
    crossing_us = np.interp(-mat.circle_radius_mm, -np.array(radius), times)
    assert fact.t_us == pytest.approx(crossing_us, abs=2)


def test_held_discs_tremble_and_released_ones_do_not(mat):
    stage = Stage(mat, 3)
    disc = stage.new_disc(1)

    def script():
        yield from stage.carry_in(disc, (0, 0))
        yield from stage.rest(1.0)
        yield from stage.set_flat(disc, (5.0, 6.0))
        yield from stage.rest(0.5)

    frames = play(stage, script())
    hover = [scene[0] for _, _, scene in frames if np.hypot(*disc.xy) < 50 and scene[0].held]
    x = np.array([s.x_mm for s in hover if abs(s.x_mm) < 3 and s.z_mm > 30])
    quick = np.diff(x, 2).std()
    assert 0.01 < quick < 0.3
    last = frames[-40:]
    assert {(s.x_mm, s.y_mm, s.z_mm) for _, _, (s,) in last} == {(5.0, 6.0, 3.0)}
    assert not np.array_equal(last[0][1], last[1][1])  # the sensors' noise goes on


def test_a_kiss_ends_exactly_one_diameter_apart(mat):
    stage = Stage(mat, 4)
    a, b = lay(stage, 1, (0, 0)), lay(stage, -1, (30.0, 32.0))
    play(stage, stage.snap_kiss(b, a, share=0.3))
    assert np.hypot(a.xy[0] - b.xy[0], a.xy[1] - b.xy[1]) == pytest.approx(34.0, abs=1e-9)
    contact, *shifts = stage.truth.facts
    assert (contact.kind, contact.shape, contact.others) == ("contact", "kiss", (1, 2))
    assert [fact.kind for fact in shifts] == ["shifted", "shifted"]
    assert sum(fact.d_mm for fact in shifts) == pytest.approx(np.hypot(30, 32) - 34)


def test_same_faces_do_not_kiss(mat):
    stage = Stage(mat, 4)
    with pytest.raises(ValueError, match="repel"):
        next(stage.snap_kiss(lay(stage, 1, (0, 0)), lay(stage, 1, (40.0, 0))))


def test_a_stack_is_one_tower_with_the_lower_ones_face(mat):
    stage = Stage(mat, 5)
    a, b, c = lay(stage, 1, (0, 0)), lay(stage, -1, (50.0, 0)), lay(stage, 1, (90.0, 0))

    def script():
        yield from stage.snap_stack(a, b)
        yield from stage.snap_kiss(c, b)

    frames = play(stage, script())
    stack, kiss, _ = stage.truth.facts
    assert (stack.shape, stack.piece, stack.others) == ("stack", b.id, (a.id, b.id))
    assert (stack.discs, stack.face) == (2, -1)
    assert (kiss.shape, kiss.others, kiss.discs) == ("mix", (b.id, c.id), 3)
    tower = next(s for s in frames[-1][2] if s.id == b.id)
    assert (tower.shape, tower.discs, tower.z_mm, tower.x_mm) == ("tower", 2, 3.0, 50.0)
    places = b.disc_centres(b.centre, b.axis)
    assert sorted(places[:, 2]) == pytest.approx([3.0, 9.0])


def test_capturing_a_chain_and_leaving_one_behind(mat):
    stage = Stage(mat, 6)
    w, b, w2, b2 = (lay(stage, face, (x, 0)) for face, x in ((1, 0), (-1, 36), (1, 72), (-1, 108)))

    def script():
        yield from stage.snap_kiss(b, w)
        yield from stage.snap_kiss(w2, b)
        yield from stage.snap_kiss(b2, w2)
        held = yield from stage.lift_group(w, [b, w2])
        yield from stage.set_tower(held, (0, 60), face=-1)
        yield from stage.rest(0.1)

    frames = play(stage, script())
    facts = [fact for fact in stage.truth.facts if fact.kind != "shifted"]
    assert [fact.kind for fact in facts] == [
        *["contact"] * 3, "lifted", "snapped", "snapped", "parted", "placed",
    ]  # fmt: skip
    assert [fact.others for fact in facts[3:7]] == [(), (b.id,), (w2.id,), (w.id, b2.id)]
    assert facts[5].discs == 3
    placed = facts[-1]
    assert (placed.piece, placed.shape, placed.discs, placed.face) == (w.id, "tower", 3, -1)
    tower = frames[-1][2][0]
    assert (tower.x_mm, tower.y_mm, tower.z_mm) == (0, 60, 3)


def test_nothing_held_goes_through_the_mat(mat):
    stage = Stage(mat, 15)
    w, b = lay(stage, 1, (0, 0)), lay(stage, -1, (36.0, 0))
    more = [lay(stage, -1, (36.0, 60.0 + 50 * k)) for k in range(2)]
    lowest = []

    def script():
        for disc in more:
            yield from stage.snap_stack(disc, b)
        yield from stage.snap_kiss(b, w)
        held = yield from stage.lift_group(w, [b])
        yield from stage.set_tower(held, (0, 60), face=-1)

    def watched():
        for _ in script():
            for piece in stage.pieces:
                centre, axis = piece.pose(stage.t_us / 1e6)
                places = piece.disc_centres(centre, axis)
                lowest.extend(rim_points(piece.discs[0], c, axis)[:, 2].min() for c in places)
            yield

    play(stage, watched())
    assert len(stage.pieces[0].discs) == 4
    assert min(lowest) > -1e-6
    with pytest.raises(ValueError, match="no room"):
        held = stage.new_disc(1)
        held.move_to((0, 60, 20))
        next(stage.snap_to_hand(held, stage.pieces[0]))


def test_part_of_a_tower_is_lifted_from_its_top(mat):
    stage = Stage(mat, 7)
    a, b = lay(stage, 1, (0, 0)), lay(stage, 1, (50.0, 0))
    lower, upper = b.discs[0], a.discs[0]

    def script():
        yield from stage.snap_stack(a, b)
        top = yield from stage.lift(b, discs=1)
        yield from stage.carry_out(top)
        yield from stage.rest(0.02)

    play(stage, script())
    lifted, out = stage.truth.facts[-2:]
    assert (lifted.kind, lifted.others, lifted.discs) == ("lifted", (b.id,), 1)
    assert lifted.piece == out.piece == 3 and out.kind == "hand_out"
    assert b.discs == [lower] and upper not in stage.instruments.field._of_disc
    assert b.z == 3.0


def test_falls_flips_and_rolls(mat):
    stage = Stage(mat, 8)
    disc = stage.new_disc(1)

    def script():
        yield from stage.carry_in(disc, (0, 0))
        yield from stage.set_leaner(disc, (0.0, 0.0), 0.0, 45.0)
        yield from stage.roll(disc, (0.0, 12.0), azimuth_deg=20.0)
        yield from stage.flip(disc)

    play(stage, script())
    assert kinds(stage) == ["hand_in", "placed", "rolled", "flipped"]
    rolled, flipped = stage.truth.facts[-2:]
    assert rolled.d_mm == pytest.approx(12.0)
    assert flipped.face == -1 and disc.shape == "flat" and disc.z == pytest.approx(3.0)
    assert np.hypot(disc.xy[0], disc.xy[1] - 12) == pytest.approx(17 + 6)  # over its own edge
    assert flipped.t_us - rolled.t_us == pytest.approx(170_000, abs=10_000)


def test_out_of_the_circle_and_off_the_dot(mat):
    stage = Stage(mat, 9)
    disc = lay(stage, 1, (200.0, 0.0))

    def script():
        red = yield from stage.place_red()
        yield from stage.slide(disc, (228.0, 0.0))  # on the line is in
        yield from stage.drag_out(disc)
        yield from stage.take_away(disc)
        yield from stage.slide(red, (26.0, 0.0))  # still covers part of the dot
        yield from stage.slide(red, (28.0, 0.0))

    play(stage, script())
    assert kinds(stage) == ["placed", "shifted", "left_circle", "red_off"]
    left, off = stage.truth.facts[-2:]
    assert np.hypot(left.x_mm, left.y_mm) == pytest.approx(225 + 17)
    assert off.x_mm == pytest.approx(10 + 17)
    assert disc not in stage.pieces


def test_same_seed_same_counts_whatever_the_chunks(mat):
    def run(seed, chunk):
        stage = Stage(mat, seed)
        disc = stage.new_disc(1)
        counts = []

        def script():
            yield from stage.carry_in(disc, (0, 0))
            yield from stage.set_flat(disc, (0, 0))

        for t_us, frame in stage.stream(script(), chunk_frames=chunk):
            counts.append(np.append(frame, t_us))
        return np.array(counts)

    first = run(11, 50)
    assert np.array_equal(first, run(11, 50))
    assert np.array_equal(first, run(11, 7))
    assert not np.array_equal(first, run(12, 50)[: len(first)])


def test_the_mat_reads_what_lies_on_it(mat):
    """A white-up disc on a sensor: the count above the bare mat is the textbook field."""
    stage = Stage(mat, 12)
    bare = np.mean([counts for _, counts in stage.stream(stage.rest(0.2))], axis=0)
    lay(stage, 1, (0, 0))
    held = np.mean([counts for _, counts in stage.stream(stage.rest(0.2))], axis=0)
    centre = int(np.argmin(np.hypot(*mat.sensor_xyz_mm[:, :2].T)))
    expected_mt = 1000 * 0.38 / 2 * (11 / np.hypot(11, 17) - 5 / np.hypot(5, 17))
    found_mt = (held - bare)[centre] / mat.counts_per_mt * mat.disc.white_up_counts
    assert found_mt == pytest.approx(expected_mt, rel=0.1)  # gain, moment, ADC


def test_dropped_frames_leave_gaps_in_time(mat):
    from polarity_host.simulation.twin.condition import MatCondition

    stage = Stage(mat, 13, MatCondition(dropped_frames=0.1))
    times = [t_us for t_us, _ in stage.stream(stage.rest(3.0))]
    assert 0.8 < len(times) / 300 < 0.97
    assert {10_000, 20_000} <= set(np.diff(times))
