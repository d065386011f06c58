"""The index of the books in tests/rules/scenarios/BOOKS.md: each of their sentences that says a
rule, and the scenarios that hold it; and what scenarios cite."""

import re
from collections.abc import Collection, Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

from polarity_bench.scenarios import SCENARIOS, Scenario

PAGE = SCENARIOS / "BOOKS.md"
NOT_JUDGED = "– "  # and the reason, in place of scenarios
UNCITED = ("none", "silent")  # a scenario of what no book says begins with one of these


class Entry(NamedTuple):
    """One line of the index: a sentence of a book, what it says, and the titles of the scenarios
    that hold it; or `reason`, why it cannot be judged."""

    book: str
    edition: str
    sentence: str
    says: str
    titles: tuple[str, ...]
    reason: str


def entries(page: Path = PAGE) -> Iterator[Entry]:
    """All of the index, book by book. ValueError for a line with neither scenario nor reason."""
    for section in page.read_text(encoding="utf-8").split("\n## ")[1:]:
        book, edition = section.split("\n")[0].split()
        for line in section.splitlines():
            if not line.startswith("| ") or line.startswith("| sentence |"):
                continue
            sentence, says, held = (cell.strip() for cell in line.strip("|").split("|"))
            if not says or len(held) <= len(NOT_JUDGED):
                raise ValueError(f"{book} {sentence}: neither scenario nor reason")
            if held.startswith(NOT_JUDGED):
                yield Entry(book, edition, sentence, says, (), held.removeprefix(NOT_JUDGED))
            else:
                yield Entry(book, edition, sentence, says, tuple(held.split(" · ")), "")


def is_held(entry: Entry, right: Collection[Scenario]) -> bool:
    """Whether it cannot be judged, or each of its scenarios is among these, played by its edition,
    with all of its options at least."""
    options = set(entry.edition.split("+"))
    played = {s.title for s in right if options <= set(s.edition.split("+"))}
    return all(title in played for title in entry.titles)


@cache
def places() -> frozenset[str]:
    """What may be cited: "001 Faults 1" for a sentence, a paragraph or a heading."""
    found = set()
    for entry in entries():
        words = re.split(r"[ .]", entry.sentence)
        at = 0
        for word in words:
            at += len(word)
            found.add(f"{entry.book} {entry.sentence[:at]}")
            at += 1
    return frozenset(found)


def citations(book: str) -> Iterator[str]:
    """The places that a scenario's `book` line names, each with its book's number: "001 Faults 1,
    5 and 6: in our words; 004 FAQ 7". ValueError for a place that the index has not.

    A word that is no place goes on from the one before: the 5 is 001 Faults 5.
    """
    if book.split(":")[0].split()[0] in UNCITED:
        return
    for part in re.split(r"(?:;|,| and) (?=\d{3} )", book):
        if not re.match(r"\d{3} ", part):
            raise ValueError(f"no book's number: {book}")
        number, cited = re.split(r": |; |\. | \(", part + " ")[0].rstrip(". ").split(" ", 1)
        last: list[str] = []
        for place in re.split(r", | and ", cited):
            goes_on = [" ".join([*last[:k], place]) for k in range(len(last), 0, -1)]
            known = [one for one in (place, *goes_on) if f"{number} {one}" in places()]
            if not known:
                raise ValueError(f"{number} {place!r} is not in {PAGE.name}: {book}")
            last = known[0].split()
            yield f"{number} {known[0]}"
