"""`polarity log` stores what the page stores: each ruling with what was observed around it."""

import io
import json
import sys

import pytest

from polarity import facts as f
from polarity_host.games.store import Store
from polarity_host.live.evidence import unpacked
from polarity_host.simulation.port import power
from tests.live.scripted import Body, fact, game, scripted_mat

URL = "sim://demo?seed=60100"


class Terminal(io.StringIO):
    def isatty(self):
        return True


@pytest.mark.parametrize("typed", [False, True])
def test_rulings_are_put_right_from_the_command_line(polarity, tmp_path, monkeypatch, typed):
    """Commands go into the game's record as rulings; a command that the mat refuses is reported."""
    mat = scripted_mat()
    for t_us, counts in mat._frames:  # played before anybody listens: the last ruling is a fault
        mat.engine.frame(t_us // 1000, counts)
    power.put_at(URL, mat)
    said = ["overrule 0 waived", "overrule 9999 waived", "declare w"]
    options = [word for command in said for word in ("--say", command)]
    if typed:
        monkeypatch.setattr(sys, "stdin", Terminal("\n".join(["frames only", *said, ""])))
        options = []
    code, told, err = polarity("log", URL, *options, "--once", "--db", tmp_path / "games.db")
    power.remove(URL)
    assert (
        (code, err) == (0, "")
        and ("not from here" in told) == typed
        and "the mat refuses `overrule 9999 waived`: " in told
    )
    with Store(tmp_path / "games.db") as store:
        codes = [row["code"] for row in store._all("SELECT code FROM rulings ORDER BY n")]
        (game,) = store.games()
    assert codes.index("fault") < codes.index("overruled") < codes.index("end")
    assert (game["winner"], game["why"]) == ("w", "declared")


@pytest.mark.parametrize("said", ["frames only", "resume 1", "", "undo 0\nframes only"])
def test_only_what_players_say_is_said(polarity, said):
    code, told, err = polarity("log", URL, "--say", said)
    assert code == 2 and err.count("\n") == 1


@pytest.fixture
def logged(polarity, tmp_path):
    """The scripted game, logged until black's disc has touched the red one: its database."""
    script = game()
    script.at(500, fact(f.TOUCHED_RED, Body(14, -20, 30, 1)))
    power.put_at(URL, scripted_mat(script))
    code, told, err = polarity("log", URL, "--once", "--db", tmp_path / "games.db")
    power.remove(URL)
    assert (code, err) == (0, "") and "touched the red disc" in told
    return tmp_path / "games.db"


def test_every_ruling_that_was_logged_can_be_seen_again(logged):
    with Store(logged) as store:
        (stored,) = store.games()
        rulings = store._all("SELECT n, code FROM rulings ORDER BY n")
        assert store.evidence_numbers(stored["id"]) == [row["n"] for row in rulings]
        (fault,) = [row["n"] for row in rulings if row["code"] == "fault"]
        seen = unpacked(store.evidence(stored["id"], fault))
    assert {fact["f"] for fact in seen["facts"]} >= {"shifted", "contact", "hand_in"}
    jump = [p for _, flying in seen["flights"] for p in flying if p[0] == 3]
    assert len(jump) >= 3 and len(seen["frames"]) >= 10 and "Black's fault" in str(seen["told"])


def test_the_slow_motion_of_a_ruling_is_exported_as_one_file(logged, polarity, tmp_path):
    record = json.loads(polarity("export", "--db", logged, "--json")[1])
    (fault,) = [entry["n"] for entry in record["entries"] if entry.get("code") == "fault"]
    out = tmp_path / "fault.html"
    words = ("export", "--db", logged, "--slow", fault, "--lang", "fr", "-o", out)
    assert polarity(*words)[0] == 0
    page = out.read_text(encoding="utf-8")
    assert "Faute de Noir" in page and '"language": "fr"' in page and "src=" not in page
    code, _, err = polarity("export", "--db", logged, "--slow", 9999)
    assert code == 2 and str(fault) in err and err.count("\n") == 1
