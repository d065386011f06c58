"""The editions' table: complete, cited, and without a value that nothing reads."""

import re

import pytest

from polarity.rules.citations import CITATIONS, OPTION_CITATIONS
from polarity.rules.editions import EDITIONS, OPTIONS, POINTS, rules_of
from polarity.rules.referee import Referee

BOOKS = {"temple": ("001", "004"), "fourlang": ("000",), "original": ("002",), "scaled": ("003",)}


def test_every_value_is_cited_from_the_book_of_its_edition():
    assert set(CITATIONS) == {row[0] for row in POINTS}
    for point, cited in CITATIONS.items():
        assert len(cited) == len(EDITIONS), point
        for edition, citation in zip(EDITIONS, cited, strict=True):
            known = citation.startswith("silent: ") or citation.startswith(BOOKS[edition])
            assert known, f"{point} of {edition}: {citation}"
            for book in re.findall(r"\b00\d\b", citation):
                assert book in BOOKS[edition], f"{point} of {edition}: {citation}"


def test_every_option_is_cited_and_differs_from_its_edition():
    assert set(OPTION_CITATIONS) == {row[0] for row in OPTIONS}
    for name, edition, *differences in OPTIONS:
        plain = rules_of(edition or "temple")
        assert [point for point, value in differences if plain[point] != value], name
        assert {point for point, _ in differences} <= set(plain), name


def test_options_add_up_from_left_to_right():
    rules = rules_of("temple+starting_point+more_tower_to_you")
    assert rules["foundations"] == 1 and rules["leaners_in_group"]
    german = rules_of("fourlang+german")
    parts = rules_of("fourlang+german_in_place+german_red_off+german_last_disc")
    assert german == parts != rules_of("fourlang")


@pytest.mark.parametrize("name", ["", "chess", "temple+", "temple+german", "starting_point"])
def test_unknown_rules_are_refused(name):
    assert rules_of(name) is None
    with pytest.raises(ValueError, match="no rules called"):
        Referee(name)
