"""What people do with stored games as a whole: archive, delete and merge them."""

import time
from collections.abc import Iterable, Sequence

from polarity_host.errors import BAD_INPUT, FAILED, HostError
from polarity_host.games.schema import NAMES, GameRow
from polarity_host.games.seals import broken, chained
from polarity_host.games.store import Store

#: What belongs to a game, in an order in which it can be deleted.
TABLES = ("evidence", "gaps", "facts", "rulings", "messages")
#: A game without an end whose last message came this short a time ago is being played.
PLAYED_MS = 120_000


def chosen(store: Store, numbers: Iterable[int]) -> list[GameRow]:
    """The games of these numbers, in this order. HostError BAD_INPUT when one is missing."""
    games = {game["id"]: game for game in store.games()}
    wanted = list(dict.fromkeys(numbers))
    for number in wanted:
        if number not in games:
            raise HostError(
                BAD_INPUT,
                "no game {number} in {path}: `polarity games` lists",
                number=number,
                path=store.path,
            )
    return [games[number] for number in wanted]


def archive(store: Store, games: Sequence[GameRow], archived: bool = True) -> None:
    """Puts games away, or brings them back. Nothing of them is lost."""
    statement = "UPDATE games SET archived = :archived WHERE id = :id"
    store.change((statement, {"archived": int(archived), "id": game["id"]}) for game in games)


def delete(store: Store, games: Sequence[GameRow], now_ms: int | None = None) -> None:
    """Deletes games with all that is stored of them, for good. A mat that is connected again does
    not send them anew. HostError BAD_INPUT while one of them is being played."""
    _refuse_played(store, games, now_ms)
    remember = (
        "INSERT INTO deleted (boot, last_n)"
        " SELECT boot, max(n) FROM messages WHERE game_id = :id AND numbered GROUP BY boot"
    )
    statements = [remember, *(f"DELETE FROM {table} WHERE game_id = :id" for table in TABLES)]
    statements.append("DELETE FROM games WHERE id = :id")
    store.change((statement, {"id": game["id"]}) for game in games for statement in statements)


def merge(store: Store, first: GameRow, second: GameRow, now_ms: int | None = None) -> None:
    """Makes one game of two that are parts of the same, as after a power cut: `second` goes on
    where `first` stopped, and is gone as a game of its own. Names that `first` lacks are taken from
    `second`. Its lines are sealed anew, as the rest of `first`. HostError BAD_INPUT when they were
    played on different mats, by different rules or in the other order, or while one of them is
    being played; FAILED when a line of theirs was changed."""
    one, two = first["id"], second["id"]
    if one == two:
        raise HostError(
            BAD_INPUT, "game {one} cannot be merged with itself: name two games", one=one
        )
    if second["begun_ms"] < first["begun_ms"]:
        raise HostError(
            BAD_INPUT, "game {two} is the earlier one: write --merge {two} {one}", two=two, one=one
        )
    for name in ("mat", "edition"):
        if first[name] and second[name] and first[name] != second[name]:
            raise HostError(
                BAD_INPUT,
                "games {one} and {two} have another {name}: they are not one game",
                one=one,
                two=two,
                name=name,
            )
    _refuse_played(store, (first, second), now_ms)
    lines = []
    for number in (one, two):
        own = store.sealed_lines(number)
        if broken(own):
            raise HostError(
                FAILED,
                "game {number} was changed after it was stored: `polarity games --check {number}`",
                number=number,
            )
        lines += own
    lines.sort(key=lambda line: line.id)
    seals = (
        ("UPDATE messages SET seal = :seal WHERE id = :id", {"seal": line.seal, "id": line.id})
        for line in chained(lines)
    )
    end = ("ended_t_ms", "winner", "why", "score_w", "score_b", "boot")
    values: dict[str, object] = {name: second[name] for name in end}
    for name in ("mat", "edition", *NAMES):
        values[name] = first[name] or second[name]
    ids: dict[str, object] = {"one": one, "two": two}
    store.change(
        [
            *(
                (f"UPDATE {table} SET game_id = :one WHERE game_id = :two", ids)
                for table in reversed(TABLES)
            ),
            *seals,
            ("DELETE FROM games WHERE id = :two", ids),
            (
                f"UPDATE games SET {', '.join(f'{name} = :{name}' for name in values)}"
                " WHERE id = :one",
                {**values, **ids},
            ),
        ]
    )


def _refuse_played(store: Store, games: Iterable[GameRow], now_ms: int | None) -> None:
    now_ms = time.time_ns() // 1_000_000 if now_ms is None else now_ms
    for game in games:
        age_ms = now_ms - store.last_received_ms(game["id"])
        if game["ended_t_ms"] is None and 0 <= age_ms < PLAYED_MS:
            raise HostError(
                BAD_INPUT,
                "game {number} is being played: end it, or wait two minutes after its last move",
                number=game["id"],
            )
