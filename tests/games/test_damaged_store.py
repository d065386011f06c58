"""A store of which a part is damaged: what is good is served, what is left out is named."""

import json
import sqlite3

import pytest

from polarity_host.games.store import Store
from tests.games.test_store import said

#: What a failing disk or another program may leave in a column.
ODD = [
    "NULL", "7", "-9223372036854775808", "1e999", "CAST(x'c328' AS TEXT)", "x'00ff'",
    "'~00000000 {}'", "''", "'\ud800'",
]  # fmt: skip
COLUMNS = [
    ("games", "white"), ("games", "edition"), ("games", "event"), ("games", "begun_ms"),
    ("games", "boot"), ("games", "winner"), ("games", "score_w"), ("games", "ended_t_ms"),
    ("messages", "raw"), ("messages", "n"), ("messages", "t_ms"), ("evidence", "n"),
    ("evidence", "packed"),
]  # fmt: skip


@pytest.fixture
def games(tmp_path):
    path = tmp_path / "games.db"
    with Store(path) as store:
        messages = said()
        store.add(messages)
        ruling = next(message for message in messages if message.kind == "ruling")
        store.add_evidence(1, ruling.number, b"x")
    return path


def spoil(path, table, column, value):
    """Writes one value past all that the table asks of it."""
    db = sqlite3.connect(path)
    db.execute("PRAGMA writable_schema = ON")
    db.execute(
        "UPDATE sqlite_master SET sql = replace(sql, ' NOT NULL', '') WHERE name = ?", [table]
    )
    db.commit()
    db.close()
    db = sqlite3.connect(path)
    first = db.execute(f"SELECT min(rowid) FROM {table}").fetchone()[0]
    value = value.replace("'\ud800'", "CAST(x'eda080' AS TEXT)")
    db.execute(f"UPDATE OR IGNORE {table} SET {column} = {value} WHERE rowid = ?", [first])
    db.commit()
    db.close()


@pytest.mark.parametrize("table, column", COLUMNS)
def test_whatever_stands_in_a_column_ends_in_no_traceback(polarity, games, table, column):
    for value in ODD:
        spoil(games, table, column, value)
        with Store(games) as store:
            assert isinstance(store.last_number(1), int)
            json.dumps(store.games(), ensure_ascii=False, allow_nan=False).encode()
            assert all(isinstance(n, int) for n in store.evidence_numbers(1))
        for command in (
            ("stats", "--json"), ("stats",), ("export", "--as", "text"), ("export", "--as", "html"),
            ("export", "--slow", "1"),
        ):  # fmt: skip
            code, out, err = polarity(*command, "--db", str(games))
            assert code in (0, 1, 2) and err.count("\n") <= 1 and "Traceback" not in err


def test_a_line_that_is_damaged_is_left_out_and_named(polarity, games):
    spoil(games, "messages", "raw", "CAST(x'c328' AS TEXT)")
    code, out, err = polarity("stats", "--json", "--db", str(games))
    assert code == 0 and err == "polarity stats: left out of game 1: 1 damaged lines\n"
    records = [json.loads(line) for line in out.splitlines()]
    assert {"k": "left_out", "game": 1, "lines": 1} in records
    assert [record["k"] for record in records].count("player") == 2
    code, out, err = polarity("export", "--db", str(games))
    assert code == 0 and err == "polarity export: left out of game 1: 1 damaged lines\n"
    assert "fault" in out


@pytest.mark.parametrize("number", [2**63, 10**30])
def test_a_game_number_beyond_any(polarity, games, number):
    code, _, err = polarity("stats", "--name", str(number), "white=Ada", "--db", str(games))
    assert code == 2 and err.count("\n") == 1 and "no game" in err


@pytest.mark.parametrize(
    "line",
    [
        "1 0:01.000 fact placed " + "9" * 5000,
        "1 " + "9" * 5000 + ":01.000 fact hand_in",
        '# x\n1 0:01.000 log info "\\ud800"',
    ],
)
def test_a_game_s_text_with_a_number_or_text_that_is_none(polarity, games, tmp_path, line):
    code, out, _ = polarity("export", "--db", str(games))
    text = tmp_path / "game.txt"
    text.write_text(out.partition("\n\n")[0] + "\n\n" + line + "\n", encoding="utf-8")
    code, _, err = polarity("export", "--check", str(text))
    assert code == 2 and err.count("\n") == 1 and "line" in err
