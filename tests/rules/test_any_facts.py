"""Whatever the sensors say: no exception, no disc lost, a finished game stays finished."""

from hypothesis import given, settings
from hypothesis import strategies as st

from polarity import facts
from polarity.facts import Fact
from polarity.rules import ruling as codes
from polarity.rules.editions import EDITIONS
from polarity.rules.position import OVER, PLAY
from polarity.rules.referee import Referee
from tests.rules.scenario import Table, all_scenarios

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


def set_up(referee, hear):
    """Red disc and foundations, properly."""
    edition = referee.edition
    ident = 0
    if edition["red"]:
        hear(Fact(facts.PLACED, 0, 99, shape=facts.RED))
    for turn in range(2 * edition["foundations"]):
        face = 1 if turn < edition["foundations"] else -1
        if edition["foundations_alternate"]:
            face = 1 if turn % 2 == 0 else -1
        ident += 1
        hear(Fact(facts.HAND_IN, 0, ident, face=face))
        hear(Fact(facts.PLACED, 0, ident, face=face, shape=facts.FLAT, x=ident * 4000, y=100))


def hearing(referee):
    """Listens to one fact after another and checks what must always hold."""
    total = referee.position.discs() - referee.position.surplus
    numbers = [0]

    def hear(fact):
        numbers[0] += 1
        fact.seq = numbers[0]
        was_over = referee.position.phase == OVER
        rulings = referee.fact(fact)
        position = referee.position
        assert not (was_over and rulings)
        assert position.discs() == total + position.surplus
        assert min(position.reserve) >= 0 and position.surplus >= 0
        assert position.active in (1, -1)
        assert [r.code for r in rulings].count(codes.END) == (
            1 if position.phase == OVER and not was_over else 0
        )
        for ruling in rulings:
            for player, ids in ruling.owed:
                assert player in (1, -1) and ids
            for player, discs in ruling.returns:
                assert player in (1, -1) and discs > 0
            assert ruling.facts
        for group in position.groups:
            assert all(i in position.pieces for i in group.ids)
        named = [i for group in position.groups for i in group.ids]
        assert len(named) == len(set(named))
        assert not set(position.pieces) & set(position.carried)
        referee.state()
        referee.final()
        return rulings

    return hear


@settings(max_examples=600, deadline=None)
@given(st.sampled_from(sorted(EDITIONS)), st.booleans(), st.lists(FACT, max_size=60))
def test_no_sequence_of_facts_upsets_the_referee(edition, proper, sequence):
    referee = Referee(edition)
    hear = hearing(referee)
    if proper:
        set_up(referee, hear)
        assert referee.position.phase == PLAY
    t_ms = 0
    for kind, piece, others, face, discs, x, d, shape, step in sequence:
        t_ms += step
        hear(Fact(kind, t_ms, piece, others, face, discs, x, x, 0, d, shape))


MUTATION = st.tuples(
    st.sampled_from(["drop", "repeat", "swap"]), st.integers(0, 30), st.integers(0, 30)
)


@settings(max_examples=400, deadline=None)
@given(st.sampled_from(all_scenarios()), st.lists(MUTATION, max_size=6))
def test_facts_missed_repeated_or_out_of_order(scenario, mutations):
    """A real turn of events, as sensors may garble it."""
    lines = [what for _, what, _ in scenario.steps if what != "check"]
    for how, at, other in mutations:
        at, other = at % len(lines), other % len(lines)
        if how == "repeat":
            lines.insert(other, lines[at])
        elif how == "swap":
            lines[at], lines[other] = lines[other], lines[at]
        elif len(lines) > 1:
            del lines[at]
    table = Table(scenario)
    table.hear = hearing(table.referee)
    for line in lines:
        table.happen(line)
