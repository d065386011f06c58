"""A piece in play that lies outside the circle, and how it comes in again: the mat does not observe
how it is taken up there."""

import pytest

from polarity.facts import Fact
from polarity_bench.scenario_table import Table

BEYOND = {"x": -3124, "y": -23000}  # 1/100 mm: of a circle of 225 mm
NEAR = {"x": -1795, "y": -21800}


def played(edition, *lines):
    table = Table(edition, ["foundations"])
    for line in lines:
        table.happen(line)
    return table


def report(table, kind, piece, **named):
    fact = Fact(kind, table.t_ms + 1000, table.ids.of(piece), **named)
    table.t_ms += 1000
    fact.sent_as(1000 + table.t_ms)
    return [ruling.code for ruling in table.referee.handle_fact(fact)]


def test_a_stack_beyond_the_line_is_captured_on_the_small_mat():
    """003 Game Play 6.4, 8.2: what lies beyond the circle is on the mat, and in play."""
    table = played("scaled", "white brings A", "w1 b1 stack as w1 white", "A out")
    assert report(table, "left_circle", "w1", face=1, discs=2, **BEYOND) == []
    assert report(table, "hand_in", "N", face=1, discs=2, **NEAR) == ["turn"]
    assert report(table, "placed", "N", face=-1, discs=2, shape="tower", x=100, y=900) == [
        "captured"
    ]
    assert table.check("owed: nothing") == "nothing"
    assert table.check("reserve: x") == "21 21"


@pytest.mark.parametrize("edition", ["temple", "fourlang", "original"])
def test_a_disc_of_a_group_is_taken_up_outside(edition):
    """004 FAQ 11: the other one is inside, so both are in."""
    table = played(edition, "white brings A", "w1 b1 kiss", "A out")
    assert report(table, "left_circle", "b1", face=-1, **BEYOND) == []
    assert report(table, "hand_in", "N", face=-1, **NEAR) == ["turn"]
    table.happen("N snaps w1")
    assert [r.code for r in table.happen("N laid black")] == ["captured"]
    assert table.check("piece: N") == "N black tower 2"


def test_a_disc_that_is_flung_off_what_it_touched_is_out():
    """001 Faults 5: entirely outside, and 004 FAQ 11 keeps in only what is in contact."""
    table = played("temple", "white brings A", "w1 b1 kiss", "A out")
    assert report(table, "left_circle", "b1", face=-1, x=-2200, y=-46000) == ["fault"]
    assert table.check("reserve: x") == "22 21"  # White's fault cost one
    assert table.check("owed: nothing") == "nothing"


@pytest.mark.parametrize("place", [{"x": 20000, "y": 9000}, {}])
def test_another_disc_that_comes_in_elsewhere_is_the_next_action_disc(place):
    table = played("temple", "white brings A", "w1 b1 kiss", "A out")
    report(table, "left_circle", "b1", face=-1, **BEYOND)
    assert report(table, "hand_in", "N", face=-1, **place) == ["turn", "irregular"]
    assert table.check("owed: x") == "black w1 b1"


def test_a_tower_that_rolled_far_from_the_line_is_fetched_by_any_way():
    """003 Game Play 8.2: whoever owes it retrieves it; several discs come from nowhere else."""
    table = played("scaled", "white brings A", "w1 b1 stack as w1 white", "A out")
    assert report(table, "left_circle", "w1", face=1, discs=2, x=-31000, y=-20000) == []
    assert report(table, "hand_in", "N", face=1, discs=2, x=9900, y=1000) == ["turn"]
    assert report(table, "placed", "N", face=-1, discs=2, shape="tower", x=100, y=900) == [
        "captured"
    ]
    assert table.check("owed: nothing") == "nothing"


def test_of_two_towers_outside_the_nearer_one_is_taken_up():
    table = played(
        "scaled", "white brings A", "w1 b1 stack as w1 white", "w2 b2 stack as w2 white", "A out"
    )
    for piece, x in (("w1", -30000), ("w2", 15000)):
        report(table, "left_circle", piece, face=1, discs=2, x=x, y=0)
    assert "turn" in report(table, "hand_in", "N", face=1, discs=2, x=10000, y=0)
    assert table.check("owed: x") == "black w1"  # the other one is in his hand


def flipped_and_taken_out():
    table = Table("temple", ["foundations", "white leaner L", "white has played"])
    for line in ("black brings B", "L flips black", "B out", "L lifted"):
        table.happen(line)
    assert report(table, "hand_out", "L", face=-1, **BEYOND) == []
    return table


def test_a_captured_disc_comes_in_where_it_went_out_and_is_turned_over_then():
    """004 scenario 4: it is turned over and set down, and not necessarily turned outside."""
    table = flipped_and_taken_out()
    assert report(table, "hand_in", "N", face=-1, **NEAR) == []
    assert report(table, "placed", "N", face=1, shape="flat", x=900, y=500) == ["captured"]
    assert table.check("reserve: x") == "20 21"


def test_a_disc_of_the_others_that_comes_in_elsewhere_ends_the_capture():
    table = flipped_and_taken_out()
    came = report(table, "hand_in", "N", face=-1, x=20000, y=9000)
    assert came[:2] == ["fault", "capture_failed"]
