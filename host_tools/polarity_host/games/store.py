"""Games in SQLite (WAL), as they are played: what is committed survives a kill at any moment.

Messages are stored as received, and facts and rulings also in columns. `Store.add` commits
before it returns, so whoever prints afterwards never prints what could be lost.
"""

import json
import sqlite3
import time
from collections.abc import Callable, Iterable
from contextlib import closing
from pathlib import Path
from typing import Any, Self, cast

from msgspec.structs import astuple

from polarity_host.device.link import Gap
from polarity_host.errors import BAD_INPUT, FAILED, HostError
from polarity_host.games.folders import make_directory, make_private
from polarity_host.games.schema import (
    APPLICATION_ID,
    GAME_COLUMNS,
    LONGEST,
    MIGRATIONS,
    NAMES,
    GameRow,
    statements,
)
from polarity_host.games.seals import BEGINNING, SealedLine, seal_of
from polarity_host.wire.lines import Damaged, Message, decode
from polarity_host.wire.messages import (
    Body,
    FactMessage,
    GameMessage,
    HelloMessage,
    RulingMessage,
)

#: What the rows of facts and rulings begin with: message_id, game_id, n, t_ms.
Row = tuple[int, int, int, int]


#: How long a process waits for others that use the same file.
PATIENCE_S = 10.0
#: How sqlite3 fails on a damaged file: with a name that is no text, too.
DAMAGE = (sqlite3.Error, UnicodeDecodeError)


def _utc_ms() -> int:
    return time.time_ns() // 1_000_000


class Store:
    """An open games database. Every failure is a HostError; use as a context manager."""

    def __init__(self, path: Path, port: str = "", utc_ms: Callable[[], int] = _utc_ms):
        """Opens or makes the file. `port` is noted with the games that begin.

        HostError BAD_INPUT when the file is something else or newer, FAILED when it cannot be used.
        """
        self.path = Path(path)
        self._port = port
        self._names: dict[str, str] = {}
        self._utc_ms = utc_ms
        self._game_of_boot: dict[int, int] = {}
        make_directory(self.path.parent)
        make_private(self.path)
        try:
            self._db = sqlite3.connect(self.path, timeout=PATIENCE_S, isolation_level=None)
        except sqlite3.Error as error:
            raise self._failure(error) from error
        try:
            self._open()
        except DAMAGE as error:
            self.close()
            raise self._failure(error) from error
        except HostError:
            self.close()
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Closes the file; what is committed stays."""
        try:
            self._db.close()
        except sqlite3.Error:
            pass

    def last_number(self, boot: int) -> int:
        """The last number of a boot of a mat that is stored or known to be lost; 0 for none."""
        query = """SELECT max(n) FROM (SELECT n FROM messages WHERE boot = :boot AND numbered
                   UNION ALL SELECT last_n FROM gaps WHERE boot = :boot
                   UNION ALL SELECT last_n FROM deleted WHERE boot = :boot)
                   WHERE typeof(n) = 'integer'"""
        return self._one(query, {"boot": boot}) or 0

    def add(self, items: Iterable[Message | Gap | Damaged]) -> None:
        """Stores messages, gaps and lines set aside in one transaction, committed on return; not
        the fleeting ones.

        HostError FAILED when the disk is full or fails: then nothing of this call is stored, and
        everything of the calls before it is.
        """
        items = [item for item in items if not getattr(item, "fleeting", False)]
        if not items:
            return
        try:
            self._db.execute("BEGIN IMMEDIATE")
            for item in items:
                if isinstance(item, Gap):
                    self._add_gap(item)
                elif isinstance(item, Damaged):
                    self._add_aside(item)
                else:
                    self._add_message(item)
            self._db.execute("COMMIT")
        except sqlite3.Error as error:
            self._game_of_boot.clear()
            raise self._failure(error) from error

    def game_id(self, boot: int) -> int:
        """The game that a boot of a mat is in now, begun if there is none."""
        if boot not in self._game_of_boot:
            query = "SELECT max(id) FROM games WHERE boot = :boot"
            self._game_of_boot[boot] = self._one(query, {"boot": boot}) or self._begin(boot, "", "")
        return self._game_of_boot[boot]

    def games(self) -> list[GameRow]:
        """All games, oldest first, as dicts with the columns of the table; what a damaged file has
        in a column instead counts as not known."""
        rows = self._all("SELECT * FROM games ORDER BY id")
        return [
            cast(GameRow, {name: _sound(name, row[name]) for name in row.keys()}) for row in rows
        ]

    def name(self, game_id: int, names: dict[str, str]) -> None:
        """Writes the names that people gave to a game: any of `schema.NAMES`. HostError BAD_INPUT
        for other names, texts that are too long, or when there is no such game."""
        names = checked_names(names)
        if not _fits(game_id):
            raise HostError(
                BAD_INPUT, "no game {game_id} in {path}", game_id=game_id, path=self.path
            )
        try:
            changed = self._db.execute(
                f"UPDATE games SET {', '.join(f'{name} = ?' for name in names)} WHERE id = ?",
                (*names.values(), game_id),
            ).rowcount
        except sqlite3.Error as error:
            raise self._failure(error) from error
        if not changed:
            raise HostError(
                BAD_INPUT, "no game {game_id} in {path}", game_id=game_id, path=self.path
            )

    def name_next(self, names: dict[str, str]) -> None:
        """The same for every game that begins from now on."""
        self._names = checked_names(names) if names else {}

    def change(self, statements: Iterable[tuple[str, dict[str, object]]]) -> None:
        """Runs statements with their values in one transaction. HostError as `add`."""
        try:
            self._db.execute("BEGIN IMMEDIATE")
            for statement, values in statements:
                self._db.execute(statement, values)
            self._db.execute("COMMIT")
        except sqlite3.Error as error:
            if self._db.in_transaction:
                self._db.execute("ROLLBACK")
            raise self._failure(error) from error
        self._game_of_boot.clear()

    def query(self, query: str, values: dict[str, Any]) -> list[sqlite3.Row]:
        """The rows that a SELECT finds. HostError when the file is damaged or fails."""
        return self._all(query, values)

    def raw_lines(self, game_id: int) -> list[str]:
        """The lines of a game as they were received, in order."""
        query = "SELECT raw FROM messages WHERE game_id = :id ORDER BY id"
        return [_line(row["raw"]) for row in self._all(query, {"id": game_id})]

    def sealed_lines(self, game_id: int) -> list[SealedLine]:
        """The same with their seals."""
        query = "SELECT id, n, received_ms, raw, seal FROM messages WHERE game_id = :id ORDER BY id"
        return [SealedLine(*row) for row in self._all(query, {"id": game_id})]

    def seal(self, game_id: int) -> bytes | None:
        """The seal of a game's result; None while it has none, or where it was stored before there
        were seals."""
        query = """SELECT seal FROM messages JOIN rulings ON rulings.message_id = messages.id
                   JOIN games ON games.id = messages.game_id
                   WHERE games.id = :id AND ended_t_ms IS NOT NULL AND rulings.code = 'end'
                   AND typeof(seal) = 'blob' ORDER BY messages.id DESC LIMIT 1"""
        return self._one(query, {"id": game_id})

    def rows(self, table: str, game_id: int) -> dict[int, tuple[object, ...]]:
        """The rows of the table `facts` or `rulings` of a game, by the id of their message."""
        query = f"SELECT * FROM {table} WHERE game_id = :id"
        return {row["message_id"]: tuple(row) for row in self._all(query, {"id": game_id})}

    def faults_of_file(self) -> list[str]:
        """What SQLite finds wrong with the file as a whole; nothing for a sound one."""
        found = [row[0] for row in self._all("PRAGMA integrity_check") if row[0] != "ok"]
        return found + [
            f"a row of {row[0]} belongs to nothing" for row in self._all("PRAGMA foreign_key_check")
        ]

    def copy_to(self, path: Path) -> None:
        """Makes a copy of the file at `path`, as it is between two changes, while others go on
        using it. HostError BAD_INPUT when that exists already, FAILED when it cannot be written:
        then nothing stays there."""
        if path.exists():
            raise HostError(
                BAD_INPUT, "{path} exists already; choose another name or delete it", path=path
            )
        make_directory(path.parent)
        make_private(path)
        try:
            with closing(sqlite3.connect(path)) as copy:
                self._db.backup(copy)
                # one file: what is moved elsewhere must not lack its write-ahead log
                copy.execute("PRAGMA journal_mode = DELETE")
        except sqlite3.Error as error:
            path.unlink(missing_ok=True)
            raise HostError(FAILED, "cannot write {path}: {why}", path=path, why=error) from error

    def messages(self, game_id: int) -> tuple[list[Message], int]:
        """The messages of a game in order, and how many lines are left out: a damaged file has
        something else in their place."""
        found = [decode(line.encode()) for line in self.raw_lines(game_id)]
        messages = [message for message in found if isinstance(message, Message)]
        return messages, len(found) - len(messages)

    def last_received_ms(self, game_id: int) -> int:
        """When the last message of a game came (UTC, ms since 1970); 0 for none."""
        query = """SELECT max(received_ms) FROM messages WHERE game_id = :id
                   AND typeof(received_ms) = 'integer'"""
        return self._one(query, {"id": game_id}) or 0

    def set_aside(self) -> list[tuple[str, bytes]]:
        """The lines that were no messages though their checksum was right, oldest first: what was
        wrong with each, and its bytes."""
        return [(row["why"], row["line"]) for row in self._all("SELECT * FROM aside ORDER BY id")]

    def add_evidence(self, boot: int, number: int, packed: bytes) -> None:
        """Stores the evidence of a ruling with its game. HostError FAILED as `add`."""
        try:
            self._db.execute(
                "INSERT OR REPLACE INTO evidence (game_id, boot, n, packed)"
                " SELECT game_id, boot, n, ? FROM messages WHERE boot = ? AND n = ? AND numbered",
                (packed, boot, number),
            )
        except sqlite3.Error as error:
            raise self._failure(error) from error

    def evidence(self, game_id: int, number: int) -> object:
        """The evidence of a ruling of a game as it was added, for live.evidence.unpacked; None when
        there is none."""
        if not _fits(number):
            return None
        query = "SELECT packed FROM evidence WHERE game_id = :id AND n = :n"
        return self._one(query, {"id": game_id, "n": number})

    def game_of(self, boot: int, number: int) -> int | None:
        """The game that a numbered message belongs to; None for one that is not stored."""
        query = "SELECT game_id FROM messages WHERE boot = :boot AND n = :n AND numbered"
        return self._one(query, {"boot": boot, "n": number})

    def evidence_numbers(self, game_id: int) -> list[int]:
        """The numbers of the rulings of a game whose evidence is stored, in order."""
        query = """SELECT n FROM evidence WHERE game_id = :id AND typeof(n) = 'integer'
                   ORDER BY n"""
        return [row["n"] for row in self._all(query, {"id": game_id})]

    def _open(self) -> None:
        db = self._db
        db.row_factory = sqlite3.Row
        db.text_factory = _text
        if not self._up_to_date():
            db.execute("BEGIN IMMEDIATE")  # another process may be at it: look again under the lock
            for number in range(self._checked_version(), len(MIGRATIONS)):
                for statement in statements(MIGRATIONS[number]):
                    db.execute(statement)
            db.execute(f"PRAGMA application_id = {APPLICATION_ID}")
            db.execute(f"PRAGMA user_version = {len(MIGRATIONS)}")
            db.execute("COMMIT")
        self._write_ahead()
        db.execute("PRAGMA synchronous = FULL")  # a power cut, too, costs nothing that was printed
        db.execute("PRAGMA foreign_keys = ON")

    def _up_to_date(self) -> bool:
        """Whether the file is ours and of this version, so that nothing has to be locked."""
        version, owner = self._pragma("user_version"), self._pragma("application_id")
        return version == len(MIGRATIONS) and owner == APPLICATION_ID

    def _checked_version(self) -> int:
        """The file's version, under a lock. HostError BAD_INPUT when it is not for this program."""
        count = "SELECT count(*) FROM sqlite_master"
        if self._pragma("application_id") != APPLICATION_ID and self._one(count, {}):
            raise HostError(
                BAD_INPUT, "{path} is another program's database; name another file", path=self.path
            )
        version = self._pragma("user_version")
        if version > len(MIGRATIONS):
            raise HostError(
                BAD_INPUT,
                "{path} was written by a newer version of this program: update it",
                path=self.path,
            )
        return version

    def _write_ahead(self) -> None:
        """Makes the file's journal a write-ahead log. SQLite does not wait by itself for others
        who have the file open meanwhile."""
        until_s = time.monotonic() + PATIENCE_S
        while True:
            try:
                self._db.execute("PRAGMA journal_mode = WAL")
                return
            except sqlite3.OperationalError as error:
                busy = error.sqlite_errorcode & 0xFF == sqlite3.SQLITE_BUSY
                if not busy or time.monotonic() > until_s:
                    raise
            time.sleep(0.02)

    def _pragma(self, name: str) -> int:
        return self._db.execute(f"PRAGMA {name}").fetchone()[0]

    def _begin(self, boot: int, mat: str, edition: str) -> int:
        game_id = self._inserted(
            "INSERT INTO games (port, boot, mat, edition, begun_ms) VALUES (?, ?, ?, ?, ?)",
            (self._port, boot, mat, edition, self._utc_ms()),
        )
        for name, text in self._names.items():
            self._db.execute(f"UPDATE games SET {name} = ? WHERE id = ?", (text, game_id))
        return game_id

    def _inserted(self, statement: str, values: tuple[object, ...]) -> int:
        """The id of the row that an INSERT adds."""
        row_id = self._db.execute(statement, values).lastrowid
        assert row_id is not None, "an INSERT has one"
        return row_id

    def _begin_game(self, boot: int, mat: str, edition: str) -> None:
        """A game begins: a new row, or the one that a greeting has opened and nothing else used."""
        query = """SELECT max(id) FROM games WHERE boot = :boot AND NOT EXISTS
                   (SELECT 1 FROM messages WHERE game_id = games.id AND numbered)"""
        opened = self._one(query, {"boot": boot})
        if opened and opened == self.game_id(boot):
            self._db.execute(
                "UPDATE games SET mat = ?, edition = ? WHERE id = ?", (mat, edition, opened)
            )
        else:
            self._game_of_boot[boot] = self._begin(boot, mat, edition)

    def _add_message(self, message: Message) -> None:
        body = message.body
        if isinstance(body, GameMessage):
            self._begin_game(message.boot, body.mat, body.edition)
        game_id = self.game_id(message.boot)
        if isinstance(body, HelloMessage):
            self._db.execute(
                "UPDATE games SET mat = ?, edition = ? WHERE id = ? AND mat = ''",
                (body.mat, body.edition, game_id),
            )
        received_ms = self._utc_ms()
        message_id = self._inserted(
            "INSERT INTO messages (game_id, boot, n, t_ms, received_ms, kind, numbered, raw, seal)"
            " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
            (
                game_id, message.boot, message.number, message.t_ms, received_ms, message.kind,
                message.numbered, message.raw,
                seal_of(self._last_seal(game_id), received_ms, message.raw),
            ),
        )  # fmt: skip
        row = (message_id, game_id, message.number, message.t_ms)
        if message.reopens:
            self._db.execute(
                "UPDATE games SET ended_t_ms = NULL, winner = NULL, why = NULL, score_w = NULL,"
                " score_b = NULL WHERE id = ?",
                (game_id,),
            )
        values = columns_of(body)
        if isinstance(body, FactMessage):
            self._insert("facts", row, values)
        elif isinstance(body, RulingMessage):
            self._insert("rulings", row, values)
            if body.code == "end":
                self._db.execute(
                    "UPDATE games SET ended_t_ms = ?, winner = ?, why = ?, score_w = ?, score_b = ?"
                    " WHERE id = ?",
                    (*result_of(message.t_ms, body), game_id),
                )

    def _last_seal(self, game_id: int) -> bytes:
        query = "SELECT seal FROM messages WHERE game_id = :id ORDER BY id DESC LIMIT 1"
        seal = self._one(query, {"id": game_id})
        return seal if isinstance(seal, bytes) else BEGINNING

    def _add_gap(self, gap: Gap) -> None:
        self._db.execute(
            "INSERT INTO gaps (game_id, boot, first_n, last_n) VALUES (?, ?, ?, ?)",
            (self.game_id(gap.boot), gap.boot, gap.first, gap.last),
        )

    def _add_aside(self, damaged: Damaged) -> None:
        self._db.execute(
            "INSERT INTO aside (port, received_ms, why, line) VALUES (?, ?, ?, ?)",
            (self._port, self._utc_ms(), damaged.why, damaged.aside),
        )

    def _insert(self, table: str, row: Row, values: tuple[object, ...]) -> None:
        """`values` in the order of the table's columns, which is the order on the wire."""
        columns = (*row, *values)
        marks = ", ".join("?" * len(columns))
        self._db.execute(f"INSERT INTO {table} VALUES ({marks})", columns)

    def _one(self, query: str, values: dict[str, Any]) -> Any:
        rows = self._all(query, values)
        return rows[0][0] if rows else None

    def _all(self, query: str, values: dict[str, Any] | None = None) -> list[sqlite3.Row]:
        try:
            return self._db.execute(query, values or {}).fetchall()
        except DAMAGE as error:
            raise self._failure(error) from error

    def _failure(self, error: Exception) -> HostError:
        if not isinstance(error, sqlite3.Error):
            return HostError(
                FAILED, "{path} is damaged; move it away and start a new one", path=self.path
            )
        code = getattr(error, "sqlite_errorcode", 0) & 0xFF
        if code in (sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR):
            return HostError(
                FAILED,
                "cannot write {path} ({error}): make room on the disk and start again; "
                "everything shown until now is kept",
                path=self.path,
                error=error,
            )
        if code == sqlite3.SQLITE_NOTADB:
            return HostError(
                BAD_INPUT, "{path} is not a games database; name another file", path=self.path
            )
        if code == sqlite3.SQLITE_CORRUPT:
            return HostError(
                FAILED, "{path} is damaged; move it away and start a new one", path=self.path
            )
        if code == sqlite3.SQLITE_CANTOPEN:
            return HostError(
                BAD_INPUT, "cannot open {path} as a games database; check the path", path=self.path
            )
        if code in (sqlite3.SQLITE_READONLY, sqlite3.SQLITE_PERM):
            return HostError(
                FAILED, "{path} cannot be written; check its permissions", path=self.path
            )
        if code in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED):
            return HostError(
                FAILED, "{path} is in use by another program; close that one first", path=self.path
            )
        return HostError(FAILED, "cannot use {path}: {error}", path=self.path, error=error)


def checked_names(names: dict[str, str]) -> dict[str, str]:
    """Names with white space put in order; control characters have no place in them. HostError
    BAD_INPUT as Store.name.
    """
    checked = {}
    for name, text in names.items():
        if name not in NAMES:
            raise HostError(
                BAD_INPUT,
                "a game has no {name!r}; there are {names}",
                name=name,
                names=", ".join(NAMES),
            )
        text = " ".join("".join(c if c.isprintable() else " " for c in text).split())
        if len(text) > LONGEST[name]:
            raise HostError(
                BAD_INPUT, "{name} may have up to {most} letters", name=name, most=LONGEST[name]
            )
        checked[name] = text
    if not checked:
        raise HostError(BAD_INPUT, "say what is to be written: {names}", names=", ".join(NAMES))
    return checked


def _text(data: bytes) -> str:
    """A text of the file; a damaged one is no reason to show nothing at all."""
    return data.decode("utf-8", "replace")


def _line(value: object) -> str:
    return value if isinstance(value, str) else ""


def _fits(number: int) -> bool:
    """Whether the file can have it as a number."""
    return -(2**63) <= number < 2**63


def _sound(name: str, value: object) -> object:
    """The value of a column of the table `games`, or what stands for none."""
    kind, missing = GAME_COLUMNS.get(name, (object, None))
    return value if isinstance(value, kind) else missing


def columns_of(body: Body) -> tuple[object, ...]:
    """What the columns of a fact or a ruling are, after those of Row."""
    values = astuple(body)
    if isinstance(body, RulingMessage):
        *always, score, seat, names = values
        values = (*always, score or None, seat or None, names or None)
    return tuple(map(_column, values))


def result_of(t_ms: int, end: RulingMessage) -> tuple[object, ...]:
    """What a game's columns from `ended_t_ms` to `score_b` are after this ruling."""
    white, black = end.score if len(end.score) == 2 else (None, None)
    return t_ms, end.player, end.why, white, black


def _column(value: object) -> object:
    """A field as a column: lists as JSON."""
    return json.dumps(value, separators=(",", ":")) if isinstance(value, tuple) else value
