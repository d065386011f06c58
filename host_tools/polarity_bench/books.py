"""The index of the books in tests/rules/scenarios/BOOKS.md: what they say, and the scenarios that
hold it."""

import re
from collections.abc import Collection, Iterator
from typing import NamedTuple

from polarity_bench.scenarios import SCENARIOS, Scenario

PAGE = SCENARIOS / "BOOKS.md"


class Entry(NamedTuple):
    """One line of the index: a place in a book, and the titles of the scenarios that hold it."""

    book: str
    edition: str
    place: str
    titles: tuple[str, ...]


def entries() -> Iterator[Entry]:
    """All of the index, book by book."""
    page = PAGE.read_text(encoding="utf-8")
    for section in page.split("\n## ")[1:]:
        book, edition = section.split("\n")[0].split()
        for place, titles in re.findall(r"^\| (.+?) \| (.+?) \|$", section, re.M)[1:]:
            yield Entry(book, edition, place, tuple(titles.split(" · ")))


def is_held(entry: Entry, right: Collection[Scenario]) -> bool:
    """Whether each of its scenarios is among these, played by its edition, options or none."""
    played = {(scenario.title, scenario.edition.split("+")[0]) for scenario in right}
    return all((title, entry.edition) in played for title in entry.titles)
