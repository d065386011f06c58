"""The games database's tables, and how a file of an earlier version is brought up to date."""

from collections.abc import Iterator
from sqlite3 import complete_statement
from typing import TypedDict

#: Marks the file as ours ("PMAT"): PRAGMA application_id.
APPLICATION_ID = 0x504D4154

#: The names and notes that people may give to a game, and how many letters each may have.
NAMES = ("white", "black", "event", "notes")
LONGEST = {"white": 80, "black": 80, "event": 120, "notes": 2000}


class GameRow(TypedDict):
    """A row of the table `games`."""

    id: int
    port: str
    boot: int
    mat: str
    edition: str
    begun_ms: int  # UTC, ms since 1970
    ended_t_ms: int | None  # the mat's clock; None while it is played
    winner: str | None
    why: str | None
    score_w: int | None
    score_b: int | None
    white: str
    black: str
    event: str
    notes: str
    archived: int  # 1: put away by a person


#: What each column of a GameRow may be, and what it is where it is damaged.
GAME_COLUMNS: dict[str, tuple[type, object]] = {
    **dict.fromkeys(("id", "boot", "begun_ms"), (int, 0)),
    **dict.fromkeys(("port", "mat", "edition", "white", "black", "event", "notes"), (str, "")),
    **dict.fromkeys(("ended_t_ms", "score_w", "score_b"), (int, None)),
    "archived": (int, 0),
    **dict.fromkeys(("winner", "why"), (str, None)),
}


#: Script number i brings a file of version i to version i + 1. Only ever append.
MIGRATIONS = (
    """
    CREATE TABLE games (
        id INTEGER PRIMARY KEY,
        port TEXT NOT NULL,
        boot INTEGER NOT NULL,
        mat TEXT NOT NULL DEFAULT '',
        edition TEXT NOT NULL DEFAULT '',
        begun_ms INTEGER NOT NULL,          -- UTC, ms since 1970
        ended_t_ms INTEGER,                 -- the mat's clock; NULL while it is played
        winner TEXT,                        -- w, b, or '' for a draw
        why TEXT,
        score_w INTEGER,
        score_b INTEGER
    );
    CREATE TABLE messages (
        id INTEGER PRIMARY KEY,
        game_id INTEGER NOT NULL REFERENCES games(id),
        boot INTEGER NOT NULL,
        n INTEGER NOT NULL,
        t_ms INTEGER NOT NULL,              -- the mat's clock
        received_ms INTEGER NOT NULL,       -- UTC, ms since 1970
        kind TEXT NOT NULL,
        numbered INTEGER NOT NULL,
        raw TEXT NOT NULL                   -- the line as received
    );
    CREATE UNIQUE INDEX messages_once ON messages(boot, n) WHERE numbered;
    CREATE INDEX messages_of_game ON messages(game_id, id);
    CREATE TABLE facts (
        message_id INTEGER PRIMARY KEY REFERENCES messages(id),
        game_id INTEGER NOT NULL REFERENCES games(id),
        n INTEGER NOT NULL, t_ms INTEGER NOT NULL, fact TEXT NOT NULL,
        piece INTEGER NOT NULL, others TEXT NOT NULL, face TEXT NOT NULL, discs INTEGER NOT NULL,
        x_cmm INTEGER NOT NULL, y_cmm INTEGER NOT NULL, tilt_deg INTEGER NOT NULL,
        d_cmm INTEGER NOT NULL, shape TEXT NOT NULL, why TEXT NOT NULL, confidence INTEGER NOT NULL
    );
    CREATE INDEX facts_of_game ON facts(game_id, n);
    CREATE TABLE rulings (
        message_id INTEGER PRIMARY KEY REFERENCES messages(id),
        game_id INTEGER NOT NULL REFERENCES games(id),
        n INTEGER NOT NULL, t_ms INTEGER NOT NULL, code TEXT NOT NULL, player TEXT NOT NULL,
        why TEXT NOT NULL, pieces TEXT NOT NULL, facts TEXT NOT NULL, owed TEXT NOT NULL,
        returns TEXT NOT NULL, reserve TEXT NOT NULL, turn INTEGER NOT NULL, active TEXT NOT NULL,
        score TEXT
    );
    CREATE INDEX rulings_of_game ON rulings(game_id, n);
    CREATE TABLE gaps (
        id INTEGER PRIMARY KEY,
        game_id INTEGER NOT NULL REFERENCES games(id),
        boot INTEGER NOT NULL, first_n INTEGER NOT NULL, last_n INTEGER NOT NULL
    );
    """,
    """
    ALTER TABLE rulings ADD COLUMN seat INTEGER;   -- where more than two play
    ALTER TABLE rulings ADD COLUMN names INTEGER;  -- what a correction is about, by its n
    """,
    """
    CREATE TABLE evidence (                 -- the frames around a ruling, see live/evidence.py
        game_id INTEGER NOT NULL REFERENCES games(id),
        boot INTEGER NOT NULL,
        n INTEGER NOT NULL,
        packed BLOB NOT NULL,               -- JSON, compressed by zlib
        PRIMARY KEY (boot, n)
    );
    CREATE INDEX evidence_of_game ON evidence(game_id, n);
    """,
    """
    ALTER TABLE games ADD COLUMN white TEXT NOT NULL DEFAULT '';  -- names, as the players give them
    ALTER TABLE games ADD COLUMN black TEXT NOT NULL DEFAULT '';
    ALTER TABLE games ADD COLUMN event TEXT NOT NULL DEFAULT '';
    ALTER TABLE games ADD COLUMN notes TEXT NOT NULL DEFAULT '';
    """,
    """
    CREATE TABLE aside (                    -- lines with a right checksum that are no messages
        id INTEGER PRIMARY KEY,
        port TEXT NOT NULL,
        received_ms INTEGER NOT NULL,       -- UTC, ms since 1970
        why TEXT NOT NULL,
        line BLOB NOT NULL                  -- as received
    );
    """,
    """
    ALTER TABLE games ADD COLUMN archived INTEGER NOT NULL DEFAULT 0;  -- 1: put away by a person
    CREATE TABLE deleted (                  -- numbers that no mat has to send again
        boot INTEGER NOT NULL,
        last_n INTEGER NOT NULL
    );
    """,
    """
    ALTER TABLE messages ADD COLUMN seal BLOB;  -- see seals.py; NULL: stored before there were any
    """,
    """
    CREATE TABLE outbox (                   -- see outbox.py
        mat TEXT PRIMARY KEY,               -- the name that a mat is published by
        position INTEGER NOT NULL           -- up to which messages.id the broker has all of it
    );
    CREATE TABLE outbox_boots (
        mat TEXT NOT NULL,
        boot INTEGER NOT NULL,              -- a boot that is published by this name
        PRIMARY KEY (mat, boot)
    );
    CREATE TRIGGER outbox_after_deletion AFTER DELETE ON messages BEGIN
        -- SQLite gives the highest ids anew once their rows are deleted
        UPDATE outbox SET position = (SELECT coalesce(max(id), 0) FROM messages)
            WHERE position > (SELECT coalesce(max(id), 0) FROM messages);
    END;
    """,
)


def statements(script: str) -> Iterator[str]:
    """The statements of a script one by one, so that they can run inside a transaction."""
    statement = ""
    for line in script.splitlines(keepends=True):
        statement += line
        if complete_statement(statement):
            yield statement
            statement = ""
