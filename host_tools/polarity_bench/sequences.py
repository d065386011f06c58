"""Random facts and sayings for the referee, nonsense included, and what must hold in any case."""

from copy import copy
from random import Random

from polarity import facts
from polarity.facts import Fact
from polarity.rules.copying import copy_of
from polarity.rules.corrections import CODES
from polarity.rules.editions import EDITIONS, OPTIONS, rules_of
from polarity.rules.position import OVER
from polarity.rules.referee import Referee
from polarity.rules.said import CORRECTIONS, GRAMMAR
from polarity.rules.vocabulary import RULINGS

RULES = [
    *EDITIONS,
    *(
        f"{'original' if edition == '-' else edition}+{option}"
        for option, edition, *_ in (line.split() for line in OPTIONS.splitlines())
    ),
    "temple+three_player_shuffle+shuffle_scored",
]
SHAPES = ("flat", "leaner", "leaner", "tower", "red", "stack", "kiss", "mix", "")
WHYS = ("denied", "waived", "charged", "yes", "no", "", "contact", "face", "nonsense")
STEPS_MS = (0, 10, 300, 2000)
SAYING_ONE_IN = 8


class Broken(Exception):
    """Something that must always hold did not: says what."""


def must(holds, what):
    """Broken unless it holds."""
    if not holds:
        raise Broken(what)


class Record:
    """A game by these rules: everything that its referee hears, checked at each step.

    `heard` holds it all in order; what was refused is not in it. Broken if anything does not hold.
    `begin`: the position that it begins with, instead of an empty mat. `idle`: whether the referee
    has time between two facts to settle old ones.
    """

    def __init__(self, rules="temple", begin=None, idle=True):
        self.rules = rules
        self.begin = begin
        self.idle = idle
        self.referee = Referee(rules)
        if begin:
            self.referee.position = copy_of(begin)
            self.referee.base = copy_of(begin)
        self.discs = self.referee.position.discs()
        self.heard = []
        self.number = 0

    def hear(self, fact):
        """The next fact or saying; returns the rulings."""
        self.number += 10  # room for others between them
        fact.seq = self.number
        return self.take(fact)

    def take(self, fact):
        """A fact or saying that has its number already."""
        referee = self.referee
        was_over = referee.position.phase == OVER
        said = fact.kind in GRAMMAR
        kept = same(fact)
        rulings = list(referee.said(fact)) if said else referee.fact(fact)
        if said and referee.refused:
            must(not rulings, "a refused saying led to rulings")
        else:
            self.heard.append(kept)
        if self.idle:
            referee.settle()
        self._check(fact, rulings, was_over)
        return rulings

    def _check(self, fact, rulings, was_over):
        referee = self.referee
        correction = fact.kind in CORRECTIONS
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
        must(correction or not (was_over and rulings), "a finished game went on")
        ends = [ruling.code for ruling in rulings].count("end")
        over = referee.position.phase == OVER
        must(correction or ends == (over and not was_over), "an end too many, or none")
        for ruling in rulings:
            must(ruling.code != "fault" or ruling.player in (1, -1), "nobody's fault")
            must(all(player in (1, -1) and ids for player, ids in ruling.owed), "nothing is owed")
            must(all(p in (1, -1) and n > 0 for p, n in ruling.returns), "nothing returns")
            given = ruling.code in ("unsure", *CODES.values())  # a reason from fact or saying
            must(given or ruling.why in RULINGS[ruling.code], "a reason that nobody knows")
            must(ruling.facts or fact.kind in GRAMMAR, "a ruling without facts")
        referee.state()
        referee.final()

    def replayed(self, idle=False):
        """Another referee's record after the same facts and sayings, by default in a hurry."""
        other = Record(self.rules, self.begin, idle)
        for fact in self.heard:
            other.take(same(fact))
        return other

    def stands(self):
        """The position, to be compared with another's."""
        return self.referee.state(), self.referee.final()


def same(fact):
    """Another fact with the same content: a referee may write in the one it is given."""
    return copy(fact)


def set_up(rules):
    """The facts of a proper beginning: the red disc and the foundations."""
    rules = rules_of(rules)
    if rules["red"]:
        yield Fact(facts.PLACED, 0, 99, shape=facts.RED)
    for turn in range(2 * rules["foundations"]):
        face = 1 if turn < rules["foundations"] else -1
        if rules["foundations_alternate"]:
            face = 1 if turn % 2 == 0 else -1
        ident = turn + 1
        yield Fact(facts.HAND_IN, 0, ident, face=face)
        yield Fact(facts.PLACED, 0, ident, face=face, shape=facts.FLAT, x=ident * 3000, y=100)


def random_fact(draw: Random, t_ms: int, number: int) -> Fact:
    """Any fact or saying; `number` is the last that was given to one."""
    if draw.randrange(SAYING_ONE_IN) == 0:
        kind = draw.choice(list(GRAMMAR))
        piece = draw.randrange(-1, 5) if kind == "reserve" else draw.randrange(number + 12)
        return Fact(
            kind, t_ms, piece, face=draw.choice((1, -1, 0)),
            discs=draw.randrange(30), why=draw.choice(WHYS[:5]),
        )  # fmt: skip
    kind = draw.choice((*facts.KINDS, facts.HAND_IN, facts.PLACED, facts.LIFTED, "nonsense"))
    others = tuple(draw.randrange(19) for _ in range(draw.randrange(4)))
    x = draw.choice((0, 0, 100, 4000, -20000))
    return Fact(
        kind, t_ms, draw.randrange(19), others, draw.choice((1, -1, 1, -1, 0)), draw.randrange(5),
        x, x, 0, draw.randrange(8000), draw.choice(SHAPES), draw.choice(WHYS[6:]),
        draw.choice((100, 100, 10)),
    )  # fmt: skip


def play(seed: int, length: int = 24, rules: str = "") -> Record:
    """One random game of so many facts after the set-up, if it has one. Broken as `Record`."""
    draw = Random(seed)
    record = Record(rules or RULES[seed % len(RULES)])
    if draw.randrange(4):
        for fact in set_up(record.rules):
            record.hear(fact)
    t_ms = 0
    for _ in range(length):
        t_ms += draw.choice(STEPS_MS)
        record.hear(random_fact(draw, t_ms, record.number))
    return record
