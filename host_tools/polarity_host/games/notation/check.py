"""Whether a record makes sense: names that exist, numbers that fit, and the same rulings when its
facts are judged again.
"""

import difflib
import json
from collections.abc import Collection, Iterator

from polarity import mat_data
from polarity.facts import Fact
from polarity.rules.declarations import Declaration, parse
from polarity.rules.editions import EDITIONS, rules_of
from polarity.rules.referee import Referee
from polarity.rules.ruling import Ruling
from polarity.wire.messages import encode, ruling_values
from polarity_host.errors import Said
from polarity_host.games.notation.messages import result_of
from polarity_host.games.notation.model import RULING_FIELDS, SIDES, Entry, Record, fields_of
from polarity_host.wire.messages import FactMessage, RulingMessage, body_of
from polarity_host.words.catalogue import catalogue
from polarity_host.words.rulings import REASONS

COLOURS = {"w": 1, "b": -1, "": 0}
UNKNOWN = ("", "?")


def complaints(record: Record) -> Iterator[tuple[int, str]]:
    """(line, what is wrong and what to do) for what cannot be so, in order of the text."""
    yield from _tags(record)
    known: set[int] = set()
    last = 0
    holes = False
    for entry in record.entries:
        holes = holes or entry.kind == "gap"
        number = entry.number
        if number is not None:
            if number <= last:
                yield entry.line, f"number {number} comes after {last}; number the lines upwards"
            known.add(number)
            last = number
        yield from _names(entry)
        if isinstance(entry.body, RulingMessage) and not holes:
            for named in (*entry.body.facts, entry.body.names):
                if named and named not in known:
                    yield entry.line, f"no line before this one has the number {named}"
    stated, result = record.tag("Result"), result_of(record.entries)
    if stated not in ("", "?", result):
        line = record.tag_lines.get("Result", 1)
        yield (
            line,
            f"the tag Result says {stated!r}, the game {result!r}; correct the one or the other",
        )


def why_not_judged(record: Record) -> Said | None:
    """Why the facts cannot be judged again, None when they can."""
    kinds = [entry.kind for entry in record.entries]
    if "fact" not in kinds:
        return Said("it holds no facts")
    if "gap" in kinds:
        return Said("messages are missing in it")
    if any(e.number is None or e.t_ms is None for e in record.entries if e.kind == "fact"):
        return Said("a fact in it has no number or no time")
    if record.tag("Edition") in UNKNOWN:
        return Said("it names no edition")
    return None


def judged_again(record: Record) -> tuple[int, str]:
    """(line, what differs) for the first ruling that the referee gives otherwise; (0, "") when
    there is none. The record must have no `complaints` and no `why_not_judged`.
    """
    mat = mat_data.load("standard" if record.tag("Mat") in UNKNOWN else record.tag("Mat"))
    referee = Referee(record.tag("Edition"), mat.DISC_RADIUS * 25 >> 5)
    due: list[RulingMessage] = []
    for entry in record.entries:
        body = entry.body
        if isinstance(body, FactMessage):
            if due:
                return entry.line, f"before this the rules give {_brief(due[0])}, which is missing"
            due = [_message(ruling) for ruling in referee.handle_fact(_observed(entry, body))]
        elif isinstance(body, RulingMessage):
            if not due and (declaration := _declaration(entry, body)):
                due = [_message(ruling) for ruling in referee.handle_declaration(declaration)]
                if referee.refusal:
                    return entry.line, f"the rules refuse this: {referee.refusal}"
            if not due:
                return entry.line, f"the rules do not give {_brief(body)} here"
            expected = due.pop(0)
            if expected != body:
                return entry.line, _difference(body, expected)
    if due:
        return record.entries[-1].line, f"after this the rules give {_brief(due[0])}"
    return 0, ""


def _tags(record: Record) -> Iterator[tuple[int, str]]:
    edition, mat = record.tag("Edition"), record.tag("Mat")
    if edition not in UNKNOWN and rules_of(edition) is None:
        known = ", ".join(EDITIONS)
        yield record.tag_lines.get("Edition", 1), f"no edition {edition!r}; choose one of: {known}"
    if mat not in UNKNOWN:
        try:
            mat_data.load(mat)
        except ValueError as error:
            yield record.tag_lines.get("Mat", 1), str(error)


def _names(entry: Entry) -> Iterator[tuple[int, str]]:
    """Unknown kinds, codes and reasons: those that no catalogue has words for."""
    messages = catalogue("en").messages
    body = entry.body
    if isinstance(body, FactMessage) and body.kind not in messages["fact"]:
        yield entry.line, _unknown("fact", body.kind, messages["fact"])
    if not isinstance(body, RulingMessage):
        return
    code, why = body.code, body.why
    codes = [name for name in messages["ruling"] if name != "unknown"]
    if code not in codes:
        yield entry.line, _unknown("ruling", code, codes)
        return
    reasons = messages[REASONS[code]] if code in REASONS else messages["ruling"][code]
    if isinstance(reasons, dict) and why and why not in reasons:
        known = [reason for reason in reasons if reason != "plain"]
        yield entry.line, _unknown(f"reason of {code}", why, known)


def _unknown(what: str, name: str, known: Collection[str]) -> str:
    near = difflib.get_close_matches(name, known, n=1)
    hint = f"did you mean {near[0]}?" if near else f"it may be {', '.join(sorted(known))}"
    return f"there is no {what} called {name}; {hint}"


def _observed(entry: Entry, fact: FactMessage) -> Fact:
    """The fact as the referee takes it."""
    assert entry.number is not None and entry.t_ms is not None, "why_not_judged excludes these"
    observed = Fact(
        fact.kind, entry.t_ms, fact.piece, fact.others, COLOURS[fact.face], fact.discs,
        fact.x, fact.y, fact.tilt, fact.d, fact.shape, fact.why, fact.confidence,
    )  # fmt: skip
    observed.seq = entry.number or 0
    return observed


def _declaration(entry: Entry, ruling: RulingMessage) -> Declaration | None:
    """What the players declared, from the first ruling that followed, which is its only record."""
    word = ruling.player if ruling.why in ("charged", "") else ruling.why
    commands: dict[str | tuple[str, str], tuple[str, list[object]]] = {
        "overruled": ("overrule", [ruling.names, word]),
        "answered": ("answer", [ruling.names, word]),
        "undone": ("undo", [ruling.names]),
        "adjusted": ("reserve", _counted(ruling)),
        "toss": ("toss", [ruling.player]),
        ("cube", "doubled"): ("double", [ruling.player]),
        ("cube", "taken"): ("take", []),
        ("cube", "passed"): ("pass", []),
        ("captured", "in_place"): ("capture", []),
        ("end", "declared"): ("declare", [ruling.player or "draw"]),
    }
    command = commands.get(ruling.code) or commands.get((ruling.code, ruling.why))
    if command is None or entry.number is None or entry.t_ms is None:
        return None
    name, words = command
    declared = parse(name, [str(word) for word in words], entry.t_ms)
    if declared:
        declared.seq = entry.number
    return declared


def _counted(ruling: RulingMessage) -> list[object]:
    """How many discs the counted reserve has, and whose it is: a colour's where there are two, a
    player's own where there are more.
    """
    reserve, player = ruling.reserve, ruling.player
    place = "wb".find(player) if len(reserve) == 2 else ruling.seat - 1
    return [reserve[place] if 0 <= place < len(reserve) else "none", player or ruling.seat]


def _message(ruling: Ruling) -> RulingMessage:
    """The message of a ruling, by way of the wire."""
    message = body_of(json.loads(encode("ruling", 0, 0, 0, ruling_values(ruling))))
    assert isinstance(message, RulingMessage)
    return message


def _brief(ruling: RulingMessage) -> str:
    side = SIDES.get(ruling.player, "nobody")
    return " ".join(filter(None, (ruling.code, side, ruling.why)))


def _difference(found: RulingMessage, expected: RulingMessage) -> str:
    if _brief(found) != _brief(expected):
        return f"the rules give {_brief(expected)} here, not {_brief(found)}"
    given, written = fields_of(expected), fields_of(found)
    name = next(name for name in RULING_FIELDS if given.get(name) != written.get(name))
    return f"the rules give {name} {given.get(name)} here, not {written.get(name)}"
