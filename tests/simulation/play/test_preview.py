"""What a page shows of a slanted disc before it is let go, against what then happens."""

import pytest

from polarity_host.mats.description import load_mat
from polarity_host.simulation.play.body import BodyState
from polarity_host.simulation.play.preview import preview
from polarity_host.simulation.play.world import World


def pass_frames(world, count):
    for _ in range(count):
        world.advance()


@pytest.mark.parametrize("apart_mm", [38, 42, 48, 52, 56, 62, 70])
def test_it_says_whether_a_leaner_will_stand(apart_mm):
    world = World(load_mat(), seed=apart_mm)
    hand = world.hand("a")
    base = world.take(hand, "w", (80.0, -60.0))
    hand.aim(80.0, -60.0, 0.0)
    pass_frames(world, 40)
    world.release(hand)
    pass_frames(world, 10)
    body = world.take(hand, "w", (150.0, -60.0))
    assert preview(world, hand) is None  # not held at a slant
    hand.aim(80.0 + apart_mm, -60.0, 40.0, tilt=40.0, azimuth=0.0)
    pass_frames(world, 50)
    seen = preview(world, hand)
    hand.aim(z=0.0)
    pass_frames(world, 70)
    world.release(hand)
    pass_frames(world, 120)
    stands = body.state is BodyState.LEANING and len(body.discs) == 1
    assert seen["stands"] == stands
    (strongest, torque), *_ = seen["pulls"]
    assert strongest == base.id and torque > 0
    if stands:
        assert body.tilt_deg == pytest.approx(seen["tilt"], abs=4)
        assert body.spot == pytest.approx((seen["x"], seen["y"]), abs=3)
