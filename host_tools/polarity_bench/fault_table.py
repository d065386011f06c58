"""The table of every fault at every moment, tests/rules/scenarios/FAULTS.md; `scenarios` plays
it."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

PAGE = Path(__file__).resolve().parents[2] / "tests/rules/scenarios/FAULTS.md"
NOTHING = "–"
BETWEEN = " / "  # lines of what happens, and their rulings
AND = " + "  # rulings of one line
LAST_DISC = "last disc"


class Row(NamedTuple):
    """A row: what is to be ruled of this fault at this moment by these editions.

    `rulings` has those of each line in `happens`; None where the fault cannot happen, and `happens`
    says why.
    """

    line: int
    fault: str
    moment: str
    happens: tuple[str, ...]
    editions: tuple[str, ...]
    rulings: tuple[tuple[str, ...], ...] | None
    book: str


def moments(page: Path = PAGE) -> dict[str, list[tuple[int, str]]]:
    """How a game comes to each moment: numbered lines of a scenario, by its name."""
    found: dict[str, list[tuple[int, str]]] = {}
    name, fenced = "", False
    for number, line in enumerate(page.read_text(encoding="utf-8").splitlines(), 1):
        if line.startswith("### "):
            name = line.removeprefix("### ")
            found[name] = []
        elif line == "```":
            fenced = not fenced
        elif fenced:
            found[name].append((number, line))
    return found


def rows(page: Path = PAGE) -> Iterator[Row]:
    """All rows. ValueError for one that is not as FAULTS.md says."""
    fault = ""
    for number, line in enumerate(page.read_text(encoding="utf-8").splitlines(), 1):
        if line.startswith("## "):
            fault = line.removeprefix("## ").partition(":")[0]
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if not line.startswith("| ") or cells[0] == "when":
            continue
        if len(cells) != 5 or not cells[4]:
            raise ValueError(f"{page.name}: line {number} has not five columns, or no book")
        moment, happens, editions, rulings, book = cells
        impossible = re.fullmatch(r"\[(.*)\]", moment)
        if impossible:
            moment, wanted = impossible.group(1), None
            lines = (happens,)
        else:
            lines = tuple(happens.split(BETWEEN))
            wanted = tuple(
                () if one == NOTHING else tuple(one.split(AND)) for one in rulings.split(BETWEEN)
            )
            if len(wanted) != len(lines):
                raise ValueError(f"{page.name}: line {number} has not a ruling for each line")
        yield Row(number, fault, moment, lines, tuple(editions.split()), wanted, book)


class Script(NamedTuple):
    """What a row has happen by one edition: numbered lines of a scenario."""

    title: str
    where: str
    edition: str
    book: str
    lines: list[tuple[int, str]]


def scripts(page: Path = PAGE) -> Iterator[Script]:
    """One for each row and edition by which it can happen."""
    begins = moments(page)
    for row in rows(page):
        if row.rulings is None:
            continue
        lines = list(begins[row.moment])
        for what, wanted in zip(row.happens, row.rulings, strict=True):
            lines.append((row.line, f"> {what}"))
            lines += [(row.line, f"= {ruling}") for ruling in wanted]
        ended = any(ruling.startswith("end ") for one in row.rulings for ruling in one)
        if row.moment == LAST_DISC and not ended:
            lines.append((row.line, "outcome: none"))
        title = f"{row.fault}, {row.moment}: {BETWEEN.join(row.happens)}"
        for edition in row.editions:
            yield Script(title, f"{page.name}:{row.line}", edition, row.book, lines)
