"""BOOKS.md has each sentence of the books, with the scenarios that hold it or why it cannot be
judged; scenarios cite nothing that it has not."""

import pytest

from polarity.rules.citations import CITATIONS, OPTION_CITATIONS
from polarity_bench.books import citations, entries, is_held
from polarity_bench.scenarios import all_scenarios

ALL = all_scenarios()
ENTRIES = list(entries())


@pytest.mark.parametrize("entry", ENTRIES, ids=lambda e: f"{e.book} {e.edition} {e.sentence}")
def test_a_sentence_is_played_by_its_edition_or_cannot_be_judged(entry):
    assert is_held(entry, ALL), entry.titles
    assert bool(entry.titles) != bool(entry.reason)


def test_a_sentence_without_its_scenario_is_not_held():
    entry = next(entry for entry in ENTRIES if entry.titles)
    assert not is_held(entry._replace(titles=("Nobody plays this",)), ALL)
    assert not is_held(entry._replace(edition="unknown"), ALL)
    german = next(entry for entry in ENTRIES if entry.edition == "fourlang+german")
    assert not is_held(german._replace(titles=("Four languages: a shift is no fault",)), ALL)


def test_each_sentence_is_there_once():
    named = [(entry.book, entry.edition, entry.sentence) for entry in ENTRIES]
    assert len(named) == len(set(named)) > 300


def test_a_sentence_without_scenario_or_reason_is_found_out(tmp_path):
    page = tmp_path / "BOOKS.md"
    page.write_text("# x\n\n## 001 temple\n| sentence | says | scenarios |\n| Faults 1 | x |  |\n")
    with pytest.raises(ValueError, match="neither scenario nor reason"):
        list(entries(page))


@pytest.mark.parametrize("book", sorted({scenario.book for scenario in ALL}))
def test_a_scenario_cites_what_is_there(book):
    list(citations(book))


@pytest.mark.parametrize(
    "book", ["001 Faults 7", "001 Faults 1, 9", "004 FAQ 24; 001 Faults 1", "005 Faults 1", "FAQ"]
)
def test_a_sentence_that_is_not_there_is_found_out(book):
    with pytest.raises(ValueError):
        list(citations(book))


def test_citations_go_on_from_one_to_the_next():
    assert list(citations("001 Faults 1, 5 and 6: our words, 9; 000 Faults c, note (x)")) == [
        "001 Faults 1", "001 Faults 5", "001 Faults 6", "000 Faults c", "000 Faults c note",
    ]  # fmt: skip
    assert list(citations("none: 001 Faults 1 was seen wrongly")) == []


def test_what_a_scenario_cites_it_plays_by_an_edition_of_that_book():
    of_book = {entry.book: entry.edition.split("+")[0] for entry in ENTRIES}
    played: dict[str, set[str]] = {}
    for scenario in ALL:
        played.setdefault(scenario.book, set()).add(scenario.edition.split("+")[0])
    for book, editions in played.items():
        own = {of_book[cited[:3]] for cited in citations(book)}
        assert editions & own or not own, book


@pytest.mark.parametrize("point", CITATIONS)
def test_the_table_of_editions_cites_what_is_there(point):
    for citation in CITATIONS[point]:
        list(citations(citation))


@pytest.mark.parametrize("option", OPTION_CITATIONS)
def test_the_table_of_options_cites_what_is_there(option):
    list(citations(OPTION_CITATIONS[option]))


def test_every_question_that_players_asked_is_answered():
    """004 has 23 questions; four are about buying and care of the set."""
    asked = {entry.sentence.split(".")[0] for entry in ENTRIES if entry.book == "004"}
    assert {f"FAQ {number}" for number in range(1, 20)} <= asked


def test_every_book_is_there():
    assert {entry.book for entry in ENTRIES} == {"000", "001", "002", "003", "004"}
