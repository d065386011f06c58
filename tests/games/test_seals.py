"""A stored game that somebody has changed shows it, and a copy of all games is whole."""

import gzip
import hashlib
import json
import os
import sqlite3
import struct
import threading
from base64 import b32encode
from contextlib import closing

import pytest

from polarity_host.errors import BAD_INPUT, DONE, FAILED
from polarity_host.games.folders import games_file
from polarity_host.games.store import Store
from tests.fake_engine import FakeEngine, messages_of
from tests.games.statistics.test_stats import OLD
from tests.games.test_housekeeping import LONG_AGO_MS, played


@pytest.fixture
def db():
    """Two games of people, long ago."""
    with Store(games_file(), utc_ms=lambda: LONG_AGO_MS) as store:
        for boot in (1, 2):
            store.add(played(boot))
    return games_file()


def change(db, statement, *values):
    with closing(sqlite3.connect(db)) as file, file:
        return file.execute(statement, values).fetchall()


def checked(polarity, *words):
    code, out, err = polarity("games", "--check", *words, "--json")
    assert not err
    found = [json.loads(line) for line in out.splitlines()]
    return code, {one["game"]: one for one in found if one["k"] == "checked"}


def test_what_was_stored_is_sound_and_has_a_seal_by_the_page_s_own_words(db, polarity):
    code, games = checked(polarity)
    assert code == DONE and not any(game["wrong"] for game in games.values())
    rows = change(db, "SELECT received_ms, raw, kind FROM messages WHERE game_id = 2 ORDER BY id")
    seal = b""
    for received_ms, raw, kind in rows:
        seal = hashlib.sha256(seal + struct.pack("<q", received_ms) + raw.encode()).digest()
        if kind == "ruling" and json.loads(raw.partition(" ")[2])["code"] == "end":
            break
    assert games[2]["seal"].replace("-", "") == b32encode(seal[:10]).decode()
    assert f"Seal of its result: {games[2]['seal']}" in polarity("games", "--check", "2")[1]


@pytest.mark.parametrize(
    ("statement", "told"),
    [
        ("UPDATE rulings SET player = 'w' WHERE game_id = 2 AND code = 'end'", "not what its line"),
        ("UPDATE rulings SET why = 'out' WHERE game_id = 2 AND n = 7", "ruling 7 is not what"),
        ("UPDATE games SET winner = 'w' WHERE id = 2", "result is not that of its lines"),
        ("UPDATE messages SET raw = raw || ' ' WHERE boot = 2 AND n = 9", "line 9 is not as it"),
        ("UPDATE messages SET received_ms = 5 WHERE boot = 2 AND n = 9", "line 9 is not as it"),
        ("UPDATE messages SET raw = 7 WHERE boot = 2 AND n = 9", "line 9 cannot be read"),
        ("UPDATE messages SET seal = NULL WHERE boot = 2 AND n = 9", "line 10 is not as it"),
        ("DELETE FROM messages WHERE boot = 2 AND n = 9", "or one before it is gone"),
    ],
)
def test_a_change_is_told(db, polarity, statement, told):
    change(db, statement)
    code, games = checked(polarity)
    assert code == FAILED and not games[1]["wrong"]
    assert any(told in one for one in games[2]["wrong"]), games[2]["wrong"]


def test_who_makes_all_seals_anew_gets_another_seal_of_the_result(db, polarity):
    _, before = checked(polarity)
    lines = change(db, "SELECT id, received_ms, raw FROM messages WHERE game_id = 2 ORDER BY id")
    seal = b""
    for number, received_ms, raw in lines:
        raw = raw.replace(" ", "  ", 1) if number == lines[3][0] else raw
        seal = hashlib.sha256(seal + struct.pack("<q", received_ms) + raw.encode()).digest()
        change(db, "UPDATE messages SET raw = ?, seal = ? WHERE id = ?", raw, seal, number)
    _, after = checked(polarity)
    assert not any("as it was stored" in one for one in after[2]["wrong"])  # its chain holds
    assert after[2]["seal"] != before[2]["seal"] and after[1]["seal"] == before[1]["seal"]


def test_a_game_of_an_earlier_version_has_no_seals(polarity):
    games_file().parent.mkdir(parents=True, exist_ok=True)
    games_file().write_bytes(gzip.decompress((OLD / "games_v2.db.gz").read_bytes()))
    code, games = checked(polarity)
    assert code == DONE
    assert games[1]["unsealed"] == games[1]["lines"] > 100 and games[1]["seal"] == ""


def test_merged_games_are_sound_and_a_changed_one_is_not_merged(db, polarity):
    change(db, "UPDATE rulings SET turn = 3 WHERE game_id = 1")
    change(db, "UPDATE messages SET raw = raw || ' ' WHERE boot = 1 AND n = 9")
    code, _, err = polarity("games", "--merge", "1", "2")
    assert code == FAILED and "game 1 was changed after it was stored" in err
    db.unlink()
    with Store(db, utc_ms=lambda: LONG_AGO_MS) as store:
        store.add(played(1, end_at=10**6))
        store.add(played(2))
    assert polarity("games", "--merge", "1", "2")[0] == DONE
    code, games = checked(polarity)
    assert code == DONE and list(games) == [1] and games[1]["seal"]


def test_a_damaged_file_is_told(db, polarity):
    data = bytearray(db.read_bytes())
    page = data.index(b'"code":"fault"') // 4096 * 4096
    data[page + 8 : page + 40] = bytes(32)
    db.write_bytes(data)
    code, out, err = polarity("games", "--check")
    assert code == FAILED and "damaged" in out + err and "Traceback" not in err


def test_a_backup_is_whole_while_a_game_is_stored(db, polarity, tmp_path):
    engine, stop = FakeEngine(boot_id=3, end_at=10**6), threading.Event()

    def go_on():
        with Store(db) as store:
            while not stop.is_set():
                engine.frame(engine.t_ms + 10, None)
                store.add(messages_of(engine))

    playing = threading.Thread(target=go_on)
    playing.start()
    try:
        for number in range(5):
            copy = tmp_path / f"copy{number}.db"
            assert polarity("games", "--backup", copy)[0] == DONE
    finally:
        stop.set()
        playing.join()
    for number in range(5):
        code, games = checked(polarity, "--db", tmp_path / f"copy{number}.db")
        assert code == DONE and {1, 2} <= set(games)
    assert not list(tmp_path.glob("copy*-wal"))
    if os.name == "posix":
        assert copy.stat().st_mode & 0o777 == 0o600
    code, _, err = polarity("games", "--backup", copy)
    assert code == BAD_INPUT and "exists already" in err


def test_a_backup_that_cannot_be_written_is_told(db, polarity, tmp_path):
    blocked = tmp_path / "file"
    blocked.write_text("")
    code, _, err = polarity("games", "--backup", blocked / "a.db")
    assert code == FAILED and err.count("\n") == 1
