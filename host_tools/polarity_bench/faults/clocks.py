"""The mat's clock where numbers end: a game is judged alike, whenever the mat was switched on.

A time in ms leaves the chip's small ints at 2^30 ms (12 days), a signed word at 2^31 and an
unsigned one at 2^32 (50 days).
"""

from array import array
from random import Random
from typing import Any, TypeAlias

import numpy as np

from polarity_bench.faults.parts import Trouble
from polarity_host.mats.description import load_mat
from polarity_host.replay.engine import build_engine, sent_messages
from polarity_host.simulation.twin.scripted_game import GameTable, ScriptedGame
from polarity_host.simulation.twin.stage_state import Action
from polarity_host.simulation.twin.whole_games import TURNS, play_turns

Frames: TypeAlias = "list[tuple[int, array[int]]]"  # (ms, counts)

EDGES_MS = (1 << 30, 1 << 31, 1 << 32)
JUDGED = ("fact", "ruling", "log")  # when snapshots are due depends on when the mat came up
UNDO_EVERY = 900  # frames: a correction judges again what lies on both sides of the edge


def game(seed: int) -> Frames:
    """The frames of a scripted game of two turns."""

    def script(table: GameTable) -> Action:
        yield from table.set_up()
        yield from play_turns(table, 2, dict(TURNS))

    scripted = ScriptedGame(seed, load_mat(), script)
    return [
        (t_us // 1000, array("H", np.asarray(counts).astype("<u2").tobytes()))
        for t_us, counts in scripted.frames()
    ]


def told(frames: Frames, later_ms: int) -> list[str]:
    """The messages of a mat that took these frames so much later, their times as if it had not."""
    engine, found = build_engine("standard"), []
    for number, (t_ms, counts) in enumerate(frames):
        engine.frame(t_ms + later_ms, counts)
        engine.lights(t_ms + later_ms)
        if number % UNDO_EVERY == UNDO_EVERY - 1:
            engine.command(b"overrule 0 denied\nundo 0\n")
        for message in sent_messages(engine):
            if message.kind in JUDGED:
                found.append(f"{message.kind} {message.t_ms - later_ms} {message.body!r}")
    return found


def run(count: int, seed: int) -> dict[str, Any]:
    """So many games across one of EDGES_MS each. Returns `clock_games`; `clock_differences`: those
    that are not judged as from 0 on; `clock_exceptions`; `details`."""
    trouble, differences, details = Trouble(), 0, []
    frames: Frames = []
    usual: list[str] = []
    for number in range(count):
        draw = Random(f"{seed}/{number}")
        if number % len(EDGES_MS) == 0:
            frames = game(seed + number // len(EDGES_MS))
            usual = told(frames, 0)
        edge_ms = EDGES_MS[number % len(EDGES_MS)]
        later_ms = edge_ms - draw.randrange(frames[-1][0])
        with trouble.noted(f"{seed}/{number} at {edge_ms}"):
            found = told(frames, later_ms)
            if found != usual:
                differences += 1
                pairs = zip(usual, found)
                first = next((f"{a} / {b}" for a, b in pairs if a != b), "more or fewer messages")
                details.append(f"{seed}/{number} at {edge_ms}: {first:.200}")
    return {
        "clock_games": count,
        "clock_differences": differences,
        "clock_exceptions": trouble.count,
        "details": details[:12] + trouble.details,
    }
