"""Whether a record makes sense: names that exist, numbers that fit, and the same rulings when its
facts are judged again.
"""

import difflib
import json
from collections.abc import Iterator

from polarity import mat_data
from polarity.facts import Fact
from polarity.rules.editions import EDITIONS, rules_of
from polarity.rules.referee import Referee
from polarity.rules.said import heard
from polarity.wire.messages import encode, ruling_values
from polarity_host.games.notation.messages import result_of, ruling_fields
from polarity_host.games.notation.model import SIDES, Entry, Record
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
        if entry.kind == "ruling" and not holes:
            for named in (*entry.fields["facts"], entry.fields.get("names", 0)):
                if named and named not in known:
                    yield entry.line, f"no line before this one has the number {named}"
    told, result = record.tag("Result"), result_of(record.entries)
    if told not in ("", "?", result):
        line = record.tag_lines.get("Result", 1)
        yield (
            line,
            f"the tag Result says {told!r}, the game {result!r}; correct the one or the other",
        )


def why_not_judged(record: Record) -> str:
    """Why the facts cannot be judged again, "" when they can."""
    kinds = [entry.kind for entry in record.entries]
    if "fact" not in kinds:
        return "it holds no facts"
    if "gap" in kinds:
        return "messages are missing in it"
    if any(e.number is None or e.t_ms is None for e in record.entries if e.kind == "fact"):
        return "a fact in it has no number or no time"
    if record.tag("Edition") in UNKNOWN:
        return "it names no edition"
    return ""


def judged_again(record: Record) -> tuple[int, str]:
    """(line, what differs) for the first ruling that the referee gives otherwise; (0, "") when
    there is none. The record must have no `complaints` and no `why_not_judged`.
    """
    mat = mat_data.load("standard" if record.tag("Mat") in UNKNOWN else record.tag("Mat"))
    referee = Referee(record.tag("Edition"), mat.DISC_RADIUS * 25 >> 5)
    due: list[dict] = []
    for entry in record.entries:
        if entry.kind == "fact":
            if due:
                return entry.line, f"before this the rules give {_told(due[0])}, which is missing"
            due = [_fields(ruling) for ruling in referee.fact(_fact(entry))]
        elif entry.kind == "ruling":
            if not due and (saying := _saying(entry)):
                due = [_fields(ruling) for ruling in referee.said(saying)]
                if referee.refused:
                    return entry.line, f"the rules refuse this: {referee.refused}"
            if not due:
                return entry.line, f"the rules do not give {_told(entry.fields)} here"
            expected = due.pop(0)
            if expected != entry.fields:
                return entry.line, _difference(entry.fields, expected)
    if due:
        return record.entries[-1].line, f"after this the rules give {_told(due[0])}"
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
    """Kinds, codes and reasons that nobody knows: what has no words is none."""
    messages = catalogue("en").messages
    if entry.kind == "fact" and entry.fields["f"] not in messages["fact"]:
        yield entry.line, _unknown("fact", entry.fields["f"], messages["fact"])
    if entry.kind != "ruling":
        return
    code, why = entry.fields["code"], entry.fields["why"]
    codes = [name for name in messages["ruling"] if name != "unknown"]
    if code not in codes:
        yield entry.line, _unknown("ruling", code, codes)
        return
    reasons = messages[REASONS[code]] if code in REASONS else messages["ruling"][code]
    if isinstance(reasons, dict) and why and why not in reasons:
        known = [reason for reason in reasons if reason != "plain"]
        yield entry.line, _unknown(f"reason of {code}", why, known)


def _unknown(what: str, name: str, known) -> str:
    near = difflib.get_close_matches(name, known, n=1)
    hint = f"did you mean {near[0]}?" if near else f"it may be {', '.join(sorted(known))}"
    return f"there is no {what} called {name}; {hint}"


def _fact(entry: Entry) -> Fact:
    f = entry.fields
    fact = Fact(
        f["f"], entry.t_ms, f["piece"], tuple(f["others"]), COLOURS[f["face"]], f["discs"],
        f["x"], f["y"], f["tilt"], f["d"], f["shape"], f["why"], f["conf"],
    )  # fmt: skip
    fact.seq = entry.number
    return fact


def _saying(entry: Entry) -> Fact | None:
    """What the players said, from the ruling that first followed: it is their saying's record."""
    f = entry.fields
    word = f["player"] if f["why"] in ("charged", "") else f["why"]
    sayings = {
        "overruled": ("overrule", [f.get("names", 0), word]),
        "answered": ("answer", [f.get("names", 0), word]),
        "undone": ("undo", [f.get("names", 0)]),
        "adjusted": ("reserve", _counted(f)),
        "toss": ("toss", [f["player"]]),
        ("cube", "doubled"): ("double", [f["player"]]),
        ("cube", "taken"): ("take", []),
        ("cube", "passed"): ("pass", []),
        ("end", "declared"): ("declare", [f["player"] or "draw"]),
    }
    said = sayings.get(f["code"]) or sayings.get((f["code"], f["why"]))
    if said is None or entry.number is None or entry.t_ms is None:
        return None
    saying = heard(said[0], [str(word) for word in said[1]], entry.t_ms)
    if saying:
        saying.seq = entry.number
    return saying


def _counted(fields: dict) -> list:
    """How many discs the counted reserve has, and whose it is: a colour's where there are two, a
    player's own where there are more.
    """
    reserve, player, seat = fields["reserve"], fields["player"], fields.get("seat", 0)
    place = "wb".find(player) if len(reserve) == 2 else seat - 1
    return [reserve[place] if 0 <= place < len(reserve) else "none", player or seat]


def _fields(ruling) -> dict:
    """A ruling's fields as an entry keeps them, by way of the wire."""
    return ruling_fields(json.loads(encode("ruling", 0, 0, 0, ruling_values(ruling))))


def _told(fields: dict) -> str:
    side = SIDES.get(fields["player"], "nobody")
    return " ".join(filter(None, (fields["code"], side, fields["why"])))


def _difference(found: dict, expected: dict) -> str:
    if _told(found) != _told(expected):
        return f"the rules give {_told(expected)} here, not {_told(found)}"
    names = [name for name in expected if expected[name] != found.get(name)]
    name = (names or sorted(set(found) - set(expected)))[0]
    return f"the rules give {name} {expected.get(name)} here, not {found.get(name)}"
