"""The games of a mat, as its messages tell them: which began when, and how each ended."""

from sqlalchemy import delete, func, insert, select
from sqlalchemy.engine import Connection

from polarity_host.hub.schema import GAMES, MESSAGES
from polarity_host.wire.lines import Message, decode
from polarity_host.wire.messages import GameMessage, RulingMessage


def tells_of_games(message: Message) -> bool:
    """Whether it may begin a game, end one, or take an end back."""
    body = message.body
    if isinstance(body, RulingMessage):
        return body.turn <= 1 or body.code == "end" or message.reopens
    return isinstance(body, GameMessage)


def fold(connection: Connection, mat: str, boot: int) -> None:
    """Writes the games of one boot of a mat anew, from all its messages that are stored.

    A game begins with its first ruling: a mat sends `game` when it is switched on, or cleared.
    When that was is told by the mat's own clock, which runs on where its computer's may jump.
    What that says in the hub's time is told by the message that was received soonest: so a game
    that came an hour late, after an outage, still began when it was played.
    """
    table = MESSAGES.c
    own = (table.mat == mat, table.boot == boot)
    ahead_ms = connection.execute(
        select(func.min(table.received_ms - table.t_ms)).where(*own)
    ).scalar()
    lines = connection.execute(
        select(table.line).where(*own, table.kind.in_(("game", "ruling"))).order_by(table.n)
    )
    games: list[dict[str, object]] = []
    begins = 0  # number of the `game` message of which no ruling has come yet
    for (line,) in lines:
        message = decode(line.encode("ascii", "replace"))
        if not isinstance(message, Message):
            continue
        if isinstance(message.body, GameMessage):
            begins = message.number
        elif isinstance(message.body, RulingMessage) and (begins or games):
            if begins:
                games.append(
                    {"mat": mat, "boot": boot, "n": begins, "winner": None, "why": None,
                     "began_ms": message.t_ms + (ahead_ms or 0)}
                )  # fmt: skip
                begins = 0
            if message.body.code == "end":
                games[-1] |= {"winner": message.body.player, "why": message.body.why}
            elif message.reopens:
                games[-1] |= {"winner": None, "why": None}
    connection.execute(delete(GAMES).where(GAMES.c.mat == mat, GAMES.c.boot == boot))
    if games:
        connection.execute(insert(GAMES), games)
