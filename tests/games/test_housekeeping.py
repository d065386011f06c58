"""Stored games put away, deleted and merged; recordings kept to a size."""

import gzip
import json
import os

import pytest

from polarity_host.errors import BAD_INPUT, DONE, FAILED
from polarity_host.games.folders import games_file, recording_file
from polarity_host.games.recordings import size_of
from polarity_host.games.search import counts
from polarity_host.games.store import Store
from tests.fake_engine import FakeEngine, messages_of
from tests.recordings import recording_bytes

LONG_AGO_MS = 1_790_000_000_000
DAY_MS = 86_400_000


def played(boot, events=20, end_at=20, begin=0):
    engine = FakeEngine(boot_id=boot, end_at=end_at)
    for index in range(events):
        engine.frame(index * 10, None)
    return messages_of(engine)[begin:]


@pytest.fixture
def games():
    """Game 1 was played by people, 2 has no end, 3 is a demo, 4 was played on a virtual mat."""
    ports = ("/dev/ttyACM0", "/dev/ttyACM0", "sim://demo?seed=1", "sim://virtual")
    for number, port in enumerate(ports, 1):
        begun_ms = LONG_AGO_MS + number * DAY_MS
        with Store(games_file(), port, utc_ms=lambda begun_ms=begun_ms: begun_ms) as store:
            store.add(played(number, end_at=10**6 if number == 2 else 20))
    return games_file()


def rows(path):
    with Store(path) as store:
        return {game["id"]: game for game in store.games()}


def listed(polarity, *words):
    return [json.loads(line) for line in polarity(*words, "--json")[1].splitlines()]


def test_only_games_that_people_played_to_the_end_count(games, polarity):
    found = listed(polarity, "stats")
    assert [one["id"] for one in found if one["k"] == "game"] == [1, 4]
    assert found[-1] == {"k": "not_counted", "games": 2}
    assert "2 games are left out" in polarity("stats")[1]
    everything = listed(polarity, "stats", "--all")
    assert [one["id"] for one in everything if one["k"] == "game"] == [1, 2, 3, 4]
    assert not [one for one in everything if one["k"] == "not_counted"]
    assert [one["id"] for one in listed(polarity, "stats", "--game", "3") if "id" in one] == [3]


def test_an_archived_game_is_kept_and_comes_back(games, polarity):
    assert polarity("games", "--archive", "1", "4")[:2] == (DONE, "Games 1, 4 are archived.\n")
    assert not any(counts(game) for game in rows(games).values())
    code, _, err = polarity("stats")
    assert code == FAILED and "4 games are left out" in err and "--all" in err
    assert [one["archived"] for one in listed(polarity, "games")] == [1, 0, 0, 1]
    assert polarity("games", "--restore", "1")[0] == DONE
    assert [number for number, game in rows(games).items() if counts(game)] == [1]


def test_a_deleted_game_is_gone_and_not_asked_for_again(games, polarity):
    with Store(games) as store:
        last = store.last_number(1)
        assert last > 20
    assert polarity("games", "--delete", "1")[0] == BAD_INPUT  # nobody can be asked
    assert set(rows(games)) == {1, 2, 3, 4}
    assert polarity("games", "--delete", "1", "--yes")[:2] == (DONE, "Game 1 is deleted.\n")
    assert set(rows(games)) == {2, 3, 4}
    with Store(games) as store:
        assert store.last_number(1) == last
        for table in ("messages", "facts", "rulings"):
            assert not store._all(f"SELECT * FROM {table} WHERE game_id = 1")
            assert store._all(f"SELECT * FROM {table} WHERE game_id = 2")


def test_a_game_that_is_being_played_is_not_deleted(polarity):
    with Store(games_file(), "/dev/ttyACM0") as store:
        store.add(played(1, end_at=10**6))
    code, _, err = polarity("games", "--delete", "1", "--yes")
    assert code == BAD_INPUT and "being played" in err and err.count("\n") == 1
    assert set(rows(games_file())) == {1}


def test_two_halves_of_a_game_become_one(polarity):
    """The mat lost its power: what came after is stored as another game, of another boot."""
    first, second = played(1, end_at=10**6), played(2, begin=1)
    for boot, half in enumerate((first, second)):
        begun_ms = LONG_AGO_MS + boot * DAY_MS
        with Store(games_file(), "/dev/ttyACM0", utc_ms=lambda begun_ms=begun_ms: begun_ms) as s:
            s.add(half)
            s.name(boot + 1, {"white": "Ada"} if boot else {"event": "Club"})
    for words, says in (
        (["2", "1"], "write --merge 1 2"), (["1", "1"], "two games"), (["1", "3"], "no game 3"),
    ):  # fmt: skip
        code, _, err = polarity("games", "--merge", *words)
        assert code == BAD_INPUT and says in err and err.count("\n") == 1
    assert polarity("games", "--merge", "1", "2")[0] == DONE
    (game,) = rows(games_file()).values()
    assert (game["id"], game["begun_ms"], game["winner"]) == (1, LONG_AGO_MS, "b")
    assert (game["white"], game["event"], game["mat"]) == ("Ada", "Club", "standard")
    with Store(games_file()) as store:
        assert store.raw_lines(1) == [message.raw for message in [*first, *second]]
        assert store.game_id(2) == 1  # what the mat still sends belongs to it


def test_games_by_other_rules_are_not_merged(games, polarity):
    with Store(games) as store:
        store.change([("UPDATE games SET edition = 'scaled' WHERE id = 2", {})])
    code, _, err = polarity("games", "--merge", "1", "2")
    assert code == BAD_INPUT and "edition" in err
    assert set(rows(games)) == {1, 2, 3, 4}


@pytest.mark.parametrize(
    ("text", "size"),
    [("0", 0), ("500MB", 500_000_000), ("1.5 GB", 1_500_000_000), ("20k", 20_000), ("7", 7)],
)
def test_sizes_are_written_as_people_write_them(text, size):
    assert size_of(text) == size


@pytest.mark.parametrize("text", ["", "MB", "-1MB", "1 MiB", "1,5GB", "all"])
def test_what_is_no_size_is_refused(polarity, text):
    code, _, err = polarity("games", f"--prune={text}")
    assert code == BAD_INPUT and err.count("\n") == 1 and "500MB" in err


def test_the_oldest_recordings_go_first_and_their_games_stay(games, polarity):
    files = []
    for age in range(4):
        file = recording_file("demo-1")
        file.write_bytes(bytes(1000))
        truth = file.with_name(file.name.replace(".matrec.gz", ".truth.jsonl"))
        truth.write_bytes(bytes(100))
        os.utime(file, (LONG_AGO_MS / 1000 - age * 60,) * 2)  # each older than the one before
        files.append((file, truth))
    other = files[0][0].with_name("notes.txt")
    other.write_bytes(bytes(5000))
    assert len({file for file, _ in files}) == 4
    (told,) = listed(polarity, "games", "--prune", "2500")
    assert told["left_bytes"] == 2200
    assert sorted(told["deleted"]) == sorted(str(file) for file, _ in files[2:])
    assert [(file.exists(), truth.exists()) for file, truth in files] == [
        (True, True), (True, True), (False, False), (False, False),
    ]  # fmt: skip
    assert other.exists() and set(rows(games)) == {1, 2, 3, 4}
    assert listed(polarity, "games", "--prune", "2200")[0]["deleted"] == []


def test_a_name_is_taken_by_a_recording_of_either_kind():
    first = recording_file("demo-1")
    assert first.name == "demo-1.matrec.gz"
    first.with_suffix("").touch()  # as an earlier version wrote it
    assert recording_file("demo-1").name == "demo-1-2.matrec.gz"


def test_a_game_takes_its_recording_with_it(polarity):
    own, others = recording_file("demo-1"), games_file().parent / "elsewhere.matrec.gz"
    for number, file in enumerate((own, others), 1):
        file.write_bytes(gzip.compress(recording_bytes()))
        with Store(games_file(), f"sim://demo?seed=1&record={file}", lambda: LONG_AGO_MS) as store:
            store.add(played(number))
    assert [one["recording"] for one in listed(polarity, "games")] == [str(own), str(others)]
    assert polarity("games", "--delete", "1", "2", "--yes")[0] == DONE
    assert (own.exists(), others.exists()) == (False, True)  # only what this program keeps


def test_games_are_listed_with_what_is_known_of_them(games, polarity):
    assert polarity("stats", "--name", "1", "white=Żółć", "event=Club night")[0] == DONE
    code, out, _ = polarity("games")
    assert code == DONE
    for word in ("Żółć", "Club night", "demo", "not finished", "Black won"):
        assert word in out
    assert "Vorführung" in polarity("games", "--lang", "de")[1]
    code, _, err = polarity("games", "--db", games.with_name("none.db"), "--lang", "fr")
    assert code == BAD_INPUT and "Aucune partie" in err


@pytest.mark.parametrize("words", [["games"], ["stats"], ["export"], ["export", "--play"]])
def test_a_database_without_games_is_told_in_a_line(polarity, words):
    Store(games_file()).close()  # as a `polarity log` leaves it that found no mat
    code, out, err = polarity(*words)
    assert (
        code != DONE and out == "" and err.count("\n") == 1 and "`polarity demo` plays one" in err
    )
