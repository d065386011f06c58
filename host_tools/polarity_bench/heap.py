"""How much heap the engine needs on real MicroPython with every disc of the game on the mat."""

import json
import tempfile
from math import atan2, degrees
from pathlib import Path
from typing import Any, TypedDict

from polarity_bench import runtimes
from polarity_host.device.flashing.inline import inlined
from polarity_host.mats.description import load_mat
from polarity_host.replay.recording import RecordingWriter
from polarity_host.simulation.twin.stage import Stage
from polarity_host.simulation.twin.stage_state import Action
from polarity_host.sources import FIRMWARE

DISCS = 52  # and the red one
SPACING_MM = 54.0
BETWEEN_DISCS_S = 0.5


class Figures(TypedDict):
    """The figures of `run`."""

    mat: str
    pieces: int
    frames: int
    heap_kb: float
    code_kb: float
    engine_kb: float
    engine_idle_kb: float
    seed: int


def run(seed: int = 1) -> Figures:
    """Fills the standard mat with all 53 discs and judges that under MicroPython (WebAssembly).

    Pointers there are four bytes wide, as on the RP2040. Code lies in the heap, as the build makes
    it, with each constant where it is used, but not compiled for the chip or moved to its flash. In
    KB of 1024 bytes: `heap_kb` the most that was live at any look; of that `code_kb`
    for the firmware's modules and `engine_kb` for the engine with the mat's tables, its position
    and its work in progress; `engine_idle_kb` the engine before its first frame. Also `pieces`, as
    many as the engine reported on the mat at the end, `mat`, `frames` and `seed`.
    RuntimeMissing without Node.
    """
    mat = load_mat("standard")
    stage = Stage(mat, seed=seed)
    with tempfile.TemporaryDirectory() as directory:
        path = Path(directory, "full.matrec")
        with RecordingWriter(path, mat.id, mat.n, edition="temple", seed=seed) as recording:
            for t_us, counts in stage.stream(_all_discs(stage)):
                recording.write(t_us, counts)
        judged = runtimes.under_micropython(path, firmware=_without_constants(Path(directory)))
    report = judged.report
    return {
        "mat": mat.id,
        "pieces": len(_last_snapshot(judged.wire)["pieces"]),
        "frames": report["frames"],
        "heap_kb": round(report["peak"] / 1024, 1),
        "code_kb": round(report["code"] / 1024, 1),
        "engine_kb": round((report["peak"] - report["code"]) / 1024, 1),
        "engine_idle_kb": round((report["start"] - report["code"]) / 1024, 1),
        "seed": seed,
    }


def _without_constants(directory: Path) -> Path:
    """A folder with the firmware's sources as the build compiles them."""
    folder = directory / "firmware"
    for source in sorted(FIRMWARE.rglob("*.py")):
        name = source.relative_to(FIRMWARE)
        parts = name.with_suffix("").parts
        module = ".".join(parts[:-1] if parts[-1] == "__init__" else parts)
        target = folder / name
        target.parent.mkdir(parents=True, exist_ok=True)
        text = inlined(source.read_text(encoding="utf-8"), module, FIRMWARE)
        target.write_text(text, encoding="utf-8")
    return folder


def _last_snapshot(wire: bytes) -> dict[str, Any]:
    messages = [json.loads(line.split(b" ", 1)[1]) for line in wire.splitlines()]
    return [message for message in messages if message["k"] == "snap"][-1]


def _places_mm() -> list[tuple[float, float]]:
    """The DISCS places of a hexagonal grid that lie nearest to the red disc, innermost first."""
    rows = range(-5, 6)
    grid = [
        ((column + 0.5 * (row % 2)) * SPACING_MM, row * SPACING_MM * 0.75**0.5)
        for row in rows
        for column in rows
    ]
    grid.sort(key=lambda xy: xy[0] ** 2 + xy[1] ** 2)
    return grid[1 : DISCS + 1]


def _all_discs(stage: Stage) -> Action:
    yield from stage.rest(0.6)
    yield from stage.place_red()
    for number, xy in enumerate(_places_mm()):
        disc = stage.new_disc(+1 if number % 2 else -1)
        # each from its own side, over no other disc: this measures memory, not eyesight
        yield from stage.carry_in(disc, xy, from_deg=degrees(atan2(xy[1], xy[0])))
        yield from stage.set_flat(disc, xy)
        yield from stage.rest(BETWEEN_DISCS_S)
    yield from stage.rest(1.0)
