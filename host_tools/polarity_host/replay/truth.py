"""The truth beside a recording: `NAME.truth.jsonl`, one JSON object a line, made by a twin."""

import json
from pathlib import Path
from typing import Any, Self

from polarity_host.replay.recording import RecordingError


def truth_path(path: str | Path) -> Path:
    """Where the truth of the recording at `path` is: NAME.truth.jsonl beside NAME.matrec[.gz]."""
    path = Path(path)
    name = path.name.removesuffix(".gz").removesuffix(".matrec")
    return path.with_name(name + ".truth.jsonl")


class TruthWriter:
    """Writes NAME.truth.jsonl: one JSON object a line. A context manager."""

    def __init__(self, path: str | Path):
        """`path` of the truth file itself; see truth_path(). Raises RecordingError."""
        self.path = Path(path)
        try:
            self._file = open(self.path, "x", encoding="ascii")
        except FileExistsError:
            raise RecordingError(
                "{path} exists already; choose another name or delete it", path=self.path
            ) from None
        except OSError as error:
            raise RecordingError(
                "cannot write {path}: {why}", path=self.path, why=error.strerror
            ) from error

    def write(self, line: dict[str, Any]) -> None:
        """Append one dict; facts by TruthFact.to_json()."""
        try:
            self._file.write(json.dumps(line) + "\n")
            self._file.flush()
        except OSError as error:
            raise RecordingError(
                "stopped writing {path}: {why}; free some space and start anew",
                path=self.path,
                why=error.strerror,
            ) from error

    def close(self) -> None:
        """Close the file. Safe to call twice."""
        self._file.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def read_truth(path: str | Path) -> list[dict[str, Any]]:
    """The dicts of a truth file in order. Raises RecordingError with the line that is wrong."""
    try:
        with open(path, encoding="ascii") as file:
            lines = file.read().splitlines()
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or "it is not text"
        raise RecordingError("cannot read {path}: {why}", path=path, why=reason) from error
    found: list[dict[str, Any]] = []
    for number, line in enumerate(lines, 1):
        try:
            value = json.loads(line)
        except (ValueError, RecursionError):
            value = None
        if not isinstance(value, dict):
            raise RecordingError(
                "{path}, line {number}: not a JSON object; record it again",
                path=path,
                number=number,
            )
        found.append(value)
    return found
