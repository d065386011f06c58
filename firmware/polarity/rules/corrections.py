"""Corrections by the players, and by facts that are reported late. Nothing is taken out of the
record: a correction is one more entry in it, and everything from what it corrects on is judged
again, each fact with the verdict it now has.

A fact that is reported after others which happened later is judged where it belongs, and so is
everything from there on. Players are told of that (`revised`) only if it changes a ruling.

Verdicts on a fact: it did not happen; it is nobody's fault; it was white's or black's doing (or the
colour in question is this one); it did happen.
"""

from polarity.facts import BLACK, CONTACT, KISS, UNSURE, WHITE, Fact
from polarity.rules.declarations import CHARGED, CORRECTIONS
from polarity.rules.faults import CARRIED, WAS_IT_SO, question_about
from polarity.rules.journal import DEPTH, mark_of
from polarity.rules.position import OVER
from polarity.rules.ruling import Evidence

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from polarity.rules.declarations import Declaration
    from polarity.rules.journal import Journal
    from polarity.rules.position import Position
    from polarity.rules.referee import Referee
    from polarity.rules.ruling import Ruling

DENIED = 1
WAIVED = 2
WHITES = 3
BLACKS = 4
CERTAIN = 5

CODES = {"overrule": "overruled", "answer": "answered", "undo": "undone"}


def handle_declaration(ref: "Referee", declaration: "Declaration") -> "Iterator[Ruling]":
    """Judge a declaration; yields the rulings that follow: see Referee.handle_declaration."""
    ref.refuse("")
    if declaration.kind in CORRECTIONS:
        if declaration.about == 0:
            declaration.about = target_of(ref, declaration)
        ref.refuse(objection(ref, declaration))
        if not ref.refusal:
            ref.enter(declaration, -1)
            yield from correct(ref, declaration)
    elif ref.position.phase == OVER:
        ref.refuse("the game is over")
    else:
        rulings = ref.judge(declaration, 0)
        if not ref.refusal:
            ref.enter(declaration, -1)
            ref.journal.set_mark(ref.journal.count - 1, mark_of(rulings))
            yield from rulings


def target_of(ref: "Referee", declaration: "Declaration") -> int:
    """The number that 0 stands for: of an answer this turn's question; of an undo the last entry
    that led to a ruling and counts, corrections too but no undo; of `denied` likewise, an undo too;
    else the last fact or declaration that led to a ruling. 0 for none.
    """
    kind = declaration.kind
    question = ref.position.question
    if kind == "answer":
        return question[0] if question else 0
    journal = ref.journal
    if kind == "undo" or declaration.verdict == "denied":
        for at in range(journal.count - 1, journal.find(ref.last_ruled), -1):
            its_kind, seq = journal.kind(at), journal.seq(at)
            if its_kind in CORRECTIONS and ref.verdicts.get(seq) != DENIED:
                if not its_kind == kind == "undo":
                    return seq
    return ref.last_ruled


def verdict_of(correction: "Declaration") -> int:
    """What a correction makes of the fact it is about."""
    if correction.kind == "undo":
        return DENIED
    if correction.verdict == CHARGED:
        return WHITES if correction.player == WHITE else BLACKS
    if correction.verdict == "waived":
        return WAIVED
    return CERTAIN if correction.verdict == "yes" else DENIED


def verdicts(journal: "Journal") -> "dict[int, int]":
    """{number of a fact: verdict}: a later correction overrides an earlier one, and one that was
    itself overruled or undone does not count."""
    found: "dict[int, int]" = {}
    for at in range(journal.count - 1, -1, -1):
        if journal.kind(at) not in CORRECTIONS or found.get(journal.seq(at)) == DENIED:
            continue
        correction = journal.declaration(at)
        first = journal.find(correction.about)
        last = at if correction.kind == "undo" else first + 1
        for i in range(max(first, 0), last):
            found.setdefault(journal.seq(i), verdict_of(correction))
    return found


def objection(ref: "Referee", correction: "Declaration") -> str:
    """Why a correction cannot be made, or an empty string."""
    journal = ref.journal
    if not 0 < correction.about < correction.seq:
        return "there is no question" if correction.kind == "answer" else "no such number"
    if start_of(journal, correction) < max(0, journal.count + 1 - DEPTH):  # it needs a place itself
        return "too long ago"
    at = journal.find(correction.about)
    if ref.verdicts.get(journal.seq(at)) == DENIED:
        return "it does not count any more"
    if correction.kind == "answer":
        entry = journal.entry(at)
        question = question_about(entry) if isinstance(entry, Fact) else ""
        if not question:
            return "there is no question"
        if correction.verdict == (CHARGED if question == WAS_IT_SO else "yes"):
            return "answer yes or no" if question == WAS_IT_SO else "answer w, b or no"
    if verdict_of(correction) != DENIED and journal.kind(at) in CORRECTIONS:
        return "it was a correction"
    return ""


def start_of(journal: "Journal", correction: "Declaration") -> int:
    """The place of the oldest fact whose verdict a correction may change, -1 if that is gone."""
    start = journal.find(correction.about)
    at = journal.count - 1 if correction.kind == "undo" else start
    while at >= start >= 0:
        if journal.kind(at) in CORRECTIONS:
            start = min(start, journal.find(journal.declaration(at).about))
        at -= 1
    return start


def correct(ref: "Referee", correction: "Declaration") -> "Iterator[Ruling]":
    """Judge again from what the correction is about on; yields the rulings, its own first.

    An undo stores which pieces are not on the mat, to recognise them when they are put back.
    The correction is in the journal already. Its own ruling shows the position it goes back to.
    """
    journal = ref.journal
    start, number = journal.reach(start_of(journal, correction))
    on_the_mat = ref.position.pieces
    ref.start_again(verdicts(journal))
    for at in range(journal.count):
        if at == start:
            evidence = Evidence((), (number,), correction.about)
            yield ref.ruling(
                CODES[correction.kind],
                correction.t_ms,
                correction.player,
                correction.verdict,
                evidence,
            )
        for ruling in judge_again(ref, at):
            if at >= start:
                ruling.date(correction.t_ms)
                yield ruling
    if correction.kind == "undo":
        away = tuple([i for i in sorted(ref.position.pieces) if i not in on_the_mat])
        journal.amend(away)
        ref.position.away = away
    ref.refuse("")  # a declaration judged again may have come to nothing


def judge_again(ref: "Referee", at: int) -> "list[Ruling]":
    """The rulings that the journal's entry at this place leads to now."""
    entry = ref.journal.entry(at)
    rulings = ref.judge(entry, ref.verdicts.get(entry.seq, 0))
    ref.journal.set_mark(at, mark_of(rulings))
    return rulings


def revise(ref: "Referee", at: int) -> "list[Ruling]":
    """Judge the fact at this place of the journal, which was reported after those behind it.

    It is judged as it comes, then with all others in the order in which they happened. If both lead
    to the same rulings, returns the first. Otherwise returns a ruling `revised` about this fact,
    and then the rulings that replace those which no longer hold.
    """
    journal = ref.journal
    arrived = journal.entry(at)
    told = ref.judge(arrived, 0)
    journal.set_mark(at, mark_of(told))
    stood = standing(ref.position)
    before = [journal.mark(i) for i in range(journal.count)]
    start, number = journal.reach(at)
    rulings = revised_from(ref, start, number, arrived)
    after = [journal.mark(i) for i in range(journal.count)]
    if sum(before) == sum(after) and standing(ref.position) == stood:
        return told
    changed = [i for i in range(start) if before[i] != after[i]]
    if changed:  # so far back that it has to be told from there
        start, number = journal.reach(changed[0])
        rulings = revised_from(ref, start, number, arrived)
    return rulings


def revised_from(
    ref: "Referee", start: int, number: int, arrived: "Fact | Declaration"
) -> "list[Ruling]":
    """Judge again all that the journal holds; returns what is ruled from the place `start` on, and
    before that `revised`, which says that the rulings from this number on are void."""
    ref.start_again(verdicts(ref.journal))
    for at in range(start):
        judge_again(ref, at)
    evidence = Evidence((), (number,), arrived.seq)
    rulings = [ref.ruling("revised", arrived.t_ms, 0, "", evidence)]
    for at in range(start, ref.journal.count):
        rulings += judge_again(ref, at)
    return rulings


def standing(position: "Position") -> tuple:
    """What two positions have in common between which players need not be told a difference."""
    owed = sorted([(player, tuple(sorted(ids))) for player, ids in position.owed()])
    return (
        position.phase, position.turn, position.active, position.done, position.reserves, owed,
    )  # fmt: skip


def responsible(entry: "Fact | Declaration", verdict: int) -> "tuple[bool, int] | None":
    """(whether it is nobody's fault, whose doing it is or 0) by this verdict; None if it did not
    happen. Writes into a fact what the players know of it."""
    charged = 0
    if verdict == CERTAIN and isinstance(entry, Fact):
        if entry.kind == UNSURE and entry.why == "contact":
            entry.kind, entry.shape = CONTACT, KISS
        entry.confidence = 100
    elif verdict in (WHITES, BLACKS):
        charged = WHITE if verdict == WHITES else BLACK
        if isinstance(entry, Fact) and entry.face == 0:
            if entry.kind in CARRIED or entry.kind == UNSURE:
                entry.face, charged = charged, 0
    return None if verdict == DENIED else (verdict == WAIVED, charged)
