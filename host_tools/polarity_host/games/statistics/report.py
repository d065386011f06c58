"""Games and players as tables: on the terminal, as records, and as one HTML file with plots."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from html import escape
from typing import Any

from polarity_host.games.exported_page import page, wide_table
from polarity_host.games.schema import GameRow
from polarity_host.games.search import Wanted, begun, player_of
from polarity_host.games.statistics.counts import Side, sides
from polarity_host.games.statistics.plots import bars, histogram
from polarity_host.games.store import Store
from polarity_host.terminal.table import show_table, table_console
from polarity_host.words.catalogue import Catalogue, Sayer, catalogue

GAME_COLUMNS = ("game", "date", "white", "black", "edition", "event", "result")
PLAYER_COLUMNS = (
    "player", "games", "won", "lost", "turn_s", "tilt_deg", "faults", "captures_won",
    "captures_lost",
)  # fmt: skip
#: Of them those that are shown to a tenth.
MEANS = ("turn_s", "tilt_deg")

Row = tuple[object, ...]


@dataclass
class Found:
    """Games (the columns of the table) and what each player did in them, by name or colour."""

    games: list[GameRow]
    players: dict[str, Side]
    left_out: dict[int, int] = field(default_factory=dict)  # damaged lines, by the game's number
    not_counted: int = 0  # games that fit but for Wanted.only_counted


def found(store: Store, wanted: Wanted) -> Found:
    """The games that are wanted, counted."""
    stored = store.games()
    games = [game for game in stored if wanted.fits(game)]
    fitting = sum(replace(wanted, only_counted=False).fits(game) for game in stored)
    players: dict[str, Side] = {}
    left_out: dict[int, int] = {}
    for game in games:
        messages, damaged = store.messages(game["id"])
        if damaged:
            left_out[game["id"]] = damaged
        both = sides(messages)
        for letter, side in both.items():
            name = player_of(game, letter) or letter
            players.setdefault(name, Side()).add(side)
    return Found(games, players, left_out, fitting - len(games))


def as_records(found: Found) -> Iterator[dict[str, Any]]:
    """Yields a dict for each game, then one for each player; `player` is "w" or "b" for those
    without a name. Then one for each game of which damaged lines were left out, and one with how
    many games do not count."""
    for game in found.games:
        yield {"k": "game", **game, "begun": begun(game).isoformat()}
    for name, side in found.players.items():
        yield {"k": "player", "player": name, **side.summary()}
    for game, lines in found.left_out.items():
        yield {"k": "left_out", "game": game, "lines": lines}
    if found.not_counted:
        yield {"k": "not_counted", "games": found.not_counted}


def show(found: Found, language: str) -> None:
    """Prints both tables; on a terminal in colour. Where a table is too wide for whole words, each
    of its rows is a list."""
    words = catalogue(language)
    say = words.section("stats")
    console = table_console()
    for columns, rows in (
        (GAME_COLUMNS, _games(found, words)),
        (PLAYER_COLUMNS, _players(found, words)),
    ):
        show_table(console, [say(column) for column in columns], list(rows))
    for name, side in found.players.items():
        if side.faults:
            kinds = ", ".join(f"{say(why)} {n}" for why, n in side.faults.most_common())
            console.print(f"{_name(name, say)}: {kinds}", markup=False)
    if found.not_counted:
        left_out = say("not_counted", count=found.not_counted)
        console.print(f"{left_out} {say('with_all')}", markup=False)


def as_html(found: Found, language: str) -> str:
    """One HTML file that needs nothing else. Names are text in it, never markup."""
    words = catalogue(language)
    say = words.section("stats")
    parts = [
        wide_table(map(say, GAME_COLUMNS), _games(found, words, words.edition)),
        wide_table(map(say, PLAYER_COLUMNS), _players(found, words)),
    ]
    for name, side in found.players.items():
        counted = [(say(why), n) for why, n in side.faults.most_common()]
        plots = [
            bars(say("faults"), counted) if counted else "",
            histogram(say("tilt_deg"), side.tilts_deg, 10, 0, 90) if side.tilts_deg else "",
            histogram(say("turn_s"), side.turns_s, 10, 0, 120) if side.turns_s else "",
        ]
        if any(plots):
            parts.append(f"<h2>{escape(_name(name, say))}</h2>")
            parts.append(f"<div class='card plots'>{''.join(plots)}</div>")
    if found.not_counted:
        parts.append(f"<p>{escape(say('not_counted', count=found.not_counted))}</p>")
    return page(say("title"), language, "".join(parts))


def _games(found: Found, words: Catalogue, edition: Callable[[str], str] = str) -> Iterator[Row]:
    say = words.section("stats")
    for game in found.games:
        result = result_of(game, say)
        names = [player_of(game, letter) or "–" for letter in "wb"]
        yield (
            game["id"],
            words.day_and_time(begun(game)),
            *names,
            edition(game["edition"]),
            game["event"],
            result,
        )


def result_of(game: GameRow, say: Sayer) -> str:
    """Who won, in words."""
    if game["ended_t_ms"] is None:
        return say("open")
    return say("won_by", winner=say(game["winner"])) if game["winner"] else say("drawn")


def _players(found: Found, words: Catalogue) -> Iterator[Row]:
    for name, side in found.players.items():
        summary = side.summary()
        values = [
            "–" if summary[c] is None else words.number(summary[c], int(c in MEANS))
            for c in PLAYER_COLUMNS[1:]
        ]
        yield _name(name, words.section("stats")), *values


def _name(name: str, say: Sayer) -> str:
    return say(name) if name in ("w", "b") else name
