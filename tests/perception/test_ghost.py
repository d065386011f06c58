"""What hovers over the mat for long is a disc in a hand only if a disc explains it."""

import numpy as np
import pytest

from polarity import mat_data
from polarity.kernels import AZ, DISCS, Z
from polarity.perception import pose as geometry
from polarity.perception.body import HELD, RESTING
from polarity.perception.solver import lay_flat
from polarity.perception.tracker import Tracker
from tests.perception.actions import appear

HOVERS_S = 4.0
HIGH_MM = 70.0


def hovers(stage):
    yield from stage.rest(0.5)
    disc = stage.new_disc(1)
    yield from stage.carry_in(disc, (20.0, 15.0), height_mm=HIGH_MM)
    yield from stage.rest(HOVERS_S)


def test_a_disc_that_a_hand_holds_still_for_long_stays_in_the_hand(play):
    told = play(hovers)
    assert [fact.kind for fact in told.facts] == ["hand_in"]
    (body,) = told.tracker.scene.bodies
    assert body.state <= HELD and abs(body.pose[2] / 256 - HIGH_MM) < 6.0


def test_what_a_hand_leaves_behind_and_no_disc_explains_is_lived_with(play, monkeypatch):
    """The hand is gone in one frame; what stays is as strong, but each sensor shows it up to 60 %
    stronger or weaker. The next hand is told as soon as it comes in."""
    from polarity_host.simulation.twin.stage import Stage

    stream = Stage.stream
    draw = np.random.default_rng(5)

    def with_ghost(stage, script):
        first, last, ghost = None, None, None
        for t_us, counts in stream(stage, script):
            first = counts.astype(np.int64) if first is None else first
            if stage.gone and ghost is None:
                ghost = np.round((last - first) * draw.uniform(0.4, 1.6, len(first)))
            last = counts.astype(np.int64)
            yield t_us, counts if ghost is None else (counts + ghost).astype(counts.dtype)

    def script(stage):
        stage.gone = False
        yield from stage.rest(0.5)
        disc = stage.new_disc(1)
        yield from stage.carry_in(disc, (20.0, 15.0), height_mm=HIGH_MM)
        stage.pieces.remove(disc)
        stage.gone = True
        yield from stage.rest(HOVERS_S)
        other = stage.new_disc(-1)
        yield from stage.carry_in(other, (-120.0, -90.0), height_mm=HIGH_MM)
        yield from stage.rest(0.5)

    monkeypatch.setattr(Stage, "stream", with_ghost)
    told = play(script)
    assert [fact.kind for fact in told.facts] == ["hand_in", "hand_out", "hand_in"]
    first, gone, second = told.facts
    assert gone.piece == first.piece and second.face == -1
    truth = told.so("hand_in", face=-1)
    assert abs(second.t_ms - truth.t_us / 1000) < 150


def test_what_hovers_beyond_the_rim_is_part_of_a_stack_that_was_miscounted(play):
    """The fourth disc of a stack that is believed to have three looks like one that a hand holds
    beside the circle."""
    tracker = Tracker(mat_data.load("standard"), has_red=False)

    def script(stage):
        yield from stage.rest(0.5)
        appear(stage, -1, (102.0, 196.0), 4)
        yield from stage.rest(0.7)
        miscount(tracker.scene, 3)
        yield from stage.rest(3.0)

    play(script, tracker=tracker)
    assert [(body.discs, body.state) for body in tracker.scene.bodies] == [(4, RESTING)]


def test_what_a_stack_that_was_miscounted_leaves_over_within_it_is_no_disc_in_a_hand(play):
    """A fourth disc that a stack of three has not is undone by one of the other face in its place:
    both together explain all that is seen, and no hand is there to be told of."""
    tracker = Tracker(mat_data.load("standard"), has_red=False)

    def script(stage):
        yield from stage.rest(0.5)
        appear(stage, -1, (62.0, 96.0), 3)
        yield from stage.rest(0.7)
        scene = tracker.scene
        stack = miscount(scene, 4)
        ghost = geometry.new_pose(scene.mat.DISC_THICKNESS)
        geometry.copy(ghost, stack.pose)
        ghost[DISCS], ghost[AZ] = 1, -stack.pose[AZ]
        ghost[Z] += 3 * scene.mat.DISC_THICKNESS >> 1
        scene.announce(scene.new_body(ghost))
        yield from stage.rest(4.0)

    play(script, tracker=tracker)
    assert [(body.discs, body.state) for body in tracker.scene.bodies] == [(3, RESTING)]


@pytest.mark.parametrize(
    ("face", "beside_mm", "height_mm", "discs"),
    [(1, 0.0, 80.0, 3), (1, 25.0, 80.0, 2), (-1, 10.0, 60.0, 2), (-1, 10.0, 80.0, 1)],
)
def test_what_came_to_rest_under_a_hand_leaves_over_no_disc(
    play, face, beside_mm, height_mm, discs
):
    """What the hand carried was taken for part of the field of what lies there. Once it has gone,
    that is measured anew, and no disc hovers there instead."""
    tracker = Tracker(mat_data.load("standard"), has_red=False)

    def script(stage):
        yield from stage.rest(0.5)
        disc = stage.new_disc(face)
        over = (62.0 + beside_mm, 96.0)
        yield from stage.carry_in(disc, over, height_mm=height_mm, speed_mm_s=900.0)
        appear(stage, -1, (62.0, 96.0), discs)
        yield from stage.rest(0.25)
        yield from stage.carry_out(disc, speed_mm_s=1500.0)
        yield from stage.rest(1.0)

    told = play(script, tracker=tracker)
    assert [(body.discs, body.state) for body in tracker.scene.bodies] == [(discs, RESTING)]
    assert [fact.kind for fact in told.facts].count("hand_out") == 1


def miscount(scene, discs):
    """The one stack of this scene is taken for one of so many discs. Returns it."""
    (stack,) = scene.bodies
    scene.field.take_out(stack.pose)
    stack.pose[DISCS] = discs
    lay_flat(stack.pose, scene.mat, stack.face)
    geometry.copy(stack.rest, stack.pose)
    scene.field.put_in(stack.pose)
    return stack
