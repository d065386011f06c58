"""What a player foresees, held against what the world then does."""

import math

import pytest

from polarity_host.simulation.play.body import BodyState
from polarity_host.simulation.players.foresight import HOPELESS, Foresight


def lean_at(table, contact, azimuth, tilt):
    """A disc is brought there on its rim, and let go."""
    body = table.world.take(table.hand, "w")
    body.tilt = math.radians(tilt)
    back, _ = body.reach()
    way = math.cos(math.radians(azimuth)), math.sin(math.radians(azimuth))
    middle = [c - back * w for c, w in zip(contact, way)]
    table.hand.goal = (*middle, 80.0)
    table.run(1.2)
    table.hand.tilt_goal, table.hand.azimuth_goal = tilt, azimuth
    table.run(0.4)
    table.hand.goal = (*middle, 0.0)
    table.run(1.2)
    table.world.release(table.hand)
    table.run(1.5)
    return body


@pytest.mark.parametrize("reach", [58.0, 62.0, 66.0])
def test_a_leaner_stands_as_it_was_foreseen(table, reach):
    base = table.put("w", 20, -30)
    table.run(0.1)
    disc = table.world.reserves["w"][-1]
    contact = (20.0 + reach, -30.0)
    strain, azimuth, tilt = Foresight(table.world).leaning(disc, 1, contact, 0.0)
    assert strain < 0.9 and abs(azimuth) < 1.0
    body = lean_at(table, contact, azimuth, tilt)
    assert body.state == BodyState.LEANING and abs(body.tilt_deg - tilt) < 2.0
    assert math.dist(body.contact, contact) < 3.0 and base.centre[:2] == (20.0, -30.0)


def test_where_a_leaner_would_not_stand_that_is_foreseen(table):
    table.put("w", 0, 0)
    table.run(0.1)
    disc = table.world.reserves["w"][-1]
    foresight = Foresight(table.world)
    assert foresight.leaning(disc, 1, (48.0, 0.0), 0.0)[0] > 1.5  # it would jump onto the base
    assert foresight.leaning(disc, 1, (90.0, 0.0), 0.0)[0] == HOPELESS  # it would just fall


@pytest.mark.parametrize("apart, stays", [(46, False), (50, False), (58, True), (64, True)])
@pytest.mark.parametrize("face", [1, -1])
def test_a_strain_beyond_one_is_a_disc_that_moves(table, apart, stays, face):
    other = table.put("w", 0, 0)
    table.run(0.1)
    disc = table.world.reserves["w"][-1]
    strain = Foresight(table.world).lying([disc], face, (apart, 0.0))
    assert (strain < 1.0) == stays
    put = table.put("w", apart, 0, face)
    table.run(0.6)
    still = other.centre[:2] == (0.0, 0.0) and put.centre[:2] == (apart, 0.0)
    assert put.state == BodyState.LYING and still == stays
