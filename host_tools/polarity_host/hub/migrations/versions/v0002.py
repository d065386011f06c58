"""Games, players, tournaments and pairings."""

import sqlalchemy as sa
from alembic import op

from polarity_host.hub.games import fold

revision = "0002"
down_revision = "0001"


def upgrade() -> None:
    """Makes their tables, and finds the games of the messages that are stored."""
    op.create_table(
        "games",
        sa.Column("mat", sa.Text(), nullable=False),
        sa.Column("boot", sa.BigInteger(), nullable=False),
        sa.Column("n", sa.BigInteger(), nullable=False),
        sa.Column("began_ms", sa.BigInteger(), nullable=False),
        sa.Column("winner", sa.Text(), nullable=True),
        sa.Column("why", sa.Text(), nullable=True),
        sa.PrimaryKeyConstraint("mat", "boot", "n"),
    )
    op.create_index("games_mat", "games", ["mat", "began_ms"])
    op.create_table(
        "players",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("id"),
        sa.UniqueConstraint("name"),
    )
    op.create_table(
        "tournaments",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("system", sa.Text(), nullable=False),
        sa.Column("rounds", sa.Integer(), nullable=False),
        sa.Column("mats", sa.Text(), nullable=False),
        sa.Column("created_ms", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("id"),
        sa.UniqueConstraint("name"),
    )
    op.create_table(
        "entries",
        sa.Column("tournament", sa.Integer(), nullable=False),
        sa.Column("player", sa.Integer(), nullable=False),
        sa.Column("seed", sa.Integer(), nullable=False),
        sa.Column("last_round", sa.Integer(), nullable=True),
        sa.ForeignKeyConstraint(["tournament"], ["tournaments.id"]),
        sa.ForeignKeyConstraint(["player"], ["players.id"]),
        sa.PrimaryKeyConstraint("tournament", "player"),
    )
    op.create_table(
        "pairings",
        sa.Column("tournament", sa.Integer(), nullable=False),
        sa.Column("round", sa.Integer(), nullable=False),
        sa.Column("board", sa.Integer(), nullable=False),
        sa.Column("white", sa.Integer(), nullable=False),
        sa.Column("black", sa.Integer(), nullable=True),
        sa.Column("mat", sa.Text(), nullable=True),
        sa.Column("since_ms", sa.BigInteger(), nullable=False),
        sa.Column("result", sa.Text(), nullable=True),
        sa.Column("game_mat", sa.Text(), nullable=True),
        sa.Column("game_boot", sa.BigInteger(), nullable=True),
        sa.Column("game_n", sa.BigInteger(), nullable=True),
        sa.ForeignKeyConstraint(["tournament"], ["tournaments.id"]),
        sa.ForeignKeyConstraint(["white"], ["players.id"]),
        sa.ForeignKeyConstraint(["black"], ["players.id"]),
        sa.PrimaryKeyConstraint("tournament", "round", "board"),
    )
    boots = sa.text("SELECT DISTINCT mat, boot FROM messages WHERE kind = 'game'")
    for mat, boot in op.get_bind().execute(boots).all():
        fold(op.get_bind(), mat, boot)
