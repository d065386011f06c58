"""`polarity log` keeps what the page keeps: each ruling with what was seen around it."""

import pytest

from polarity import facts as f
from polarity_host.live.evidence import unpacked
from polarity_host.sim import power
from polarity_host.store import Store
from tests.live.scripted import Body, fact, game, scripted_mat

URL = "sim://demo?seed=60100"


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
