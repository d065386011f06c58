"""The games that the emulated chip judges: what is in them, and how the two lists of rulings are
compared. The chip itself is not here: `polarity bench device --games N`.
"""

from polarity_bench.chip_games import differences, short_game


def rulings(seed):
    return [r for r in short_game(seed).without_counts() if r["k"] == "ruling"]


def test_each_game_has_a_snap_a_capture_a_fault_in_one_and_an_end():
    for seed in (1, 2):
        told = rulings(seed)
        assert told[0]["code"] == "red_placed" and told[-1]["code"] == "end"
        assert {"captured", "capture_failed"} <= {r["code"] for r in told}
        assert any((r["code"], r["why"]) == ("fault", "snapped") for r in told)


def test_what_differs_is_counted_once_and_the_numbers_of_pieces_do_not():
    told = rulings(1)
    renamed = [{**r, "pieces": [9 + n for n in r["pieces"]]} for r in told]
    assert differences(told, renamed) == []
    assert len(differences(told, told[:3] + told[4:])) == 1
    other = [*told[:-1], {**told[-1], "why": "nothing"}]
    assert len(differences(told, other)) == 1
    assert len(differences(told, [*told, told[-1]])) == 1
