"""What of the store is still to be published, by position: a mat's numbered messages go out in the
order in which they were stored, and each once, unless the broker's receipt for it got lost.
"""

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from polarity_host.games.store import Store

MOST_BOOTS = 16  # that a record tells of, newest first
MOST_RESENT = 500  # messages for one request


class Outgoing(NamedTuple):
    """A stored message: its position, when it was stored (UTC, ms since 1970), and its line."""

    position: int
    stored_ms: int
    line: str


class Outbox:
    """The outbox of one mat, by the name that it is published by. HostError as Store's methods."""

    def __init__(self, store: Store, mat: str):
        self._store, self._mat = store, mat
        store.change([("INSERT OR IGNORE INTO outbox VALUES (:mat, 0)", {"mat": mat})])

    def claim(self, boot: int) -> None:
        """From now on all that this boot numbered is published, from its first message on."""
        values: dict[str, object] = {"mat": self._mat, "boot": boot}
        known = "SELECT 1 FROM outbox_boots WHERE mat = :mat AND boot = :boot"
        if self._store.query(known, values):
            return
        self._store.change(
            [
                ("INSERT OR IGNORE INTO outbox_boots VALUES (:mat, :boot)", values),
                (
                    """UPDATE outbox SET position = min(position, coalesce(
                       (SELECT min(id) FROM messages WHERE boot = :boot AND numbered), position + 1)
                       - 1) WHERE mat = :mat""",
                    values,
                ),
            ]
        )

    @property
    def position(self) -> int:
        """Up to where the broker has everything."""
        query = "SELECT position FROM outbox WHERE mat = :mat"
        return self._store.query(query, {"mat": self._mat})[0]["position"]

    def move_to(self, position: int) -> None:
        """The broker has everything up to there."""
        values: dict[str, object] = {"mat": self._mat, "position": position}
        self._store.change([("UPDATE outbox SET position = :position WHERE mat = :mat", values)])

    def after(self, position: int, most: int) -> list[Outgoing]:
        """The next messages, `most` at most."""
        query = """SELECT messages.id, received_ms, raw FROM messages
                   JOIN outbox_boots ON outbox_boots.boot = messages.boot AND mat = :mat
                   WHERE messages.id > :position AND numbered ORDER BY messages.id LIMIT :most"""
        values = {"mat": self._mat, "position": position, "most": most}
        return [Outgoing(*row) for row in self._store.query(query, values)]

    def record(self) -> list[tuple[int, int]]:
        """Each boot that is published, newest first, and the last number that is stored of it."""
        query = """SELECT boot, (SELECT max(n) FROM messages
                       WHERE messages.boot = outbox_boots.boot AND numbered) AS last
                   FROM outbox_boots WHERE mat = :mat ORDER BY rowid DESC LIMIT :most"""
        rows = self._store.query(query, {"mat": self._mat, "most": MOST_BOOTS})
        return [(row["boot"], row["last"]) for row in rows if row["last"]]

    def again(self, boot: int, first: int, last: int) -> tuple[list[Outgoing], list[range]]:
        """The stored messages of a boot from number `first` to `last`, up to MOST_RESENT, and the
        numbers among these that the store is without."""
        last = min(last, first + MOST_RESENT - 1)
        query = """SELECT messages.id, received_ms, raw, n FROM messages
                   JOIN outbox_boots ON outbox_boots.boot = messages.boot AND mat = :mat
                   WHERE messages.boot = :boot AND numbered AND n BETWEEN :first AND :last
                   ORDER BY n"""
        values = {"mat": self._mat, "boot": boot, "first": first, "last": last}
        rows = self._store.query(query, values)
        found = [Outgoing(row["id"], row["received_ms"], row["raw"]) for row in rows]
        return found, list(holes((range(row["n"], row["n"] + 1) for row in rows), first, last))

    def evidence(self, boot: int, number: int) -> bytes:
        """The evidence of a ruling, compressed; b"" where there is none."""
        query = """SELECT packed FROM evidence
                   JOIN outbox_boots ON outbox_boots.boot = evidence.boot AND mat = :mat
                   WHERE evidence.boot = :boot AND n = :n AND typeof(packed) = 'blob'"""
        rows = self._store.query(query, {"mat": self._mat, "boot": boot, "n": number})
        return rows[0]["packed"] if rows else b""

    def names(self, boot: int | None) -> dict[str, str]:
        """The names that people gave to the last game of a boot."""
        query = "SELECT white, black, event FROM games WHERE boot = :boot ORDER BY id DESC LIMIT 1"
        rows = self._store.query(query, {"boot": boot})
        return {name: str(rows[0][name]) for name in ("white", "black", "event")} if rows else {}


def holes(known: Iterable[range], first: int, last: int) -> Iterator[range]:
    """The stretches from `first` to `last` that no range covers; these come by their starts."""
    expected = first
    for one in known:
        if one.start > last:
            break
        if one.start > expected:
            yield range(expected, one.start)
        expected = max(expected, one.stop)
    if expected <= last:
        yield range(expected, last + 1)
