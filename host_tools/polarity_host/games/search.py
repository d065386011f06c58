"""Finding games by who played, when, where, and by which rules."""

from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta

from polarity_host.games.schema import GameRow


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
        )


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
