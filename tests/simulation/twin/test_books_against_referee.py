"""The truth's facts, given to the referee as perception would give them, must lead to the rulings
that the twin's books expect. Neither knows the other: a difference is an error in one of them.
"""

import pytest

from polarity_host.simulation.twin.whole_games import demo_game, random_game
from tests.bench.truth_told import facts_of, heard, ruling_message

COMPARED = ("code", "player", "why", "returns", "reserve", "turn")


def plainly(ruling):
    """What is compared of a ruling; ids in order."""
    return {
        **{name: ruling[name] for name in COMPARED},
        "pieces": sorted(ruling["pieces"]),
        "owed": sorted([player, sorted(ids)] for player, ids in ruling["owed"]),
        "score": ruling.get("score", []),
    }


def check(game):
    truth = game.without_counts()
    said = [plainly(ruling_message(ruling)) for ruling in heard(facts_of(truth))]
    expected = [plainly(record) for record in truth if record["k"] == "ruling"]
    assert said == expected
    return truth


def test_demo_shows_what_the_rules_are_about():
    game = demo_game(5)
    truth = check(game)
    rulings = [(r["code"], r["player"], r["why"]) for r in truth if r["k"] == "ruling"]
    assert rulings[:12] == [
        ("red_placed", "", ""),
        *[("foundation", "w", "")] * 5,
        *[("foundation", "b", "")] * 5,
        ("setup_done", "", ""),
    ]
    assert {player for code, player, _ in rulings if code == "leaner_placed"} == {"w", "b"}
    for ruling in (
        ("try_again", "w", ""),
        ("fault", "b", "leaner_fell"),
        ("fault", "w", "contact"),
        ("captured", "b", "lifted"),
    ):
        assert ruling in rulings
    code, winner, why = rulings[-1]
    assert (code, why) == ("end", "touched_red") and winner in ("w", "b")
    loser = [player for code, player, _ in rulings if code == "turn"][-1]
    assert winner != loser
    tower = next(r for r in truth if r.get("shape") == "tower")
    assert (tower["face"], tower["discs"]) == ("b", 2)
    assert 45e6 < truth[-1]["t_us"] < 100e6


@pytest.mark.parametrize("seed", [1, 4, 53])
def test_random_game(seed):
    truth = check(random_game(seed))
    assert sum(record.get("code") == "turn" for record in truth) >= 30


def test_a_reserve_is_played_out():
    """Nothing but leaners and towers, until a player has no disc left to play."""
    truth = check(random_game(23, turns=90, only=("leaner", "stack"), ending="none"))
    last = [record for record in truth if record["k"] == "ruling"][-1]
    assert (last["code"], last["why"], min(last["reserve"])) == ("end", "reserve_empty", 0)
