"""Whole games of practice players: legal by every edition, to a result that the table bears out."""

import pytest

from polarity_host.simulation.play.body import BodyState
from polarity_host.simulation.players.match import Match
from polarity_host.simulation.players.skill import CAREFUL, CLUMSY

RULES = (
    "temple",
    "fourlang+german",
    "original",
    "scaled",
    "temple+three_player_shuffle",
    "temple+four_player_advanced",
    "temple+more_tower_to_you",
)
RESERVES = {"temple": 26, "fourlang": 26, "original": 26, "scaled": 19}  # the books' Setup
FOUNDATIONS = {"temple": 5, "fourlang": 5, "original": 5, "scaled": 4}


def play(match, turns):
    for _ in match.times():
        if match.turns > turns:
            break


def discs_everywhere(match):
    on_table = sum(len(b.discs) for b in match.world.bodies if not b.is_red)
    return on_table + sum(len(match.world.reserves[side]) for side in "wb")


@pytest.mark.parametrize("rules", ["temple", "scaled"])
def test_the_set_up_is_that_of_the_book(rules):
    match = Match(rules, seed=102, skill=CAREFUL)
    play(match, 0)
    edition = rules.split("+")[0]
    count = FOUNDATIONS[edition]
    faces = [b.face for b in match.world.bodies if not b.is_red]
    assert (faces.count(1), faces.count(-1)) == (count, count)
    assert sum(b.is_red for b in match.world.bodies) == (edition != "scaled")
    assert sum(match.state()["reserve"]) == 2 * (RESERVES[edition] - count)
    laid = [r["player"] for r in match.oracle.rulings if r["code"] == "foundation"]
    alternate = edition == "scaled"  # 003 Setup: the players take turns
    assert laid == (["w", "b"] * count if alternate else ["w"] * count + ["b"] * count)
    assert match.oracle.rulings[-1]["code"] == "setup_done" and match.wrong == []


@pytest.mark.parametrize("rules", RULES)
def test_clumsy_turns_leave_oracle_and_table_of_one_mind(rules):
    """Whatever falls, flips, jumps and is dropped: the referee that is told the truth knows every
    disc, and none is lost."""
    match = Match(rules, seed=103, skill=CLUMSY)
    play(match, 3)
    assert match.turns >= 2
    assert match.wrong == []
    assert discs_everywhere(match) == 2 * RESERVES[rules.split("+")[0]]
    assert not any(r["code"] == "unsure" for r in match.oracle.rulings)
    times = [record["t_us"] for record in match.truth]
    assert times == sorted(times)


def test_careful_players_do_nothing_that_they_must_not():
    match = Match("temple", seed=104, skill=CAREFUL)
    play(match, 5)
    codes = [r["code"] for r in match.oracle.rulings]
    assert codes.count("turn") >= 4 and "irregular" not in codes
    assert codes.count("leaner_placed") >= 3


def test_a_game_comes_to_a_result_that_the_table_bears_out():
    """001 End of the Game: discs in own towers minus those left in the stack; who causes red to be
    touched or to leave its dot loses; so does who shows no colour."""
    match = Match("temple+starting_point", seed=101, skill=CLUMSY)
    for _ in match.times():
        pass
    ended = match.ended()
    assert ended.dead_end == ""
    end = match.oracle.rulings[-1]
    assert end["code"] == "end" and [ended.why, ended.winner] == match.state()["outcome"]
    towers = {1: 0, -1: 0}
    last = match.oracle.rulings[-2]["owed"]  # a stack is no tower before it is captured
    owed = {i for _, ids in last for i in ids}
    for body in match.world.bodies:
        if match.world.witness.id_of(body) in owed:
            continue
        if body.state is BodyState.LYING and len(body.discs) > 1 and not body.is_red:
            towers[body.face] += len(body.discs)
    left = end["reserve"]
    if ended.why in ("touched_red", "red_off"):
        assert ended.winner != end["active"]
    elif ended.why == "no_colour":
        faces = {b.face for b in match.world.bodies if not b.is_red}
        assert {1: "w", -1: "b"}[faces.pop()] == ended.winner and not faces
    else:
        assert ended.why == "reserve_empty" and 0 in left
        assert end["score"] == [towers[1] - left[0], towers[-1] - left[1]]


def test_the_same_seed_plays_the_same_game():
    def truth():
        match = Match("temple+starting_point", seed=105, skill=CLUMSY)
        play(match, 1)
        return match.truth

    assert truth() == truth()


def test_partners_and_three_players_sit_in_turn():
    team = Match("temple+four_player_team", seed=106)
    seen = []
    for _ in team.times():
        seen += [p.hand.name for p in team.players if p.hand.body and p.hand.name not in seen]
        if team.turns > 0:
            break
    assert sorted(seen) == [f"player {place}" for place in (1, 2, 3, 4)]
    assert [p.hand.name for p in Match("temple+three_player_shuffle", 1).players][-1] == "player 3"
