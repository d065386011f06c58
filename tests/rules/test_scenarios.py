"""Every scenario of the books, as written down in scenarios/*.txt."""

import pytest

from polarity_bench.scenarios import all_scenarios, run

ALL = all_scenarios()


@pytest.mark.parametrize("scenario", ALL, ids=[f"{s.where} {s.edition} {s.title}" for s in ALL])
def test_scenario(scenario):
    wrong = run(scenario)
    differences = "\n".join(f"line {n}: expected {want}\n  got {got}" for n, want, got in wrong)
    assert not wrong, f"{scenario.where} {scenario.title} ({scenario.edition})\n{differences}"


def test_every_scenario_names_its_book():
    assert [s.where for s in ALL if not s.book] == []
