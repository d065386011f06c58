"""Whether stored games are what the mat sent: their seals, and what is stored of each line."""

from dataclasses import dataclass
from typing import Any, cast

from polarity_host.errors import Said
from polarity_host.games.schema import GameRow
from polarity_host.games.seals import broken, shown
from polarity_host.games.store import Store, columns_of, result_of
from polarity_host.wire.lines import Message, decode
from polarity_host.wire.messages import FactMessage, RulingMessage

MOST_TOLD = 5  # findings of one game
RESULT = ("ended_t_ms", "winner", "why", "score_w", "score_b")


@dataclass(frozen=True)
class Checked:
    """What was found of a game: `lines` that are stored, `unsealed` of them from before there were
    seals, `seal` of its result ("" for none), and `wrong`, nothing for a sound one."""

    game: int
    lines: int
    unsealed: int
    seal: str
    wrong: list[Said]


def check(store: Store, game: GameRow) -> Checked:
    """Compares what is stored of a game with its lines, and these with their seals."""
    number = game["id"]
    lines = store.sealed_lines(number)
    wrong = [
        Said("line {number} is not as it was stored, or one before it is gone", number=line.number)
        for line in broken(lines)
    ]
    rows = {table: store.rows(table, number) for table in ("facts", "rulings")}
    differs: list[int] = []
    unread: list[int] = []
    result: tuple[object, ...] = (None,) * len(RESULT)
    for line in lines:
        raw = line.raw if isinstance(line.raw, str) else ""  # a damaged file may have anything
        message = decode(raw.encode("utf-8", "surrogatepass"))
        if not isinstance(message, Message):
            unread.append(line.number)
            continue
        body = message.body
        if message.reopens:
            result = (None,) * len(RESULT)
        if isinstance(body, FactMessage | RulingMessage):
            row = (line.id, number, message.number, message.t_ms, *columns_of(body))
            table = "facts" if isinstance(body, FactMessage) else "rulings"
            if rows[table].pop(line.id, None) != row:
                differs.append(message.number)
        if isinstance(body, RulingMessage) and body.code == "end":
            result = result_of(message.t_ms, body)
    wrong += [Said("line {number} cannot be read", number=one) for one in unread]
    wrong += [Said("fact or ruling {number} is not what its line says", number=n) for n in differs]
    if left := sum(map(len, rows.values())):
        wrong.append(Said("{count} facts or rulings belong to no line", count=left))
    if tuple(cast(dict[str, Any], game)[name] for name in RESULT) != result:
        wrong.append(Said("its result is not that of its lines"))
    seal = store.seal(number)
    if len(wrong) > MOST_TOLD:
        more = Said("and {count} more", count=len(wrong) - MOST_TOLD)
        wrong = [*wrong[:MOST_TOLD], more]
    unsealed = sum(line.seal is None for line in lines)
    return Checked(number, len(lines), unsealed, shown(seal) if seal else "", wrong)
