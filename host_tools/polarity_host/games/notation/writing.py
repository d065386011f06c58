"""A record as text."""

import json
import re
from collections.abc import Iterable

from polarity_host.games.notation.model import (
    NO_RULING,
    PLAIN_FACT,
    SIDES,
    Entry,
    Record,
    RecordedPosition,
    ruling_after,
)
from polarity_host.wire.messages import (
    FactMessage,
    GapMessage,
    LogMessage,
    PieceRow,
    RulingMessage,
)

SHAPES = ("flat", "leaner", "tower", "red", "stack", "kiss", "mix")
WORD = re.compile(r"[a-z][a-z0-9_]*")
#: In a position a single disc that lies flat is called by its own name.
PIECES = {"flat": "foundation"}


def text_of(record: Record) -> str:
    """The record in its text form, one canonical way."""
    lines = [f"[{name} {quoted(value)}]" for name, value in record.tags]
    if lines and record.entries:
        lines.append("")
    before = NO_RULING
    for entry in record.entries:
        if _opens(entry) and lines[-1:] not in ([], [""]):
            lines.append("")
        lines.append(f"{_stamp(entry)}{_body(entry, before)}{_comment(entry)}".rstrip())
        if isinstance(entry.body, RulingMessage):
            before = entry.body
        elif isinstance(entry.body, RecordedPosition):
            lines += [f"  {line}" for line in position_lines(entry.body)] + ["end"]
    return "".join(line + "\n" for line in lines)


def position_lines(position: RecordedPosition) -> list[str]:
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
    if position.reserve:
        lines.append(f"reserve {_numbers(position.reserve)}")
    if position.founded:
        lines.append(f"founded {_numbers(position.founded)}")
    lines += [_piece(piece) for piece in position.pieces]
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
    body = entry.body
    return isinstance(body, RecordedPosition) or (
        isinstance(body, RulingMessage) and body.code == "turn"
    )


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


def _body(entry: Entry, before: RulingMessage) -> str:
    match entry.body:
        case FactMessage() as fact:
            return "> " + "; ".join(_fact(fact))
        case RulingMessage() as ruling:
            return "= " + "; ".join(_ruling(ruling, before))
        case LogMessage(level, text):
            return f"* {level} {quoted(text)}"
        case GapMessage(first, last):
            return f"! lost {first} {last}"
        case RecordedPosition():
            return "position"
        case None:
            return ""


def _fact(fact: FactMessage) -> list[str]:
    shape = fact.shape
    parts = [fact.kind + (f" {fact.piece}" if fact.piece else "")]
    if shape:
        parts.append(shape if shape in SHAPES else f"shape {_name(shape)}")
    parts += _face(fact.face)
    if fact.others:
        parts.append(f"with {_numbers(fact.others)}")
    parts += _if("of", fact.discs, PLAIN_FACT.discs)
    if fact.x or fact.y:
        parts.append(_at(fact.x, fact.y))
    parts += _if("tilt", fact.tilt, PLAIN_FACT.tilt)
    if fact.d:
        parts.append(f"by {_mm(fact.d)}")
    if fact.why:
        parts.append(f"why {_name(fact.why)}")
    return parts + _if("sure", fact.confidence, PLAIN_FACT.confidence)


def _ruling(ruling: RulingMessage, before: RulingMessage) -> list[str]:
    player, why = ruling.player, ruling.why
    head = [ruling.code]
    if player or why:
        head += [_side(player)] + ([_name(why)] if why else [])
    parts = [" ".join(head)]
    if ruling.pieces:
        parts.append(f"pieces {_numbers(ruling.pieces)}")
    if ruling.facts:
        parts.append(f"facts {_numbers(ruling.facts)}")
    parts += _if("names", ruling.names, 0)
    parts += _if("seat", ruling.seat, 0)
    usual = ruling_after(before, ruling.code, player)
    if ruling.owed != usual.owed:
        groups = [f"{_side(debtor)} {_numbers(ids)}" for debtor, ids in ruling.owed]
        parts.append("owed " + (", ".join(groups) or "nothing"))
    if ruling.returns:
        shares = [f"{_side(owner)} {discs}" for owner, discs in ruling.returns]
        parts.append("returns " + ", ".join(shares))
    if ruling.reserve != usual.reserve:
        parts.append(f"reserve {_numbers(ruling.reserve)}")
    parts += _if("turn", ruling.turn, usual.turn)
    if ruling.active != usual.active:
        parts.append(f"active {_side(ruling.active)}")
    if ruling.score:
        parts.append(f"score {_numbers(ruling.score)}")
    return parts


def _piece(piece: PieceRow) -> str:
    called = PIECES.get(piece.shape, piece.shape)
    parts = [f"{called} {piece.number}", *_face(piece.face), *_if("of", piece.discs, 1)]
    parts += [_at(piece.x, piece.y), *_if("tilt", piece.tilt, 0)]
    parts += _if("towards", piece.azimuth, 0)
    return "; ".join(parts)


def _at(x: int, y: int) -> str:
    return f"at {_mm(x)} {_mm(y)}"


def _mm(hundredths: int) -> str:
    whole, rest = divmod(abs(hundredths), 100)
    return f"{'-' if hundredths < 0 else ''}{whole}.{rest:02}"


def _numbers(numbers: Iterable[int]) -> str:
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
