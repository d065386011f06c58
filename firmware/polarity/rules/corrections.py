"""What players put right. Nothing is taken out of the record: a correction is one more entry in it,
and everything from what it corrects on is judged again, each fact with the verdict it now has.

Verdicts on a fact: it did not happen; it is nobody's fault; it was white's or black's doing (or the
colour in question is this one); it did happen.
"""

from polarity.facts import BLACK, CONTACT, KISS, UNSURE, WHITE
from polarity.rules.copying import copy_of
from polarity.rules.faults import CARRIED, SO, asks
from polarity.rules.journal import DEPTH
from polarity.rules.position import OVER
from polarity.rules.said import CORRECTIONS

DENIED = 1
WAIVED = 2
WHITES = 3
BLACKS = 4
CERTAIN = 5

CHARGED = "charged"
CODES = {"overrule": "overruled", "answer": "answered", "undo": "undone"}


def taken_up(ref, said):
    """Hear what the players say; yields the rulings that follow: see Referee.said."""
    ref.refused = ""
    if said.kind in CORRECTIONS:
        if said.piece == 0:
            said.piece = meant(ref, said)
        ref.refused = objection(ref, said)
        if not ref.refused:
            ref.keep(said)
            yield from correct(ref, said)
    elif ref.position.phase == OVER:
        ref.refused = "the game is over"
    else:
        rulings = ref.judge(said, 0)
        if not ref.refused:
            ref.keep(said)
            ref.ruled = said.seq
            yield from rulings


def meant(ref, said):
    """The number that 0 stands for: of an answer this turn's question; of an undo the last that led
    to a ruling and counts, corrections too but no undo; of `denied` likewise, an undo too; else
    the last fact or saying that led to a ruling. 0 for none.
    """
    question = ref.position.question
    if said.kind == "answer":
        return question[0] if question else 0
    journal = ref.journal
    if said.kind == "undo" or said.why == "denied":
        for at in range(journal.count - 1, journal.find(ref.ruled), -1):
            kind, seq = journal.kind(at), journal.seq(at)
            if kind in CORRECTIONS and ref.verdicts.get(seq) != DENIED:
                if not kind == said.kind == "undo":
                    return seq
    return ref.ruled


def verdict_of(said):
    """What a correction makes of the fact it is about."""
    if said.kind == "undo":
        return DENIED
    if said.why == CHARGED:
        return WHITES if said.face == WHITE else BLACKS
    if said.why == "waived":
        return WAIVED
    return CERTAIN if said.why == "yes" else DENIED


def verdicts(journal):
    """{number of a fact: verdict}: a later correction goes before an earlier one, and one that was
    itself overruled or undone counts for nothing."""
    found = {}
    for at in range(journal.count - 1, -1, -1):
        if journal.kind(at) not in CORRECTIONS or found.get(journal.seq(at)) == DENIED:
            continue
        said = journal.fact(at)
        first = journal.find(said.piece)
        last = at if said.kind == "undo" else first + 1
        for i in range(max(first, 0), last):
            found.setdefault(journal.seq(i), verdict_of(said))
    return found


def objection(ref, said):
    """Why a correction cannot be made, or an empty string."""
    journal = ref.journal
    if not 0 < said.piece < said.seq:
        return "there is no question" if said.kind == "answer" else "no such number"
    if start_of(journal, said) < max(0, journal.count + 1 - DEPTH):  # it needs a place itself
        return "too long ago"
    at = journal.find(said.piece)
    if ref.verdicts.get(journal.seq(at)) == DENIED:
        return "it does not count any more"
    if said.kind == "answer":
        question = asks(journal.fact(at))
        if not question:
            return "there is no question"
        if said.why == (CHARGED if question == SO else "yes"):
            return "answer yes or no" if question == SO else "answer w, b or no"
    if verdict_of(said) != DENIED and journal.kind(at) in CORRECTIONS:
        return "it was a correction"
    return ""


def start_of(journal, said):
    """The place of the oldest fact whose verdict a correction may change, -1 if that is gone."""
    start = journal.find(said.piece)
    at = journal.count - 1 if said.kind == "undo" else start
    while at >= start >= 0:
        if journal.kind(at) in CORRECTIONS:
            start = min(start, journal.find(journal.fact(at).piece))
        at -= 1
    return start


def correct(ref, said):
    """Judge again from what the correction is about on; yields the rulings, its own first.

    An undo remembers which pieces are not on the mat, to know them when they are put back.
    The correction stands in the journal already. Its ruling tells the position it goes back to.
    """
    journal = ref.journal
    start = start_of(journal, said)
    lay = ref.position.pieces
    ref.verdicts = verdicts(journal)
    ref.ruled = 0
    ref.position = copy_of(ref.base)
    for at in range(journal.count):
        fact = journal.fact(at)
        seq = fact.seq
        if at == start:
            ref.t_ms = said.t_ms
            yield ref.ruling(CODES[said.kind], said.face, said.why, (), (seq,), names=said.piece)
        rulings = ref.judge(fact, ref.verdicts.get(seq, 0))
        if rulings:
            ref.ruled = seq
        for ruling in rulings:
            if at >= start:
                ruling.t_ms = said.t_ms
                yield ruling
    if said.kind == "undo":
        away = tuple([i for i in sorted(ref.position.pieces) if i not in lay])
        journal.amend(away)
        ref.position.away = away
    ref.refused = ""  # a saying judged again may have come to nothing


def put_right(ref, fact, verdict):
    """The fact as the players know it to be, and whose doing it is; returns whether it happened."""
    ref.waived = verdict == WAIVED
    if verdict == CERTAIN:
        if fact.kind == UNSURE and fact.why == "contact":
            fact.kind, fact.shape = CONTACT, KISS
        fact.confidence = 100
    elif verdict in (WHITES, BLACKS):
        colour = WHITE if verdict == WHITES else BLACK
        if fact.face == 0 and (fact.kind in CARRIED or fact.kind == UNSURE):
            fact.face = colour
        else:
            ref.charged = colour
    return verdict != DENIED
