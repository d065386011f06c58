import pytest
from hypothesis import given
from hypothesis import strategies as st

from polarity_host.errors import BAD_INPUT, HostError
from polarity_host.simulation.play.inputs import COMMANDS, WAITING, Inputs, checked, do_to
from polarity_host.simulation.play.page import PageHands

HAND = "me"
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=60),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=6,
)


@given(JSON)
def test_anything_at_all_is_taken_or_refused_with_a_reason(message):
    with pytest.raises(HostError) as refused:
        checked(message)
    assert refused.value.exit_code == BAD_INPUT and refused.value.message


@given(
    st.sampled_from(sorted(COMMANDS)),
    st.dictionaries(st.sampled_from("side x y z tilt azimuth body discs gather on".split()), JSON),
)
def test_what_is_taken_is_within_bounds(do, fields):
    try:
        _, _, taken = checked({"do": do, "hand": HAND, **fields})
    except HostError as error:
        assert error.exit_code == BAD_INPUT
        return
    assert all(abs(taken[key]) <= 450 for key in ("x", "y") if key in taken)
    assert 0 <= taken.get("z", 0) <= 120 and 0 <= taken.get("tilt", 0) <= 88


def test_a_flood_is_refused():
    inputs = Inputs()
    for _ in range(WAITING):
        inputs.put({"do": "flip", "hand": HAND})
    with pytest.raises(HostError, match="slow down"):
        inputs.put({"do": "flip", "hand": HAND})
    inputs.put({"do": "take", "hand": "another", "side": "w"})  # whom that does not concern
    for _ in range(2 * WAITING):
        inputs.put({"do": "release", "hand": HAND})  # lands, once
    assert len(inputs.taken()) == WAITING + 2 and inputs.taken() == []


def test_moves_that_follow_each_other_are_one():
    inputs = Inputs()
    inputs.put({"do": "move", "hand": HAND, "x": 1, "z": 60})
    inputs.put({"do": "flip", "hand": "another"})
    for x in range(10 * WAITING):
        inputs.put({"do": "move", "hand": HAND, "x": x % 100})
    inputs.put({"do": "set_down", "hand": HAND})
    inputs.put({"do": "move", "hand": HAND, "x": 5})
    first, _, down, last = inputs.taken()
    assert first == ("move", HAND, {"x": 99.0, "z": 60.0})
    assert (down[0], last) == ("set_down", ("move", HAND, {"x": 5.0}))


def test_messages_move_a_disc_from_the_reserve_to_the_mat(table):
    world = table.world

    def done(do, **fields):
        do, name, fields = checked({"do": do, "hand": HAND, **fields})
        do_to(world, do, name, fields)

    done("move", x=3)  # an empty hand moves nothing
    done("take", side="b")
    done("take", side="w")  # a full one takes nothing
    assert [len(world.reserves[side]) for side in "wb"] == [26, 25]
    done("move", x=50, y=20, z=0)
    table.run(1.5)
    done("release")
    table.run(0.2)
    (body,) = world.bodies
    assert (body.face, body.still) == (-1, True)
    assert body.centre == pytest.approx((50, 20, 3), abs=1.5)
    done("grab", body=body.id)
    done("put_back", side="w")
    assert [len(world.reserves[side]) for side in "wb"] == [27, 25] and world.bodies == []


class FakeGame:
    def __init__(self):
        self.inputs, self.view = Inputs(), {"t_ms": 30}


def test_each_viewer_of_the_page_has_hands_of_his_own_and_leaves_with_them():
    hands = PageHands(FakeGame())
    for viewer in (1, 2):
        assert (
            hands.message(viewer, {"k": "virtual", "do": "take", "hand": "a", "side": "w"}) is None
        )
    assert "why" in hands.message(1, {"k": "virtual", "do": "fly"})
    hands.gone(1)
    names = [(do, name) for do, name, _ in hands._game.inputs.taken()]
    assert names == [("take", "1/a"), ("take", "2/a"), ("leave", "1/a")]
    assert (hands.changes(), hands.changes(), hands.whole()) == ({"t_ms": 30}, None, {"t_ms": 30})
