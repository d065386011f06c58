"""Reads and runs the plain-text scenarios in tests/rules/scenarios; README.md there is the key.

It is here and not with the tests because `polarity bench rules` needs it too.
"""

import re
from pathlib import Path
from typing import NamedTuple

from polarity.rules.declarations import GRAMMAR
from polarity_bench import fault_table
from polarity_bench.scenario_table import Table

SCENARIOS = Path(__file__).resolve().parents[2] / "tests/rules/scenarios"
CHECKS = ("reserve", "owed", "score", "piece", "outcome", "turn", "cube", "surplus")


class Step(NamedTuple):
    """One line of a scenario: `what` happens, or "check", and the rulings it must lead to, or the
    state to check."""

    line: int
    what: str
    expected: list[str]


class Difference(NamedTuple):
    """A line of a scenario that did not come out."""

    line: int
    expected: str
    got: str | list[list[str]]


class Scenario:
    """One scenario by one edition: title, book, the lines of `given`, and its steps."""

    def __init__(self, title: str, where: str, edition: str, book: str = "") -> None:
        self.title = title
        self.where = where
        self.edition = edition
        self.book = book
        self.given: list[str] = []
        self.steps: list[Step] = []
        self.skipping = False  # the step was of other editions, so are its rulings

    def read(self, number: int, line: str) -> None:
        """One of its lines. ValueError for a line that makes no sense."""
        here = re.match(r"(\s*[>=]?)\s*\[(not )?([\w+ ]+)\]\s*(.*)", line)
        if here:
            mark, negated, editions, line = here.groups()
            if (self.edition in editions.split()) == bool(negated):
                self.skipping = self.skipping or mark.strip() == ">"
                return
            line = f"{mark.strip()} {line}"
        line = line.strip()
        head, _, rest = line.partition(":")
        if head == "book":
            self.book = rest.strip()
        elif head == "given":
            self.given.append(rest.strip())
        elif line.startswith(">"):
            self.skipping = False
            self.steps.append(Step(number, line[1:].strip(), []))
        elif line.startswith("="):
            if not self.skipping:
                self.steps[-1].expected.append(line[1:].strip())
        elif head in CHECKS:
            self.steps.append(Step(number, "check", [line]))
        else:
            raise ValueError(f"{self.where}: line {number} makes no sense: {line}")


def read(path: Path) -> list[Scenario]:
    """The scenarios of one file, one for each edition that they name. ValueError as
    Scenario.read."""
    scenarios: list[Scenario] = []
    current: list[Scenario] = []
    for number, raw in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        line = raw.split("#")[0].rstrip()
        head, _, rest = line.partition(":")
        if head == "scenario":
            title, where = rest.strip(), f"{path.name}:{number}"
            current = [Scenario(title, where, "temple")]
            scenarios += current
        elif head == "edition":
            scenarios = scenarios[: -len(current)]
            first = current[0]
            current = [Scenario(first.title, first.where, e, first.book) for e in rest.split()]
            scenarios += current
        elif line.strip():
            for one in current:
                one.read(number, line)
    return scenarios


def run(scenario: Scenario) -> list[Difference]:
    """Play it; returns every line that did not come out."""
    table = Table(scenario.edition, scenario.given)
    wrong = []
    for number, what, expected in scenario.steps:
        if what == "check":
            text = expected[0].partition(":")[2].strip()
            got = table.check(expected[0])
            if got != text:
                wrong.append(Difference(number, expected[0], got))
            continue
        declared = what.split()[0] in GRAMMAR
        rulings = table.declare(what) if declared else table.happen(what)
        if isinstance(rulings, str):
            if expected != [f"refused {rulings}"]:
                wrong.append(Difference(number, f"{what} -> {expected}", f"refused {rulings}"))
            continue
        wanted = [[part.strip() for part in line.split(";")] for line in expected]
        described = []
        for i, ruling in enumerate(rulings):
            clauses = [part.split()[0] for part in wanted[i][1:]] if i < len(wanted) else []
            described.append(table.described(ruling, clauses))
        if described != wanted:
            wrong.append(Difference(number, f"{what} -> {wanted}", described))
    return wrong


def tabled() -> list[Scenario]:
    """Those of the table of faults."""
    found = []
    for title, where, edition, book, lines in fault_table.scripts():
        scenario = Scenario(title, where, edition, book)
        for number, line in lines:
            scenario.read(number, line)
        found.append(scenario)
    return found


def all_scenarios() -> list[Scenario]:
    """All of them, file by file, and those of the table."""
    return [s for path in sorted(SCENARIOS.glob("*.txt")) for s in read(path)] + tabled()
