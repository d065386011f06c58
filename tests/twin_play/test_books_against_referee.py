"""The truth's facts, told to the referee as perception would tell them, must lead to the rulings
that the game keeper's books expect. Neither knows the other: a difference is an error in one.
"""

import pytest

from polarity.facts import Fact
from polarity.rules.referee import Referee
from polarity_host.twin.play import demo_game, random_game

FACES = {"w": 1, "b": -1, "": 0}
LETTERS = {1: "w", -1: "b", 0: ""}
SMALL_SHIFT_MM = 17.0  # perception need not tell a smaller one


def told(record, seq):
    """A truth record as perception's Fact, its seq set."""
    fact = Fact(
        record["f"],
        record["t_us"] // 1000,
        record["piece"],
        tuple(record["others"]),
        FACES[record["face"]],
        record["discs"],
        round(100 * record["x_mm"]),
        round(100 * record["y_mm"]),
        round(record["tilt_deg"]),
        round(100 * record["d_mm"]),
        record["shape"],
    )
    fact.seq = seq
    return fact


def heard(truth):
    """What the referee rules on the truth's facts, each ruling as the books write it."""
    referee = Referee("temple")
    rulings = []
    facts = [r for r in truth if r["k"] == "fact"]
    for seq, record in enumerate(facts, 1):
        if record["f"] == "shifted" and record["d_mm"] < SMALL_SHIFT_MM:
            continue
        for ruling in referee.fact(told(record, seq)):
            rulings.append(
                {
                    "code": ruling.code,
                    "player": LETTERS[ruling.player],
                    "why": ruling.why,
                    "pieces": sorted(ruling.pieces),
                    "owed": sorted([LETTERS[p], sorted(ids)] for p, ids in ruling.owed),
                    "returns": [[LETTERS[p], discs] for p, discs in ruling.returns],
                    "reserve": list(ruling.reserve),
                    "turn": ruling.turn,
                    "score": list(ruling.score),
                }
            )
    return rulings


def expected(truth):
    """The books' rulings in the same shape."""
    return [
        {
            **{k: r[k] for k in ("code", "player", "why", "returns", "reserve", "turn")},
            "pieces": sorted(r["pieces"]),
            "owed": sorted(r["owed"]),
            "score": r.get("score", []),
        }
        for r in truth
        if r["k"] == "ruling"
    ]


def test_demo():
    truth = demo_game(5).without_counts()
    assert heard(truth) == expected(truth)


@pytest.mark.parametrize("seed", range(40))
def test_random_games(seed):
    truth = random_game(seed).without_counts()
    assert heard(truth) == expected(truth)
