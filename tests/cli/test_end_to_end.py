"""Raw counts in, a stored and told game out, through the firmware's own engine."""

import json

import numpy as np
import pytest

from polarity_host.errors import DONE, FAILED
from polarity_host.games.store import Store
from polarity_host.mats.description import load_mat
from polarity_host.replay.recording import RecordingWriter

# What differs from boot to boot, and what replay adds to the wire's fields.
ADDED = ("b", "t_us", "x_mm", "y_mm", "d_mm")


def events(lines):
    """Facts and rulings, without what is ADDED."""
    messages = [json.loads(line) for line in lines]
    return [
        {key: value for key, value in message.items() if key not in ADDED}
        for message in messages
        if message["k"] in ("fact", "ruling")
    ]


def test_a_game_is_logged_as_its_recording_is_judged(polarity, tmp_path):
    recording, db = tmp_path / "game.matrec", tmp_path / "games.db"
    code, told, err = polarity(
        "log", f"sim://game?seed=3&turns=1&speed=0&record={recording}", "--db", db, "--json"
    )
    assert (code, err) == (DONE, "")
    with Store(db) as store:
        (game,) = store.games()
        stored = [line.split(" ", 1)[1] for line in store.raw_lines(game["id"])]
    code, judged, _ = polarity("replay", recording, "--json")
    assert code == DONE
    assert events(told.splitlines()) == events(stored) == events(judged.splitlines())
    codes = [event["code"] for event in events(stored) if event["k"] == "ruling"]
    assert codes.count("foundation") == 10 and "setup_done" in codes
    final = json.loads(judged.splitlines()[-1])
    assert set(final) == {"k", "t_us", "pieces", "reserves", "score", "outcome"}
    kinds = [piece["kind"] for piece in final["pieces"]]
    assert kinds.count("foundation") >= 9 and kinds.count("red") == 1


def noise(mat, draw):
    return draw.integers(0, 2**mat.bits, mat.n)


def slight_noise(mat, draw):
    return np.clip(draw.normal(mat.zero_count, 2**mat.bits / 8, mat.n), 0, 2**mat.bits - 1)


def zeros(mat, draw):
    return np.zeros(mat.n)


def saturated(mat, draw):
    return np.full(mat.n, 2**mat.bits - 1)


def bare(mat, draw):
    return np.rint(draw.normal(mat.zero_count, 3, mat.n))


def recorded(path, mat_name, counts, frames=300):
    mat, draw = load_mat(mat_name), np.random.default_rng(1)
    with RecordingWriter(path, mat.id, mat.n, mat.edition, 1) as recording:
        for index in range(frames):
            recording.write(index * 10_000, counts(mat, draw))
    return path


@pytest.mark.parametrize("mat", ["standard", "small"])
@pytest.mark.parametrize("counts", [noise, slight_noise, zeros, saturated])
def test_counts_that_no_mat_gives_are_refused(polarity, tmp_path, mat, counts):
    path = recorded(tmp_path / "game.matrec", mat, counts)
    code, out, err = polarity("replay", path, "--json")
    words = "noise" if "noise" in counts.__name__ else "most sensors read 0 or full scale"
    assert code == FAILED and err.count("\n") == 1 and f"cannot be judged: {words}" in err
    assert json.loads(out.splitlines()[-1])["k"] == "final"


def test_a_bare_mat_is_no_error(polarity, tmp_path):
    code, out, err = polarity("replay", recorded(tmp_path / "game.matrec", "standard", bare))
    assert (code, err) == (DONE, "")
    assert out.splitlines()[-1] == "300 frames judged. Nothing happens on the mat."
