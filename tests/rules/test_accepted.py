"""A play that the mat missed: what comes after it is out of turn for the mat, until both players
have played on. Then it was a turn (001 Game Play 1: they alternate)."""

from types import SimpleNamespace

import pytest

from polarity.game import STILL_MS
from polarity.perception.body import HELD, TENTATIVE, Body
from tests.rules.test_engine_declarations import OneFact, Table


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


def test_who_plays_out_of_turn_again_and_again_takes_it_for_his():
    """White lays his disc down flat, takes it back and tries again, as in a turn; black, who does
    not, takes it for one too. It was told as out of turn for as long as white went on trying."""
    table = begun()
    table.observe("hand_in", 22, (), 1)
    flat = table.observe("placed", 22, (), 1, shape="flat")
    assert rulings(flat) == [("irregular", "w", "out_of_turn")]
    table.observe("lifted", 22, (), 1)
    table.observe("hand_out", 22, (), 1)
    again = rulings(table.observe("hand_in", 23, (), 1))
    assert again == [
        ("irregular", "w", "out_of_turn"), ("overruled", "", "waived"),
        ("turn", "w", ""), ("try_again", "w", ""),
    ]  # fmt: skip
    assert rulings(table.observe("placed", 23, (2,), 1, shape="leaner")) == [
        ("leaner_placed", "w", "")
    ]


def test_a_capture_in_the_others_colour_shows_whose_turn_it_was():
    """White brings two together where the mat takes it for black's turn, and black captures."""
    table = begun()
    table.observe("hand_in", 22, (), 1)
    table.observe("contact", 1, (1, 6), 0, 2, shape="kiss")
    table.observe("hand_out", 22, (), 1)
    table.observe("lifted", 1, (), 1)
    table.observe("snapped", 1, (6,), -1, 2)
    sent = table.observe("placed", 1, (), -1, 2, shape="tower")
    assert ("captured", "b", "lifted") in rulings(sent)
    assert sent[-1]["owed"] == []


def test_a_tower_does_not_say_whose_hand_brings_it():
    """Discs that snapped together show one face, whoever holds them: here black's own turn."""
    table = begun()
    assert rulings(table.observe("hand_in", 22, (), 1, 3)) == [("irregular", "b", "several_discs")]


def test_who_captures_what_the_other_has_caused_takes_it_for_his_turn():
    """Where faults are the active player's (003), the disc out of turn brings one to black. He
    captures what white has joined, so both take it for white's turn."""
    table = Table("scaled")
    for ident in range(1, 9):
        table.observe("placed", ident, (), 1 if ident % 2 else -1, shape="flat")
    table.observe("hand_in", 20, (), 1)
    table.observe("placed", 20, (1,), 1, shape="leaner")
    table.observe("hand_in", 21, (), -1)
    table.observe("hand_out", 21, (), -1)
    assert rulings(table.observe("hand_in", 22, (), 1)) == [("irregular", "w", "out_of_turn")]
    joined = table.observe("contact", 3, (3, 22), -1, 2, shape="stack")
    assert rulings(joined) == [("fault", "b", "contact")]
    assert rulings(table.observe("lifted", 3, (), -1, 2)) == [("turn", "w", "")]
    captured = table.observe("placed", 3, (), -1, 2, shape="tower")
    overruled = [r["code"] for r in captured].index("overruled")
    again = rulings(captured)[overruled + 1 :]
    assert again[:2] == [("turn", "w", ""), ("fault", "w", "contact")]
    assert again[2:] == [("turn", "b", ""), ("captured", "b", "lifted")]


class Still(OneFact):
    """Nothing moves any more; these are the poses of what lies there."""

    def __init__(self):
        self.scene.facts = []
        self.news = SimpleNamespace(odd_frames=0)


def counted(table):
    """What is ruled when all have lain still for a while, as the position has it."""
    game = table.engine.game
    game.tracker = Still()
    lying = [
        [p.id, p.kind, p.face, p.discs, p.x_cmm, p.y_cmm, 0, p.outside]
        for p in game.referee.position.pieces.values()
    ]
    game._lying = lambda: lying
    game.recount(table.engine.t_ms)
    return [m for m in table.messages() if m["k"] == "ruling"]


def test_the_trays_are_counted_once_after_that():
    """What the mat believed until then was wrong, and with it perhaps whose disc went where."""
    table = begun()
    table.observe("hand_in", 22, (), 1)
    table.observe("placed", 22, (2,), 1, shape="leaner")
    assert counted(table) == []
    table.observe("hand_in", 23, (), -1)
    table.observe("placed", 23, (6,), -1, shape="leaner")
    (asked,) = counted(table)
    assert (asked["code"], asked["why"], asked["pieces"]) == ("unsure", "count", [23])
    assert counted(table) == []


def test_a_tentative_track_does_not_keep_the_mat_from_being_recounted():
    """A reserve beside the mat may seem to hover there for long. A hand that is known may put
    down what it carries at any moment."""
    table = begun()
    game = table.engine.game
    game.tracker = Still()
    comes = Body(game.mat.DISC_THICKNESS)
    game.tracker.scene = SimpleNamespace(flying=[comes])
    now_ms = table.engine.t_ms + STILL_MS
    assert game.is_due(now_ms)
    comes.state = HELD
    assert not game.is_due(now_ms) and not game.is_due(now_ms + STILL_MS)
    comes.state = TENTATIVE
    assert not game.is_due(now_ms + STILL_MS + 1) and game.is_due(now_ms + 2 * STILL_MS)


def test_what_ought_to_be_gone_and_is_left_there_for_two_turns_stays():
    """White plays two discs in one turn, and nobody takes the second one back. In the next turn the
    players are asked, once, how many there are in the trays."""
    table = Table()
    table.set_up()
    for ident in (20, 21):
        table.observe("hand_in", ident, (), 1)
        table.observe("placed", ident, (1,), 1, shape="leaner")
    asked = []
    for turn, (face, own) in enumerate(((-1, 6), (1, 2), (-1, 7))):
        asked.append([(r["code"], r["why"], r["pieces"]) for r in counted(table)])
        assert table.engine.game.referee.position.pieces[21].due == 1
        table.observe("hand_in", 30 + turn, (), face)
        table.observe("placed", 30 + turn, (own,), face, shape="leaner")
    assert asked == [[], [("unsure", "count", [21])], []]
    assert counted(table) == []
    assert table.engine.game.referee.position.pieces[21].due == 0


def test_what_was_set_down_in_the_others_colour_and_left_so_is_captured():
    """Black gathers what white has brought together, and sets it down as white's; both play on.
    Without `in_place` (003) nobody declares it; no capture is owed any more."""
    table = Table("scaled")
    for ident in range(1, 9):
        table.observe("placed", ident, (), 1 if ident % 2 else -1, shape="flat")
    table.observe("hand_in", 20, (), 1)
    table.observe("contact", 3, (3, 20), 1, 2, shape="stack")
    table.observe("lifted", 3, (), 1, 2)
    down = table.observe("placed", 3, (), 1, 2, shape="tower")
    assert rulings(down) == [("irregular", "b", "wrong_colour")]
    assert down[-1]["owed"] == [["b", [3]]]
    table.observe("hand_in", 21, (), 1)
    table.observe("placed", 21, (1,), 1, shape="leaner")
    again = table.observe("hand_in", 22, (), -1)[-3:]
    assert rulings(again) == [("turn", "w", ""), ("leaner_placed", "w", ""), ("turn", "b", "")]
    assert [r["owed"] for r in again] == [[["w", [3]]], [], []]


@pytest.mark.parametrize("face", [1, -1])
def test_a_disc_may_come_in_while_what_was_set_down_wrongly_is_in_the_hand_again(face):
    table = Table()
    table.set_up()
    table.observe("hand_in", 20, (), 1)
    table.observe("contact", 1, (1, 20), 1, 2, shape="stack")
    for _ in range(2):
        table.observe("lifted", 1, (), 1, 2)
        down = table.observe("placed", 1, (), 1, 2, shape="tower")
        assert rulings(down) == [("irregular", "b", "wrong_colour")]
    table.observe("lifted", 1, (), 1, 2)
    came = rulings(table.observe("hand_in", 30, (), face))
    assert came == [("irregular", "w", "out_of_turn") if face > 0 else ("unsure", "", "lost")]


def test_more_discs_set_down_than_were_picked_up_are_no_fault():
    """What joined them in the hand was not observed: the trays are counted, once."""
    table = Table()
    table.set_up()
    before = sum(table.engine.game.referee.position.reserve)
    table.observe("lifted", 1, (), 1)
    table.observe("placed", 1, (), 1, 3, shape="tower")
    position = table.engine.game.referee.position
    assert position.pieces[1].discs == 3 and sum(position.reserve) == before - 2
    assert [(r["code"], r["why"]) for r in counted(table)] == [("unsure", "count")]
    assert counted(table) == []


def test_a_hand_brings_no_more_than_what_came_to_lie_there_has_beside_the_rest():
    """It was first seen when its disc had snapped to a tower of two, and seemed to hold three."""
    table = Table()
    table.set_up()
    table.observe("contact", 1, (1, 2), 1, 2, shape="stack")
    before = table.engine.game.referee.position.reserves
    table.observe("hand_in", 20, (), 1, 3)
    fault = table.observe("contact", 20, (1, 20), 1, 3, shape="stack")[-1]
    position = table.engine.game.referee.position
    assert fault["code"] == "fault" and position.pieces[20].discs == 3
    assert sum(position.reserves) == sum(before) - 1


def test_no_disc_of_a_capture_is_lost_by_that():
    """Two captured discs, seen to touch a third one, are reported as two in all."""
    table = Table()
    table.set_up()
    table.observe("hand_in", 20, (), 1)
    table.observe("contact", 1, (1, 20), 1, 2, shape="stack")
    table.observe("lifted", 1, (), 1, 2)
    position = table.engine.game.referee.position
    before = position.discs()
    table.observe("contact", 1, (1, 6), 1, 2, shape="stack")
    assert position.discs() == before


def test_a_reserve_that_players_count_has_not_been_played_out():
    """White's last disc is to be captured, and then the game is over; but there are two more."""
    for said, last in (("", "end"), ("reserve 2 w", "captured")):
        table = Table("original")
        table.set_up()
        table.command("reserve 1 w")
        table.observe("hand_in", 20, (), 1)
        table.observe("contact", 1, (1, 20), 1, 2, shape="stack")
        if said:
            table.command(said)
        table.observe("lifted", 1, (), 1, 2)
        assert table.observe("placed", 1, (), -1, 2, shape="tower")[-1]["code"] == last
