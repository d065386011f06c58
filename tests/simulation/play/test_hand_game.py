"""What the virtual mat does for its players: trays, what is owed, corrections, order."""

import pytest

from polarity_host.simulation.play.page import HANDS_EACH, PageHands
from tests.simulation.play.test_judged import Judged, unlike, until

EVERY = 0.1  # s


@pytest.fixture
def laid():
    game = Judged()
    game.set_up()
    return game


def position(game):
    return game.engine.game.referee.position


def counts(game):
    """(the trays, the referee's reserves)"""
    reserves = game.game.view["reserves"]
    return [reserves[side] for side in "wb"], list(position(game).reserve)


def lies(game):
    return sorted((b.shape, b.face, *map(round, b.spot)) for b in game.game.world.bodies)


def test_an_undone_turn_leaves_the_discs_where_they_were_before(laid):
    before = lies(laid), counts(laid)
    laid.carry("w", 130, -60, tilt=38.0, azimuth=0.0)
    laid.do(1.0)
    laid.do(2.0, "release")
    assert laid.said[-1] == "leaner_placed"
    laid.said.clear()
    laid.engine.command(b"undo 0\n")
    laid.do(3.0)
    assert (lies(laid), counts(laid)) == before
    assert laid.said == ["undone", "lifted", "hand_out"]  # which is no move of anybody
    assert unlike(laid) == ([], [])
    laid.carry("w", 0, -120)
    laid.do(3.0, "release")  # and play goes on
    assert laid.said[-1] == "try_again"


def test_an_undone_fault_raises_the_leaner_again(laid):
    laid.carry("w", 130, -60, tilt=38.0, azimuth=0.0)
    laid.do(1.0)
    laid.do(2.0, "release")
    before = lies(laid)
    laid.carry("b", 15, -60)
    laid.do(0.6, "move", x=36.0, y=-60.0)  # black pulls white's foundation from below the leaner
    laid.do(3.0, "release")
    assert "fault" in laid.said and lies(laid) != before
    for _ in range(9):
        if position(laid).turn == 1:
            break
        laid.engine.command(b"undo 0\n")
        laid.do(2.0)
    laid.do(2.0)
    assert lies(laid) == before and unlike(laid) == ([], [])
    assert position(laid).turn == 1 and not position(laid).faulted


def test_a_correction_that_moves_nothing_moves_nothing(laid):
    laid.carry("b", 15, -60)
    laid.do(0.6, "move", x=36.0, y=-60.0)
    laid.do(2.5, "release")
    assert "fault" in laid.said
    before = lies(laid)
    laid.engine.command(b"overrule 0 waived\n")  # nobody's fault: it happened all the same
    laid.do(2.0)
    assert laid.said[-1] != "fault" and lies(laid) == before


def test_discs_that_stuck_to_the_hand_go_to_the_one_whose_fault_it_was(laid):
    """001 Faults: the action disc and all stuck discs go to the faulter's reserve."""
    (white,) = [b for b in laid.game.world.bodies if b.face > 0 and not b.is_red]
    laid.carry("b", *white.spot, 60.0)
    laid.do(1.0, "flip")  # white up, so that it attracts what is white up
    laid.do(0.5, "move", z=8.0)
    laid.do(0.5, "move", z=60.0)
    laid.do(2.5)
    assert "snapped" in laid.said
    assert position(laid).faulted
    laid.do(0.1, "move", x=white.spot[0], y=-290.0)  # out of the circle on white's side
    laid.do(1.0)
    laid.do(4.0, "put_back")
    trays, reserves = counts(laid)
    assert trays == reserves == [25, 26] and laid.game.view["missing"] == {}


def test_what_goes_back_is_shown_until_it_has(laid):
    """001 Game Play 4: an action disc that falls flat is taken up again."""
    laid.carry("w", 0, -120)
    laid.do(3.0, "release")
    assert laid.said[-1] == "try_again"
    body = laid.game.world.bodies[-1]
    assert laid.game.view["due"] == [[body.id, "w"]]
    laid.do(1.0, "grab", body=body.id)
    laid.do(3.0, "put_back")
    trays, reserves = counts(laid)
    assert laid.game.view["due"] == [] and trays == reserves == [25, 25]


def test_a_tray_that_differs_from_the_count_is_shown(laid):
    laid.engine.command(b"reserve 22 b\n")
    laid.do(3.0)
    assert laid.game.view["missing"] == {"b": -3}


def test_the_next_disc_is_taken_once_the_last_one_is_set_down(laid):
    """However early it is asked for."""
    laid.carry("w", -120, -60, 60.0)
    bodies = len(laid.game.world.bodies)
    laid.do(EVERY, "set_down", n=7)
    laid.do(EVERY, "take", side="b", n=8)
    laid.do(EVERY, "move", x=120.0, y=60.0, n=9)
    assert len(laid.game.world.bodies) == bodies and laid.game.view["done"] == {"h": 7}
    until(laid, lambda: len(laid.game.world.bodies) == bodies + 1, 5)
    laid.do(1.0)
    held = laid.game.world.hands["h"]
    assert held.body.face < 0 and held.goal[:2] == (120.0, 60.0)
    assert laid.game.view["done"] == {"h": 9}


def test_one_viewer_has_so_many_hands_and_no_more(laid):
    hands = PageHands(laid.game)
    for viewer in range(8):
        for name in range(HANDS_EACH):
            assert hands.message(viewer, {"do": "take", "side": "w", "hand": str(name)}) is None
        assert "why" in hands.message(viewer, {"do": "take", "side": "w", "hand": "more"})
