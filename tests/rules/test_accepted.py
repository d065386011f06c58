"""A play that the mat missed: what comes after it is out of turn for the mat, until both players
have played on. Then it was a turn (001 Game Play 1: they alternate)."""

from tests.rules.test_engine_declarations import Table


def rulings(sent):
    return [(r["code"], r["player"], r["why"]) for r in sent]


def begun():
    """White's first leaner stands; black's, which comes next, is never reported."""
    table = Table()
    table.set_up()
    table.observe("hand_in", 20, (), 1)
    table.observe("placed", 20, (1,), 1, shape="leaner")
    table.observe("hand_in", 21, (), -1)
    table.observe("hand_out", 21, (), -1)
    return table


def test_who_plays_on_after_it_takes_it_for_a_turn():
    table = begun()
    came = table.observe("hand_in", 22, (), 1)
    assert rulings(came) == [("irregular", "w", "out_of_turn")]
    played = table.observe("placed", 22, (2,), 1, shape="leaner")
    assert rulings(played) == [("irregular", "w", "out_of_turn")]
    assert played[0]["returns"] == [["w", 1]]
    overruled, *again = table.observe("hand_in", 23, (), -1)
    assert (overruled["code"], overruled["why"]) == ("overruled", "waived")
    assert rulings(again) == [
        ("turn", "w", ""), ("leaner_placed", "w", ""), ("turn", "b", ""),
    ]  # fmt: skip
    assert again[-1]["turn"] == 4 and again[-1]["reserve"] == [19, 21]


def test_a_hand_that_only_reached_in_has_no_turn():
    table = begun()
    table.observe("hand_in", 22, (), 1)
    table.observe("hand_out", 22, (), 1)
    assert table.observe("hand_in", 23, (), -1) == []
    placed = table.observe("placed", 23, (6,), -1, shape="leaner")
    assert rulings(placed) == [("leaner_placed", "b", "")]


def test_a_tower_does_not_say_whose_hand_brings_it():
    """Discs that snapped together show one face, whoever holds them: here black's own turn."""
    table = begun()
    assert rulings(table.observe("hand_in", 22, (), 1, 3)) == [("irregular", "b", "several_discs")]
