"""How much faster a recorded game is judged than it was played."""

import tempfile
import time
from pathlib import Path
from typing import TypedDict

from polarity_host.replay.judge import Replay
from polarity_host.simulation.twin.record import recorded
from polarity_host.simulation.twin.whole_games import random_game


class Figures(TypedDict):
    """The figures of `run`."""

    frames: int
    recorded_s: float
    judged_s: float
    realtime_factor: float


def run(file: Path | None = None, seed: int = 1, turns: int = 30) -> Figures:
    """Judges a recording as `polarity replay` does: `file`, else a virtual game of `turns` turns.

    Returns `frames`, `recorded_s`, `judged_s` (wall clock) and their ratio `realtime_factor`.
    HostError as `Replay`.
    """
    if file is not None:
        return _judge(file)
    with tempfile.TemporaryDirectory() as directory:
        path = Path(directory, "game.matrec")
        for _ in recorded(random_game(seed, turns), path):
            pass
        return _judge(path)


def _judge(path: Path) -> Figures:
    replay = Replay(path)
    started = time.perf_counter()
    for _ in replay.messages():
        pass
    judged_s = time.perf_counter() - started
    recorded_s = (replay.last_t_us - replay.first_t_us) / 1e6
    return {
        "frames": replay.frames,
        "recorded_s": round(recorded_s, 2),
        "judged_s": round(judged_s, 2),
        "realtime_factor": round(recorded_s / judged_s, 1),
    }
