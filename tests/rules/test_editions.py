"""The editions' table: complete, cited, and without a value that nothing reads."""

import ast
import re
from pathlib import Path

import pytest

from polarity.rules import editions
from polarity.rules.citations import CITATIONS, MEANINGS, OPTION_CITATIONS
from polarity.rules.editions import EDITIONS, OPTIONS, POINTS, rules_of, value_of
from polarity.rules.referee import Referee
from polarity_bench import sequences
from polarity_bench.scenarios import all_scenarios, run

ROWS = [line.split() for line in POINTS.splitlines()]
OPTION_ROWS = [line.split() for line in OPTIONS.splitlines()]
BOOKS = {"temple": ("001", "004"), "fourlang": ("000",), "original": ("002",), "scaled": ("003",)}


def test_every_value_is_cited_from_the_book_of_its_edition():
    assert all(len(row) == 1 + len(EDITIONS) for row in ROWS)
    assert set(CITATIONS) == set(MEANINGS) == {row[0] for row in ROWS}
    for point, cited in CITATIONS.items():
        assert len(cited) == len(EDITIONS), point
        for edition, citation in zip(EDITIONS, cited, strict=True):
            known = citation.startswith("silent: ") or citation.startswith(BOOKS[edition])
            assert known, f"{point} of {edition}: {citation}"
            for book in re.findall(r"\b00\d\b", citation):
                assert book in BOOKS[edition], f"{point} of {edition}: {citation}"


def test_every_option_is_cited_and_differs_from_its_edition():
    assert set(OPTION_CITATIONS) == {row[0] for row in OPTION_ROWS}
    for name, edition, *changes in OPTION_ROWS:
        plain = rules_of("temple" if edition == "-" else edition)
        for point, value in (change.split("=") for change in changes):
            assert point in plain, name
            assert plain[point] != value_of(value) or name == "shuffle_scored", name


class Listening(dict):
    """Rules that remember which of their points were asked for."""

    def __init__(self, rules, asked):
        super().__init__(rules)
        self.asked = asked

    def __getitem__(self, point):
        self.asked.add(point)
        return super().__getitem__(point)


def test_the_referee_reads_every_point(monkeypatch):
    """But one: that the mat sees a hand only where it crosses the circle is all it can do."""
    asked = set()
    monkeypatch.setattr(editions, "rules_of", lambda name: Listening(rules_of(name), asked))
    for scenario in all_scenarios():
        run(scenario)
    assert asked == {row[0] for row in ROWS} - {"turn_until"}


def test_a_house_rule_is_a_row(monkeypatch):
    house = "rolling_counts temple fault_roll=yes\n"
    monkeypatch.setattr(editions, "OPTIONS", OPTIONS + house)
    rolled = [s for s in all_scenarios() if s.title == "A leaner may roll any distance"]
    scenario = next(s for s in rolled if s.edition == "temple")
    assert run(scenario) == []
    scenario.edition = "temple+rolling_counts"
    [first, *_] = run(scenario)
    assert "fault white shifted" in str(first[2])


FLIPPED = [row[0] for row in ROWS if row[1] in ("yes", "no")]


@pytest.mark.parametrize("point", FLIPPED)
def test_any_house_rule_keeps_the_discs_together(monkeypatch, point):
    """What must hold holds whatever is switched on or off."""
    rows = "".join(
        f"house {edition} {point}={'no' if rules_of(edition)[point] else 'yes'}\n"
        for edition in EDITIONS
    )
    monkeypatch.setattr(editions, "OPTIONS", OPTIONS + rows)
    monkeypatch.setattr(sequences, "RULES", [f"{edition}+house" for edition in EDITIONS])
    for seed in range(40):
        sequences.play(seed, length=60)


def test_a_type_checker_knows_every_point():
    """Rules, which nothing but a type checker reads, has the points and what their values are."""
    tree = ast.parse(Path(editions.__file__).read_text(encoding="utf-8"))
    known = next(n for n in ast.walk(tree) if isinstance(n, ast.ClassDef) and n.name == "Rules")
    types = {line.target.id: line.annotation.id for line in known.body[1:]}
    for edition in EDITIONS:
        assert {name: type(value).__name__ for name, value in rules_of(edition).items()} == types


def test_values():
    rules = rules_of("scaled")
    assert (rules["reserve"], rules["red"], rules["loss_red_off"]) == (19, False, "")
    assert (rules["first"], rules["out"]) == (1, "mat")


def test_options_add_up_from_left_to_right():
    rules = rules_of("temple+starting_point+more_tower_to_you")
    assert rules["foundations"] == 1 and rules["leaners_in_group"]
    german = rules_of("fourlang+german")
    parts = ("in_place", "red_off", "last_disc", "part_lifted", "may_capture")
    parts = rules_of("fourlang" + "".join(f"+german_{part}" for part in parts))
    assert german == parts != rules_of("fourlang")


@pytest.mark.parametrize("name", ["", "chess", "temple+", "temple+german", "starting_point"])
def test_unknown_rules_are_refused(name):
    assert rules_of(name) is None
    with pytest.raises(ValueError, match="no rules called"):
        Referee(name)


#: Values of other editions that make no difference to what can be seen in an edition, and why.
UNSEEN = {
    "turn_until": EDITIONS,  # the mat sees a hand only where it crosses the circle
    "lean_on_red": ("scaled",),  # it has no red disc
    "one_colour": ("temple", "scaled"),  # the other colour's end comes first
    "one_colour_score": ("temple", "scaled"),  # they know no such win
}


@pytest.mark.parametrize("edition", EDITIONS)
def test_where_the_books_differ_a_scenario_shows_it(monkeypatch, edition):
    """An edition that took a point from another book would fail a scenario of its own."""
    changed = {}

    def otherwise(name):
        rules = rules_of(name)
        return {**rules, **changed} if name == edition else rules

    monkeypatch.setattr(editions, "rules_of", otherwise)
    own = [scenario for scenario in all_scenarios() if scenario.edition == edition]
    unseen = []
    for point, *values in ROWS:
        mine = values[EDITIONS.index(edition)]
        for value in set(values) - {mine}:
            changed = {point: value_of(value)}
            if not any(run(scenario) for scenario in own):
                unseen.append(point)
    assert set(unseen) == {point for point, where in UNSEEN.items() if edition in where}
