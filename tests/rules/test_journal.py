"""The ring of facts and declarations that are judged again."""

from polarity.facts import Fact
from polarity.rules.journal import Journal, mark_of
from polarity.rules.ruling import Evidence, Ruling, Standing


def stored(*numbers_and_times):
    """A journal of three places, after facts of these (number, time) came to it in turn."""
    journal = Journal(3)
    for number, t_ms in numbers_and_times:
        fact = Fact("jolt", t_ms)
        fact.sent_as(number)
        if journal.full():
            journal.drop()
        journal.add(fact, journal.place(fact))
    return journal


def test_a_fact_that_comes_late_has_its_place_by_its_time():
    journal = stored((1, 100), (2, 300), (3, 200))
    assert [journal.seq(at) for at in range(journal.count)] == [1, 3, 2]
    assert journal.find(3) == 1 and journal.find(2) == 2


def test_a_number_leads_to_the_entry_that_a_ruling_was_made_after():
    journal = stored((10, 100), (20, 200))
    assert [journal.find(number) for number in (9, 10, 15, 20, 99)] == [-1, 0, 0, 1, 1]


def test_what_is_forgotten_is_not_mistaken_for_a_lower_number_that_happened_later():
    journal = stored((10, 300), (20, 100), (30, 200), (40, 400))  # 20 is forgotten, 10 is not
    assert [journal.seq(at) for at in range(journal.count)] == [30, 10, 40]
    assert journal.find(25) == -1 and journal.find(10) == 1
    journal.drop()  # 30
    assert [journal.find(number) for number in (25, 35, 10, 40)] == [-1, -1, 0, 1]
    journal.drop()
    assert [journal.find(number) for number in (10, 35, 40)] == [-1, -1, 0]


def mark(code, why, piece):
    return mark_of([Ruling(code, 0, 1, why, Evidence((piece,)), (), Standing())])


def test_two_rulings_that_change_places_are_noticed():
    """Marks are compared by their sum, whatever the hash of a text is in this process."""
    for first in range(1, 40):
        for second in range(first + 1, 40):
            before = mark("leaner_placed", "", first) + mark("irregular", "out_of_turn", second)
            after = mark("leaner_placed", "", second) + mark("irregular", "out_of_turn", first)
            assert before != after, (first, second)
