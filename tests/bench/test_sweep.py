"""`polarity bench sweep`: the same games with some values of a parameter."""

import json

import numpy as np
import pytest

from polarity_bench.stored_game import StoredGame, store_game, stored_game
from polarity_bench.virtual_games import Kind
from polarity_host.errors import BAD_INPUT, DONE, FAILED
from polarity_host.mats.description import load_mat


def test_a_value_with_which_nothing_is_seen(polarity):
    """With the present value all is seen; where the mat must be bare for a quarter of an hour
    first, nothing is."""
    code, out, err = polarity(
        "bench", "sweep", "--parameter", "BASELINE_FRAMES", "--values", "65536", "--seeds", "101",
        "--turns", "1", "--nuisances", "usual", "--json",
    )  # fmt: skip
    assert (code, err) == (DONE, "")
    figures = json.loads(out)
    assert (figures["parameter"], figures["unit"]) == ("BASELINE_FRAMES", "frames")
    assert figures["now"] == figures["rows"][0]["value"] == 32
    now, blind = (row["figures"] for row in figures["rows"])
    assert now["facts"] == blind["facts"] > 20 and (now["missed"], now["rulings_wrong"]) == (0, 0)
    assert blind["missed"] == blind["facts"] and blind["rulings_wrong"] == now["rulings"] > 10
    assert [line.split()[:2] for line in figures["table"][1:]] == [["32", "*"], ["65536", "0.0"]]


@pytest.mark.parametrize(
    ("name", "value", "said"),
    [
        ("QUIET_MS", "3", "no parameter 'QUIET_MS'; like it: QUIET_UT"),
        ("STILL_FRAMES", "3", "STILL_FRAMES is compiled into the kernels as well"),
        ("QUIET_UT", "3,4", "a value of QUIET_UT is one number"),
        ("INITIATE_FRAMES", "3", "a value of INITIATE_FRAMES is numbers between commas"),
    ],
)
def test_what_is_no_value_of_a_parameter(polarity, name, value, said):
    code, out, err = polarity("bench", "sweep", "--parameter", name, "--values", value)
    assert (code, out) == (BAD_INPUT, "") and err.count("\n") == 1 and said in err


def test_a_value_that_the_engine_cannot_start_with(polarity):
    code, out, err = polarity(
        "bench", "sweep", "--parameter", "REACH_SENSORS", "--values", "-1", "--seeds", "101",
        "--turns", "1",
    )  # fmt: skip
    assert (code, out) == (FAILED, "")
    assert err == "polarity bench: REACH_SENSORS = -1: negative count\n"


def test_a_stored_game_is_the_game(tmp_path):
    kind = Kind(edition="fourlang")
    store_game(101, str(tmp_path), 1, "none", kind)
    stored, played = stored_game(tmp_path / "101.json"), kind.game(101, 1, "none")
    frames = 0
    for (t_us, counts), (stored_us, stored_counts) in zip(played.frames(), stored.frames()):
        assert t_us == stored_us and (counts == stored_counts).all()
        frames += 1
    assert frames == len(stored.t_us) and stored.truth == json.loads(json.dumps(played.truth))


def test_what_players_declare_in_a_stored_game():
    """It reaches the engine after the frame after which it was declared."""
    heard = []

    class Engine:
        def command(self, chunk):
            heard.append(chunk)

    counts = np.zeros((3, 4), np.uint16)
    game = StoredGame(
        1, load_mat(), "scaled", [], np.arange(3) * 10_000, counts,
        [(1, "double b\n"), (1, "take\n")], Engine(),
    )  # fmt: skip
    before = [len(heard) for _ in game.frames()]
    assert before == [0, 0, 2] and heard == [b"double b\n", b"take\n"]
