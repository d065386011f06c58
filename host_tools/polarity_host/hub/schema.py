"""The hub's tables, the same for SQLite and PostgreSQL. `migrations/` brings a database up to date;
a test compares what it makes with this."""

from sqlalchemy import BigInteger, Column, Index, Integer, LargeBinary, MetaData, Table, Text

METADATA = MetaData()

#: Every numbered message of every mat, once: by mat, boot and number.
MESSAGES = Table(
    "messages", METADATA,
    Column("mat", Text, primary_key=True),
    Column("boot", BigInteger, primary_key=True),
    Column("n", BigInteger, primary_key=True),
    Column("kind", Text, nullable=False),
    Column("t_ms", BigInteger, nullable=False),  # the mat's clock
    Column("at_ms", BigInteger, nullable=False),  # UTC, by the clock of the mat's computer
    Column("received_ms", BigInteger, nullable=False),  # UTC, by the hub's clock
    Column("line", Text, nullable=False),  # as the mat sent it
    Index("messages_received", "received_ms"),
)  # fmt: skip

#: Numbers that nobody has.
LOST = Table(
    "lost", METADATA,
    Column("mat", Text, primary_key=True),
    Column("boot", BigInteger, primary_key=True),
    Column("first", BigInteger, primary_key=True),
    Column("last", BigInteger, nullable=False),
)  # fmt: skip

#: The evidence of rulings that somebody has asked for.
EVIDENCE = Table(
    "evidence", METADATA,
    Column("mat", Text, primary_key=True),
    Column("boot", BigInteger, primary_key=True),
    Column("n", BigInteger, primary_key=True),
    Column("packed", LargeBinary, nullable=False),  # JSON, compressed by zlib
)  # fmt: skip

#: What arbiters have sent to mats.
DECISIONS = Table(
    "decisions", METADATA,
    Column("id", Integer, primary_key=True),
    Column("mat", Text, nullable=False),
    Column("command", Text, nullable=False),
    Column("sent_ms", BigInteger, nullable=False),  # UTC, by the hub's clock
)  # fmt: skip
