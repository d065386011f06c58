"""A device that speaks without end fills no disk, and the record says what it has not taken."""

import json

import pytest

from polarity.wire.framing import frame
from polarity_host.device.link import Gap
from polarity_host.errors import HostError
from polarity_host.games import admission as allowance
from polarity_host.games.admission import Admission, Allowance
from polarity_host.games.follow import follow
from polarity_host.games.store import Store
from polarity_host.live.live_state import LiveState
from polarity_host.terminal.reporter import Reporter
from polarity_host.wire.lines import Damaged, Message, decode


def log(number, boot=1, text="x" * 600):
    head = {"v": 1, "b": boot, "n": number, "t": number, "k": "log"}
    return decode(frame(json.dumps({**head, "level": "info", "text": text})))


class Endless:
    """A link whose mat has said `count` messages as fast as it can, and later one more."""

    def __init__(self, clock, count, boots=1):
        self._clock, self._count, self._boots = clock, count, boots

    def batches(self):
        for at in range(0, self._count, 50):
            numbers = range(at + 1, at + 51)
            yield [log((n - 1) // self._boots + 1, n % self._boots + 1) for n in numbers]
        self._clock[0] += 1000.0
        yield [log(self._count + 1), Damaged("?", "noise")]


@pytest.fixture
def clock(monkeypatch):
    now = [0.0]
    monkeypatch.setattr(allowance.time, "monotonic", lambda: now[0])
    monkeypatch.setattr(Admission.__init__, "__defaults__", (lambda: now[0],))
    return now


def followed(tmp_path, link):
    with Store(tmp_path / "games.db") as store:
        follow(link, store, Reporter(as_json=True))
        numbers = [row["n"] for row in store._all("SELECT n FROM messages ORDER BY id")]
        gaps = [tuple(g) for g in store._all("SELECT boot, first_n, last_n FROM gaps")]
        games = store.games()
    return numbers, gaps, games, sum(path.stat().st_size for path in tmp_path.iterdir())


def test_what_is_too_much_is_left_out_and_named_once(tmp_path, clock, capsys):
    numbers, gaps, _, size = followed(tmp_path, Endless(clock, 40_000))
    assert size < 2 * allowance.MESSAGES[0]  # 40,000 such messages would be 30 MB
    last = numbers[-2]
    assert numbers == [*range(1, last + 1), 40_001] and 5000 < last < 12_000
    assert gaps == [(1, last + 1, 40_000)]
    told = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [line["first"] for line in told if line["k"] == "lost"] == [last + 1]


def test_neither_do_games_without_end_fill_it(tmp_path, clock):
    _, gaps, games, size = followed(tmp_path, Endless(clock, 40_000, boots=20_000))
    assert size < 3 * allowance.MESSAGES[0] and len(gaps) <= allowance.MOST_BOOTS


def test_a_game_s_pace_is_never_too_much():
    now = [0.0]
    allowed = Allowance(*allowance.MESSAGES, lambda: now[0])
    for second in range(6 * 3600):  # of ten messages a second, thrice what the twin's games say
        now[0] = float(second)
        assert all(allowed.spend(allowance.EACH + 300) for _ in range(10))


def test_a_disk_that_is_nearly_full_is_left_alone(tmp_path, monkeypatch):
    free = allowance.shutil.disk_usage(tmp_path)._replace(free=allowance.LEAST_FREE - 1)
    monkeypatch.setattr(allowance.shutil, "disk_usage", lambda path: free)
    with pytest.raises(HostError, match="make room"):
        Admission(tmp_path / "games.db").admitted([log(1)])


def test_what_is_not_stored_is_always_let_through(tmp_path, clock):
    admission = Admission(tmp_path / "games.db")
    while any(isinstance(event, Message) for event in admission.admitted([log(1)])):
        pass
    assert admission.admitted([Damaged("?", "noise"), log(2)]) == [Damaged("?", "noise")]
    clock[0] += 1000.0
    assert admission.admitted([log(3)]) == [Gap(1, 1, 2), log(3)]


def test_evidence_that_is_not_kept_is_not_offered():
    state = LiveState(store_evidence=lambda boot, number, data: False)
    head = {"v": 1, "b": 1, "n": 1, "t": 0, "k": "game"}
    state.handle(decode(frame(json.dumps({**head, "edition": "temple", "mat": "standard"}))))
    ruling = {
        "code": "turn", "player": "w", "why": "", "pieces": [], "facts": [], "owed": [],
        "returns": [], "reserve": [26, 26], "turn": 1, "active": "w",
    }  # fmt: skip
    state.handle(decode(frame(json.dumps({**head, "n": 2, "k": "ruling", **ruling}))))
    state.finish()
    events = state.whole()["events"]
    assert events[-1]["k"] == "ruling" and "slow" not in events[-1]
