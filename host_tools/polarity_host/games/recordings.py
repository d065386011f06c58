"""Recordings on the disk: what they take, which game one is of, and how much of them stays."""

import os
import re
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

from polarity_host.errors import FAILED, HostError
from polarity_host.games.folders import recordings_directory
from polarity_host.games.schema import GameRow
from polarity_host.replay.review import TimedRuling
from polarity_host.replay.truth import truth_path

ENDINGS = (".matrec", ".matrec.gz")
UNITS = {"": 1, "K": 1e3, "M": 1e6, "G": 1e9, "T": 1e12}
SIZE = re.compile(r"(\d+(?:\.\d+)?) ?([KMGT]?)B?", re.IGNORECASE)
#: Share of the rulings that a recording and its game have in common at least, at the same times.
ALIKE = 0.5


@dataclass(frozen=True)
class Recording:
    """A recording with the truth beside it, if there is one."""

    path: Path
    size: int  # bytes, with its truth
    written_s: float  # when it was last written, as time.time()

    def delete(self) -> None:
        """Deletes it. HostError when that cannot be done."""
        try:
            self.path.unlink(missing_ok=True)
            truth_path(self.path).unlink(missing_ok=True)
        except OSError as error:
            raise HostError(
                FAILED, "cannot delete {path}: {why}", path=self.path, why=error.strerror
            ) from error


def size_of(text: str) -> int:
    """A number of bytes as people write it: 500MB, 1.5 GB. ValueError for anything else."""
    match = SIZE.fullmatch(text.strip())
    if not match:
        raise ValueError(text)
    return int(float(match[1]) * UNITS[match[2].upper()])


size_of.__name__ = "size (such as 500MB)"


def recordings(directory: Path | None = None) -> list[Recording]:
    """Those that commands have written (in the user's data directory), oldest first."""
    found = []
    for path in (directory or recordings_directory()).glob("*.matrec*"):
        if path.name.endswith(ENDINGS) and (one := _recording(path)):
            found.append(one)
    return sorted(found, key=lambda one: (one.written_s, one.path))


def pruned(keep: int, directory: Path | None = None) -> list[Recording]:
    """Deletes the oldest recordings until the others take `keep` bytes or fewer; returns those that
    are gone. Games stay in the database. HostError when one cannot be deleted."""
    gone, there = [], recordings(directory)
    size = sum(one.size for one in there)
    for one in there:
        if size <= keep:
            break
        one.delete()
        size -= one.size
        gone.append(one)
    return gone


def recording_of(game: GameRow) -> Recording | None:
    """The recording that was written while a game was played, where it still is; None for none."""
    path = _named_by(game)
    return _recording(path) if path else None


def of_recording(games: Iterable[GameRow], recording: Path) -> GameRow | None:
    """The newest of those games while which this recording was written; None for none."""
    place = _place(recording)
    named = ((game, _named_by(game)) for game in games)
    return max(
        (game for game, path in named if path and _place(path) == place),
        key=lambda game: game["id"],
        default=None,
    )


def likeness(before: Iterable[TimedRuling], now: Iterable[TimedRuling]) -> float:
    """How much two lists of rulings have in common, from 0 to 1: the same rulings at the same
    times."""
    one, other = ({(ruling.t_ms, ruling.ruling.code) for ruling in side} for side in (before, now))
    return len(one & other) / max(1, len(one | other))


def _named_by(game: GameRow) -> Path | None:
    """The recording that a virtual mat's port names."""
    try:
        parts = urlsplit(game["port"])
    except ValueError:
        return None
    named = parse_qs(parts.query).get("record", [""])[-1]
    return Path(named) if parts.scheme == "sim" and named else None


def _place(path: Path) -> str:
    return os.path.realpath(path)


def _recording(path: Path) -> Recording | None:
    try:
        about = path.stat()
        truth = truth_path(path)
        return Recording(
            path, about.st_size + (truth.stat().st_size if truth.exists() else 0), about.st_mtime
        )
    except OSError:
        return None
