"""BOOKS.md names a scenario for each rule of the books, and each is there."""

import pytest

from polarity_bench.books import entries, is_held
from polarity_bench.scenarios import all_scenarios

ALL = all_scenarios()


@pytest.mark.parametrize("entry", list(entries()), ids=lambda entry: f"{entry.book} {entry.place}")
def test_a_rule_is_played_by_its_edition(entry):
    assert is_held(entry, ALL), entry.titles


def test_an_entry_without_its_scenario_is_not_held():
    entry = next(entries())
    assert not is_held(entry._replace(titles=("Nobody plays this",)), ALL)
    assert not is_held(entry._replace(edition="unknown"), ALL)


def test_every_question_that_players_asked_is_answered():
    """004 has 23 questions; four are about buying and care of the set."""
    asked = {entry.place for entry in entries() if entry.book == "004"}
    assert {f"FAQ {number}" for number in range(1, 20)} <= asked


def test_every_book_is_there():
    assert {entry.book for entry in entries()} == {"000", "001", "002", "003", "004"}
