"""Long games for the referee alone; at each `# look:` line the heap is measured.

Run by `polarity bench rules` under MicroPython, where only the firmware's rules can be imported.
"""

# look: nothing
from time import ticks_diff, ticks_us  # pyright: ignore[reportAttributeAccessIssue] - MicroPython's

from polarity.rules.referee import Referee

# look: loaded

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator


def turns(count: int) -> "Iterator[tuple[str, int, tuple[int, ...], int, int, str]]":
    """The facts of so many turns, each as (kind, piece, others, face, discs, shape): leaners are
    placed and snatched up again, with a capture now and then, so that no reserve ever runs out."""
    yield "placed", 99, (), 0, 1, "red"
    for ident in range(1, 11):
        yield "hand_in", ident, (), 1 if ident < 6 else -1, 1, ""
        yield "placed", ident, (), 1 if ident < 6 else -1, 1, "flat"
    standing = {1: [], -1: []}
    beside = [7, 8, 10]
    for turn in range(count):
        face = 1 if turn % 2 == 0 else -1
        disc = 100 + turn
        if turn % 20 == 19 and beside:  # black brings two together; white captures before he plays
            other = beside.pop()
            discs = 4 - len(beside)
            yield "hand_in", disc, (), face, 1, ""
            yield "contact", 9, (9, other), 0, discs, "kiss"
            yield "hand_out", disc, (), face, 1, ""
            yield "lifted", 9, (), -1, 1, ""
            yield "snapped", 9, (other,), -1, discs, ""
            yield "placed", 9, (), 1, discs, "tower"
        elif len(standing[face]) > 9:
            yield "hand_in", disc, (), face, 1, ""
            yield "snapped", disc, (standing[face].pop(),), face, 2, ""
            yield "hand_out", disc, (), face, 2, ""
        else:
            yield "hand_in", disc, (), face, 1, ""
            yield "placed", disc, (1 if face == 1 else 6,), face, 1, "leaner"
            standing[face].append(disc)


def play(count: int) -> "tuple[Referee, tuple[int, int, int]]":
    """Judges so many turns; returns the referee, and in microseconds what a fact took it: on
    average once the journal holds as much as corrections can reach, and at most; and what it took
    on average to judge the oldest for good."""
    from polarity.facts import Fact

    referee = Referee()
    spent_us = timed = most_us = settling_us = 0
    facts = 0
    deep = False  # whether the journal holds as much as corrections can reach
    for kind, piece, others, face, discs, shape in turns(count):
        facts += 1
        fact = Fact(kind, facts * 300, piece, others, face, discs, 100 * piece, 50, shape=shape)
        fact.seq = facts
        started_us = ticks_us()
        referee.handle_fact(fact)
        fact_us = ticks_diff(ticks_us(), started_us)
        most_us = max(most_us, fact_us)
        if deep:
            timed += 1
            spent_us += fact_us
        started_us = ticks_us()
        deep = referee.judge_oldest()
        if deep:
            settling_us += ticks_diff(ticks_us(), started_us)
    return referee, (spent_us // timed, most_us, settling_us // timed)


def _overwrite_stack(calls):
    """Else a word that is left there may hold what nothing leads to any more."""
    return calls and _overwrite_stack(calls - 1)


referee = None
# look: before
referee = Referee()
# look: new
referee, us = play(40)
result = (referee.position.turn, referee.position.phase, list(referee.position.reserve))
referee = None
_overwrite_stack(20)
# look: first
referee, us = play(200)
result = (referee.position.turn, referee.position.phase, list(referee.position.reserve))
# look: played
referee = None
_overwrite_stack(20)
# look: after
print("turns", result[0], result[1], result[2])
print("us", us[0])
print("most_us", us[1])
print("settling_us", us[2])
import polarity.rules.corrections  # noqa: E402, F401 - as late as on a mat

# look: corrected
