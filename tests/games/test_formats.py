"""A stored game in other forms; the game is one that an older version stored."""

import csv
import gzip
import io
import json
from html.parser import HTMLParser

import pytest

from polarity_host.errors import DONE
from polarity_host.games.store import Store
from tests.games.statistics.test_stats import OLD


@pytest.fixture
def db(tmp_path):
    path = tmp_path / "games.db"
    path.write_bytes(gzip.decompress((OLD / "games_v2.db.gz").read_bytes()))
    with Store(path) as store:
        store.name(1, {"white": '"><script>', "event": "=1+1"})
    return path


@pytest.fixture
def kept(db):
    """The facts and rulings as the database has them."""
    with Store(db) as store:
        return {
            table: store._all(f"SELECT * FROM {table} ORDER BY n") for table in ("facts", "rulings")
        }


def test_as_json_everything_is_there(db, kept, polarity):
    code, out, _ = polarity("export", "--db", db, "--as", "json")
    game = json.loads(out)
    assert code == DONE
    assert (game["tags"]["White"], game["tags"]["Event"]) == ('"><script>', "=1+1")
    for kind, name in (("fact", "facts"), ("ruling", "rulings")):
        entries = [entry for entry in game["entries"] if entry["k"] == kind]
        assert [entry["n"] for entry in entries] == [row["n"] for row in kept[name]]
        assert all(entry["said"] for entry in entries)
    (position,) = [entry for entry in game["entries"] if entry["k"] == "position"]
    assert position["rules"] == "temple" and position["pieces"]


def test_as_csv_each_fact_and_ruling_has_a_row(db, kept, polarity):
    code, out, _ = polarity("export", "--db", db, "--as", "csv")
    rows = list(csv.DictReader(io.StringIO(out)))
    assert code == DONE
    assert len(rows) == len(kept["facts"]) + len(kept["rulings"])
    facts = [row for row in rows if row["kind"] == "fact"]
    for row, fact in zip(facts, kept["facts"]):
        assert (int(row["n"]), row["what"]) == (fact["n"], fact["fact"])
        assert float(row["x_mm"]) == pytest.approx(fact["x_cmm"] / 100)
    assert [row["what"] for row in rows if row["kind"] == "ruling"] == [
        ruling["code"] for ruling in kept["rulings"]
    ]


class Page(HTMLParser):
    def __init__(self):
        super().__init__()
        self.tags, self.text = [], ""

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)

    def handle_data(self, data):
        self.text += data


def test_as_html_it_is_a_page_of_its_own_in_any_language(db, kept, polarity):
    for language, wins in (("en", "White wins"), ("de", "Weiß gewinnt")):
        code, out, _ = polarity("export", "--db", db, "--as", "html", "--lang", language)
        page = Page()
        page.feed(out)
        assert code == DONE and wins in page.text
        assert page.tags.count("li") == len(kept["rulings"])
        assert page.tags.count("ellipse") >= 10
        assert '"><script>' in page.text and "script" not in page.tags
