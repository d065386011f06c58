"""A folder of games that are played: each one's figures, stored as soon as it is over.

A campaign that is cut goes on with the games that are not there yet.
"""

import hashlib
import json
import os
from collections.abc import Iterator
from dataclasses import asdict
from functools import cache
from pathlib import Path

import polarity
from polarity_host import simulation
from polarity_host.errors import BAD_INPUT, FAILED, HostError

from .play import GameFigures, Spec

SUFFIX, FORMAT = ".game.json", "polarity game, 2"
SOURCES = (".py", ".c", ".h", ".toml")


class GameFolder:
    """The games in a directory, which is made. HostError where it cannot be."""

    def __init__(self, path: str | Path):
        self.path = Path(path)
        try:
            self.path.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise HostError(BAD_INPUT, f"cannot use {self.path}: {error.strerror}") from error

    def has(self, spec: Spec) -> bool:
        """Whether this game is there."""
        return self._file(spec).exists()

    def store(self, spec: Spec, figures: GameFigures) -> None:
        """Stores a game, whole or not at all. HostError when the disk is full, say."""
        path = self._file(spec)
        record = {
            "format": FORMAT, "program": program(), "conditions": _conditions(spec),
            "figures": figures,
        }  # fmt: skip
        half = path.with_name(f"{path.name}.{os.getpid()}.part")
        try:
            half.write_text(json.dumps(record) + "\n", encoding="ascii")
            half.replace(path)
        except OSError as error:
            half.unlink(missing_ok=True)
            raise HostError(FAILED, f"cannot write {path}: {error.strerror}") from error

    def games(self, like: Spec) -> Iterator[tuple[str, GameFigures]]:
        """(program, figures) of all games that were played like this one: by the same skill, with
        the same nuisances, engine and pace. HostError for a file that is damaged."""
        for path in sorted(self.path.glob(f"*{SUFFIX}")):
            conditions, program, figures = _read(path)
            if conditions == _conditions(like):
                yield program, figures

    def figures(self, spec: Spec) -> GameFigures:
        """Those of this game, which is there. HostError when its file is damaged."""
        return _read(self._file(spec))[2]

    def _file(self, spec: Spec) -> Path:
        return self.path / (spec.name + SUFFIX)


def _read(path: Path) -> tuple[dict[str, object], str, GameFigures]:
    """A game's conditions, program and figures."""
    try:
        record = json.loads(path.read_text(encoding="ascii"))
        if record["format"] != FORMAT:
            raise ValueError
        figures = record["figures"]
        figures["wrong"] = [(t_us, line) for t_us, line in figures["wrong"]]
        return record["conditions"], record["program"], figures
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise HostError(
            BAD_INPUT, f"{path} is no game of this program: move it away, then try again"
        ) from error


def _conditions(spec: Spec) -> dict[str, object]:
    pace = json.loads(json.dumps(asdict(spec.pace))) if spec.pace else None
    return {
        "skill": spec.skill, "nuisances": spec.nuisances, "engine": spec.engine, "pace": pace,
        "answers": spec.answers,
    }  # fmt: skip


@cache
def program() -> str:
    """A short name for the state of the program that plays and judges: of its sources."""
    digest = hashlib.sha256()
    for package in (polarity, simulation):
        for folder in sorted(package.__path__):
            root = Path(folder)
            for path in sorted(p for p in root.rglob("*") if p.suffix in SOURCES):
                digest.update(str(path.relative_to(root)).encode() + path.read_bytes())
    return digest.hexdigest()[:12]
