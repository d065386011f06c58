"""A stack that stands on its edge shows no face: it is not captured where it stands (004 FAQ 15 is
about stacks in one's own colour), but in the hand, or when it has fallen onto one."""

import pytest

from tests.rules.test_engine_declarations import Table


def brought_together(*, on_edge):
    """White's disc jumps onto black's 6; the stack shows black, or nothing yet."""
    table = Table()
    table.set_up()
    table.observe("hand_in", 20, (), 1)
    table.observe("contact", 6, (6, 20), 0 if on_edge else -1, 2, shape="stack")
    if on_edge:
        table.observe("placed", 6, (), 0, 2, shape="leaner")
    return table


def told(sent):
    return [(r["code"], r["why"]) for r in sent]


def plays_on(table):
    """Black's disc comes in."""
    return told(table.observe("hand_in", 30, (), -1))


def test_it_is_not_captured_where_it_stands():
    assert ("captured", "in_place") in plays_on(brought_together(on_edge=False))
    assert ("irregular", "capture_owed") in plays_on(brought_together(on_edge=True))


@pytest.mark.parametrize("face", [1, -1])
def test_it_has_fallen_once_it_shows_one(face):
    table = brought_together(on_edge=True)
    assert told(table.observe("fell", 6, (), face, 2)) == [("fault", "leaner_fell")]
    assert (("captured", "in_place") in plays_on(table)) is (face < 0)


def test_it_is_captured_in_the_hand():
    table = brought_together(on_edge=True)
    table.observe("lifted", 6, (), 0, 2)
    assert ("captured", "lifted") in told(table.observe("placed", 6, (), -1, 2, shape="tower"))
