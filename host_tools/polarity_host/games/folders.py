"""Where games are stored: POLARITY_DATA, else the user's data directory. On Linux that
is XDG_DATA_HOME/polarity, else ~/.local/share/polarity.
"""

import os
from contextlib import suppress
from pathlib import Path

from platformdirs import user_data_path

from polarity_host.errors import FAILED, HostError

#: A recording's name is taken when there is one of these.
TAKEN = (".matrec.gz", ".matrec", ".truth.jsonl")


def data_directory() -> Path:
    """The directory for games and recordings; it need not exist yet."""
    if own := os.environ.get("POLARITY_DATA"):
        return Path(own)
    return user_data_path("polarity", appauthor=False)


def games_file() -> Path:
    """The database that commands use unless --db names another."""
    return data_directory() / "games.db"


def recordings_directory() -> Path:
    """Where commands write recordings; it need not exist yet."""
    return data_directory() / "recordings"


def recording_file(stem: str) -> Path:
    """A path for a new recording, in a directory that exists: `stem.matrec.gz`, numbered if taken.

    HostError when the directory cannot be made.
    """
    directory = recordings_directory()
    make_directory(directory)
    name, count = stem, 1
    while any((directory / f"{name}{end}").exists() for end in TAKEN):
        count += 1
        name = f"{stem}-{count}"
    return directory / f"{name}.matrec.gz"


def make_directory(directory: Path) -> None:
    """Makes a directory and its parents. HostError when that cannot be done."""
    try:
        directory.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise HostError(
            FAILED,
            "cannot make {directory}: {why}; set POLARITY_DATA to a directory that can be written",
            directory=directory,
            why=error.strerror,
        ) from error


def make_private(path: Path) -> None:
    """Makes the file, if there is none, so that its owner alone may read it: it has names of
    people. SQLite gives what it makes beside it the same rights."""
    with suppress(OSError):  # it is there, or cannot be made: SQLite says why
        os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
