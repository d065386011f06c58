"""A club moves to PostgreSQL and back: all of it, or nothing."""

import json
from contextlib import closing

import pytest
from sqlalchemy import select

from polarity_host.errors import BAD_INPUT, DONE
from polarity_host.hub.record import Record
from polarity_host.hub.schema import METADATA
from polarity_host.hub.tournaments.book import Book
from polarity_host.mqtt.topics import Event, Lost
from tests.hall import needs_postgres
from tests.hub.conftest import emptied
from tests.mqtt.test_publisher import played

pytestmark = needs_postgres


def contents(where):
    """Every row of every table, as any reader of the database sees them."""
    with closing(Record(where)) as record, record.snapshot() as db:
        return {
            table.name: sorted(map(tuple, db.execute(select(table))), key=repr)
            for table in METADATA.sorted_tables
        }


@pytest.fixture
def club(tmp_path):
    where = str(tmp_path / "hall.db")
    with closing(Record(where)) as record:
        for boot, mat in ((1, "oak"), (2, "elm"), (3, "oak")):
            record.add(
                [(Event(mat, 7, m.raw), m) for m in played(boot=boot, events=60) if m.numbered]
            )
        record.add_lost(Lost("oak", 1, 5000, 5003))
        record.add_evidence("oak", 1, 9, bytes(range(256)))
        record.add_decision("oak", "undo 0")
        book = Book(record)
        book.create("Cup", "swiss", 3, ["oak"])
        book.enter("Cup", ["Ådå ½", "Ben", "Cy"])
        book.pair("Cup")
    return where


def test_it_is_the_same_there_and_back_and_goes_on(club, postgres_server, polarity, tmp_path):
    there, back = emptied(postgres_server.url), str(tmp_path / "back.db")
    before = contents(club)
    code, out, err = polarity("import", club, there, "--json")
    assert (code, err) == (DONE, "")
    assert json.loads(out) == {name: len(rows) for name, rows in before.items()}
    assert all(before.values()), "nothing of one table was tried"
    assert contents(there) == before
    with closing(Record(there)) as record:  # rows that are new do not collide with those that came
        record.add_decision("oak", "undo 0")
        Book(record).create("Next cup", "swiss", 3)
        Book(record).enter("Next cup", ["Dee"])
    after = contents(there)
    assert len(after["players"]) == 4 and len(after["decisions"]) == 2
    assert polarity("import", there, back)[0] == DONE
    assert contents(back) == after


def test_what_fails_changes_nothing(club, postgres_server, polarity, tmp_path, monkeypatch):
    there = emptied(postgres_server.url)

    def broken(connection):
        raise OSError("pulled out")

    with monkeypatch.context() as patch:
        patch.setattr("polarity_host.hub.moving._continue_numbers", broken)
        assert polarity("import", club, there)[0] == 1
    assert not any(contents(there).values())
    assert polarity("import", club, there)[0] == DONE
    filled = contents(there)
    code, out, err = polarity("import", club, there)
    assert (code, out) == (BAD_INPUT, "") and "has a club already" in err
    code, out, err = polarity("import", str(tmp_path / "none.db"), there)
    assert (code, out) == (BAD_INPUT, "") and not (tmp_path / "none.db").exists()
    assert contents(there) == filled
