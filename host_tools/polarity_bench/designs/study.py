"""What each choice of the mat costs and buys: the figures of hardware/STUDY.md.

    python -m polarity_bench.designs.study              prints the tables (ten minutes and more)
    python -m polarity_bench.designs.study --write      puts them into hardware/STUDY.md

The scenes are those of `polarity bench perception`, with every nuisance; for each choice it works
out what Fisher information allows anybody to know of where their pieces lie
(polarity_bench/exact_fit.py), how many sensors are saturated, and what the sensors cost and
draw. No engine runs: what one decides there is in decisions.py.
"""

import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TypeAlias

import numpy as np

from hardware.tools.parts import part_kinds
from hardware.tools.tables import put_between
from polarity_bench.exact_fit import SceneModel, fisher, true_values, unknowns
from polarity_bench.parallel import in_parallel
from polarity_bench.perception import limits_of
from polarity_bench.scenes import Scene
from polarity_host.mats.description import MAT_TOML, Mat, load_mat
from polarity_host.simulation.twin.adc import NOISE_LSB
from polarity_host.simulation.twin.motion import Vector
from polarity_host.simulation.twin.nuisances import ALL, condition
from polarity_host.simulation.twin.stage import PieceState

from .variant import Changes, changed

STUDY_MD = MAT_TOML.parent / "STUDY.md"
MARK = "<!-- {} of `python -m polarity_bench.designs.{}`: do not edit -->"
SEEDS = range(1, 5)
PITCHES_MM, DEPTHS_MM = (18, 20, 22, 24, 25, 28, 30), (3, 4, 5, 6, 7, 9)
#: Linear Hall sensors at 3.3 V (hardware/SOURCES.md): mV/mT, range in mT, noise in mT rms, mA
#: typical and largest, power-on time in us, USD at 50, solderable by hand. None: not found.
SENSORS = {
    "TMAG5253BA3": (15.0, 80.0, 0.026, 2.6, 5.0, 25, 0.42, "no"),
    "TMAG5253BA4": (7.5, 160.0, 0.026, 2.6, 5.0, 25, None, "no"),
    "DRV5055A3": (15.0, 88.0, 0.030, 2.0, 4.0, None, 0.33, "yes"),
    "DRV5055A3, older chip": (15.0, 88.0, 0.030, 6.0, 10.0, None, 0.33, "yes"),
    "DRV5055A2": (30.0, 44.0, 0.030, 2.0, 4.0, None, 0.49, "yes"),
    "MT9102ET": (16.0, 85.0, 0.030, 6.0, 7.0, None, 0.28, "yes"),
    "SC4702": (20.0, 72.5, 0.045, 0.7, None, None, 0.13, "yes"),
}


Choice: TypeAlias = tuple[Changes, float]  # and the noise in mT


@dataclass(frozen=True)
class AssumedNoise:
    """The noise of each sensor's counts in one frame, as exact_fit.fisher takes it."""

    noise_counts: Vector


def truths(seed: int) -> list[tuple[PieceState, ...]]:
    """The pieces that lie on the mat at a scene's three looks. They do not depend on the sensors: a
    few are enough, and quick."""
    mat = load_mat()
    few = slice(0, len(mat.adc_pins))
    blind = replace(
        mat, sensor_xyz_mm=mat.sensor_xyz_mm[few], adc=mat.adc[few], address=mat.address[few]
    )
    scene = Scene(seed, blind, replace(condition(ALL), dead_sensors=0, stuck_sensors=0))
    return [look.truth for _, _, look in scene.frames() if look is not None]


def limits(scenes: Sequence[Sequence[PieceState]], mat: Mat, noise_mt: float) -> dict[str, float]:
    """The limits of any estimate, rms over all pieces: "flat_mm", "leaner_mm", "tilt_deg"; and
    "saturated", the mean number of sensors that are beyond their range in a look."""
    disturbed = condition(ALL)
    noise = np.hypot(noise_mt * mat.counts_per_mt, NOISE_LSB * np.sqrt(mat.oversample))
    found: dict[str, list[float]] = {"flat_mm": [], "leaner_mm": [], "tilt_deg": []}
    saturated = []
    for truth in scenes:
        look = AssumedNoise(np.full(mat.n, noise))
        rows = limits_of(truth, *fisher(truth, look, mat, Scene.AVERAGED, disturbed, "spread"))
        for piece, (place, tilt) in zip(truth, rows, strict=True):
            if piece.shape in ("flat", "red"):
                found["flat_mm"].append(place)
            elif piece.shape == "leaner":
                found["leaner_mm"].append(place)
                if tilt is not None:
                    found["tilt_deg"].append(tilt)
        unknown = unknowns(truth, True)
        field = SceneModel(truth, mat, unknown).fields_mt(true_values(truth, unknown, mat)).sum(0)
        saturated.append(np.sum(np.abs(field) > 0.94 * mat.saturation_mt))
    rms = {name: float(np.sqrt(np.mean(squares))) for name, squares in found.items()}
    return {**rms, "saturated": float(np.mean(saturated))}


def _one(choice: Choice, scenes: Sequence[Sequence[PieceState]]) -> dict[str, float]:
    changes, noise_mt = choice
    mat = changed(changes)
    return {"n": mat.n, "tiles": len(mat.tiles), **limits(scenes, mat, noise_mt)}


def tables(jobs: int | None = None) -> dict[str, str]:
    """{name: Markdown table}."""
    scenes = [truth for found in in_parallel(truths, list(SEEDS), jobs) for truth in found]
    own = SENSORS["TMAG5253BA3"][2]
    choices: list[Choice] = [
        *((Changes(pitch_mm=p), own) for p in PITCHES_MM),
        *((Changes(depth_mm=d), own) for d in DEPTHS_MM),
        *((Changes(mv_per_mt=s[0], saturation_mt=s[1]), s[2]) for s in SENSORS.values()),
    ]
    rows = list(in_parallel(partial(_one, scenes=scenes), choices, jobs))
    usd = part_kinds()["sensor"].usd_few
    middle = len(PITCHES_MM), len(PITCHES_MM) + len(DEPTHS_MM)
    found = {"pitch": _head("pitch mm", "sensors", "tiles of 4 x 4", "sensors USD")}
    for pitch, row in zip(PITCHES_MM, rows[: middle[0]], strict=True):
        found["pitch"] += _row(row, pitch, row["n"], row["tiles"], f"{usd * row['n']:.0f}")
    found["depth"] = _head("Hall plane mm below")
    for depth, row in zip(DEPTHS_MM, rows[middle[0] : middle[1]], strict=True):
        found["depth"] += _row(row, depth)
    found["sensor"] = _head(
        "sensor", "mV/mT", "mT", "mA, largest", "373 awake, mA", "on after us", "USD at 50",
        "by hand",
    )  # fmt: skip
    for (name, s), row in zip(SENSORS.items(), rows[middle[1] :], strict=True):
        found["sensor"] += _row(
            row, name, s[0], s[1], f"{s[3]}, {s[4] or '?'}", f"{373 * s[3]:.0f}", s[5] or "?",
            s[6] or "?", s[7],
        )  # fmt: skip
    return found


def _head(*names: str) -> str:
    names = (*names, "flat mm", "leaner mm", "tilt deg", "saturated")
    return f"| {' | '.join(names)} |\n|{'---|' * len(names)}\n"


def _row(row: Mapping[str, float], *cells: object) -> str:
    shown = (f"{row['flat_mm']:.3f}", f"{row['leaner_mm']:.2f}", f"{row['tilt_deg']:.2f}")
    cells = (*cells, *shown, f"{row['saturated']:.1f}")
    return f"| {' | '.join(map(str, cells))} |\n"


def write(found: dict[str, str], module: str = "study") -> None:
    """Puts tables into STUDY.md, each between its mark and the next `<!-- end -->`."""
    for name, table in found.items():
        put_between(STUDY_MD, MARK.format(name, module), "<!-- end -->", f"\n\n{table}\n")


def main(argv: Sequence[str]) -> int:
    """Prints the tables, and with --write puts them into STUDY.md."""
    found = tables()
    for name, table in found.items():
        print(f"{name}\n\n{table}")
    if argv == ["--write"]:
        write(found)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
