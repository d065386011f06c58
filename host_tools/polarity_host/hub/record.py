"""The hub's database: every numbered message of every mat, once, in SQLite or PostgreSQL."""

import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import islice
from pathlib import Path

from alembic import command
from alembic.config import Config
from alembic.util.exc import CommandError
from sqlalchemy import Table, create_engine, event, func, select
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.engine import URL, Connection, make_url
from sqlalchemy.exc import ArgumentError, SQLAlchemyError

from polarity_host.errors import BAD_INPUT, FAILED, HostError
from polarity_host.games.folders import make_private
from polarity_host.games.outbox import holes
from polarity_host.hub.games import fold, tells_of_games
from polarity_host.hub.schema import DECISIONS, EVIDENCE, LOST, MESSAGES
from polarity_host.mqtt.topics import Event, Lost
from polarity_host.wire.lines import Message

#: How long a server may take to answer (seconds): a slow one is waited for in the next try.
PATIENCE_S = 10
#: When a network that is cut counts as gone, as libpq has it: nobody else would tell (s; ms).
NETWORK = {
    "keepalives_idle": PATIENCE_S, "keepalives_interval": 2, "keepalives_count": 3,
    "tcp_user_timeout": 1000 * PATIENCE_S,
}  # fmt: skip
#: How many holes are looked for at once.
MOST_HOLES = 20


class Away(Exception):
    """The database does not answer, or is full; the message says why. It may come back."""


class Record:
    """An open database. Its methods raise Away; what they were to store is not stored then."""

    def __init__(self, where: str, make: bool = True):
        """Opens it and brings it up to date; `where`: a file, which is made if there is none unless
        `make` is False, or postgresql://USER@HOST/NAME. HostError BAD_INPUT for anything else,
        FAILED when it cannot be opened."""
        url = _url(where)
        self.where = url.render_as_string()
        self._is_sqlite = url.get_backend_name() == "sqlite"
        if self._is_sqlite and not make and not Path(where).is_file():
            raise HostError(BAD_INPUT, "there is no database {where}", where=where)
        options = {"timeout": PATIENCE_S}
        if not self._is_sqlite:
            limit = f"-c statement_timeout={PATIENCE_S}000"
            options = {"connect_timeout": PATIENCE_S, "options": limit, **NETWORK}
        self._engine = create_engine(url, connect_args=options, pool_pre_ping=True)
        if self._is_sqlite:
            make_private(Path(url.database or ""))
            event.listen(self._engine, "connect", _set_up_sqlite)
        try:
            with self._engine.begin() as connection:
                config = Config()
                config.set_main_option("script_location", str(Path(__file__).parent / "migrations"))
                config.attributes["connection"] = connection
                command.upgrade(config, "head")
        except (SQLAlchemyError, CommandError) as error:
            raise HostError(
                FAILED, "cannot open the database {where}: {why}",
                where=self.where, why=_plain(error),
            ) from error  # fmt: skip

    def close(self) -> None:
        """Lets go of it."""
        self._engine.dispose()

    def add(self, events: Sequence[tuple[Event, Message]]) -> list[tuple[str, int, int]]:
        """Stores messages in one transaction; returns (mat, boot, number) of those that are new."""
        now_ms = time.time_ns() // 1_000_000
        rows = [
            {
                "mat": sent.mat, "boot": message.boot, "n": message.number,
                "kind": message.kind, "t_ms": message.t_ms, "at_ms": sent.at_ms,
                "received_ms": now_ms, "line": message.raw,
            }
            for sent, message in events
        ]  # fmt: skip
        if not rows:
            return []
        returned = self._insert(MESSAGES).returning(MESSAGES.c.mat, MESSAGES.c.boot, MESSAGES.c.n)
        with self.transaction() as connection:
            new = [tuple(row) for row in connection.execute(returned, rows)]
            of_games = {
                (sent.mat, message.boot, message.number)
                for sent, message in events
                if tells_of_games(message)
            }
            for mat, boot in sorted({key[:2] for key in new if key in of_games}):
                fold(connection, mat, boot)
            return new

    @contextmanager
    def transaction(self) -> Iterator[Connection]:
        """A connection whose work is committed at the end of the block. Away, also for what fails
        within."""
        try:
            with self._engine.begin() as connection:
                yield connection
        except SQLAlchemyError as error:
            raise Away(_plain(error)) from error

    @contextmanager
    def snapshot(self) -> Iterator[Connection]:
        """A connection that sees everything as of one moment. Away, as of `transaction`."""
        level = {} if self._is_sqlite else {"isolation_level": "REPEATABLE READ"}
        try:
            with self._engine.connect().execution_options(**level) as connection:
                if self._is_sqlite:  # its driver begins a transaction with the first change
                    connection.exec_driver_sql("BEGIN")
                yield connection
        except SQLAlchemyError as error:
            raise Away(_plain(error)) from error

    def add_lost(self, lost: Lost) -> None:
        """Stores which numbers nobody has."""
        row = {"mat": lost.mat, "boot": lost.boot, "first": lost.first, "last": lost.last}
        self._write(LOST, row)

    def add_evidence(self, mat: str, boot: int, number: int, packed: bytes) -> None:
        """Stores the evidence of a ruling."""
        self._write(EVIDENCE, {"mat": mat, "boot": boot, "n": number, "packed": packed})

    def add_decision(self, mat: str, text: str) -> None:
        """Stores what an arbiter sends to a mat."""
        sent_ms = time.time_ns() // 1_000_000
        self._write(DECISIONS, {"mat": mat, "command": text, "sent_ms": sent_ms})

    def evidence(self, mat: str, boot: int, number: int) -> bytes | None:
        """The evidence of a ruling; None where it is not stored."""
        table = EVIDENCE.c
        query = select(table.packed).where(table.mat == mat, table.boot == boot, table.n == number)
        rows = self._read(query)
        return rows[0][0] if rows else None

    def numbers(self, mat: str, boot: int) -> list[int]:
        """The numbers that are stored of a boot, in order."""
        table = MESSAGES.c
        query = select(table.n).where(table.mat == mat, table.boot == boot).order_by(table.n)
        return [row[0] for row in self._read(query)]

    def holes(self, mat: str, boot: int, last: int) -> list[range]:
        """The numbers from 1 to `last` that are neither stored nor lost, in up to MOST_HOLES
        stretches."""
        table = MESSAGES.c
        own = (table.mat == mat, table.boot == boot, table.n <= last)
        if self._read(select(func.count()).where(*own))[0][0] == last:
            return []
        query = select(LOST.c.first, LOST.c.last).where(LOST.c.mat == mat, LOST.c.boot == boot)
        lost = [range(first, end + 1) for first, end in self._read(query)]
        known = [range(number, number + 1) for number in self.numbers(mat, boot)]
        found = holes(sorted(known + lost, key=lambda one: one.start), 1, last)
        return list(islice(found, MOST_HOLES))

    def _write(self, table: Table, row: dict[str, object]) -> None:
        with self.transaction() as connection:
            connection.execute(self._insert(table), row)

    def _insert(self, table: Table) -> "postgresql.Insert | sqlite.Insert":
        """An INSERT that leaves what is there as it is."""
        dialect = sqlite if self._is_sqlite else postgresql
        return dialect.insert(table).on_conflict_do_nothing()

    def _read(self, query: object) -> list:
        with self.transaction() as connection:
            return list(connection.execute(query))  # type: ignore[call-overload]


def _url(where: str) -> URL:
    if "://" not in where:
        return URL.create("sqlite", database=where)
    try:
        url = make_url(where)
    except ArgumentError:
        url = make_url("none://")
    if url.drivername not in ("postgresql", "postgres"):
        raise HostError(
            BAD_INPUT, "{where} is no database: name a file, or postgresql://USER@HOST/NAME",
            where=where.split("@")[-1],
        )  # fmt: skip
    return url.set(drivername="postgresql+psycopg")


def _set_up_sqlite(connection: object, _record: object) -> None:
    cursor = connection.cursor()  # type: ignore[attr-defined]
    cursor.execute("PRAGMA journal_mode = WAL")
    cursor.execute("PRAGMA synchronous = FULL")
    cursor.close()


def _plain(error: Exception) -> str:
    text = str(getattr(error, "orig", None) or error).strip().splitlines()
    return text[0] if text else type(error).__name__
