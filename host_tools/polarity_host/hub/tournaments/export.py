"""A tournament for other programs: as a JSON object, and its games as CSV."""

import csv
import io
from dataclasses import asdict
from typing import Any

from polarity_host.hub.tournaments.model import Pairing, Tournament
from polarity_host.hub.tournaments.standings import standings

VERSION = 1
COLUMNS: tuple[str, ...] = (
    "round",
    "board",
    "white",
    "black",
    "result",
    "by",
    "mat",
    "boot",
    "n",
    "began_ms",
    "why",
)


def as_object(tournament: Tournament) -> dict[str, Any]:
    """All of it: `rounds_paired` of `rounds`, `boards` by round and board with the names of the
    players, `standings` with points in halves as numbers."""
    names = {player.id: player.name for player in tournament.players}
    return {
        "v": VERSION,
        "name": tournament.name,
        "system": tournament.system,
        "rounds": tournament.rounds,
        "rounds_paired": tournament.round,
        "players": [
            {"name": one.name, "seed": one.seed, "last_round": one.last_round}
            for one in tournament.players
        ],
        "boards": [_board(one, names) for one in tournament.pairings],
        "standings": [
            {
                "place": row.place, "name": row.name, "points": row.half_points / 2,
                "played": row.played, "wins": row.wins, "buchholz": row.buchholz / 2,
                "sonneborn_berger": row.sonneborn / 4,
            }
            for row in standings(tournament)
        ],
    }  # fmt: skip


def as_csv(tournament: Tournament) -> str:
    """A line for each board of each round. A name that a spreadsheet would take for a formula gets
    an apostrophe before it."""
    names = {player.id: player.name for player in tournament.players}
    out = io.StringIO()
    writer = csv.DictWriter(out, COLUMNS, extrasaction="ignore", lineterminator="\n")
    writer.writeheader()
    for pairing in tournament.pairings:
        board = _board(pairing, names)
        game = board.pop("game") or {}
        row = {**board, **{name: game.get(name, "") for name in ("boot", "n", "began_ms", "why")}}
        for side in ("white", "black"):
            row[side] = f"'{row[side]}" if str(row[side])[:1] in tuple("=+-@") else row[side]
        writer.writerow(row)
    return out.getvalue()


def _board(pairing: Pairing, names: dict[int, str]) -> dict[str, Any]:
    by = "bye" if pairing.black is None else ""
    if pairing.result:
        by = "arbiter" if pairing.by_arbiter else "mat"
    return {
        "round": pairing.round,
        "board": pairing.board,
        "white": names[pairing.white],
        "black": "" if pairing.black is None else names[pairing.black],
        "mat": pairing.mat or "",
        "result": pairing.result or "",
        "by": by,
        "game": asdict(pairing.game) if pairing.game else None,
    }
