"""Finding games by who played, when, where, and by which rules."""

from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from urllib.parse import urlsplit

from polarity_host.games.schema import GameRow

#: The virtual mat on which people play, `sim://virtual`; all others play by themselves.
VIRTUAL = "virtual"


@dataclass(frozen=True)
class Wanted:
    """The games to find; "" and None match any. A text matches as a part, in any case; `since` and
    `until` are days in this computer's time, both included."""

    player: str = ""
    event: str = ""
    edition: str = ""
    since: date | None = None
    until: date | None = None
    game: int | None = None
    only_counted: bool = False  # leave out what does not count, see `counts`

    def fits(self, game: GameRow) -> bool:
        """Whether a game, as Store.games gives it, is one of them."""
        day = begun(game).date()
        edition = self.edition.lower()
        return (
            _within(self.player, f"{game['white']}\n{game['black']}")
            and _within(self.event, game["event"])
            and edition in ("", game["edition"], game["edition"].split("+")[0])
            and (self.since is None or day >= self.since)
            and (self.until is None or day <= self.until)
            and self.game in (None, game["id"])
            and (not self.only_counted or counts(game))
        )


def counts(game: GameRow) -> bool:
    """Whether a game counts among those of its players: it has an end, nobody has archived it, and
    it is no demo."""
    return game["ended_t_ms"] is not None and not game["archived"] and not is_demo(game)


def is_demo(game: GameRow) -> bool:
    """Whether a computer played the game by itself, on a virtual mat of this program."""
    try:
        port = urlsplit(game["port"])
    except ValueError:
        return False
    return port.scheme == "sim" and port.netloc != VIRTUAL


def begun(game: GameRow) -> datetime:
    """When a game began, in this computer's time; the year 1970 for impossible times."""
    start = datetime(1970, 1, 1, tzinfo=UTC)
    try:
        return (start + timedelta(milliseconds=game["begun_ms"])).astimezone()
    except (OverflowError, ValueError):
        return start


def player_of(game: GameRow, letter: str) -> str:
    """The name of who played a colour, "" when it is not known."""
    return game["white" if letter == "w" else "black"]


def _within(part: str, text: str) -> bool:
    return part.casefold() in text.casefold()
