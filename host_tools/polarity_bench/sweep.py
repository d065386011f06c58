"""One parameter of perception, some values: what the same games and scenes come to with each.

Games are played once and stored; for each value a process of its own judges them, and the scenes,
with that value in the table (overridden.py).
"""

import difflib
import json
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from os import cpu_count
from typing import Any, TypedDict

from polarity_host.errors import BAD_INPUT, FAILED, HostError
from polarity_host.simulation.twin.nuisances import ALL

from .parallel import in_parallel
from .parameters import LIMITS, Parameter, Value, parameters
from .stored_game import store_game
from .virtual_games import SCRIPTS, Kind

COLUMNS = (
    ("facts_f1", "F1"), ("facts", "facts"), ("missed", "missed"), ("invented", "invented"),
    ("false_red", "red"), ("false_out", "out"), ("rulings_wrong", "rulings"),
    ("settled_p95_ms", "settled"), ("transient_p95_ms", "transient"), ("confidence_gap", "gap"),
    ("flat_rms_mm", "flat mm"), ("leaner_rms_mm", "leaner mm"), ("leaner_tilt_rms_deg", "tilt"),
    ("touch_f1", "touch F1"), ("scenes_missed", "lost"), ("engine_s", "CPU s"),
)  # fmt: skip


class Row(TypedDict):
    """The figures of one value: those of `facts.run` and `games.run`, and with scenes those of
    `perception.run`, by their names there. `engine_s`: CPU time of the engine."""

    value: list[int] | int
    figures: dict[str, Any]


class Figures(TypedDict):
    """The figures of `run`."""

    parameter: str
    unit: str
    now: list[int] | int
    about: str
    smaller: str
    larger: str
    rows: list[Row]
    table: list[str]


def known(name: str) -> Parameter:
    """The row of the table of that name. HostError when there is none, or the kernels hold it."""
    rows = parameters()
    if name in rows:
        return rows[name]
    if name in parameters(LIMITS):
        raise HostError(
            BAD_INPUT,
            "{name} is compiled into the kernels as well: change it there and in _limits.py",
            name=name,
        )
    close = difflib.get_close_matches(name.upper(), rows, 3, 0.5) or sorted(rows)[:3]
    raise HostError(
        BAD_INPUT,
        "no parameter {name!r}; like it: {close}; all are in perception/parameters.py",
        name=name,
        close=", ".join(close),
    )


def run(
    name: str,
    values: Sequence[Value],
    seeds: Iterable[int],
    scenes: Iterable[int] = (),
    turns: int = 30,
    nuisances: str = ALL,
    jobs: int | None = None,
    on_done: Callable[[str], object] | None = None,
    kind: Kind = SCRIPTS,
) -> Figures:
    """Judge games of these seeds, and scenes, with each value of a parameter, and with that of
    the table. `on_done` is called with words on what is done.

    Returns the parameter's row of the table, "rows" by value, and for people "table". HostError for
    no such parameter, for a value of another kind, and when a process fails.
    """
    parameter, seeds, scenes = known(name), list(seeds), list(scenes)
    for value in values:
        if isinstance(value, int) != isinstance(parameter.value, int):
            told = "one number" if isinstance(parameter.value, int) else "numbers between commas"
            raise HostError(BAD_INPUT, "a value of {name} is {told}", name=name, told=told)
    say = on_done or (lambda _: None)
    with tempfile.TemporaryDirectory() as folder:
        one = partial(store_game, folder=folder, turns=turns, nuisances=nuisances, kind=kind)
        for done, _ in enumerate(in_parallel(one, seeds, jobs), 1):
            say(f"{done} of {len(seeds)} games played")
        asked = sorted(
            {parameter.value, *values}, key=lambda v: v if isinstance(v, tuple) else (v,)
        )
        judge = partial(_judge, name, folder=folder, scenes=scenes, nuisances=nuisances)
        rows: list[Row] = []
        with ThreadPoolExecutor(min(jobs or cpu_count() or 1, len(asked))) as pool:
            for value, figures in zip(asked, pool.map(judge, asked), strict=True):
                rows.append({"value": _plain(value), "figures": figures})
                say(f"{len(rows)} of {len(asked)} values judged")
    return {
        "parameter": name,
        "unit": parameter.unit,
        "now": _plain(parameter.value),
        "about": parameter.about,
        "smaller": parameter.smaller,
        "larger": parameter.larger,
        "rows": rows,
        "table": list(_table(rows, _plain(parameter.value))),
    }


def _judge(
    name: str, value: Value, folder: str, scenes: Sequence[int], nuisances: str
) -> dict[str, Any]:
    """The figures with that value, by a process of its own."""
    task = {
        "name": name, "value": value, "folder": folder, "scenes": scenes, "nuisances": nuisances,
    }  # fmt: skip
    done = subprocess.run(
        [sys.executable, "-m", "polarity_bench.overridden"],
        input=json.dumps(task), capture_output=True, encoding="utf-8",
    )  # fmt: skip
    if done.returncode:
        why = (done.stderr.strip().splitlines() or ["it was killed"])[-1]
        raise HostError(FAILED, "{name} = {value}: {why}", name=name, value=value, why=why)
    return json.loads(done.stdout)


def _numbers(value: Value) -> tuple[int, ...]:
    return value if isinstance(value, tuple) else (value,)


def _plain(value: Value) -> list[int] | int:
    return list(value) if isinstance(value, tuple) else value


def _table(rows: Sequence[Row], now: list[int] | int) -> Iterator[str]:
    """A row a value, the present one marked; figures that no value has are left out."""
    columns = [
        (name, head)
        for name, head in COLUMNS
        if any(row["figures"].get(name) is not None for row in rows)
    ]
    words = [
        ",".join(map(str, value)) if isinstance(value := row["value"], list) else str(value)
        for row in rows
    ]
    width = max(len(word) for word in words) + 2
    yield " " * width + "".join(f"{head:>10}" for _, head in columns)
    for row, word in zip(rows, words, strict=True):
        mark = "*" if row["value"] == now else " "
        figures = (row["figures"].get(name) for name, _ in columns)
        yield f"{word:>{width - 2}} {mark}" + "".join(
            f"{'-' if figure is None else figure:>10}" for figure in figures
        )
