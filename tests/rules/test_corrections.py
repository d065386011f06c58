"""Corrections in the scenarios of the books: whatever is overruled whenever, all still holds."""

import pytest

from polarity.facts import Fact
from polarity.rules.copying import copy_of
from polarity.rules.declarations import GRAMMAR, Declaration, parse
from polarity.rules.journal import DEPTH, Journal
from polarity_bench.scenario_table import Table
from polarity_bench.scenarios import all_scenarios
from polarity_bench.sequences import Record, same, set_up

WORDS = ("denied", "waived", "w", "b")


def observed_in(scenario):
    """The position that a scenario begins with, and the facts of it that the mat sees."""
    table = Table(scenario.edition, scenario.given)
    begin, handle, observed = copy_of(table.referee.base), table.handle, []

    def store(fact):
        observed.append(same(fact))
        return handle(fact)

    table.handle = store
    for _, what, _ in scenario.steps:
        if what.split()[0] not in ("check", *GRAMMAR):
            table.happen(what)
    for number, fact in enumerate(observed, 1):
        fact.seq = 10 * number
    return begin, observed


def declared(scenario, begin, observed, declaration, after):
    """The record when players make this declaration after so many facts."""
    record = Record(scenario.edition, begin)
    for fact in observed[:after]:
        record.handle_numbered(same(fact))
    declaration = same(declaration)
    declaration.seq = 10 * after + 5
    declaration.t_ms = observed[after - 1].t_ms
    record.handle_numbered(declaration)
    assert record.referee.refusal == ""
    for fact in observed[after:]:
        record.handle_numbered(same(fact))
    return record


ALL = all_scenarios()
FILES = sorted({scenario.where.split(":")[0] for scenario in ALL})


@pytest.mark.parametrize("file", FILES)
def test_a_correction_made_late_leads_to_the_same_as_one_made_at_once(file):
    """Corrections commute with what is observed; and their record leads to the same position. Each
    fact of each scenario is overruled by one word, and each word is used on a quarter of them."""
    for number, scenario in enumerate(s for s in ALL if s.where.startswith(file + ":")):
        begin, observed = observed_in(scenario)
        for at in range(1, len(observed) + 1):
            word = WORDS[(number + at) % len(WORDS)]
            denial = parse("overrule", [str(10 * at), word], 0)
            at_once = declared(scenario, begin, observed, denial, at)
            late = declared(scenario, begin, observed, denial, len(observed))
            assert at_once.stands() == late.stands(), f"{scenario.where} {at} {word}"
            assert late.replayed().stands() == late.stands()


@pytest.mark.parametrize("file", FILES)
def test_what_is_overruled_twice_is_as_it_was(file):
    for scenario in [s for s in ALL if s.where.startswith(file + ":")]:
        begin, observed = observed_in(scenario)
        plain = Record(scenario.edition, begin)
        for fact in observed:
            plain.handle_numbered(same(fact))
        for at in range(1, len(observed) + 1):
            undo = parse("undo", [str(10 * at)], 0)
            record = declared(scenario, begin, observed, undo, len(observed))
            back = parse("overrule", [str(10 * len(observed) + 5), "denied"], 0)
            back.seq = 10 * len(observed) + 9
            record.handle_numbered(back)
            assert record.referee.refusal == ""
            assert record.stands() == plain.stands(), f"{scenario.where} {at}"


def lean(record, number):
    """Two facts of an ordinary turn: a disc comes in and leans."""
    colour = 1 if number % 2 else -1
    record.handle(Fact("hand_in", 2000 * number, 100 + number, face=colour))
    over = (1,) if colour == 1 else (6,)
    record.handle(Fact("placed", 2000 * number + 900, 100 + number, over, colour, shape="leaner"))


def test_a_correction_reaches_back_as_far_as_the_journal():
    foundations = next(s for s in ALL if s.title == "A leaner is placed")
    begin, _ = observed_in(foundations)
    begin.reserve = [100, 100]
    record = Record("temple", begin)
    for number in range(1, DEPTH):
        lean(record, number)
    newest = record.number
    assert record.referee.journal.count == DEPTH
    assert record.referee.base.turn == DEPTH - 1 - DEPTH // 2
    oldest_kept = newest - 10 * (DEPTH - 1)
    record.handle(parse("overrule", [str(oldest_kept), "denied"], 0))
    assert record.referee.refusal == "too long ago"  # the correction itself needed its place
    record = record.replayed(idle=True)
    record.number = newest
    record.handle(parse("undo", [str(oldest_kept + 10)], 0))
    assert record.referee.refusal == ""
    assert record.referee.position.turn == record.referee.base.turn == DEPTH // 2


def test_the_journal_gives_back_what_it_was_given():
    journal = Journal(4)
    entries = [
        Fact("contact", 5, 1, (1, 2), -1, 3, -22500, 1, 0, 99, "kiss", "", 40),
        Fact("unsure", 2**30, 0, (), 0, 1, 0, 0, 0, 0, "", "height", 100),
        Declaration("overrule", 7, 12, "charged", -1),
        Declaration("reserve", 7, count=20, seat=3),
        Declaration("undo", 7, 12, away=(3, 4)),
        Fact("nonsense", 8),
    ]
    for number in range(11):
        entry = same(entries[number % len(entries)])
        entry.seq = 3 * number
        if journal.full():
            journal.drop()
        journal.add(entry, journal.count)
        stored = journal.entry(journal.count - 1)
        assert (type(stored), vars(stored)) == (type(entry), vars(entry))
    assert [journal.seq(at) for at in range(4)] == [21, 24, 27, 30]
    assert [journal.find(n) for n in (20, 21, 23, 24, 99)] == [-1, 0, 0, 1, 3]


@pytest.mark.parametrize(
    ("kind", "words", "fits"),
    [
        ("overrule", ["7", "denied"], True),
        ("overrule", ["7"], False),
        ("overrule", ["x", "denied"], False),
        ("overrule", ["7", "yes"], False),
        ("answer", ["0", "b"], True),
        ("undo", ["7"], True),
        ("undo", ["7", "w"], False),
        ("reserve", ["12", "3"], True),
        ("reserve", ["9999999999", "w"], False),
        ("declare", ["draw"], True),
        ("take", [], True),
        ("take", ["w"], False),
    ],
)
def test_what_players_can_declare(kind, words, fits):
    assert (parse(kind, words, 0) is not None) == fits


def test_what_an_undo_needs_is_known_when_it_is_put_back():
    """A foundation jumped to the action disc; both turns' players agree to play it over."""
    record = Record("temple")
    for fact in set_up("temple"):
        record.handle(fact)
    record.handle(Fact("hand_in", 1000, 20, face=1))
    record.handle(Fact("placed", 2000, 20, (1,), 1, shape="leaner", x=500, y=900))
    came_in = Fact("hand_in", 5000, 21, face=-1)
    record.handle(came_in)
    record.handle(Fact("snapped", 6000, 21, (7,), -1, 2))
    record.handle(Fact("hand_out", 7000, 21, (), -1, 2))
    assert record.referee.position.reserves == (20, 22)
    record.handle(parse("undo", [str(came_in.seq)], 8000))
    position = record.referee.position
    assert (position.away, position.reserves) == ((7,), (20, 21))
    record.handle(Fact("hand_in", 9000, 22, face=-1))
    put_back = Fact("placed", 9900, 22, (), -1, shape="flat", x=7 * 3000 + 900, y=0)
    assert record.handle(put_back) == []
    position = record.referee.position
    assert position.away == () and 7 not in position.pieces
    assert (position.pieces[22].face, position.reserves) == (-1, (20, 21))
    record.handle(Fact("hand_in", 12000, 23, face=-1))
    [leaner] = record.handle(Fact("placed", 13000, 23, (22,), -1, shape="leaner", x=900, y=900))
    assert (leaner.code, leaner.after.reserve, leaner.after.turn) == ("leaner_placed", (20, 20), 2)
    leans = record.entries[-1].seq
    record.handle(parse("overrule", [str(leans), "waived"], 14000))  # judges the putting back again
    assert record.stands() == record.replayed().stands()
    assert 22 in record.referee.position.pieces
