"""How the bench holds an engine's rulings against the true ones."""

from polarity_bench.matching import Match
from polarity_bench.rulings import compare_rulings, standing


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


def test_of_two_like_rulings_the_one_about_the_same_piece_is_meant():
    """The first of two leaners that fell at once was not seen to fall: that alone is wrong."""
    fell = [ruling(10.0, "fault", "w", "leaner_fell") for _ in range(2)]
    fell[0]["pieces"], fell[1]["pieces"] = [23], [31]
    compared = compare_rulings(fell, [{**fell[1], "pieces": [31]}], Match(ids={23: [23], 31: [31]}))
    assert compared.missing == fell[:1] and compared.wrong == 1


def test_pieces_that_had_one_name_for_a_while_are_told_apart():
    """Discs 1 and 2 were one tower called 6; before that the engine called them 5 and 6."""
    match = Match(ids={1: [5, 6], 2: [6], 3: [7]})
    assert match.same_pieces([1, 2], [5, 6]) and match.same_pieces([2, 1], [5, 6])
    assert match.same_pieces([], []) and match.same_pieces([1], [6])
    for pieces, names in (([1, 2], [6, 7]), ([1], [5, 6]), ([1, 2], [5]), ([4], [7]), ([], [5])):
        assert not match.same_pieces(pieces, names)


def test_rulings_that_are_void_do_not_stand():
    """PROTOCOL.md, Corrections: every ruling based on that fact, or on one after it, is void, and
    those that are told again have the time of the correction."""

    def told(seconds, code, facts):
        return {**ruling(seconds, code, "w"), "facts": facts}

    facts = [{"n": 3, "t_us": 1e6}, {"n": 5, "t_us": 2e6}, {"n": 8, "t_us": 4e6}]
    given = [
        told(1, "turn", [3]), told(2, "fault", [5]), told(4, "turn", [3, 8]),
        told(9, "answered", [5]), told(9, "leaner_placed", [5]), told(9, "adjusted", []),
        told(9.5, "end", [8]),
    ]  # fmt: skip
    left = [(r["t_us"] / 1e6, r["code"]) for r in standing(given, facts)]
    assert left == [(1, "turn"), (2, "leaner_placed"), (9.5, "end")]
