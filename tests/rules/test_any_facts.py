"""Whatever is observed and declared: no exception, no disc lost, a finished game stays so.

What must hold after every fact is written down in polarity_bench.sequences.
"""

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from polarity import facts
from polarity.facts import Fact
from polarity.rules.declarations import GRAMMAR
from polarity.rules.position import PLAY
from polarity_bench.scenario_table import Table
from polarity_bench.scenarios import all_scenarios
from polarity_bench.sequences import RULES, Broken, Record, must, play, set_up

PIECE = st.integers(0, 18)
FACT = st.builds(
    lambda kind, piece, others, face, discs, x, d, shape, step: (
        kind, piece, tuple(others), face, discs, x, d, shape, step
    ),
    st.sampled_from([*facts.KINDS, "nonsense"]),
    PIECE,
    st.lists(PIECE, max_size=4),
    st.sampled_from([1, -1, 1, -1, 0]),
    st.integers(0, 4),
    st.sampled_from([0, 0, 100, 4000, -20000]),
    st.integers(0, 8000),
    st.sampled_from(["flat", "leaner", "tower", "red", "stack", "kiss", "mix", ""]),
    st.sampled_from([0, 10, 2000]),
)  # fmt: skip


@settings(max_examples=600, deadline=None)
@given(st.sampled_from(RULES), st.booleans(), st.lists(FACT, max_size=60))
def test_no_sequence_of_facts_upsets_the_referee(rules, proper, sequence):
    record = Record(rules)
    if proper:
        for fact in set_up(rules):
            record.handle(fact)
        assert record.referee.position.phase == PLAY
    t_ms = 0
    for kind, piece, others, face, discs, x, d, shape, step in sequence:
        t_ms += step
        record.handle(Fact(kind, t_ms, piece, others, face, discs, x, x, 0, d, shape))


def acts(chance, position, new):
    """What may happen where pieces lie and are held like this: a fact but for its time. `new`: the
    number of the next disc that comes in."""
    lying, held = sorted(position.pieces), sorted(position.carried)
    one, near = chance.choice(held + lying or [1]), chance.sample(lying, min(len(lying), 2))
    kind = chance.choice([*["hand_in", "lifted", "placed", "contact"] * 4, *facts.KINDS])
    if kind == "hand_in":
        one, near = new, []
    elif kind == "lifted":
        one, near = chance.choice(lying or [1]), near[: chance.randint(0, 1)]
    elif kind in ("contact", "unsure"):
        near = sorted({one, *near})
    shapes = ["stack", "kiss", "mix"] if kind == "contact" else ["flat", "leaner", "tower"]
    return (
        kind, one, near, chance.choice([1, -1]), chance.choice([1, 1, 2, 3, 5]),
        chance.choice([0, 4000]), chance.randint(0, 5000), chance.choice(shapes),
        chance.choice([10, 100, 2000]), "count" if kind == "unsure" else "",
    )  # fmt: skip


@pytest.mark.parametrize("seed", range(8))
def test_nor_does_any_of_what_hands_may_do_with_what_is_there(seed):
    """Most sequences of facts at random are about pieces that are nowhere; of these, few are."""
    chance = random.Random(seed)
    for _ in range(100):
        rules = chance.choice(list(RULES))
        record, t_ms = Record(rules), 10_000
        for fact in set_up(rules):
            record.handle(fact)
        for new in range(30, 70):
            act = acts(chance, record.referee.position, new)
            kind, piece, others, face, discs, x, d, shape, step, why = act
            t_ms += step
            others = tuple(others)
            record.handle(Fact(kind, t_ms, piece, others, face, discs, x, x, 0, d, shape, why))


NOT_OBSERVED = ("check", *GRAMMAR)
OBSERVED = [
    (scenario, lines)
    for scenario in all_scenarios()
    if (lines := [what for _, what, _ in scenario.steps if what.split()[0] not in NOT_OBSERVED])
]
MUTATION = st.tuples(
    st.sampled_from(["drop", "repeat", "swap"]), st.integers(0, 30), st.integers(0, 30)
)


@settings(max_examples=400, deadline=None)
@given(st.sampled_from(OBSERVED), st.lists(MUTATION, max_size=6))
def test_facts_missed_repeated_or_out_of_order(played, mutations):
    """A real turn of events, as sensors may garble it."""
    scenario, lines = played[0], list(played[1])
    for how, at, other in mutations:
        at, other = at % len(lines), other % len(lines)
        if how == "repeat":
            lines.insert(other, lines[at])
        elif how == "swap":
            lines[at], lines[other] = lines[other], lines[at]
        elif len(lines) > 1:
            del lines[at]
    table = Table(scenario.edition, scenario.given)
    record = Record(scenario.edition, table.referee.base)
    table.referee = record.referee
    table.handle = record.handle
    for line in lines:
        table.happen(line)


@pytest.mark.parametrize("first", range(0, 1200, 200))
def test_random_facts_and_declarations(first):
    """A few of those that `polarity bench rules` goes through."""
    for seed in range(first, first + 200):
        record = play(seed, length=24 if seed % 10 else 150)
        assert record.replayed().stands() == record.stands(), seed


@pytest.mark.parametrize(
    ("rules", "seed", "length"),
    [
        ("scaled", 2005278, 120),
        ("fourlang+german", 2006122, 120),
        ("fourlang", 52576, 24),
        ("scaled", 64968, 24),
    ],
)
def test_random_games_that_once_went_wrong(rules, seed, length):
    play(seed, length, rules)


def test_what_does_not_hold_is_found():
    record = Record()
    record.referee.position.reserve[0] -= 1
    with pytest.raises(Broken, match="discs are lost"):
        record.handle(Fact("jolt", 0))
    with pytest.raises(Broken, match="this"):
        must(False, "this")
