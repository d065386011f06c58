"""A game that the mat took for over, by what it believed of the discs, while they play on."""

import pytest

from tests.rules.test_engine_declarations import Table


def ended():
    """White's last disc stands, the mat believes: five more lie in his tray."""
    table = Table()
    table.set_up()
    table.command("reserve 1 w")
    table.observe("hand_in", 20, (), 1)
    *_, end = table.observe("placed", 20, (1,), 1, shape="leaner")
    assert (end["code"], end["why"]) == ("end", "reserve_empty")
    return table


def play(table, ident, face):
    came = table.observe("hand_in", ident, (), face)
    over = (1,) if face > 0 else (6,)
    return came + table.observe("placed", ident, over, face, shape="leaner")


def test_it_goes_on_once_both_have_played_on():
    table = ended()
    assert play(table, 21, -1) == []
    overruled, *again = play(table, 22, 1)
    assert (overruled["code"], overruled["why"]) == ("overruled", "waived")
    assert [(r["code"], r["player"], r["why"]) for r in again] == [
        ("leaner_placed", "w", ""), ("turn", "b", ""), ("leaner_placed", "b", ""),
        ("turn", "w", ""), ("irregular", "w", "reserve_short"), ("leaner_placed", "w", ""),
    ]  # fmt: skip
    assert "end" not in [r["code"] for r in play(table, 23, -1)]


def test_it_ends_when_the_reserve_has_been_counted_and_is_played_out():
    table = ended()
    play(table, 21, -1)
    play(table, 22, 1)
    table.command("reserve 1 w")
    play(table, 23, -1)
    *_, end = play(table, 24, 1)
    assert (end["code"], end["why"]) == ("end", "reserve_empty")


def test_an_end_that_the_players_waived_stays_waived():
    table = ended()
    table.command("overrule 0 waived")
    assert [r["code"] for r in play(table, 21, -1)] == ["turn", "leaner_placed"]


def test_what_was_played_before_the_players_waived_an_end_does_not_overrule_the_next():
    table = ended()
    play(table, 21, -1)
    table.command("overrule 0 waived")
    play(table, 22, 1)
    table.command("reserve 1 w")
    play(table, 23, -1)
    *_, end = play(table, 24, 1)
    assert (end["code"], end["why"]) == ("end", "reserve_empty")
    assert table.observe("hand_in", 25, (), 1) == []


@pytest.mark.parametrize("face", [1, -1])
def test_who_only_reaches_in_afterwards_does_not_play_on(face):
    """Hands come and go while the discs are put away."""
    table = ended()
    for ident, colour in ((21, -face), (22, face), (23, -face)):
        assert table.observe("hand_in", ident, (), colour) == []
        assert table.observe("hand_out", ident, (), colour) == []


def test_a_last_disc_that_falls_soon_is_still_judged():
    """It was on trial, and the end with it (001 End of the Game): no one need play on for that."""
    fell = ended().observe("fell", 20, (), 1)
    assert [(r["code"], r["why"]) for r in fell][:2] == [("revised", ""), ("leaner_placed", "")]
    assert "leaner_fell" in [r["why"] for r in fell]


def test_after_the_red_disc_was_touched_the_game_is_over_however_they_play_on():
    table = Table()
    table.set_up()
    table.observe("hand_in", 20, (), 1)
    *_, end = table.observe("touched_red", 20, (99,), 1)
    assert (end["code"], end["why"]) == ("end", "touched_red")
    assert play(table, 21, -1) + play(table, 22, 1) + play(table, 23, -1) == []
