"""`polarity review`: what today's firmware rules otherwise than a stored game was ruled."""

import json

import pytest

from polarity_host.errors import BAD_INPUT, DONE
from polarity_host.games.notation.sources import judged
from polarity_host.games.store import Store
from polarity_host.replay.review import rulings
from polarity_host.terminal.progress import Progress
from tests.fake_engine import FakeEngine, messages_of
from tests.games.test_export import Mat
from tests.recordings import recording_bytes


@pytest.fixture
def recording(tmp_path, fake_engine):
    """One whose rulings are a fault every fifth frame and an end with the hundredth."""
    path = tmp_path / "game.matrec"
    path.write_bytes(recording_bytes())
    return path


@pytest.fixture
def db(tmp_path, recording):
    """What was said of it when it was played."""
    path = tmp_path / "g.db"
    with Store(path) as store:
        store.add(judged(recording, Progress()))
    return path


def test_a_game_judged_as_before_has_no_changes(polarity, recording, db):
    code, out, _ = polarity("review", recording, "--db", db)
    assert code == DONE
    assert out == "Game 1: 20 rulings when it was played; now 0 of them gone, 0 new.\n"


def test_each_change_is_a_line(polarity, recording, db, monkeypatch):
    def more(self, t_ms, fact, end):
        made = ruling(self, t_ms, fact, end)
        made.after.reserve = (21, 19) if made.after.turn == 3 else made.after.reserve
        return made

    ruling = FakeEngine.ruling
    monkeypatch.setattr(FakeEngine, "ruling", more)  # another firmware
    code, out, _ = polarity("review", recording, "--db", db, "--game", "1")
    assert code == DONE
    gone, new, counts = out.splitlines()
    assert gone == "- 00:01  " + new[9:].replace("[21, 19]", "[20, 19]")
    assert new.startswith("+ 00:01  ") and new.endswith(" (reserve [21, 19])")
    assert counts.startswith("Game 1: 20 rulings") and "1 of them" in counts and "1 new" in counts
    code, out, _ = polarity("review", recording, "--db", db, "--json")
    *changed, counts = [json.loads(line) for line in out.splitlines()]
    assert [(c["was"], c["reserve"]) for c in changed] == [(True, [20, 19]), (False, [21, 19])]
    assert counts == {"k": "review", "game": 1, "before": 20, "gone": 1, "new": 1, "corrections": 0}


def test_what_players_corrected_is_not_compared():
    mat = Mat()
    mat.happens("placed", 1, shape="red")
    plain, _ = rulings(mat.messages)
    assert not mat.declare("undo", "0")
    found, corrections = rulings(mat.messages)
    assert (found, corrections) == (plain, 1)


def other_game():
    """The messages of a game with other rulings, at other times."""
    engine = FakeEngine(boot_id=77, end_at=10**6)
    for index in range(40):
        engine.frame(index * 70, None)
    return messages_of(engine)


def test_the_game_is_found_that_the_recording_is_of(polarity, recording, db):
    with Store(db) as store:
        store.add(other_game())  # the last one
    assert polarity("review", recording, "--db", db)[1].startswith("Game 1: ")
    assert (
        polarity("review", recording, "--db", db, "--game", "2")[1]
        .splitlines()[-1]
        .startswith("Game 2: ")
    )


def test_the_game_is_found_whose_port_wrote_the_recording(polarity, recording, tmp_path):
    path, url = tmp_path / "g.db", f"sim://demo?seed=1&record={recording}"
    with Store(path, url) as store:
        store.add(other_game())  # judged otherwise then
    with Store(path, "/dev/ttyACM0") as store:
        store.add(judged(recording, Progress()))
    assert polarity("review", recording, "--db", path)[1].splitlines()[-1].startswith("Game 1: ")


def test_where_no_game_fits_it_asks(polarity, recording, tmp_path, monkeypatch):
    path = tmp_path / "g.db"
    with Store(path) as store:
        store.add(other_game())
    code, out, err = polarity("review", recording, "--db", path)
    assert (code, out) == (BAD_INPUT, "") and "--game" in err and err.count("\n") == 1
    monkeypatch.setattr("sys.stdin.isatty", lambda: True, raising=False)
    answers = iter(["what?", "1"])
    monkeypatch.setattr("builtins.input", lambda prompt: next(answers))
    assert polarity("review", recording, "--db", path)[1].splitlines()[-1].startswith("Game 1: ")


def test_what_cannot_be_read_is_one_line(polarity, recording, db, tmp_path):
    for words, said in (
        ([tmp_path / "none.matrec", "--db", db], "none.matrec"),
        ([recording, "--db", tmp_path / "none.db"], "no games in"),
        ([recording, "--db", db, "--game", "9"], "no game 9"),
    ):
        code, out, err = polarity("review", *words)
        assert (code, out) == (BAD_INPUT, "") and said in err and err.count("\n") == 1
