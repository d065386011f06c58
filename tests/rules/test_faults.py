"""FAULTS.md says for every fault at every moment what is ruled, by each edition; test_scenarios.py
plays it."""

import pytest

from polarity.rules.editions import EDITIONS
from polarity.rules.vocabulary import FAULTS, RULINGS
from polarity_bench.fault_table import moments, rows, scripts
from polarity_bench.scenarios import tabled

ROWS = list(rows())
MOMENTS = (
    "during setup", "on trial", "in a capture", "between turns", "off turn", "last disc",
    "after the end",
)  # fmt: skip


@pytest.mark.parametrize("fault", FAULTS)
@pytest.mark.parametrize("moment", MOMENTS)
@pytest.mark.parametrize("edition", EDITIONS)
def test_each_fault_has_its_ruling_at_each_moment(fault, moment, edition):
    held = [row for row in ROWS if (row.fault, row.moment) == (fault, moment)]
    assert [row for row in held if edition in row.editions]


def test_it_has_no_other_faults_moments_or_editions():
    assert {row.fault for row in ROWS} == set(FAULTS)
    assert {row.moment for row in ROWS} == set(moments()) == set(MOMENTS)
    assert {edition for row in ROWS for edition in row.editions} == set(EDITIONS)


def test_no_row_contradicts_another():
    played = [(s.title, s.edition) for s in scripts()]
    assert len(played) == len(set(played)) > 250


def test_each_ruling_is_one_that_the_referee_knows():
    for row in ROWS:
        for ruling in [one for line in row.rulings or () for one in line]:
            code, _, *why = ruling.partition(";")[0].split()
            assert (why or [""])[0] in RULINGS[code], ruling


def test_what_a_row_wants_is_played():
    wanted = {(s.title, s.edition): s for s in tabled()}
    row = next(row for row in ROWS if (row.fault, row.moment) == ("contact", "last disc"))
    scenario = wanted[(f"contact, last disc: {row.happens[0]}", "temple")]
    *_, last, closing = scenario.steps
    assert tuple(last.expected) == row.rulings[0] and closing.expected == ["outcome: none"]


def test_a_row_that_is_not_filled_in_is_found_out(tmp_path):
    page = tmp_path / "FAULTS.md"
    page.write_text("## contact: x\n| during setup | w1 w2 kiss / b1 laid | temple | – | 001 |\n")
    with pytest.raises(ValueError, match="not a ruling for each line"):
        list(rows(page))
    page.write_text("## contact: x\n| during setup | w1 w2 kiss | temple | – | |\n")
    with pytest.raises(ValueError, match="no book"):
        list(rows(page))
