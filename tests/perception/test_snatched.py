"""A leaner at the rim that jumps up to a hand about to come in has not flown out of the circle."""

import pytest

from tests.perception.actions import SETTLED_S, lean


@pytest.mark.parametrize("out_mm, seed", ((232.0, 1), (232.0, 2), (238.0, 2)))
def test_a_leaner_at_the_rim_snaps_to_the_hand_beside_the_circle(play, out_mm, seed):
    def script(stage):
        yield from stage.rest(0.5)
        leaner = yield from lean(stage, -1, (-4.0, 219.0), 35.0, 57.0)
        yield from stage.rest(SETTLED_S)
        disc = stage.new_disc(-1)
        stage.enter(disc)
        disc.move_to((17.0, 330.0, 85.0))
        yield from stage.carry_to(disc, (17.0, out_mm), 65.0)
        yield from stage.snap_to_hand(disc, leaner, 0.06)
        yield from stage.carry_to(disc, (17.0, out_mm), 85.0)
        yield from stage.rest(0.4)

    told = play(script, seed)
    after = [fact.kind for fact in told.facts if fact.t_ms > 1500]
    assert "snapped" in after, after
    assert not {"fell", "left_circle", "flipped", "lifted"} & set(after), after
    (snap,) = [fact for fact in told.facts if fact.kind == "snapped"]
    assert (snap.discs, snap.others) == (2, (1,))
