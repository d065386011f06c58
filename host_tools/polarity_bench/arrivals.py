"""The same timed facts, reported in any order: the referee must end in the same rulings."""

from collections import Counter
from collections.abc import Sequence
from functools import cache
from random import Random

from polarity.facts import Fact
from polarity.rules.copying import copy_of
from polarity.rules.declarations import GRAMMAR
from polarity.rules.position import Position
from polarity.rules.referee import Referee
from polarity.rules.ruling import Ruling
from polarity_bench.scenario_table import Table
from polarity_bench.scenarios import all_scenarios
from polarity_bench.sequences import same

#: Times between two facts of a sequence, ms: of one frame, of the next ones, and of another act.
STEPS_MS = (0, 0, 20, 100, 1500)
WINDOW = 4  # so many facts that follow one another are told in any order
ALL_ONE_IN = 20  # in one sequence of so many all are


class Course:
    """What a scenario has the mat observe: its rules, the position at the start, the facts."""

    def __init__(self, edition: str, begin: Position, observed: list[Fact]) -> None:
        self.edition = edition
        self.begin = begin
        self.observed = observed


@cache
def courses() -> list[Course]:
    """Those of all scenarios with more than one fact."""
    found = []
    for scenario in all_scenarios():
        table = Table(scenario.edition, scenario.given)
        course = Course(scenario.edition, copy_of(table.referee.base), [])
        handle = table.handle

        def store(fact: Fact, course: Course = course, handle=handle) -> list[Ruling]:
            course.observed.append(same(fact))
            return handle(fact)

        table.handle = store
        for _, what, _ in scenario.steps:
            if what.split()[0] not in ("check", *GRAMMAR):
                table.happen(what)
        if len(course.observed) > 1:
            found.append(course)
    return found


def ends(course: Course, facts: Sequence[Fact]) -> tuple[dict, dict, Counter]:
    """What the referee has come to when it was told these facts in this order: its state, the final
    figures, and the rulings that stand."""
    referee = Referee(course.edition)
    referee.continue_from(copy_of(course.begin))
    standing: list[Ruling] = []
    for number, fact in enumerate(facts, 1):
        told = same(fact)
        told.sent_as(number)
        rulings = referee.handle_fact(told)
        if rulings and rulings[0].code == "revised":
            void_from = rulings.pop(0).evidence.facts[0]
            standing = [r for r in standing if max(r.evidence.facts) < void_from]
        standing += rulings
    state = referee.state()
    state.pop("question", None)  # it has the number of a fact
    return state, referee.final(), Counter(_judged(ruling) for ruling in standing)


def _judged(ruling: Ruling) -> tuple:
    """A ruling without what depends on the order in which faults of one turn are told."""
    why = "" if ruling.code == "leaner_placed" else ruling.why
    return ruling.code, ruling.player, why, ruling.evidence.pieces, ruling.after.score


def differs(seed: int) -> str:
    """What is different when the facts of a scenario, at random times, are reported in a random
    order instead of the order in which they happened; an empty string for nothing."""
    draw = Random(seed)
    course = courses()[seed % len(courses())]
    facts = []
    t_ms = 0
    for observed in course.observed:
        fact = same(observed)
        t_ms += draw.choice(STEPS_MS)
        fact.t_ms = t_ms
        facts.append(fact)
    facts.sort(key=Fact.moment)
    in_order = ends(course, facts)
    if seed % ALL_ONE_IN == 0:
        draw.shuffle(facts)
    else:
        first = draw.randrange(max(1, len(facts) - WINDOW + 1))
        window = facts[first : first + WINDOW]
        draw.shuffle(window)
        facts[first : first + WINDOW] = window
    for what, expected, got in zip(
        ("the position", "the end", "the rulings"), in_order, ends(course, facts), strict=True
    ):
        if expected != got:
            return f"{what} of {course.edition}: {expected} in order, {got} otherwise"
    return ""
