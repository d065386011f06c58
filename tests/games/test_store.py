import os
import sqlite3
import subprocess
import sys
from contextlib import closing

import pytest

from polarity.wire.framing import frame
from polarity_host.device.link import Gap
from polarity_host.errors import BAD_INPUT, FAILED, HostError
from polarity_host.games.schema import APPLICATION_ID, MIGRATIONS
from polarity_host.games.store import Store
from polarity_host.hub.record import Record
from polarity_host.wire.lines import decode
from tests.fake_engine import FakeEngine, messages_of
from tests.made_messages import made_message


def said(events=20, boot_id=1, end_at=20):
    engine = FakeEngine(boot_id=boot_id, end_at=end_at)
    for index in range(events):
        engine.frame(index * 10, None)
    return messages_of(engine)


def numbers(store, game_id=1):
    rows = store._all("SELECT n FROM messages WHERE numbered AND game_id = ?", (game_id,))
    return [row["n"] for row in rows]


def test_a_game_reads_back_as_it_was_received(tmp_path):
    messages = said()
    with Store(tmp_path / "games.db", "sim://x", utc_ms=lambda: 1234) as store:
        store.add(messages)
    with Store(tmp_path / "games.db") as store:
        (game,) = store.games()
        assert store.raw_lines(game["id"]) == [message.raw for message in messages]
        assert (game["port"], game["mat"], game["edition"]) == ("sim://x", "standard", "temple")
        assert (game["winner"], game["why"]) == ("b", "touched_red")
        assert (game["score_w"], game["score_b"], game["begun_ms"]) == (4, 7, 1234)
        assert store.last_number(1) == messages[-1].number
        fact = store._all("SELECT * FROM facts ORDER BY n")[0]
        assert (fact["fact"], fact["others"], fact["tilt_deg"]) == ("placed", "[1]", 70)
        ruling = store._all("SELECT * FROM rulings ORDER BY n")[0]
        assert (ruling["code"], ruling["owed"]) == ("fault", '[["w",[1,2]]]')


def test_each_game_message_and_each_boot_begins_a_game(tmp_path):
    with Store(tmp_path / "games.db") as store:
        store.add(said(boot_id=1))
        store.add(said(boot_id=2))
        store.add(said(boot_id=3)[1:])  # its beginning was lost
        assert [game["boot"] for game in store.games()] == [1, 2, 3]


def test_a_second_run_goes_on_in_the_same_game(tmp_path):
    messages = said()
    with Store(tmp_path / "games.db") as store:
        store.add(messages[:10])
    with Store(tmp_path / "games.db") as store:
        assert store.last_number(1) == messages[9].number
        store.add(messages[10:])
        assert len(store.games()) == 1
        assert numbers(store) == [message.number for message in messages]


def test_a_greeting_before_the_game_begins_is_no_game_of_its_own(tmp_path):
    with Store(tmp_path / "games.db") as store:
        store.add([made_message("hello", 0, name="x", version="x", mat="x", edition="x")])
    with Store(tmp_path / "games.db") as store:  # killed in between
        store.add(said())
        (game,) = store.games()
        assert (game["mat"], game["winner"]) == ("standard", "b")


def ruling(number, **fields):
    return made_message("ruling", number, **{"turn": 1, "reserve": [26, 26], **fields})


def test_a_correction_reopens_a_game_until_its_end_is_ruled_anew(tmp_path):
    end = {"code": "end", "player": "w", "why": "touched_red", "score": [3, 4]}
    with Store(tmp_path / "games.db") as store:
        store.add([ruling(1, **end), ruling(2, code="overruled", why="denied", names=1)])
        (game,) = store.games()
        assert [game[name] for name in ("ended_t_ms", "winner", "why", "score_w")] == [None] * 4
        assert store._all("SELECT names FROM rulings WHERE n = 2")[0]["names"] == 1
        store.add([ruling(3, **end | {"player": "b"})])
        (game,) = store.games()
        assert (game["winner"], game["ended_t_ms"]) == ("b", 3)


def test_a_file_of_the_first_version_is_brought_up_to_date(tmp_path):
    with sqlite3.connect(tmp_path / "games.db") as db:
        db.executescript(MIGRATIONS[0])
        db.execute(f"PRAGMA application_id = {APPLICATION_ID}")
        db.execute("PRAGMA user_version = 1")
    with Store(tmp_path / "games.db") as store:
        store.add(said())
        assert store.games()[0]["winner"] == "b"


def test_gaps_are_kept_and_not_asked_for_again(tmp_path):
    with Store(tmp_path / "games.db") as store:
        store.add([Gap(5, 1, 17)])
        assert store.last_number(5) == 17


def test_what_cannot_be_stored_whole_is_not_stored_at_all(tmp_path):
    messages = said()
    with Store(tmp_path / "games.db") as store:
        store.add(messages[:5])
        with pytest.raises(HostError):
            store.add([*messages[5:8], messages[5]])
    with Store(tmp_path / "games.db") as store:
        assert numbers(store) == [message.number for message in messages[:5]]


def test_a_line_that_is_set_aside_is_stored_as_its_bytes(tmp_path):
    line = frame('{"v":1,"b":1,"n":1,"t":9007199254740993,"k":"log","level":"","text":""}')[:-1]
    with Store(tmp_path / "games.db") as store:
        store.add([decode(line)])
        assert store.set_aside() == [("a number too large", line)]
        assert store.games() == []


@pytest.mark.parametrize(
    "make, code, words",
    [
        (lambda path: path.write_bytes(b"not a database at all" * 100), BAD_INPUT, "not a games"),
        (lambda path: path.mkdir(), BAD_INPUT, "check the path"),
        (
            lambda path: sqlite3.connect(path).execute("CREATE TABLE other (x)"),
            BAD_INPUT,
            "another program's",
        ),
        (
            lambda path: sqlite3.connect(path).execute(
                f"PRAGMA user_version={len(MIGRATIONS) + 1}"
            ),
            BAD_INPUT,
            "newer version",
        ),
    ],
    ids=["garbage", "directory", "other program", "newer"],
)
def test_files_that_are_no_games(tmp_path, make, code, words):
    path = tmp_path / "games.db"
    make(path)
    with pytest.raises(HostError, match=words) as failure:
        Store(path)
    assert failure.value.exit_code == code
    assert "\n" not in failure.value.message


FILL_THE_DISK = """
import resource, sys
from pathlib import Path
sys.path[:0] = sys.argv[2:]
from fake_engine import FakeEngine, messages_of
from polarity_host.errors import HostError
from polarity_host.games.store import Store
store = Store(Path(sys.argv[1]))
resource.setrlimit(resource.RLIMIT_FSIZE, (1_000_000, 1_000_000))
engine = FakeEngine(boot_id=1, end_at=10**6)
try:
    while True:
        engine.frame(engine.t_ms + 10, None)
        messages = messages_of(engine)
        store.add(messages)
        print(messages[-1].number, flush=True)
except HostError as error:
    print(error.message, file=sys.stderr)
    sys.exit(error.exit_code)
"""


def test_a_full_disk_costs_nothing_that_was_confirmed(tmp_path, project_root):
    paths = [project_root / "tests", project_root / "firmware", project_root / "host_tools"]
    done = subprocess.run(
        [sys.executable, "-c", FILL_THE_DISK, tmp_path / "games.db", *paths],
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.returncode == FAILED, done.stderr
    assert "make room on the disk" in done.stderr and done.stderr.count("\n") == 1
    confirmed = int(done.stdout.split()[-1])
    assert confirmed > 20
    with Store(tmp_path / "games.db") as store:
        assert numbers(store)[:confirmed] == list(range(1, confirmed + 1))


@pytest.mark.skipif(os.name != "posix", reason="rights of files are POSIX's")
def test_names_of_people_are_for_the_owner_of_the_file_alone(tmp_path):
    path = tmp_path / "games.db"
    with Store(path) as store:
        store.add(said())
        rights = {file.name: file.stat().st_mode & 0o777 for file in tmp_path.iterdir()}
    assert rights["games.db"] == 0o600
    assert set(rights.values()) == {0o600}


@pytest.mark.skipif(os.name != "posix", reason="rights of files are POSIX's")
def test_so_they_are_in_a_hall_s_database(tmp_path):
    with closing(Record(str(tmp_path / "hub.db"))) as record:
        assert record.add([]) == []
        rights = {file.name: file.stat().st_mode & 0o777 for file in tmp_path.iterdir()}
    assert rights["hub.db"] == 0o600
    assert set(rights.values()) == {0o600}


@pytest.mark.skipif(os.name != "posix", reason="rights of files are POSIX's")
def test_the_rights_of_an_older_file_stay_as_they_are(tmp_path):
    path = tmp_path / "games.db"
    Store(path).close()
    path.chmod(0o640)
    Store(path).close()
    assert path.stat().st_mode & 0o777 == 0o640
