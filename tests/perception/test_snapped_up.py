"""A disc that snaps to one in a hand, of which two tracks are left, one beside the other."""

import pytest

from polarity import mat_data
from polarity.kernels import DISCS, MOMENT, X, Y, Z
from polarity.perception.body import HELD, MOVING
from polarity.perception.tracker import Tracker
from polarity.units import MM
from tests.perception.actions import SETTLED_S, lean
from tests.perception.conftest import ByHand


def lead_astray(scene, beside_mm, high_mm):
    """The stack in the hand is tracked as one disc, lower than it is, and the other one, which no
    hand holds, high up beside it."""
    (hand,) = [body for body in scene.flying if body.state == HELD]
    pose = hand.pose[:]
    scene.fitter.leave(hand.slot)
    hand.pose[DISCS], hand.pose[Z] = 1, pose[Z] - 20 * MM
    scene.fitter.enter(hand.slot, hand.pose)
    pose[DISCS], pose[MOMENT] = 1, hand.pose[MOMENT]
    pose[X], pose[Y], pose[Z] = pose[X] + beside_mm * MM, pose[Y], high_mm * MM
    other = scene.new_body(pose)
    scene.announce(other)
    other.state, other.inside = MOVING, True
    other.slot.left = True


def test_a_disc_in_no_hand_does_not_hover_beside_the_hand_that_it_snapped_to(play):
    tracker = Tracker(mat_data.load("standard"), has_red=False)

    def script(stage):
        yield from stage.rest(0.5)
        leaner = yield from lean(stage, 1, (-117.0, 95.0), 10.0, 36.0)
        yield from stage.rest(SETTLED_S)
        disc = stage.new_disc(1)
        yield from stage.carry_in(disc, (-79.0, 92.0))
        yield from stage.carry_to(disc, (-79.0, 92.0), 48.0)
        yield from stage.snap_to_hand(disc, leaner, 0.05)
        yield from stage.carry_to(disc, (-79.0, 92.0), 93.0)
        yield from stage.rest(0.2)
        lead_astray(tracker.scene, 30, 80)
        yield from stage.rest(0.6)

    play(script, tracker=tracker)
    assert [(body.discs, body.state) for body in tracker.scene.bodies] == [(2, HELD)]


def check_snapped(hand):
    """The first of two discs snapped to the second as that was set down, and that was told."""
    facts, truth = hand.facts, hand.truth
    kinds = ["hand_in", "placed", "hand_in", "snapped", "placed"]
    assert [fact.kind for fact in truth] == kinds
    assert [fact.kind for fact in facts] == kinds
    assert abs(facts[3].t_ms - truth[3].t_us / 1000) < 60


@pytest.mark.parametrize("apart_mm", [38.0, 40.0, 44.0, 48.0, 54.0])
@pytest.mark.parametrize("seed", [2, 5])
def test_what_jumps_to_a_disc_that_a_hand_sets_down_has_snapped_to_it(apart_mm, seed):
    """Low over the mat, or down on it, a hand still holds it, though the two lie there then: it was
    not let go of before, which would be a contact, and is ruled otherwise. The one furthest off
    jumps a tenth of a second after the other is down."""
    hand = ByHand(seed)
    hand.set_down("w", (20.0, -40.0))
    hand.set_down("b", (20.0 + apart_mm, -40.0))
    check_snapped(hand)


@pytest.mark.parametrize("seed, apart_mm", [(1, 10.0), (3, 10.0), (1, 14.0)])
def test_what_stays_tipped_when_another_has_jumped_to_it_is_in_a_hand(seed, apart_mm):
    """A tipped disc is held over one of the other face, which first backs off, and then jumps: how
    far each came says nothing here, but what nobody holds lies flat at once."""
    hand = ByHand(seed)
    hand.set_down("b", (20.0, -40.0))
    hand.set_down("w", (20.0 + apart_mm, -40.0), tilt_deg=15.0)
    check_snapped(hand)


@pytest.mark.parametrize("seed", [2, 5])
def test_what_jumps_to_a_disc_that_was_just_let_go_of_is_in_contact_with_it(seed):
    """Of two that nobody holds each comes some of the way."""
    hand = ByHand(seed)
    hand.set_down("w", (20.0, -40.0))
    hand.world.take(hand.motions.hand, "b")
    for high_mm in (80.0, 2.0):
        hand.run(hand.motions.carry((73.0, -40.0), high_mm))
    hand.world.release(hand.motions.hand)
    hand.run(hand.motions.wait(1.0))
    assert hand.truth[3].kind == "contact"
    assert [fact.kind for fact in hand.facts] == ["hand_in", "placed", "hand_in", "contact"]


def carry_tower(hand, discs, apart_mm):
    """A hand holds a tower of that many discs high over the mat, so far beside a disc that lies
    there with the other face up."""
    for _ in range(discs):
        hand.set_down("w", (-90.0, 60.0))
    hand.set_down("b", (60.0, -40.0))
    tower = max(hand.world.bodies, key=lambda body: len(body.discs))
    hand.world.grab(hand.motions.hand, tower.id, height_mm=80.0)
    hand.run(hand.motions.wait(0.6))
    hand.run(hand.motions.carry((60.0 + apart_mm, -40.0), 120.0))


def since_lifted(facts):
    """The kinds of facts from when the tower was lifted on."""
    kinds = [fact.kind for fact in facts]
    return kinds[kinds.index("lifted") :]


@pytest.mark.parametrize(
    "discs, apart_mm, seed",
    [(2, 58.0, 5), (2, 58.0, 7), (3, 58.0, 5), (3, 61.0, 7), (4, 55.0, 5), (4, 61.0, 7)],
)
def test_what_jumps_to_a_tower_that_a_hand_sets_down_has_snapped_to_it(discs, apart_mm, seed):
    """The hand holds the tower for another 0.15 s once it is down, so that it does not yield."""
    hand = ByHand(seed)
    carry_tower(hand, discs, apart_mm)
    hand.run(hand.motions.set_down())
    hand.run(hand.motions.wait(1.0))
    assert since_lifted(hand.truth) == ["lifted", "snapped", "placed"]
    assert since_lifted(hand.facts) == ["lifted", "snapped", "placed"]


def test_what_jumps_to_a_tower_that_was_just_let_go_of_is_in_contact_with_it():
    hand = ByHand(2)
    carry_tower(hand, 2, 61.0)
    hand.run(hand.motions.carry((121.0, -40.0), 2.0))
    hand.world.release(hand.motions.hand)
    hand.run(hand.motions.wait(1.0))
    assert since_lifted(hand.truth) == ["lifted", "contact"]
    assert since_lifted(hand.facts) == ["lifted", "contact"]


@pytest.mark.parametrize(
    "side, discs, apart_mm", [("w", 2, 16.0), ("w", 3, 20.0), ("w", 4, 26.0), ("b", 4, 16.0)]
)
def test_a_tower_that_slides_under_a_disc_has_snapped_to_the_hand(side, discs, apart_mm):
    """A hand sets the disc down beside the tower's middle. A tower hardly comes to a disc that
    nobody holds: that comes to the tower."""
    hand = ByHand(2)
    for _ in range(discs):
        hand.set_down("w", (60.0, -40.0))
    told, so = len(hand.facts), len(hand.truth)
    hand.set_down(side, (60.0 + apart_mm, -40.0))
    assert [fact.kind for fact in hand.truth[so:]] == ["hand_in", "snapped", "placed"]
    assert [fact.kind for fact in hand.facts[told:]] == ["hand_in", "snapped", "placed"]


@pytest.mark.parametrize("discs, beside_mm", [(1, 0.0), (1, 8.0), (2, 4.0), (2, 8.0), (3, 0.0)])
@pytest.mark.parametrize("side", ["w", "b"])
def test_a_disc_that_a_hand_sets_down_on_others_has_snapped_to_it(side, discs, beside_mm):
    """They come together at once, 0.15 s before the hand lets go."""
    hand = ByHand(1)
    for _ in range(discs):
        hand.set_down("w", (20.0, -40.0))
    told, so = len(hand.facts), len(hand.truth)
    hand.set_down(side, (20.0 + beside_mm, -40.0))
    assert [fact.kind for fact in hand.truth[so:]] == ["hand_in", "snapped", "placed"]
    assert [fact.kind for fact in hand.facts[told:]] == ["hand_in", "snapped", "placed"]


@pytest.mark.parametrize(
    "side, discs, beside_mm, height_mm",
    [("b", 1, 0.0, 18.0), ("b", 2, 0.0, 26.0), ("b", 2, 0.0, 36.0), ("w", 1, 6.0, 48.0)],
)
def test_a_disc_that_falls_on_others_is_in_contact_with_them(side, discs, beside_mm, height_mm):
    hand = ByHand(1)
    for _ in range(discs):
        hand.set_down("w", (20.0, -40.0))
    told, so = len(hand.facts), len(hand.truth)
    hand.world.take(hand.motions.hand, side)
    hand.run(hand.motions.carry((20.0 + beside_mm, -40.0), 80.0))
    hand.run(hand.motions.carry((20.0 + beside_mm, -40.0), height_mm))
    hand.run(hand.motions.wait(0.2))
    hand.world.release(hand.motions.hand)
    hand.run(hand.motions.wait(1.0))
    assert [fact.kind for fact in hand.truth[so:] if fact.kind != "shifted"] == [
        "hand_in",
        "contact",
    ]
    assert [fact.kind for fact in hand.facts[told:]] == ["hand_in", "contact"]
