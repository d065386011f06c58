"""A process that judges stored games, and scenes, with another value of a parameter: what sweep.py
asks for on stdin, as JSON; the figures go to stdout.

The modules of perception copy the table's values when they are imported, as the build does for the
chip. So the table is changed first, in a process in which none of them is imported yet.
"""

import json
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from polarity.perception import parameters
from polarity_host.errors import HostError

if TYPE_CHECKING:
    from .facts import GameCounts
    from .stored_game import StoredGame


def figures(folder: Path, scenes: Sequence[int], nuisances: str) -> dict[str, Any]:
    """The figures of the games in a folder, and of the scenes of these seeds."""
    from . import facts
    from .stored_game import stored_game

    counted: list[GameCounts] = []
    rulings = rulings_wrong = 0
    engine_s = 0.0
    for path in sorted(folder.glob("*.json")):
        counts, wrong, total, spent_s = _judged(stored_game(path))
        counted.append(counts)
        rulings, rulings_wrong = rulings + total, rulings_wrong + wrong
        engine_s += spent_s
    found: dict[str, Any] = {}
    if counted:
        found = dict(facts.figures(counted, nuisances))
        found = {name: value for name, value in found.items() if name not in ("table", "details")}
        found.update(rulings=rulings, rulings_wrong=rulings_wrong, engine_s=round(engine_s, 2))
    return {**found, **_scenes(scenes, nuisances)}


def _judged(game: "StoredGame") -> "tuple[GameCounts, int, int, float]":
    """(what the game adds to the facts, rulings wrong, rulings, CPU time of the engine in s)."""
    from polarity_host.replay.engine import build_engine

    from .facts import count_judged
    from .games import compare
    from .judge_game import BOOT_ID, judge

    engine = game.declared_to = build_engine(game.mat.id, game.edition, BOOT_ID)
    began = time.process_time()
    judged = judge(game, engine=engine)
    spent_s = time.process_time() - began
    rulings = sum(record["k"] == "ruling" for record in judged.truth)
    return count_judged(judged), compare(judged)[1].wrong, rulings, spent_s


def _scenes(seeds: Sequence[int], nuisances: str) -> dict[str, Any]:
    """The figures of scenes; "missed", "invented" and "broke" as "scenes_…"."""
    if not seeds:
        return {}
    from polarity_host.mats.description import load_mat
    from polarity_host.replay.engine import build_engine
    from polarity_host.simulation.twin.nuisances import condition

    from .perception_figures import decisions
    from .scene_answers import answers, no_answers
    from .scenes import Scene

    mat, looked_at = load_mat(), []
    for seed in seeds:
        out = no_answers()
        for _ in answers(
            Scene(seed, mat, condition(nuisances)), build_engine(mat.id, mat.edition), out
        ):
            pass
        looked_at.append(out)
    of_games = ("missed", "invented", "broke")
    found = decisions(looked_at)
    return {f"scenes_{name}" if name in of_games else name: found[name] for name in found}


def main() -> None:
    task = json.load(sys.stdin)
    names = [name for name in sys.modules if name.startswith("polarity.perception.")]
    assert names == [parameters.__name__], f"imported too early: {names}"
    value = task["value"]
    setattr(parameters, task["name"], tuple(value) if isinstance(value, list) else value)
    try:
        found = figures(Path(task["folder"]), task["scenes"], task["nuisances"])
    except HostError as error:
        sys.exit(str(error))
    json.dump(found, sys.stdout)


if __name__ == "__main__":
    main()
