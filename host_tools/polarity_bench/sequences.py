"""Random facts and declarations for the referee, nonsense included, and what must always hold."""

from collections.abc import Iterator
from copy import copy
from random import Random
from typing import TypeVar

from polarity import facts
from polarity.facts import Fact
from polarity.rules.copying import copy_of
from polarity.rules.corrections import CODES
from polarity.rules.declarations import CORRECTIONS, GRAMMAR, Declaration
from polarity.rules.editions import EDITIONS, OPTIONS
from polarity.rules.position import OVER, Position
from polarity.rules.referee import Referee
from polarity.rules.ruling import Ruling
from polarity.rules.vocabulary import RULINGS

Entry = Fact | Declaration
Same = TypeVar("Same", bound=Entry)

RULES = [
    *EDITIONS,
    *(
        f"{'original' if edition == '-' else edition}+{option}"
        for option, edition, *_ in (line.split() for line in OPTIONS.splitlines())
    ),
    "temple+three_player_shuffle+shuffle_scored",
]
SHAPES = ("flat", "leaner", "leaner", "tower", "red", "stack", "kiss", "mix", "")
WHYS = ("contact", "face", "nonsense")
VERDICTS = ("denied", "waived", "charged", "yes", "no")
STEPS_MS = (0, 10, 300, 2000)
DECLARATION_ONE_IN = 8
SETUP_MS = 1000  # a game is set up in so long before its time 0


class Broken(Exception):
    """Something that must always hold did not: what."""


def must(holds: bool, what: str) -> None:
    """Broken unless it holds."""
    if not holds:
        raise Broken(what)


class Record:
    """A game by these rules: every fact and declaration that its referee handles, each checked.

    `entries` holds them all in order, without those that were refused. Broken if anything does not
    hold. `begin`: the position that it begins with, instead of an empty mat. `idle`: whether the
    referee has time between two facts to judge old ones for good.
    """

    def __init__(self, rules: str = "temple", begin: Position | None = None, idle: bool = True):
        self.rules = rules
        self.begin = begin
        self.idle = idle
        self.referee = Referee(rules)
        if begin:
            self.referee.continue_from(copy_of(begin))
        self.discs = self.referee.position.discs()
        self.entries: list[Entry] = []
        self.number = 0

    def handle(self, entry: Entry) -> list[Ruling]:
        """The next fact or declaration, which is numbered here; returns the rulings."""
        self.number += 10  # room for others between them
        entry.sent_as(self.number)
        return self.handle_numbered(entry)

    def handle_numbered(self, entry: Entry) -> list[Ruling]:
        """A fact or declaration that has its number already."""
        referee = self.referee
        was_over = referee.position.phase == OVER
        before = same(entry)
        if isinstance(entry, Fact):
            rulings = referee.handle_fact(entry)
        else:
            rulings = list(referee.handle_declaration(entry))
        if isinstance(entry, Declaration) and referee.refusal:
            must(not rulings, "a refused declaration led to rulings")
        else:
            self.entries.append(before)
        if self.idle:
            referee.judge_oldest()
        self._check(entry, rulings, was_over)
        return rulings

    def _check(self, entry: Entry, rulings: list[Ruling], was_over: bool) -> None:
        referee = self.referee
        correction = entry.kind in CORRECTIONS
        for position in (referee.position, referee.base):
            must(position.discs() == self.discs + position.surplus, "discs are lost")
            must(min(position.reserve) >= 0, "a reserve is below nothing")
            must(not set(position.pieces) & set(position.carried), "in two places")
            named = [i for group in position.groups for i in group.ids]
            must(len(named) == len(set(named)), "in two groups")
            must(all(i in position.pieces for i in named), "a group of what is not there")
            must(all(group.by in (1, -1) for group in position.groups), "owed to nobody")
        must(referee.position.active in (1, -1), "nobody's turn")
        must(referee.responsible() in (1, -1), "nobody is responsible")
        correction = correction or any(ruling.code == "revised" for ruling in rulings)
        must(correction or not (was_over and rulings), "a finished game went on")
        ends = [ruling.code for ruling in rulings].count("end")
        over = referee.position.phase == OVER
        must(correction or ends == (over and not was_over), "an end too many, or none")
        for ruling in rulings:
            owed = ruling.after.owed
            must(ruling.code != "fault" or ruling.player in (1, -1), "nobody's fault")
            must(all(player in (1, -1) and ids for player, ids in owed), "nothing is owed")
            must(all(p in (1, -1) and n > 0 for p, n in ruling.returns), "nothing returns")
            given = ruling.code in ("unsure", *CODES.values())  # a reason from fact or declaration
            must(given or ruling.why in RULINGS[ruling.code], "a reason that nobody knows")
            declared = isinstance(entry, Declaration) or correction  # judged again, too
            must(bool(ruling.evidence.facts) or declared, "a ruling without facts")
        referee.state()
        referee.final()

    def replayed(self, idle: bool = False) -> "Record":
        """Another referee's record after the same entries, by default in a hurry."""
        other = Record(self.rules, self.begin, idle)
        for entry in self.entries:
            other.handle_numbered(same(entry))
        return other

    def stands(self) -> tuple[dict, dict]:
        """The position, to be compared with another's."""
        return self.referee.state(), self.referee.final()


def same(entry: Same) -> Same:
    """Another with the same content: a referee may write in the one it is given."""
    return copy(entry)


def set_up(rules: str) -> Iterator[Fact]:
    """The facts of a proper beginning, before the time 0: the red disc and the foundations."""
    edition = Referee(rules).edition
    if edition["red"]:
        yield Fact(facts.PLACED, -SETUP_MS, 99, shape=facts.RED)
    for turn in range(2 * edition["foundations"]):
        t_ms = 100 * turn - SETUP_MS
        face = 1 if turn < edition["foundations"] else -1
        if edition["foundations_alternate"]:
            face = 1 if turn % 2 == 0 else -1
        ident = turn + 1
        yield Fact(facts.HAND_IN, t_ms, ident, face=face)
        yield Fact(facts.PLACED, t_ms, ident, face=face, shape=facts.FLAT, x=ident * 3000, y=100)


def random_entry(draw: Random, t_ms: int, number: int) -> Entry:
    """Any fact or declaration; `number` is the last that was given to one."""
    if draw.randrange(DECLARATION_ONE_IN) == 0:
        return random_declaration(draw, t_ms, number)
    kind = draw.choice((*facts.KINDS, facts.HAND_IN, facts.PLACED, facts.LIFTED, "nonsense"))
    others = tuple(draw.randrange(19) for _ in range(draw.randrange(4)))
    x = draw.choice((0, 0, 100, 4000, -20000))
    return Fact(
        kind, t_ms, draw.randrange(19), others, draw.choice((1, -1, 1, -1, 0)), draw.randrange(5),
        x, x, 0, draw.randrange(8000), draw.choice(SHAPES), draw.choice(WHYS),
        draw.choice((100, 100, 10)),
    )  # fmt: skip


def random_declaration(draw: Random, t_ms: int, number: int) -> Declaration:
    """Any declaration, and about any number up to a little above the last."""
    kind = draw.choice(list(GRAMMAR))
    seat = about = 0
    if kind == "reserve":
        seat = draw.randrange(-1, 5)
    else:
        about = draw.randrange(number + 12)
    player, count = draw.choice((1, -1, 0)), draw.randrange(30)
    return Declaration(kind, t_ms, about, draw.choice(VERDICTS), player, count, seat)


def play(seed: int, length: int = 24, rules: str = "") -> Record:
    """One random game of so many entries after the set-up, if it has one. Broken as `Record`."""
    draw = Random(seed)
    record = Record(rules or RULES[seed % len(RULES)])
    if draw.randrange(4):
        for fact in set_up(record.rules):
            record.handle(fact)
    t_ms = 0
    for _ in range(length):
        t_ms += draw.choice(STEPS_MS)
        record.handle(random_entry(draw, t_ms, record.number))
    return record
