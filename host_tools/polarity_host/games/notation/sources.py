"""The messages of one whole game: as stored in a database, or judged again from a recording."""

from datetime import UTC
from pathlib import Path

from polarity_host.errors import BAD_INPUT, FAILED, HostError, Said
from polarity_host.games.schema import NAMES, GameRow
from polarity_host.games.search import begun
from polarity_host.games.store import Store
from polarity_host.replay.judge import Replay
from polarity_host.terminal.progress import Progress
from polarity_host.wire.lines import Message
from polarity_host.words import Words, clock
from polarity_host.words.catalogue import DEFAULT


def stored(path: Path, game: int | None = None) -> tuple[str, list[Message]]:
    """When a game of the database was played (UTC), and the mat's messages; the last game when none
    is named. HostError BAD_INPUT when there is none such.
    """
    with opened(path) as store:
        row = _row(store, game)
        messages, _ = store.messages(row["id"])
    return begun(row).astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ"), messages


def lines_left_out(game: int, lines: int) -> Said:
    """Says that these damaged lines of a game are left out."""
    return Said("left out of game {game}: {lines} damaged lines", game=game, lines=lines)


def left_out(path: Path, game: int | None = None) -> Said | None:
    """What of a game is damaged and therefore left out, None for nothing."""
    with opened(path) as store:
        row = _row(store, game)
        count = store.messages(row["id"])[1]
    return lines_left_out(row["id"], count) if count else None


def named(path: Path, game: int | None = None) -> dict[str, str]:
    """The names that people gave to a game, as tags of its record; the last game when none is
    named."""
    with opened(path) as store:
        row = _row(store, game)
    return {name.capitalize(): row[name] for name in NAMES if row[name]}


def evidence(path: Path, game: int | None, number: int) -> tuple[object, list[int]]:
    """The evidence of a ruling of a game as it is stored, None for none; and the numbers of those
    rulings of it whose evidence is. HostError BAD_INPUT when there is no such game.
    """
    with opened(path) as store:
        row = _row(store, game)
        return store.evidence(row["id"], number), store.evidence_numbers(row["id"])


def opened(path: Path) -> Store:
    """The games database. HostError BAD_INPUT when there is none yet."""
    if not path.exists():
        raise HostError(BAD_INPUT, "no games in {path} yet: `polarity demo` plays one", path=path)
    return Store(path)


def _row(store: Store, game: int | None) -> GameRow:
    games = {game["id"]: game for game in store.games()}
    if not games:
        raise HostError(
            BAD_INPUT, "no games in {path} yet: `polarity demo` plays one", path=store.path
        )
    wanted = game if game is not None else max(games)
    if wanted not in games:
        known = Said("it has {first} to {last}", first=min(games), last=max(games))
        raise HostError(
            BAD_INPUT,
            "no game {wanted} in {path}: {known}",
            wanted=wanted,
            path=store.path,
            known=known,
        )
    return games[wanted]


def judged(recording: Path, progress: Progress, language: str = DEFAULT) -> list[Message]:
    """The messages of today's firmware for a recording, a snapshot of its end the last. HostError
    when it cannot be read, or nothing could be observed in it.
    """
    replay, words = Replay(recording), Words(language)
    messages = []
    try:
        for _, message in replay.messages():
            messages.append(message)
            place = {"clock": clock(replay.last_t_us // 1000), "frames": replay.frames}
            progress.show(words.text("progress_judged", **place), replay.share)
    finally:
        progress.clear()
    for line in replay.complaints:
        progress.warn(words.said(line))
    if replay.why_blind:
        raise HostError(
            FAILED,
            "{path} cannot be judged: {why}",
            path=recording,
            why=replay.why_blind,
        )
    return [*messages, *replay.snapshot()]
