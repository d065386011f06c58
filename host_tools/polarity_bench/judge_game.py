"""One virtual game, judged by the engine: its truth, and the engine's messages on its wire."""

import time
from array import array
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol, TypeAlias

from polarity_host.replay.engine import READ_BYTES, build_engine, raw_counts
from polarity_host.simulation.players.played_game import PlayedGame
from polarity_host.simulation.twin.record import recorded_frames
from polarity_host.simulation.twin.stage import Counts, PieceState
from polarity_host.simulation.twin.truth import Record
from polarity_host.wire.lines import Damaged, LineSplitter, Message, decode

from .stored_game import StoredGame
from .virtual_games import VirtualGame

BOOT_ID = 1

# Called with t_us, counts, the pieces and the engine after every frame.
AfterFrame: TypeAlias = Callable[[int, Counts, tuple[PieceState, ...], Any], object]


class Judging(Protocol):
    """What takes frames and puts messages on its wire: polarity.engine.Engine, PacedEngine."""

    def frame(self, t_ms: int, counts: "array[int]", /) -> None: ...

    def read(self, max_bytes: int, /) -> bytes: ...

    def command(self, chunk: bytes, /) -> None: ...


@dataclass
class Judged:
    """`truth`: the game's records. `facts`, `rulings`: the engine's messages as dicts, `sent_us`
    added: when they came. `turns` begun in truth; seconds that the game lasted and the engine took.
    `broke`: the engine's exception as one line, or "".
    """

    seed: int
    truth: list[Record] = field(default_factory=list)
    facts: list[Record] = field(default_factory=list)
    rulings: list[Record] = field(default_factory=list)
    turns: int = 0
    game_s: float = 0.0
    engine_s: float = 0.0
    broke: str = ""


def judge(
    game: VirtualGame | StoredGame,
    dump_dir: str | Path | None = None,
    look: AfterFrame | None = None,
    raises: bool = False,
    engine: Judging | None = None,
) -> Judged:
    """Play `game` to its end with an engine that gets nothing but counts. -> Judged

    `dump_dir`: keep the recording and its truth there as game-SEED.matrec. `look`: called with
    (t_us, counts, PieceStates, engine) after every frame. `raises`: let an engine's error through.
    `engine`: this one instead of a new one for the game's mat.
    """
    judging: Judging = engine or build_engine(game.mat.id, game.edition, BOOT_ID)
    splitter, judged = LineSplitter(), Judged(game.seed)
    if isinstance(game, PlayedGame):
        game.judged_by(judging)
    frames = game.scenes() if look else ((t_us, counts, ()) for t_us, counts in game.frames())
    if dump_dir:
        frames = recorded_frames(game, _recording(Path(dump_dir), game.seed), frames)
    for t_us, counts, scene in frames:
        judged.game_s = t_us / 1e6
        if judged.broke:
            continue
        plain = raw_counts(counts)
        started = time.perf_counter()
        try:
            judging.frame(t_us // 1000, plain)
            sent = _read(judging)
        except Exception as error:
            if raises:
                raise
            judged.broke = f"{type(error).__name__}: {error}"
            continue
        judged.engine_s += time.perf_counter() - started
        for line in splitter.feed(sent):
            _note(judged, decode(line), t_us)
        if look:
            look(t_us, counts, scene, judging)
    judged.truth = game.truth
    judged.turns = sum(record.get("code") == "turn" for record in game.truth)
    return judged


def _read(engine: Judging) -> bytes:
    sent = b""
    while chunk := engine.read(READ_BYTES):
        sent += chunk
    return sent


def _note(judged: Judged, message: Message | Damaged, t_us: int) -> None:
    if isinstance(message, Message) and message.kind in ("fact", "ruling"):
        record = {**message.as_received(), "sent_us": t_us, "t_us": message.t_ms * 1000}
        (judged.facts if message.kind == "fact" else judged.rulings).append(record)


def _recording(directory: Path, seed: int) -> Path:
    directory.mkdir(parents=True, exist_ok=True)
    return directory / f"game-{seed}.matrec"
