"""The result that a match works out from the discs on its table."""

import pytest

from polarity_host.simulation.play.body import BodyState
from polarity_host.simulation.players.match import Match
from polarity_host.simulation.players.result import faces, score, towers, unlike, winner_of
from tests.simulation.conftest import Table


def end(why, winner, points=()):
    return {"code": "end", "why": why, "player": winner, "score": list(points)}


@pytest.fixture
def bodies():
    """White: a tower of three, a single disc and a leaner; black: a tower of two, and one of four
    on its side."""
    table = Table()
    laid = [
        table.put(side, x, y, discs=discs)
        for side, x, y, discs in (
            ("w", 0, 0, 3), ("w", 90, 0, 1), ("b", 0, 100, 2), ("b", -100, 0, 4),
        )
    ]  # fmt: skip
    leaner = table.put("w", 0, -120)
    for body in (leaner, laid[3]):
        body.become(BodyState.LEANING)
    return [*laid, leaner]


def test_discs_in_towers_count_and_nothing_else(bodies):
    """001 End of the Game: one point for each disc in a tower."""
    assert towers(bodies) == (3, 6)
    assert towers(bodies, without=[bodies[3]]) == (3, 2)


@pytest.mark.parametrize(
    ("edition", "left", "points"),
    [
        ("temple", [0, 5], (3, 6 - 5)),  # 001: minus those left in the stack
        ("fourlang+german", [4, 0], (3 - 4, 6)),
        ("scaled", [0, 7], (3, 6 - 7)),  # 003: -1 for each disc in the supply
        ("original", [0, 5], (3 + 5, 6)),  # 002: who emptied his adds the other's
        ("original", [2, 0], (3, 6 + 2)),
        ("temple+four_player_advanced", [0, 2, 3, 1], (3 - 0 - 3, 6 - 2 - 1)),  # a team as one
    ],
)
def test_the_score_by_each_book(bodies, edition, left, points):
    assert score(edition, towers(bodies), left) == points
    won = end("reserve_empty", winner_of(points), points)
    assert unlike(edition, won, bodies, (), left, 24.0) == []
    for wrong in (won | {"score": [points[0] + 1, points[1]]}, won | {"player": "?"}):
        assert len(unlike(edition, wrong, bodies, (), left, 24.0)) == 1


def test_nobody_has_played_his_last_disc(bodies):
    words = unlike("temple", end("reserve_empty", "b", (2, 4)), bodies, (), [1, 2], 24.0)
    assert words == ["nobody's reserve is empty: [1, 2]"]
    assert winner_of((4, 4)) == ""


def test_one_colour_alone(bodies):
    """000: all foundations and towers; 002: all discs in play; 001: none of a player's own."""
    white = [body for body in bodies if body.face > 0]
    turned = bodies[2]
    turned.become(BodyState.LEANING)
    assert faces("fourlang", [*white, turned]) == {1}
    assert faces("original", [*white, turned]) == {1, -1}
    won = end("one_colour", "w")
    assert unlike("fourlang", won, [*white, turned], (), [9, 9], 24.0) == []
    assert unlike("original", won, [*white, turned], (), [9, 9], 24.0) != []
    assert unlike("original", end("one_colour", "b"), white, (), [9, 9], 24.0) != []
    assert unlike("temple", end("no_colour", "w"), white, (), [9, 9], 24.0) == []
    assert unlike("temple", end("no_colour", "w"), bodies, (), [9, 9], 24.0) != []


def test_red_off_its_dot():
    table = Table()
    red = table.world.take(table.hand, "red", (10.0, 0.0))
    table.world.release(table.hand)
    table.run(0.4)
    won = end("red_off", "w")
    assert unlike("temple", won, [red], (), [9, 9], 24.0) == ["red is on its dot"]
    red.place((30.0, 0.0, red.centre[2]))
    assert unlike("temple", won, [red], (), [9, 9], 24.0) == []


def test_a_match_says_where_its_result_is_not_the_table_s(monkeypatch):
    match = Match("temple", seed=108)
    for _ in match.times():
        if match.turns:
            break
    position = match.oracle.referee.position
    assert match.state()["phase"] == "play" and match.wrong == []
    position.phase = "over"
    match.oracle.rulings.append(
        end("reserve_empty", "w", (1, -20)) | {"reserve": [0, 20], "owed": []}
    )
    match._check_result()
    ((_, words),) = match.wrong
    assert words == "the result reserve_empty: the table shows a score of 0:-20, not [1, -20]"
