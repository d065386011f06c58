"""How the bench holds an engine's rulings against the true ones."""

from polarity_bench.matching import Match
from polarity_bench.rulings import compare_rulings


def ruling(seconds, code, player, why=""):
    return {
        "t_us": round(1e6 * seconds), "code": code, "player": player, "why": why, "pieces": [],
        "owed": [], "reserve": [20, 20],
    }  # fmt: skip


def game(turns):
    """Turns of five seconds, in each of which a leaner is placed."""
    found = []
    for turn in range(turns):
        player = "wb"[turn % 2]
        found += [ruling(5 * turn, "turn", player), ruling(5 * turn + 1, "leaner_placed", player)]
    return found


def test_what_is_missed_shifts_no_others():
    """Two turns that nobody saw, the others in their places: four are missing."""
    expected = game(10)
    given = expected[:6] + expected[10:]
    compared = compare_rulings(expected, given, Match())
    assert [r["t_us"] for r in compared.missing] == [15e6, 16e6, 20e6, 21e6]
    assert compared.invented == [] and compared.wrong == 4
    assert all(a["t_us"] == b["t_us"] for a, b, _ in compared.pairs)


def test_the_same_words_long_after_are_another_ruling():
    compared = compare_rulings([ruling(10, "turn", "w")], [ruling(20, "turn", "w")], Match())
    assert len(compared.missing) == len(compared.invented) == 1
