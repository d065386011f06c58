"""The tokens of a page's links. They are kept from start to start, so that a bookmark or an
installed page goes on working, in a file that its owner alone can read.
"""

import json
import os
import re
import secrets
import tempfile
from contextlib import suppress
from pathlib import Path

from polarity_host.errors import FAILED, HostError
from polarity_host.games.folders import data_directory, make_directory
from polarity_host.live.access import Role

BYTES = 18  # random, of a token
TOKEN = re.compile("[A-Za-z0-9_-]{24}")  # BYTES in base64
MOST_BYTES = 1000  # of a file


def new_tokens() -> dict[Role, str]:
    """A token for each role that nobody knows yet."""
    return {role: secrets.token_urlsafe(BYTES) for role in Role}


def kept_tokens(page: str, renew: bool = False) -> dict[Role, str]:
    """Those of a page, by its name; new ones with `renew`, and where none are kept or others than
    the owner could read them. HostError FAILED when they cannot be kept."""
    path = data_directory() / "links" / f"{page}.json"
    tokens = None if renew else _read(path)
    if tokens is None:
        tokens = new_tokens()
        _write(path, json.dumps(tokens))
    return tokens


def _read(path: Path) -> dict[Role, str] | None:
    with suppress(OSError, ValueError, RecursionError), path.open("rb") as file:
        state = os.fstat(file.fileno())
        if os.name == "posix" and (state.st_mode & 0o077 or state.st_uid != os.geteuid()):
            return None
        found = json.loads(file.read(MOST_BYTES))
        if isinstance(found, dict) and found.keys() == set(Role):
            tokens = {role: found[role] for role in Role}
            if all(isinstance(one, str) and TOKEN.fullmatch(one) for one in tokens.values()):
                return tokens
    return None


def _write(path: Path, text: str) -> None:
    make_directory(path.parent)
    try:
        number, name = tempfile.mkstemp(dir=path.parent)  # which its owner alone can read
        with open(number, "w", encoding="ascii") as file:
            file.write(text)
        os.replace(name, path)
    except OSError as error:
        raise HostError(
            FAILED,
            "cannot keep the links in {path}: {why}; set POLARITY_DATA to a directory that can be "
            "written",
            path=path,
            why=error.strerror,
        ) from error
