"""The hub's tables, the same for SQLite and PostgreSQL. `migrations/` brings a database up to date;
a test compares what it makes with this."""

from sqlalchemy import (
    BigInteger,
    Column,
    ForeignKey,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    Table,
    Text,
)

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

#: Every game that was begun, by the number of its `game` message, as the mat's messages tell it.
GAMES = Table(
    "games", METADATA,
    Column("mat", Text, primary_key=True),
    Column("boot", BigInteger, primary_key=True),
    Column("n", BigInteger, primary_key=True),
    Column("began_ms", BigInteger, nullable=False),  # UTC, by the hub's clock: see `hub.games`
    Column("winner", Text),  # `w`, `b`, "" for a draw; NULL until it ends
    Column("why", Text),
    Index("games_mat", "mat", "began_ms"),
)  # fmt: skip

#: Who plays in tournaments.
PLAYERS = Table(
    "players", METADATA,
    Column("id", Integer, primary_key=True),
    Column("name", Text, nullable=False, unique=True),
)  # fmt: skip

TOURNAMENTS = Table(
    "tournaments", METADATA,
    Column("id", Integer, primary_key=True),
    Column("name", Text, nullable=False, unique=True),
    Column("system", Text, nullable=False),  # `swiss`, `round-robin`
    Column("rounds", Integer, nullable=False),
    Column("mats", Text, nullable=False),  # in the order of their boards, with spaces between
    Column("created_ms", BigInteger, nullable=False),  # UTC, by the hub's clock
)  # fmt: skip

#: Who plays in which tournament.
ENTRIES = Table(
    "entries", METADATA,
    Column("tournament", Integer, ForeignKey("tournaments.id"), primary_key=True),
    Column("player", Integer, ForeignKey("players.id"), primary_key=True),
    Column("seed", Integer, nullable=False),  # from 1
    Column("last_round", Integer),  # of one who has left; NULL for the others
)  # fmt: skip

#: Who plays whom, and where. Its game is the one that begins on its mat from `since_ms` on, unless
#: the arbiter has named another one or a result.
PAIRINGS = Table(
    "pairings", METADATA,
    Column("tournament", Integer, ForeignKey("tournaments.id"), primary_key=True),
    Column("round", Integer, primary_key=True),  # from 1
    Column("board", Integer, primary_key=True),  # from 1
    Column("white", Integer, ForeignKey("players.id"), nullable=False),
    Column("black", Integer, ForeignKey("players.id")),  # NULL: white has a bye
    Column("mat", Text),
    Column("since_ms", BigInteger, nullable=False),  # UTC, by the hub's clock
    Column("result", Text),  # the arbiter's: one of `tournaments.model.RESULTS`
    Column("game_mat", Text),  # the game that the arbiter has named
    Column("game_boot", BigInteger),
    Column("game_n", BigInteger),
)  # fmt: skip
