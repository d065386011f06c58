"""Where games are stored: POLARITY_DATA, else the user's data directory. On Linux that
is XDG_DATA_HOME/polarity, else ~/.local/share/polarity.
"""

import os
from pathlib import Path

from platformdirs import user_data_path

from polarity_host.errors import FAILED, HostError


def data_directory() -> Path:
    """The directory for games and recordings; it need not exist yet."""
    if own := os.environ.get("POLARITY_DATA"):
        return Path(own)
    return user_data_path("polarity", appauthor=False)


def games_file() -> Path:
    """The database that commands use unless --db names another."""
    return data_directory() / "games.db"


def recording_file(stem: str) -> Path:
    """A path for a new recording, in a directory that exists: `stem.matrec`, numbered if taken.

    HostError when the directory cannot be made.
    """
    directory = data_directory() / "recordings"
    make_directory(directory)
    path, count = directory / f"{stem}.matrec", 1
    while path.exists():
        count += 1
        path = directory / f"{stem}-{count}.matrec"
    return path


def make_directory(directory: Path) -> None:
    """Makes a directory and its parents. HostError when that cannot be done."""
    try:
        directory.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise HostError(
            FAILED,
            f"cannot make {directory}: {error.strerror}; "
            "set POLARITY_DATA to a directory that can be written",
        ) from error
