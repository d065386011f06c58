"""A virtual game that is played once, without an engine, and judged as often as one likes."""

import json
from collections.abc import Generator
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

import numpy as np

from polarity_host.mats.description import Mat, load_mat
from polarity_host.simulation.players.played_game import PlayedGame
from polarity_host.simulation.twin.stage import Counts, PieceState
from polarity_host.simulation.twin.truth import Record

from .virtual_games import Kind


class Commanded(Protocol):
    def command(self, chunk: bytes, /) -> None: ...


@dataclass
class StoredGame:
    """A game that was played before: its frames, its truth, and what players declared after which
    frame. `declared_to`, if set, gets that."""

    seed: int
    mat: Mat
    edition: str
    truth: list[Record]
    t_us: np.ndarray
    counts: np.ndarray
    declared: list[tuple[int, str]]
    declared_to: Commanded | None = None

    def frames(self) -> Generator[tuple[int, Counts], None, None]:
        """Yield (t_us, counts) for every frame, once."""
        words: dict[int, list[str]] = {}
        for number, line in self.declared:
            words.setdefault(number, []).append(line)
        for number, (t_us, counts) in enumerate(zip(self.t_us, self.counts, strict=True)):
            yield int(t_us), counts
            for line in words.get(number, ()):
                if self.declared_to is not None:
                    self.declared_to.command(line.encode())

    def scenes(self) -> Generator[tuple[int, Counts, tuple[PieceState, ...]], None, None]:
        """As `frames`, with no pieces: they were not stored."""
        for t_us, counts in self.frames():
            yield t_us, counts, ()


class _Listener:
    """Takes the place of an engine, to which players declare."""

    def __init__(self) -> None:
        self.frame, self.declared = 0, list[tuple[int, str]]()

    def command(self, chunk: bytes, /) -> None:
        self.declared.append((self.frame, chunk.decode()))


def store_game(seed: int, folder: str, turns: int, nuisances: str, kind: Kind) -> None:
    """Plays the game of that seed and stores it in a folder, for stored_game."""
    game, listener = kind.game(seed, turns, nuisances), _Listener()
    if isinstance(game, PlayedGame):
        game.judged_by(listener)
    times: list[int] = []
    counts: list[Counts] = []
    for t_us, frame in game.frames():
        listener.frame = len(times)
        times.append(t_us)
        counts.append(np.array(frame, np.uint16))
    np.savez(Path(folder, f"{seed}.npz"), t_us=np.array(times), counts=np.array(counts))
    with Path(folder, f"{seed}.json").open("w", encoding="utf-8") as file:
        json.dump(
            {
                "mat": game.mat.id,
                "edition": game.edition,
                "truth": game.truth,
                "declared": listener.declared,
            },
            file,
        )


def stored_game(path: Path) -> StoredGame:
    """The game that store_game has stored there."""
    known = json.loads(path.read_text(encoding="utf-8"))
    with np.load(path.with_suffix(".npz")) as frames:
        return StoredGame(
            int(path.stem), load_mat(known["mat"]), known["edition"], known["truth"],
            frames["t_us"], frames["counts"], [(n, line) for n, line in known["declared"]],
        )  # fmt: skip
