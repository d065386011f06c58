"""A record from its text, by the grammar in grammar.lark."""

import difflib
import json
import re
from decimal import Decimal
from functools import cache
from pathlib import Path

from lark import Lark, Token, Transformer, UnexpectedCharacters, UnexpectedInput, v_args
from lark.exceptions import VisitError

from polarity_host.games.notation.model import (
    BEGINNING,
    FACT_DEFAULTS,
    RULING_DEFAULTS,
    SIDES,
    VERSION,
    Entry,
    Position,
    Record,
    goes_on,
)

GRAMMAR = Path(__file__).parent / "grammar.lark"
LETTERS = {side: letter for letter, side in SIDES.items()} | {"nobody": ""}
SHAPES = {"foundation": "flat"}
PIECE_DEFAULTS = {"face": "", "discs": 1, "at": (0, 0), "tilt": 0, "azimuth": 0}
SEVERAL = ("pieces", "hands", "owed", "other")  # lines that a position may have more of

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


class RecordError(Exception):
    """A text that is no record. `line` from one; `message` is one line that says what to do."""

    def __init__(self, line: int, message: str):
        super().__init__(f"line {line}: {message}")
        self.line = line


def record_of(text: str) -> Record:
    """The record that the text holds. RecordError names the first line that cannot be read."""
    if not text.startswith(("[Polarity ", "\ufeff[Polarity ")):
        raise RecordError(1, f'no game record: it must begin with [Polarity "{VERSION}"]')
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
        raise RecordError(1, f"version {version} is not known here, only {VERSION}: update this")
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
    names = error.allowed if isinstance(error, UnexpectedCharacters) else error.accepts
    allowed = sorted({shown for name in names or () if name != "$END" for shown in _shown(name)})
    found = f"cannot read {stands[:40]!r}" if stands else "something is missing"
    word = stands.split(" ")[0].rstrip(";,")
    if near := difflib.get_close_matches(word, allowed, n=1):
        return RecordError(line, f"{found}; did you mean {near[0]}?")
    return RecordError(line, f"{found}; here may stand: {', '.join(allowed)}")


def _shown(terminal: str) -> list[str]:
    """A terminal of the grammar as a reader of a record sees it: what it may be."""
    if terminal in CALLED:
        return [CALLED[terminal]]
    pattern = next(t.pattern for t in _parser().terminals if t.name == terminal)
    return re.findall(r"[a-z]+|[^()|?:a-z]", pattern.value)


def _once(clauses: list, line: int) -> dict:
    """Clauses by name, each of them once."""
    said = {}
    for name, value in clauses:
        if name in said:
            raise RecordError(line, f"{name} stands here twice; strike one out")
        said[name] = value
    return said


class _Builder(Transformer):
    """From the tree to the record. A clause becomes (its name, its value)."""

    def start(self, parts):
        tags, tag_lines, entries, before = {}, {}, [], BEGINNING
        for part in parts:
            if isinstance(part, Entry):
                if part.kind == "ruling":
                    before = {**goes_on(before, part.fields["code"], part.fields["player"]),
                              **part.fields}  # fmt: skip
                    part = Entry(part.kind, before, part.number, part.t_ms, part.comment,
                                 line=part.line)  # fmt: skip
                entries.append(part)
            else:
                name, value, line = part
                if name in tags:
                    raise RecordError(line, f"the tag {name} stands here for the second time")
                tags[name], tag_lines[name] = value, line
        return Record(tuple(tags.items()), tuple(entries), tag_lines)

    @v_args(meta=True)
    def tag(self, meta, parts):
        return str(parts[0]), parts[1], meta.line

    @v_args(meta=True)
    def remark(self, meta, parts):
        return Entry("remark", comment=parts[0], line=meta.line)

    @v_args(meta=True)
    def entry(self, meta, parts):
        number, t_ms, (kind, fields), comment = parts
        return Entry(kind, fields, number, t_ms, comment or "", line=meta.line)

    @v_args(meta=True)
    def position(self, meta, parts):
        number, t_ms, comment, *clauses = parts
        gathered = {name: [v for n, v in clauses if n == name] for name in SEVERAL}
        single = _once([clause for clause in clauses if clause[0] not in SEVERAL], meta.line)
        turn, active, played = single.pop("moment", (0, "", False))
        said = {
            name: tuple(value) if isinstance(value, list) else value
            for name, value in (gathered | single).items()
        }
        position = Position(turn=turn, active=active, played=played, **said)
        return Entry("position", {}, number, t_ms, comment or "", position, meta.line)

    @v_args(meta=True)
    def fact(self, meta, parts):
        kind, piece, *clauses = parts
        fields = {"f": str(kind), **FACT_DEFAULTS, "piece": piece or 0, **_once(clauses, meta.line)}
        fields["x"], fields["y"] = fields.pop("at", (0, 0))
        return "fact", fields

    @v_args(meta=True)
    def ruling(self, meta, parts):
        code, player, why, *clauses = parts
        fields = {"code": str(code), **RULING_DEFAULTS, "player": player or "", "why": why or ""}
        return "ruling", fields | _once(clauses, meta.line)

    def note(self, parts):
        return "note", {"level": str(parts[0]), "text": parts[1]}

    def gap(self, parts):
        return "gap", {"first": parts[0], "last": parts[1]}

    def name(self, parts):
        return str(parts[0])

    def group(self, parts):
        return [parts[0], parts[1:]]

    def share(self, parts):
        return list(parts)

    # clauses that hold one value
    def _one(name):  # noqa: N805
        return lambda self, parts: (name, parts[0])

    face, shape, discs, tilt, d, why, conf = map(
        _one, ("face", "shape", "discs", "tilt", "d", "why", "conf")
    )
    names, seat, turn, active, phase, surplus, rules, azimuth, owner = map(
        _one, ("names", "seat", "turn", "active", "phase", "surplus", "rules", "azimuth", "owner")
    )

    # clauses that hold a list
    def _list(name):  # noqa: N805
        return lambda self, parts: (name, list(parts))

    others, pieces, facts, owed, returns, reserve, score, at, founded = map(
        _list,
        ("others", "pieces", "facts", "owed", "returns", "reserve", "score", "at", "founded"),
    )

    # lines of a position
    def moment(self, parts):
        turn, active, played = [*parts, None, None][:3]
        return "moment", (turn, active or "", bool(played))

    @v_args(meta=True)
    def piece(self, meta, parts):
        shape, number, *clauses = parts
        said = PIECE_DEFAULTS | _once(clauses, meta.line)
        shape = SHAPES.get(shape, str(shape))
        where = (*said["at"], said["tilt"], said["azimuth"])
        return "pieces", (number, shape, said["face"], said["discs"], *where)

    @v_args(meta=True)
    def hand(self, meta, parts):
        said = {"face": "", "discs": 1, "owner": "", **_once(parts[1:], meta.line)}
        return "hands", (parts[0], said["face"], said["discs"], said["owner"])

    def owes(self, parts):
        player, ids = parts[0]
        return "owed", (player, tuple(ids))

    def outcome(self, parts):
        return "outcome", (parts[0], parts[1] or "")

    def other(self, parts):
        return "other", (parts[0], parts[1])

    # terminals
    def INT(self, token):
        return int(token)

    def MM(self, token):
        return int(Decimal(token) * 100)

    def TIME(self, token):
        minutes, seconds = token.lstrip("-").split(":")
        t_ms = int(minutes) * 60_000 + int(Decimal(seconds) * 1000)
        return -t_ms if token.startswith("-") else t_ms

    def SIDE(self, token):
        return LETTERS[token]

    NOBODY = SIDE

    def SHAPE(self, token):
        return str(token)

    def RULES(self, token):
        return str(token)

    def STRING(self, token):
        try:
            return json.loads(token)
        except ValueError:
            raise RecordError(token.line, f"{token} is no text: write a \\ as \\\\") from None

    def COMMENT(self, token: Token):
        return token[1:].strip()
