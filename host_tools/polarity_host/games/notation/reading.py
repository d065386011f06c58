"""A record from its text, by the grammar in grammar.lark."""

import difflib
import json
import re
from collections.abc import Callable, Iterable
from decimal import Decimal
from functools import cache
from pathlib import Path
from typing import Any

from lark import (
    Lark,
    Token,
    Transformer,
    UnexpectedCharacters,
    UnexpectedInput,
    UnexpectedToken,
    v_args,
)
from lark.exceptions import VisitError
from lark.tree import Meta
from msgspec.structs import replace

from polarity_host.errors import Said, SaidError
from polarity_host.games.notation.model import (
    NO_RULING,
    PLAIN_FACT,
    SIDES,
    VERSION,
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

#: A part of a line by its name in the grammar, as `("turn", 3)`.
Clause = tuple[str, Any]

GRAMMAR = Path(__file__).parent / "grammar.lark"
LETTERS = {side: letter for letter, side in SIDES.items()} | {"nobody": ""}
SHAPES = {"foundation": "flat"}
PIECE_DEFAULTS = {"face": "", "discs": 1, "at": (0, 0), "tilt": 0, "azimuth": 0}
SEVERAL = ("pieces", "hands", "owed", "other")  # lines that a position may repeat

MOST_DIGITS = 18  # of a number, sign and point included: the wire's largest has 16

#: What the grammar's terminals are called in a complaint.
CALLED = {
    "INT": "a whole number",
    "MM": "a length in mm",
    "TIME": "a time (m:ss.mmm)",
    "WORD": "a word in small letters",
    "STRING": 'a text in "…"',
    "TAG": "a tag's name",
    "RULES": "an edition",
    "COMMENT": "# and a comment",
    "_NL": "the end of the line",
    "$END": "the end",
}


class RecordError(SaidError):
    """A text that is no record. `line` from one; the message says what to do there."""

    def __init__(self, line: int, text: str, /, **values: object):
        super().__init__("line {line}: {what}", line=line, what=Said(text, **values))
        self.line = line


def record_of(text: str) -> Record:
    """The record that the text holds. RecordError names the first line that cannot be read."""
    if not text.startswith(("[Polarity ", "\ufeff[Polarity ")):
        raise RecordError(
            1, 'no game record: it must begin with [Polarity "{VERSION}"]', VERSION=VERSION
        )
    try:
        tree = _parser().parse(text.removeprefix("\ufeff").rstrip() + "\n")
        record = _Builder().transform(tree)
    except UnexpectedInput as error:
        raise _complaint(error, text) from error
    except VisitError as error:
        if isinstance(error.orig_exc, RecordError):
            raise error.orig_exc from error
        raise
    version = record.tag("Polarity")
    if version != VERSION:
        raise RecordError(
            1,
            "version {version} is not known here, only {VERSION}: update this",
            version=version,
            VERSION=VERSION,
        )
    return record


@cache
def _parser() -> Lark:
    return Lark(
        GRAMMAR.read_text(encoding="utf-8"),
        parser="lalr",
        propagate_positions=True,
        maybe_placeholders=True,
    )


def _complaint(error: UnexpectedInput, text: str) -> RecordError:
    """What stands there, and what may stand there."""
    line = max(1, error.line if error.line and error.line > 0 else text.count("\n"))
    lines = text.split("\n")
    stands = lines[line - 1][max(0, error.column - 1) :].strip() if line <= len(lines) else ""
    names: Iterable[str] | None = None
    if isinstance(error, UnexpectedCharacters):
        names = error.allowed
    elif isinstance(error, UnexpectedToken):
        names = error.accepts
    allowed = sorted({shown for name in names or () if name != "$END" for shown in _shown(name)})
    missing = Said("something is missing")
    found = Said("cannot read {text!r}", text=stands[:40]) if stands else missing
    word = stands.split(" ")[0].rstrip(";,")
    if near := difflib.get_close_matches(word, allowed, n=1):
        return RecordError(line, "{found}; did you mean {near}?", found=found, near=near[0])
    return RecordError(
        line, "{found}; here may stand: {allowed}", found=found, allowed=", ".join(allowed)
    )


def _shown(terminal: str) -> list[str]:
    """A terminal of the grammar as a reader of a record sees it: what it may be."""
    if terminal in CALLED:
        return [CALLED[terminal]]
    pattern = next(t.pattern for t in _parser().terminals if t.name == terminal)
    return re.findall(r"[a-z]+|[^()|?:a-z]", pattern.value)


def _once(clauses: Iterable[Clause], line: int) -> dict[str, Any]:
    """Clauses by name, each of them once."""
    values: dict[str, Any] = {}
    for name, value in clauses:
        if name in values:
            raise RecordError(line, "{name} stands here twice; strike one out", name=name)
        values[name] = value
    return values


def _single(name: str) -> Callable[["_Builder", list[Any]], Clause]:
    """The method for a clause that holds one value."""
    return lambda _, parts: (name, parts[0])


def _several(name: str) -> Callable[["_Builder", list[Any]], Clause]:
    """The method for a clause that holds a list."""
    return lambda _, parts: (name, tuple(parts))


def _short(number: Token) -> Token:
    """A number as it may stand in a record."""
    if len(number) > MOST_DIGITS:
        raise RecordError(number.line or 1, "{text}… is no number of a game", text=number[:12])
    return number


class _Builder(Transformer[Token, Record]):
    """From the tree to the record, in the order of the text. A clause becomes (name, value)."""

    def __init__(self) -> None:
        super().__init__()
        self._before = NO_RULING  # the ruling before the one that comes next

    def start(self, parts: list[Any]) -> Record:
        tags: dict[str, str] = {}
        tag_lines: dict[str, int] = {}
        entries: list[Entry] = []
        for part in parts:
            if isinstance(part, Entry):
                entries.append(part)
                continue
            name, value, line = part
            if name in tags:
                raise RecordError(line, "the tag {name} stands here for the second time", name=name)
            tags[name], tag_lines[name] = value, line
        return Record(tuple(tags.items()), tuple(entries), tag_lines)

    @v_args(meta=True)
    def tag(self, meta: Meta, parts: list[Any]) -> tuple[str, str, int]:
        return str(parts[0]), parts[1], meta.line

    @v_args(meta=True)
    def remark(self, meta: Meta, parts: list[Any]) -> Entry:
        return Entry(None, comment=parts[0], line=meta.line)

    @v_args(meta=True)
    def entry(self, meta: Meta, parts: list[Any]) -> Entry:
        number, t_ms, body, comment = parts
        return Entry(body, number, t_ms, comment or "", meta.line)

    @v_args(meta=True)
    def position(self, meta: Meta, parts: list[Any]) -> Entry:
        number, t_ms, comment, *clauses = parts
        gathered: dict[str, Any] = {
            name: tuple(v for n, v in clauses if n == name) for name in SEVERAL
        }
        single = _once([clause for clause in clauses if clause[0] not in SEVERAL], meta.line)
        turn, active, played = single.pop("moment", (0, "", False))
        position = RecordedPosition(turn=turn, active=active, played=played, **(gathered | single))
        return Entry(position, number, t_ms, comment or "", meta.line)

    @v_args(meta=True)
    def fact(self, meta: Meta, parts: list[Any]) -> FactMessage:
        kind, piece, *clauses = parts
        values = _once(clauses, meta.line)
        x, y = values.pop("at", (0, 0))
        values["confidence"] = values.pop("conf", PLAIN_FACT.confidence)
        return replace(PLAIN_FACT, kind=str(kind), piece=piece or 0, x=x, y=y, **values)

    @v_args(meta=True)
    def ruling(self, meta: Meta, parts: list[Any]) -> RulingMessage:
        code, player, why, *clauses = parts
        usual = ruling_after(self._before, str(code), player or "")
        self._before = replace(usual, why=why or "", **_once(clauses, meta.line))
        return self._before

    def note(self, parts: list[Any]) -> LogMessage:
        return LogMessage(str(parts[0]), parts[1])

    def gap(self, parts: list[Any]) -> GapMessage:
        return GapMessage(parts[0], parts[1])

    def name(self, parts: list[Any]) -> str:
        return str(parts[0])

    def group(self, parts: list[Any]) -> tuple[str, tuple[int, ...]]:
        return parts[0], tuple(parts[1:])

    def share(self, parts: list[Any]) -> tuple[str, int]:
        return parts[0], parts[1]

    face, shape, discs, tilt, d, why, conf = map(
        _single, ("face", "shape", "discs", "tilt", "d", "why", "conf")
    )
    names, seat, turn, active, phase, surplus, rules, azimuth, owner = map(
        _single,
        ("names", "seat", "turn", "active", "phase", "surplus", "rules", "azimuth", "owner"),
    )
    others, pieces, facts, owed, returns, reserve, score, at, founded = map(
        _several,
        ("others", "pieces", "facts", "owed", "returns", "reserve", "score", "at", "founded"),
    )

    # lines of a position
    def moment(self, parts: list[Any]) -> Clause:
        turn, active, played = [*parts, None, None][:3]
        return "moment", (turn, active or "", bool(played))

    @v_args(meta=True)
    def piece(self, meta: Meta, parts: list[Any]) -> Clause:
        shape, number, *clauses = parts
        values = PIECE_DEFAULTS | _once(clauses, meta.line)
        shape = SHAPES.get(shape, str(shape))
        x, y = values["at"]
        return "pieces", PieceRow(
            number, shape, values["face"], values["discs"], x, y, values["tilt"], values["azimuth"]
        )

    @v_args(meta=True)
    def hand(self, meta: Meta, parts: list[Any]) -> Clause:
        values = {"face": "", "discs": 1, "owner": "", **_once(parts[1:], meta.line)}
        return "hands", (parts[0], values["face"], values["discs"], values["owner"])

    def owes(self, parts: list[Any]) -> Clause:
        return "owed", parts[0]

    def outcome(self, parts: list[Any]) -> Clause:
        return "outcome", (parts[0], parts[1] or "")

    def other(self, parts: list[Any]) -> Clause:
        return "other", (parts[0], parts[1])

    # terminals
    def INT(self, token: Token) -> int:
        return int(_short(token))

    def MM(self, token: Token) -> int:
        return int(Decimal(_short(token)) * 100)

    def TIME(self, token: Token) -> int:
        _short(token)
        minutes, seconds = token.lstrip("-").split(":")
        t_ms = int(minutes) * 60_000 + int(Decimal(seconds) * 1000)
        return -t_ms if token.startswith("-") else t_ms

    def SIDE(self, token: Token) -> str:
        return LETTERS[token]

    NOBODY = SIDE

    def SHAPE(self, token: Token) -> str:
        return str(token)

    def RULES(self, token: Token) -> str:
        return str(token)

    def STRING(self, token: Token) -> str:
        try:
            text = json.loads(token)
            text.encode()  # half a character is no text
            return text
        except ValueError:
            raise RecordError(
                token.line or 1, "{token} is no text: write a \\ as \\\\", token=token
            ) from None

    def COMMENT(self, token: Token) -> str:
        return token[1:].strip()
