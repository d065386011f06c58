"""BOOKS.md names a scenario for each rule of the books, and each is there."""

import re

import pytest

from polarity_bench.scenarios import SCENARIOS, all_scenarios

PAGE = (SCENARIOS / "BOOKS.md").read_text(encoding="utf-8")
PLAYED = {(s.title, s.edition.split("+")[0]) for s in all_scenarios()}


def rows():
    """(book, edition, paragraph, titles) of each row."""
    for section in PAGE.split("\n## ")[1:]:
        book, edition = section.split("\n")[0].split()
        for paragraph, titles in re.findall(r"^\| (.+?) \| (.+?) \|$", section, re.M)[1:]:
            yield book, edition, paragraph, titles.split(" · ")


@pytest.mark.parametrize("row", list(rows()), ids=lambda row: f"{row[0]} {row[2]}")
def test_a_rule_is_played_by_its_edition(row):
    _, edition, _, titles = row
    assert [title for title in titles if (title, edition) not in PLAYED] == []


def test_every_question_that_players_asked_is_answered():
    """004 has 23 questions; four are about buying and care of the set."""
    asked = {paragraph for book, _, paragraph, _ in rows() if book == "004"}
    assert {f"FAQ {number}" for number in range(1, 20)} <= asked


def test_every_book_is_there():
    assert {book for book, *_ in rows()} == {"000", "001", "002", "003", "004"}
