"""Any order of arrival of the same timed facts ends in the same rulings: what counts is when it
happened (001 Faults, last line)."""

from itertools import count

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from polarity import facts
from polarity.facts import LATEST_MS, Fact
from polarity.rules.ending import TRIAL_MS
from polarity_bench import arrivals
from polarity_bench.scenario_table import Table


@settings(max_examples=100, deadline=None)
@given(st.integers(0, 10**9))
def test_any_order_of_arrival_ends_in_the_same_rulings(seed):
    assert arrivals.differs(seed) == ""


def test_a_referee_that_goes_by_arrival_is_found_out(monkeypatch):
    monkeypatch.setattr("polarity.rules.journal.Journal.place", lambda journal, fact: journal.count)
    assert any(arrivals.differs(seed) for seed in range(200))


def played():
    """A game in which white has one disc left, and a way to report facts."""
    referee = Table("temple", ["foundations", "reserve 1 5"]).referee
    numbers = count(1)

    def report(*fields, **named):
        fact = Fact(*fields, **named)
        fact.sent_as(next(numbers))
        return [ruling.code for ruling in referee.handle_fact(fact)]

    return referee, report


@pytest.mark.parametrize("late_ms", [1, 700, LATEST_MS])
def test_an_end_is_final_only_when_nothing_earlier_can_come(late_ms):
    """001 End of the Game 4: a disc touched the red one just before the last disc stood."""
    referee, report = played()
    report("hand_in", 1000, 20, face=1)
    ended_ms = 1000 + late_ms + 1
    assert report("placed", ended_ms, 20, (1,), 1, shape="leaner", x=500, y=900) == [
        "leaner_placed", "end",
    ]  # fmt: skip
    assert not referee.is_final(ended_ms + LATEST_MS)
    assert report("touched_red", ended_ms - late_ms, 2) == ["revised", "end"]
    assert referee.final()["outcome"] == ["touched_red", "b"]
    assert referee.is_final(ended_ms + max(LATEST_MS, TRIAL_MS) + 1)


def test_what_jumps_to_a_hand_at_one_moment_makes_a_stack_that_grows():
    """Whichever names the two discs have: the stack of three was one of two before."""
    two = Fact(facts.SNAPPED, 1000, 4, (10,), face=1, discs=2)
    three = Fact(facts.SNAPPED, 1000, 4, (5,), face=1, discs=3)
    assert sorted([three, two], key=Fact.moment) == [two, three]
