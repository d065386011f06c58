"""A record as text."""

import json
import re

from polarity_host.games.notation.model import (
    BEGINNING,
    FACT_DEFAULTS,
    SIDES,
    Entry,
    Position,
    Record,
    goes_on,
)

SHAPES = ("flat", "leaner", "tower", "red", "stack", "kiss", "mix")
WORD = re.compile(r"[a-z][a-z0-9_]*")
#: In a position a single disc that lies flat is called by its name.
PIECES = {"flat": "foundation"}


def text_of(record: Record) -> str:
    """The record in its text form, one canonical way."""
    lines = [f"[{name} {quoted(value)}]" for name, value in record.tags]
    if lines and record.entries:
        lines.append("")
    before = BEGINNING
    for entry in record.entries:
        if _opens(entry) and lines[-1:] not in ([], [""]):
            lines.append("")
        lines.append(f"{_stamp(entry)}{_body(entry, before)}{_comment(entry)}".rstrip())
        if entry.kind == "ruling":
            before = entry.fields
        elif entry.kind == "position":
            lines += [f"  {line}" for line in position_lines(entry.position)] + ["end"]
    return "".join(line + "\n" for line in lines)


def position_lines(position: Position) -> list[str]:
    """The lines of a position, one for each thing that is not as in an empty one."""
    lines = []
    if position.rules:
        lines.append(f"rules {position.rules}")
    if position.phase:
        lines.append(f"phase {_name(position.phase)}")
    if position.turn or position.active or position.played:
        played = " played" if position.played else ""
        side = f" {SIDES[position.active]}{played}" if position.active else ""
        lines.append(f"turn {position.turn}{side}")
    for name in ("reserve", "founded"):
        if numbers := getattr(position, name):
            lines.append(f"{name} {_numbers(numbers)}")
    lines += [_piece(*piece) for piece in position.pieces]
    for number, face, discs, owner in position.hands:
        parts = [f"hand {number}", *_face(face), *_if("of", discs, 1)]
        lines.append("; ".join([*parts, *([f"from {SIDES[owner]}"] if owner else [])]))
    lines += [f"owed {_side(player)} {_numbers(ids)}" for player, ids in position.owed]
    lines += _if("surplus", position.surplus, 0)
    if position.outcome:
        why, winner = position.outcome
        lines.append(f"outcome {_name(why)} {SIDES.get(winner, '')}".rstrip())
    lines += [f"state {_name(name)} {quoted(value)}" for name, value in position.other]
    return lines


def quoted(text: str) -> str:
    """A string as the text form writes it: JSON's."""
    return json.dumps(text, ensure_ascii=False)


def _opens(entry: Entry) -> bool:
    """Whether a blank line goes before: a turn, or a position."""
    return entry.kind == "position" or (entry.kind, entry.fields.get("code")) == ("ruling", "turn")


def _stamp(entry: Entry) -> str:
    number = "" if entry.number is None else str(entry.number)
    at = ""
    if entry.t_ms is not None:
        minutes, ms = divmod(abs(entry.t_ms), 60_000)
        at = f"{'-' if entry.t_ms < 0 else ''}{minutes}:{ms // 1000:02}.{ms % 1000:03}"
    if number or at:
        return f"{number:>4} {at:>9}  "
    return "" if entry.kind in ("remark", "position") else "  "


def _comment(entry: Entry) -> str:
    if entry.kind == "remark":
        return f"# {entry.comment}"
    return f"  # {entry.comment}" if entry.comment else ""


def _body(entry: Entry, before: dict) -> str:
    fields = entry.fields
    if entry.kind == "fact":
        return "> " + "; ".join(_fact(fields))
    if entry.kind == "ruling":
        return "= " + "; ".join(_ruling(fields, before))
    if entry.kind == "note":
        return f"* {fields['level']} {quoted(fields['text'])}"
    if entry.kind == "gap":
        return f"! lost {fields['first']} {fields['last']}"
    return "position" if entry.kind == "position" else ""


def _fact(fields: dict) -> list[str]:
    shape = fields["shape"]
    head = fields["f"] + (f" {fields['piece']}" if fields["piece"] else "")
    parts = [head]
    if shape:
        parts.append(shape if shape in SHAPES else f"shape {_name(shape)}")
    parts += _face(fields["face"])
    if fields["others"]:
        parts.append(f"with {_numbers(fields['others'])}")
    parts += _if("of", fields["discs"], FACT_DEFAULTS["discs"])
    if fields["x"] or fields["y"]:
        parts.append(_at(fields["x"], fields["y"]))
    parts += _if("tilt", fields["tilt"], FACT_DEFAULTS["tilt"])
    if fields["d"]:
        parts.append(f"by {_mm(fields['d'])}")
    if fields["why"]:
        parts.append(f"why {_name(fields['why'])}")
    return parts + _if("sure", fields["conf"], FACT_DEFAULTS["conf"])


def _ruling(fields: dict, before: dict) -> list[str]:
    player, why = fields["player"], fields["why"]
    head = [fields["code"]]
    if player or why:
        head += [_side(player)] + ([_name(why)] if why else [])
    parts = [" ".join(head)]
    for name in ("pieces", "facts"):
        if fields[name]:
            parts.append(f"{name} {_numbers(fields[name])}")
    for name in ("names", "seat"):
        parts += _if(name, fields.get(name, 0), 0)
    usual = goes_on(before, fields["code"], player)
    if fields["owed"] != usual["owed"]:
        groups = [f"{_side(debtor)} {_numbers(ids)}" for debtor, ids in fields["owed"]]
        parts.append("owed " + (", ".join(groups) or "nothing"))
    if fields["returns"]:
        shares = [f"{_side(owner)} {discs}" for owner, discs in fields["returns"]]
        parts.append("returns " + ", ".join(shares))
    if fields["reserve"] != usual["reserve"]:
        parts.append(f"reserve {_numbers(fields['reserve'])}")
    parts += _if("turn", fields["turn"], usual["turn"])
    if fields["active"] != usual["active"]:
        parts.append(f"active {_side(fields['active'])}")
    if fields.get("score"):
        parts.append(f"score {_numbers(fields['score'])}")
    return parts


def _piece(number, shape, face, discs, x, y, tilt, azimuth) -> str:
    parts = [f"{PIECES.get(shape, shape)} {number}", *_face(face), *_if("of", discs, 1)]
    parts += [_at(x, y), *_if("tilt", tilt, 0), *_if("towards", azimuth, 0)]
    return "; ".join(parts)


def _at(x: int, y: int) -> str:
    return f"at {_mm(x)} {_mm(y)}"


def _mm(hundredths: int) -> str:
    whole, rest = divmod(abs(hundredths), 100)
    return f"{'-' if hundredths < 0 else ''}{whole}.{rest:02}"


def _numbers(numbers) -> str:
    return " ".join(str(number) for number in numbers)


def _if(name: str, value: int, usual: int) -> list[str]:
    return [] if value == usual else [f"{name} {value}"]


def _face(face: str) -> list[str]:
    return [SIDES[face]] if face else []


def _side(player: str) -> str:
    return SIDES.get(player, "nobody")


def _name(text: str) -> str:
    """A word as it is; anything else in quotes."""
    return text if WORD.fullmatch(text) else quoted(text)
