"""Writes the tables of firmware/RULES.md from the editions' data: `python -m
polarity_host.words.rules_page`.

With --check it writes nothing, and fails when the page is stale.
"""

import argparse
import re
import sys
from pathlib import Path

from polarity.rules.citations import CITATIONS, MEANINGS, OPTION_CITATIONS
from polarity.rules.editions import EDITIONS, rules_of
from polarity_host.errors import DONE, FAILED
from polarity_host.words.catalogue import catalogue
from polarity_host.words.points import known_rules, value_words

COMMAND = "python -m polarity_host.words.rules_page"
PAGE = Path(__file__).parents[3] / "firmware" / "RULES.md"
BLOCK = re.compile(r"(<!-- generated: (\w+) -->\n).*?(<!-- end -->)", re.DOTALL)


def points_table() -> str:
    """A row for each point: its meaning, and its value in each edition."""
    rules = [known_rules(edition) for edition in EDITIONS]
    rows = [["point", "", *(f"`{edition}`" for edition in EDITIONS)]]
    for point, meaning in MEANINGS.items():
        rows.append([f"`{point}`", meaning, *(_cell(point, of[point]) for of in rules)])
    return _table(rows)


def options_table() -> str:
    """A row for each option: its edition, and the points it changes."""
    rows = [["option", "of", "changes", "stands in"]]
    for option, source in OPTION_CITATIONS.items():
        editions = [name for name in EDITIONS if rules_of(f"{name}+{option}")]
        edition = editions[0]
        plain, changed = known_rules(edition), known_rules(f"{edition}+{option}")
        changes = [
            f"`{point}`: {_cell(point, changed[point])}"
            for point in CITATIONS
            if changed[point] != plain[point]
        ]
        of = "any" if editions == list(EDITIONS) else f"`{edition}`"
        rows.append([f"`{option}`", of, "; ".join(changes), source])
    return _table(rows)


def citations_table() -> str:
    """A row for each point: book and paragraph in each edition."""
    rows = [["point", *(f"`{edition}`" for edition in EDITIONS)]]
    rows += [[f"`{point}`", *cited] for point, cited in CITATIONS.items()]
    return _table(rows)


TABLES = {"points": points_table, "options": options_table, "citations": citations_table}


def page_text(page: str) -> str:
    """The page with its tables as they follow from the data."""
    return BLOCK.sub(lambda block: block[1] + TABLES[block[2]]() + block[3], page)


def main(argv: list[str] | None = None) -> int:
    """Writes the page, or only reports whether it is stale."""
    parser = argparse.ArgumentParser(
        prog="python -m polarity_host.words.rules_page", description=__doc__
    )
    parser.add_argument("--check", action="store_true", help="write nothing; fail when stale")
    args = parser.parse_args(argv)
    old = PAGE.read_text(encoding="utf-8")
    new = page_text(old)
    if args.check and new != old:
        print(
            f"{PAGE.name} is stale: run `python -m polarity_host.words.rules_page`", file=sys.stderr
        )
        return FAILED
    if not args.check:
        PAGE.write_text(new, encoding="utf-8")
    return DONE


def _cell(point: str, value: object) -> str:
    return "–" if value == "" else value_words(catalogue("en"), point, value)


def _table(rows: list[list[str]]) -> str:
    rows.insert(1, ["---"] * len(rows[0]))
    return "".join(f"| {' | '.join(row)} |\n" for row in rows)


if __name__ == "__main__":
    sys.exit(main())
