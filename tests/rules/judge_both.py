"""Judges random facts and declarations and prints every ruling and snapshot: run by CPython and by
MicroPython."""

from polarity import facts
from polarity.facts import Fact
from polarity.rules.declarations import parse
from polarity.rules.referee import Referee

SHAPES = ("flat", "leaner", "leaner", "tower", "stack", "kiss", "mix")
RULES = (
    "temple", "fourlang", "original", "scaled", "fourlang+german", "temple+three_player_shuffle",
    "temple+four_player_team", "temple+four_player_advanced", "temple+more_tower_to_you",
)  # fmt: skip
DECLARATIONS = (
    ("overrule", ("denied",)), ("overrule", ("waived",)), ("overrule", ("b",)), ("undo", ()),
    ("answer", ("yes",)), ("answer", ("w",)), ("reserve", ("b",)), ("reserve", ("3",)),
)  # fmt: skip
GAMES = 27
FACTS = 120


def numbers(seed):
    """Endless pseudo-random ints, the same everywhere (Numerical Recipes' ranqd1)."""
    while True:
        seed = (seed * 1664525 + 1013904223) & 0xFFFFFFFF
        yield seed >> 12


def play(referee, draw):
    """Foundations, then whatever comes; yields each fact."""
    edition = referee.edition
    if edition["red"]:
        yield Fact(facts.PLACED, 0, 99, shape=facts.RED)
    for ident in range(1, 2 * edition["foundations"] + 1):
        face = 1 if ident <= edition["foundations"] else -1
        if edition["foundations_alternate"]:
            face = 1 if ident % 2 else -1
        yield Fact(facts.PLACED, 0, ident, (), face, 1, 3000 * ident, 500, shape=facts.FLAT)
    held = 0
    for t_ms in range(0, FACTS * 300, 300):
        kind = facts.KINDS[next(draw) % len(facts.KINDS)]
        piece = 1 + next(draw) % 14
        if kind == facts.HAND_IN:
            piece = held = 100 + t_ms // 300
        elif held and kind in (facts.PLACED, facts.HAND_OUT, facts.SNAPPED):
            piece, held = held, 0
        others = tuple([1 + next(draw) % 14 for _ in range(next(draw) % 4)])
        yield Fact(
            kind, t_ms, piece, others, 1 - next(draw) % 3,
            1 + next(draw) % 3, next(draw) % 9000, next(draw) % 9000, 0, next(draw) % 6000,
            SHAPES[next(draw) % len(SHAPES)], "", 10 if next(draw) % 8 else 90,
        )  # fmt: skip


def show(rulings):
    for r in rulings:
        evidence, after = r.evidence, r.after
        print(r.code, r.t_ms, r.player, r.why, evidence.pieces, evidence.facts, after.owed,
              r.returns, after.reserve, after.turn, after.active, after.score, r.seat,
              evidence.corrects)  # fmt: skip


def judge_all():
    for game in range(GAMES):
        referee = Referee(RULES[game % len(RULES)])
        seq = 0
        draw = numbers(game)
        for fact in play(referee, draw):
            seq += 1
            fact.seq = seq
            show(referee.handle_fact(fact))
            if next(draw) % 8 == 0:
                kind, words = DECLARATIONS[next(draw) % len(DECLARATIONS)]
                number = 20 if kind == "reserve" else max(0, seq - next(draw) % 12)
                declaration = parse(kind, (str(number),) + words, fact.t_ms)
                seq += 1
                declaration.seq = seq
                show(referee.handle_declaration(declaration))
                print(kind, referee.refusal)
        print(sorted(referee.state().items()))
        print(sorted(referee.final().items()))


judge_all()
