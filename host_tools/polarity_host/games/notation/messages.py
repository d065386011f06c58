"""A record from the messages of a mat, live, stored or out of a recording."""

import json
from collections.abc import Iterable

from polarity_host.games.notation.model import (
    BEGINNING,
    FACT_DEFAULTS,
    RULING_DEFAULTS,
    SIDES,
    VERSION,
    Entry,
    Position,
    Record,
)
from polarity_host.wire.lines import REOPENING, Message
from polarity_host.words import Words

FACT_FIELDS = ("f", *FACT_DEFAULTS)
RULING_FIELDS = ("code", *RULING_DEFAULTS, *BEGINNING)
#: Fields of a ruling that may be absent, and are then left out.
RULING_EXTRAS = ("names", "seat", "score")

#: What of a snapshot's state has a line of its own in a position; `pieces` and `edition` are told
#: by the snapshot itself.
STATE_FIELDS = (
    "phase", "turn", "active", "done", "reserve", "founded", "held", "owed", "surplus", "outcome",
    "pieces", "edition",
)  # fmt: skip


def record_of_messages(
    messages: Iterable[Message],
    date: str = "",
    words: Words | None = None,
    names: dict[str, str] | None = None,
) -> Record:
    """The record of one game: its facts, rulings and notes, what is missing between them, and the
    last position that the mat told. Times count from the game's beginning.

    `date` is the tag's value, when known; with `words` comments tell each ruling and explain it;
    `names` are further tags, or values of `White` and `Black`.
    """
    about = {"edition": "", "mat": ""}
    entries: list[Entry] = []
    begun_ms = last = None
    position = None
    for message in messages:
        begun_ms = message.t_ms if begun_ms is None else begun_ms
        t_ms = message.t_ms - begun_ms
        if message.kind in ("game", "hello"):
            about |= {name: message.fields[name] for name in about}
        if message.kind == "snap":
            snapshot = position_of_snap(message.fields)
            position = (len(entries), Entry("position", t_ms=t_ms, position=snapshot))
        if not message.numbered:
            continue
        if last is None and message.kind != "game":
            last = 0  # its beginning was never received
        if last is not None and message.number > last + 1:
            entries.append(Entry("gap", {"first": last + 1, "last": message.number - 1}))
        last = message.number
        if message.kind != "game":
            entries.append(_entry(message, t_ms, words))
        if message.kind == "ruling" and words:
            why = words.explanation(message.fields, about["edition"], {})
            entries += [Entry("remark", comment=line) for line in why]
    if position:
        entries.insert(*position)
    tags = {
        "Polarity": VERSION,
        "Date": date or "?",
        "Mat": about["mat"] or "?",
        "Edition": about["edition"] or "?",
        "White": "?",
        "Black": "?",
        "Result": result_of(entries),
        **(names or {}),
    }
    return Record(tuple(tags.items()), tuple(entries))


def ruling_fields(fields: dict) -> dict:
    """A `ruling` message's fields as an entry keeps them."""
    kept = {name: fields[name] for name in RULING_FIELDS}
    return kept | {name: fields[name] for name in RULING_EXTRAS if fields.get(name)}


def result_of(entries: Iterable[Entry]) -> str:
    """How it ended, as the tag says it: `white touched_red 4-7`, `*` while it is not over."""
    result = "*"
    for entry in entries:
        code = entry.fields.get("code") if entry.kind == "ruling" else ""
        if code == "end":
            fields = entry.fields
            score = ":".join(str(points) for points in fields.get("score", ()))
            winner = SIDES.get(fields["player"], "nobody")
            if seat := fields.get("seat"):
                winner = f"player {seat}"
            result = f"{winner} {fields['why']} {score}".strip()
        elif code in REOPENING:
            result = "*"
    return result


def position_of_snap(fields: dict) -> Position:
    """The position in a `snap` message: where the mat sees what, and the referee's state."""
    state = fields["state"]
    state = state if isinstance(state, dict) else {}
    other = {name: value for name, value in state.items() if name not in STATE_FIELDS}
    return Position(
        rules=fields["edition"],
        phase=state.get("phase", ""),
        turn=state.get("turn", 0),
        active=state.get("active", ""),
        played=bool(state.get("done", 0)),
        reserve=tuple(state.get("reserve", ())),
        founded=tuple(state.get("founded", ())),
        pieces=tuple(tuple(piece) for piece in fields["pieces"]),
        hands=tuple(tuple(hand) for hand in state.get("held", ())),
        owed=tuple((player, tuple(ids)) for player, ids in state.get("owed", ())),
        surplus=state.get("surplus", 0),
        outcome=tuple(state.get("outcome", ())),
        other=tuple((name, json.dumps(other[name])) for name in sorted(other)),
    )


def _entry(message: Message, t_ms: int, words: Words | None) -> Entry:
    fields = message.fields
    stamp = {"number": message.number, "t_ms": t_ms}
    if message.kind == "fact":
        return Entry("fact", {name: fields[name] for name in FACT_FIELDS}, **stamp)
    if message.kind == "ruling":
        comment = words.ruling(fields) if words else ""
        return Entry("ruling", ruling_fields(fields), comment=comment, **stamp)
    return Entry("note", {"level": fields["level"], "text": fields["text"]}, **stamp)
