"""What happens by itself beside a hand, or once the hand has let go: as physics has it in the games
of practice players (polarity_host.simulation.players), here in short scripts."""

import math

import numpy as np
import pytest

from polarity_host.simulation.twin.motion import turned
from polarity_host.simulation.twin.pieces import leaner_pose
from tests.perception.actions import SETTLED_S, appear, lay, lean


@pytest.mark.parametrize("seed", (1, 2, 3))
@pytest.mark.parametrize(("x", "y"), [(61.0, 187.0), (-127.0, 152.0), (166.0, -113.0)])
def test_a_tower_turned_over_high_above_the_rim_does_not_go_out(play, x, y, seed):
    """At 105 mm its field is hardly felt, and seems to move sideways while it turns."""

    def script(stage):
        yield from stage.rest(0.5)
        tower = appear(stage, -1, (x * 0.8, y * 0.8), 2)
        yield from stage.rest(SETTLED_S)
        yield from stage.lift(tower)
        yield from stage.carry_to(tower, (x, y), 105.0)
        yield from stage.rest(0.3)
        yield from stage.turn_over(tower, 0.4)
        yield from stage.rest(0.1)
        yield from stage.carry_to(tower, (x, y), 40.0)
        yield from stage.set_tower(tower, (x, y))
        yield from stage.rest(SETTLED_S)

    told = play(script, seed)
    assert [fact.kind for fact in told.facts][-2:] == ["lifted", "placed"]
    assert [fact.kind for fact in told.facts].count("hand_out") == 0
    placed = told.facts[-1]
    assert (placed.face, placed.discs, placed.shape) == (1, 2, "tower")


@pytest.mark.parametrize("seed", (1, 2, 3))
def test_a_tower_that_jumps_onto_a_disc_just_let_go_has_not_snapped_to_the_hand(play, seed):
    """001 Faults 1, not 3: what has been let go of lies in play."""

    def script(stage):
        yield from stage.rest(0.5)
        tower = appear(stage, 1, (42.0, -60.0), 3)
        yield from stage.rest(SETTLED_S)
        disc = stage.new_disc(-1)
        yield from stage.carry_in(disc, (0.0, -60.0))
        yield from stage.set_flat(disc, (0.0, -60.0))
        yield from stage.snap_stack(tower, disc)
        yield from stage.rest(SETTLED_S)

    told = play(script, seed)
    assert "snapped" not in told.kinds()
    contact = told.only("contact")
    assert (contact.shape, contact.discs) == ("stack", 4)
    assert contact.piece in contact.others and len(contact.others) == 2


@pytest.mark.parametrize("seed", (1, 2, 3))
def test_a_chain_in_one_movement_is_told_contact_by_contact(play, seed):
    """Each is a fault of its own (001 Faults 1). A disc that was let go turns over onto a second;
    the two slide on and hop onto a third, which no hand lifts them to."""

    def script(stage):
        yield from stage.rest(0.5)
        second = yield from lay(stage, -1, (0.0, -60.0))
        third = yield from lay(stage, 1, (110.0, -60.0))
        disc = stage.new_disc(1)
        yield from stage.carry_in(disc, (-40.0, -60.0))
        yield from stage.set_flat(disc, (-40.0, -60.0))
        yield from stage.snap_stack(disc, second)
        yield from stage.slide(second, (68.0, -60.0), 0.15)
        yield from stage.snap_stack(second, third, 0.08)
        yield from stage.rest(1.0)

    told = play(script, seed)
    assert "snapped" not in told.kinds()
    placed = [fact.piece for fact in told.facts if fact.kind == "placed"]
    contacts = [fact for fact in told.facts if fact.kind == "contact"]
    truth = [fact for fact in told.truth if fact.kind == "contact"]
    assert len(placed) == 2  # the last is part of the first contact
    assert [fact.discs for fact in contacts] == [fact.discs for fact in truth] == [2, 3]
    first, last = contacts
    assert first.piece in first.others and placed[0] in first.others
    assert set(last.others) == {first.piece, placed[1]} and last.piece in last.others
    for fact, so in zip(contacts, truth):
        assert abs(fact.t_ms - so.t_us / 1000) < 100


@pytest.mark.parametrize("rest_s", (0.0, 0.05, 0.1))
@pytest.mark.parametrize("slide_s", (0.06, 0.2))
def test_a_stack_that_slides_on_was_a_stack_before_it_touched_another(play, rest_s, slide_s):
    """Two faults, and what is owed is what touches in the end (001 Faults 1)."""

    def script(stage):
        yield from stage.rest(0.5)
        second = yield from lay(stage, -1, (0.0, -60.0))
        third = yield from lay(stage, 1, (60.0, -60.0))
        disc = yield from lay(stage, 1, (-50.0, -60.0))
        yield from stage.snap_stack(disc, second)
        yield from stage.rest(rest_s)
        yield from stage.snap_kiss(second, third, slide_s)
        yield from stage.rest(1.0)

    told = play(script)
    stack, kiss = sorted((f for f in told.facts if f.kind == "contact"), key=lambda f: f.t_ms)
    assert (stack.shape, stack.discs, kiss.discs) == ("stack", 2, 3)
    for fact, so in zip((stack, kiss), [f for f in told.truth if f.kind == "contact"]):
        assert abs(fact.t_ms - so.t_us / 1000) < 130


@pytest.mark.parametrize("seed", (1, 2))
@pytest.mark.parametrize("tilt_deg", (43.0, 30.0))
def test_a_disc_that_topples_slowly_once_let_go_was_laid_flat(play, tilt_deg, seed):
    """It stands near the tilt at which it would be in balance, and leaves that as exp(t): it has
    turned by 0.8 degrees when it is let go, and by 6 to 7 after half of the 0.8 s."""

    def script(stage):
        yield from stage.rest(0.5)
        yield from lay(stage, -1, (30.0, -60.0))
        disc = stage.new_disc(-1)
        yield from stage.carry_in(disc, (-30.0, -60.0))
        contact, azimuth = (-40.0, -60.0, 0.0), 180.0
        centre, axis = leaner_pose(disc.discs[0], contact, azimuth, tilt_deg, disc.face)
        yield from stage.reach(disc, centre, axis, 0.5)
        stage.let_go(disc)

        def show(p):
            turned = 0.8 * math.exp(p * math.log(tilt_deg / 0.8))
            disc.move_to(*leaner_pose(disc.discs[0], contact, azimuth, tilt_deg - turned, -1))

        def lies(t_us):
            stage._note_placed(disc, t_us)

        yield from stage.animate(0.8, show, lies)
        yield from stage.rest(SETTLED_S)

    told = play(script, seed)
    assert told.kinds() == ["placed", "placed"]
    assert [fact.shape for fact in told.facts if fact.kind == "placed"] == ["flat", "flat"]


@pytest.mark.parametrize("seed", (1, 2, 3))
def test_what_is_faint_high_over_the_middle_has_not_come_in(play, seed):
    """No hand was seen to come: a disc 83 mm up appears there, and only then comes lower."""

    def script(stage):
        yield from stage.rest(0.5)
        disc = stage.new_disc(-1)
        disc.move_to((100.0, -60.0, 86.0))
        stage.enter(disc)
        yield from stage.rest(0.8)
        script.low_ms = stage.t_us / 1000
        yield from stage.carry_to(disc, (100.0, -60.0), 40.0)
        yield from stage.rest(0.3)

    told = play(script, seed)
    told.only("hand_in")
    assert told.seen_ms[0] > script.low_ms


@pytest.mark.parametrize("seed", (1, 2, 3))
@pytest.mark.parametrize(("dx", "dy"), [(-46.0, -15.0), (-20.0, 55.0), (-10.0, -62.0)])
def test_two_that_meet_and_slide_on_together_are_one_stack(play, dx, dy, seed):
    """A disc shoots off towards a leaner, which comes to meet it turning over; they snap together
    and slide on. Where the stack lies neither has lain."""

    def script(stage):
        yield from stage.rest(0.5)
        disc = yield from lay(stage, 1, (62.0, -62.0))
        leaner = yield from lean(stage, -1, (123.0, -62.0), 0.0, 42.0)
        yield from stage.rest(SETTLED_S)
        goal = np.array([62.0 + dx, -62.0 + dy])
        starts = disc.centre.copy(), leaner.centre.copy(), leaner.axis.copy()

        def meet(p):
            q = p**1.5
            xy = starts[0][:2] + 0.5 * q * (goal - starts[0][:2])
            disc.move_to((*xy, starts[0][2]))
            above = np.array([*xy, 22.0])
            leaner.move_to(starts[1] + q * (above - starts[1]), turned(starts[2], disc.axis, q))

        leaner.set_leaning(False)
        yield from stage.animate(0.07, meet)
        yield from stage.snap_stack(leaner, disc, 0.02)
        yield from stage.slide(disc, goal, 0.08)
        yield from stage.rest(1.0)

    told = play(script, seed)
    contact = told.only("contact", shape="stack")
    assert contact.discs == 2 and set(contact.others) == {1, 2}
    (lies,) = [body for body in told.tracker.scene.bodies if body.id == contact.piece]
    assert lies.discs == 2
    assert math.hypot(lies.pose[0] / 256 - 62 - dx, lies.pose[1] / 256 + 62 - dy) < 1.0
    assert told.seen_ms[told.facts.index(contact)] - told.so("contact").t_us / 1000 < 450


@pytest.mark.parametrize("seed", (1, 2, 3))
def test_a_disc_that_yields_to_one_that_jumps_against_it_touches_it(play, seed):
    """It comes 2.4 mm to meet the other, is pushed back, and lies 1 mm from where it lay: the one
    that jumped is told first, and while this one moves."""

    def script(stage):
        yield from stage.rest(0.5)
        stays = yield from lay(stage, -1, (0.0, -60.0))
        jumps = yield from lay(stage, 1, (60.0, -60.0))
        yield from stage.rest(SETTLED_S)

        def meet(p):
            stays.move_to((2.4 * p**3, -60.0, 3.0))
            jumps.move_to((60.0 - 23.6 * p**2, -60.0, 3.0))

        def on(p):
            q = 1.0 - (1.0 - p) ** 2
            stays.move_to((2.4 - 3.4 * q, -60.0, 3.0))
            jumps.move_to((36.4 - 3.4 * q, -60.0, 3.0))

        yield from stage.animate(0.12, meet)
        yield from stage.animate(0.06, on)
        yield from stage.rest(1.0)

    told = play(script, seed)
    assert set(told.only("contact", shape="kiss").others) == {1, 2}


@pytest.mark.parametrize("third", ((0.0, 52.0), (-30.0, -48.0)))
def test_what_jumps_onto_a_stack_just_made_was_not_lifted(play, third):
    """Nobody's hand is there: two snap together, and a third hops onto them 0.1 s later."""

    def script(stage):
        yield from stage.rest(0.4)
        lower = yield from lay(stage, 1, (0.0, 0.0))
        upper = yield from lay(stage, -1, (46.0, 0.0))
        other = yield from lay(stage, 1, third)
        yield from stage.rest(1.0)
        yield from stage.snap_stack(upper, lower)
        yield from stage.rest(0.1)
        yield from stage.snap_stack(other, lower, seconds=0.1)
        yield from stage.rest(1.2)

    told = play(script)
    assert set(told.kinds()) == {"placed", "contact"}
    last = [fact for fact in told.facts if fact.kind == "contact"][-1]
    assert (last.shape, last.discs) == ("stack", 3)
    assert {number for fact in told.facts for number in fact.others} == {1, 2, 3}


@pytest.mark.parametrize("discs", (1, 3))
@pytest.mark.parametrize("seed", (1, 2))
def test_what_rocks_on_its_edge_has_not_flipped(play, seed, discs):
    """It stands within 3 degrees of upright, now one face a little up, now the other, and rolls on
    by 8 mm each time: nothing has turned over."""

    def script(stage):
        yield from stage.rest(0.5)
        piece = appear(stage, 1, (40.0, -60.0), discs)
        yield from stage.rest(0.8)

        def rock(y, tilt_deg):
            s, c = math.sin(math.radians(tilt_deg)), math.cos(math.radians(tilt_deg))
            piece.move_to((40.0, y, 17.0 * s + 3.0 * discs * abs(c)), np.array([s, 0.0, c]))

        yield from stage.animate(0.3, lambda p: rock(-60.0, 87.0 * p))
        yield from stage.rest(0.8)
        for turn in range(4):
            y, tilt_deg, by_deg = -60.0 + 8.0 * turn, *((87.0, 6.0), (93.0, -6.0))[turn % 2]
            yield from stage.animate(
                0.3, lambda p, y=y, a=tilt_deg, b=by_deg: rock(y + 8.0 * p, a + p * b)
            )
            yield from stage.rest(SETTLED_S)

    kinds = play(script, seed).kinds()
    assert "flipped" not in kinds and kinds[-4:] == 4 * ["rolled"]


@pytest.mark.parametrize("seed", (1, 2))
def test_two_that_snap_together_bring_no_third(play, seed):
    """No hand is near. What the first fits of both leave over looks like another disc."""
    x, y = 73.0 * math.cos(math.radians(342.0)), 73.0 * math.sin(math.radians(342.0))

    def script(stage):
        yield from stage.rest(0.4)
        lower = appear(stage, 1, (20.0, -40.0))
        yield from stage.rest(0.7)
        upper = yield from lay(stage, 1, (20.0 + x, -40.0 + y), 0.6)
        yield from stage.snap_stack(upper, lower, 0.06)
        yield from stage.rest(0.8)

    told = play(script, seed)
    contact = told.only("contact")
    assert (contact.shape, contact.discs) == ("stack", 2)
    assert set(told.kinds()) == {"placed", "contact"}
    assert [fact.kind for fact in told.facts].count("hand_in") == 2
