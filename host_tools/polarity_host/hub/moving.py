"""A club moves from one database to another: SQLite to PostgreSQL when it outgrows it, and back."""

from collections.abc import Callable

from sqlalchemy import func, insert, select, text
from sqlalchemy.engine import Connection

from polarity_host.errors import BAD_INPUT, FAILED, HostError
from polarity_host.hub.record import Record
from polarity_host.hub.schema import METADATA

BATCH = 1000  # rows


def move(
    source: Record, target: Record, on_rows: Callable[[str, int], None] = lambda table, rows: None
) -> dict[str, int]:
    """Copies everything into an empty database, in one transaction: after a failure it is as empty
    as before. The source is read as of one moment and stays as it is. Returns the rows by table;
    `on_rows` gets them as they are copied.

    HostError BAD_INPUT where the target is not empty, FAILED where not all arrived. Away.
    """
    copied: dict[str, int] = {}
    with source.snapshot() as old, target.transaction() as new:
        for table in METADATA.sorted_tables:
            if _count(new, table.name):
                raise HostError(
                    BAD_INPUT, "{target} has a club already: name an empty database",
                    target=target.where,
                )  # fmt: skip
        for table in METADATA.sorted_tables:
            rows = 0
            result = old.execution_options(yield_per=BATCH).execute(select(table))
            for batch in result.mappings().partitions():
                new.execute(insert(table), [dict(row) for row in batch])
                rows += len(batch)
                on_rows(table.name, rows)
            if _count(new, table.name) != rows:
                raise HostError(FAILED, "not all of {table} arrived; nothing was changed",
                                table=table.name)  # fmt: skip
            copied[table.name] = rows
        if new.dialect.name == "postgresql":
            _continue_numbers(new)
    return copied


def _count(connection: Connection, table: str) -> int:
    return (
        connection.execute(select(func.count()).select_from(METADATA.tables[table])).scalar() or 0
    )


def _continue_numbers(connection: Connection) -> None:
    """PostgreSQL numbers new rows by a sequence, which knows nothing of rows with numbers of their
    own."""
    for table in METADATA.sorted_tables:
        (*others, key) = table.primary_key.columns
        if not others and key.type.python_type is int:
            connection.execute(
                text(
                    f"SELECT setval(pg_get_serial_sequence('{table.name}', '{key.name}'), "
                    f"coalesce((SELECT max({key.name}) FROM {table.name}), 0) + 1, false)"
                )
            )
