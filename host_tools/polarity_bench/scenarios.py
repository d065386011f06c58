"""Reads and runs the plain-text scenarios in tests/rules/scenarios; README.md there is the key.

It lives here and not with the tests because `polarity bench rules` needs it too.
"""

import re
from pathlib import Path

from polarity.rules.declarations import GRAMMAR
from polarity_bench.scenario_table import Table

SCENARIOS = Path(__file__).resolve().parents[2] / "tests/rules/scenarios"
CHECKS = ("reserve", "owed", "score", "piece", "outcome", "turn", "cube", "surplus")


class Scenario:
    """One scenario by one edition: title, book, the lines of `given`, and its steps.

    A step is (line number, what happens, [expected rulings]) or (line number, "check", [line]).
    """

    def __init__(self, title, where, edition):
        self.title = title
        self.where = where
        self.edition = edition
        self.book = ""
        self.given = []
        self.steps = []
        self.skipping = False  # the step was of other editions, so are its rulings

    def take(self, number, line):
        """One of its lines. ValueError for a line that it does not understand."""
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
            self.steps.append((number, line[1:].strip(), []))
        elif line.startswith("="):
            if not self.skipping:
                self.steps[-1][2].append(line[1:].strip())
        elif head in CHECKS:
            self.steps.append((number, "check", [line]))
        else:
            raise ValueError(f"{self.where}: line {number} is not understood: {line}")


def read(path):
    """The scenarios of one file, one for each edition that they name. ValueError as `take`."""
    scenarios = []
    current = []
    for number, raw in enumerate(path.read_text().splitlines(), 1):
        line = raw.split("#")[0].rstrip()
        head, _, rest = line.partition(":")
        if head == "scenario":
            title, where = rest.strip(), f"{path.name}:{number}"
            current = [Scenario(title, where, "temple")]
            scenarios += current
        elif head == "edition":
            scenarios = scenarios[: -len(current)]
            first = current[0]
            current = [Scenario(first.title, first.where, e) for e in rest.split()]
            for one in current:
                one.book = first.book
            scenarios += current
        elif line.strip():
            for one in current:
                one.take(number, line)
    return scenarios


def run(scenario):
    """Play it; returns [(where, expected, got)] for every line that did not come out."""
    table = Table(scenario)
    wrong = []
    for number, what, expected in scenario.steps:
        if what == "check":
            text = expected[0].partition(":")[2].strip()
            got = table.check(expected[0])
            if got != text:
                wrong.append((number, expected[0], got))
            continue
        declared = what.split()[0] in GRAMMAR
        rulings = table.declare(what) if declared else table.happen(what)
        if isinstance(rulings, str):
            if expected != [f"refused {rulings}"]:
                wrong.append((number, f"{what} -> {expected}", f"refused {rulings}"))
            continue
        wanted = [[part.strip() for part in line.split(";")] for line in expected]
        got = []
        for i, ruling in enumerate(rulings):
            clauses = [part.split()[0] for part in wanted[i][1:]] if i < len(wanted) else []
            got.append(table.told(ruling, clauses))
        if got != wanted:
            wrong.append((number, f"{what} -> {wanted}", got))
    return wrong


def all_scenarios():
    return [s for path in sorted(SCENARIOS.glob("*.txt")) for s in read(path)]
