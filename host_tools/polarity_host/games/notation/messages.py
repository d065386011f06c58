"""A record from the messages of a mat, live, stored or out of a recording."""

import json
from collections.abc import Iterable

from polarity_host.games.notation.model import SIDES, VERSION, Entry, Record, RecordedPosition
from polarity_host.wire.lines import REOPENING, Message
from polarity_host.wire.messages import (
    FactMessage,
    GameMessage,
    GapMessage,
    HelloMessage,
    LogMessage,
    RulingMessage,
    SnapMessage,
    piece_rows,
)
from polarity_host.words import Words

#: What of a snapshot's state has a line of its own in a position; `pieces` and `edition` come from
#: the snapshot itself.
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
    last position that the mat sent. Times count from the game's beginning.

    `date` is the tag's value, when known; with `words` comments describe each ruling and explain
    it; `names` are further tags, or values of `White` and `Black`.
    """
    edition = mat = ""
    entries: list[Entry] = []
    begun_ms = last = None
    position = None
    for message in messages:
        begun_ms = message.t_ms if begun_ms is None else begun_ms
        t_ms = message.t_ms - begun_ms
        body = message.body
        if isinstance(body, (GameMessage, HelloMessage)):
            edition, mat = body.edition, body.mat
        elif isinstance(body, SnapMessage):
            position = (len(entries), Entry(position_of_snap(body), t_ms=t_ms))
        if not message.numbered:
            continue
        if last is None and not isinstance(body, GameMessage):
            last = 0  # its beginning was never received
        if last is not None and message.number > last + 1:
            entries.append(Entry(GapMessage(last + 1, message.number - 1)))
        last = message.number
        if isinstance(body, (FactMessage, LogMessage)):
            entries.append(Entry(body, message.number, t_ms))
        elif isinstance(body, RulingMessage):
            comment = words.ruling(body, edition) if words else ""
            entries.append(Entry(body, message.number, t_ms, comment))
            why = words.explanation(body, edition, {}) if words else []
            entries += [Entry(None, comment=line) for line in why]
    if position:
        entries.insert(*position)
    tags = {
        "Polarity": VERSION,
        "Date": date or "?",
        "Mat": mat or "?",
        "Edition": edition or "?",
        "White": "?",
        "Black": "?",
        "Result": result_of(entries),
        **(names or {}),
    }
    return Record(tuple(tags.items()), tuple(entries))


def result_of(entries: Iterable[Entry]) -> str:
    """How the game ended, as the tag has it: `white touched_red 4-7`, `*` while it is not over."""
    result = "*"
    for entry in entries:
        ruling = entry.body
        if not isinstance(ruling, RulingMessage):
            continue
        if ruling.code == "end":
            score = ":".join(str(points) for points in ruling.score)
            winner = SIDES.get(ruling.player, "nobody")
            if ruling.seat:
                winner = f"player {ruling.seat}"
            result = f"{winner} {ruling.why} {score}".strip()
        elif ruling.code in REOPENING:
            result = "*"
    return result


def position_of_snap(snap: SnapMessage) -> RecordedPosition:
    """The position in a `snap` message: where the mat observes what, and the referee's state."""
    state = snap.state if isinstance(snap.state, dict) else {}
    other = {name: value for name, value in state.items() if name not in STATE_FIELDS}
    return RecordedPosition(
        rules=snap.edition,
        phase=state.get("phase", ""),
        turn=state.get("turn", 0),
        active=state.get("active", ""),
        played=bool(state.get("done", 0)),
        reserve=tuple(state.get("reserve", ())),
        founded=tuple(state.get("founded", ())),
        pieces=tuple(piece_rows(snap.pieces)),
        hands=tuple(tuple(hand) for hand in state.get("held", ())),
        owed=tuple((player, tuple(ids)) for player, ids in state.get("owed", ())),
        surplus=state.get("surplus", 0),
        outcome=tuple(state.get("outcome", ())),
        other=tuple((name, json.dumps(other[name])) for name in sorted(other)),
    )
