"""What the engine decides rightly on mats that might be built instead: hardware/STUDY.md's figures.

    python -m polarity_bench.designs.decisions             prints the tables (an hour)
    python -m polarity_bench.designs.decisions --write     puts them into hardware/STUDY.md
    python -m polarity_bench.designs.decisions --only 25   that choice of the tables alone (minutes)
    python -m polarity_bench.designs.decisions --check     only the mat that is built; exit 1 when a
                                                           figure is not what is asked of it

For each choice of pitch, Hall plane or sensor the boards are cut, the firmware's data generated and
the twin built as for a mat that is; the engine plays the scenes of `polarity bench perception` on
it, every nuisance on, the same scenes for every choice. Face, kind, height and touch are shares of
right answers; places and tilts are rms over what was found.
"""

import argparse
import json
import sys
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from hardware.tools import bom, power
from polarity_bench.parallel import in_parallel
from polarity_bench.perception_figures import decisions
from polarity_bench.scene_answers import SceneAnswers, answers, no_answers
from polarity_bench.scenes import Scene
from polarity_host.mats.description import MAT_TOML
from polarity_host.simulation.twin.nuisances import ALL, condition

from .study import SENSORS, write
from .variant import Changes, changed, firmware_data, scan_ms

SEEDS = range(1, 11)
PITCHES_MM, DEPTHS_MM = (18, 20, 22, 25, 28, 30), (4, 5, 6, 7, 9)
TRIED_SENSORS = ("TMAG5253BA3", "TMAG5253BA4", "DRV5055A2")
#: What the perception bench asks of the mat that is built: at least this much, or at most.
LEAST = {"face_right": 0.9999, "kind_right": 0.999, "height_right": 0.999, "touch_f1": 0.99}
MOST = {
    "flat_rms_mm": 0.3, "flat_p999_mm": 1.0, "leaner_rms_mm": 0.8, "leaner_tilt_rms_deg": 2.5,
    "missed": 0, "invented": 0, "broke": 0,
}  # fmt: skip
TABLES: dict[str, tuple[str, list[tuple[Changes, str]]]] = {
    "decisions by pitch": ("pitch mm", [({"pitch_mm": p}, str(p)) for p in PITCHES_MM]),
    "decisions by depth": ("Hall plane mm below", [({"depth_mm": d}, str(d)) for d in DEPTHS_MM]),
    "decisions by sensor": (
        "sensor",
        [({"mv_per_mt": SENSORS[s][0], "saturation_mt": SENSORS[s][1]}, s) for s in TRIED_SENSORS],
    ),
}


def judged(seed: int, changes: Changes, noise_mt: float | None = None) -> SceneAnswers:
    """What the engine answers in a scene on a variant of the mat (see scene_answers.answers)."""
    from polarity.engine import Engine

    mat, disturbed = changed(changes), condition(ALL)
    if noise_mt is not None:
        disturbed = replace(disturbed, noise_mt=noise_mt)
    out = no_answers()
    for _ in answers(Scene(seed, mat, disturbed), Engine(firmware_data(mat), mat.edition), out):
        pass
    return out


def money_and_current(changes: Changes) -> dict[str, Any]:
    """The mat's "sensors", "tiles", "usd" (parts, all of it; the carrier is the default one's),
    "scan_ms" and "rest_ma", all but the lights at most."""
    mat = changed(changes)
    folder = MAT_TOML.parent / "netlists"
    netlists = {path.stem: path.read_text(encoding="utf-8") for path in folder.glob("*.net")}
    return {
        "sensors": mat.n,
        "tiles": len(mat.tiles),
        "oversample": mat.oversample,
        "address_lines": len(mat.address_pins),
        "usd": round(bom.total_usd(bom.lines(mat, netlists))[0]),
        "scan_ms": round(scan_ms(mat), 1),
        "rest_ma": power.rest_ma(mat),
    }


def measured(
    changes: Changes,
    seeds: Sequence[int] = SEEDS,
    jobs: int | None = None,
    noise_mt: float | None = None,
) -> dict:
    """money_and_current, and perception_figures.decisions over all scenes."""
    one = partial(judged, changes=changes, noise_mt=noise_mt)
    return {**money_and_current(changes), **decisions(list(in_parallel(one, seeds, jobs)))}


def shortfalls(figures: Mapping[str, Any]) -> list[str]:
    """What is not as asked, a line each."""
    short = []
    for name, asked in LEAST.items():
        if figures[name] is None or figures[name] < asked:
            short.append(f"{name} is {figures[name]}, asked: at least {asked}")
    for name, asked in MOST.items():
        if figures[name] is None or figures[name] > asked:
            short.append(f"{name} is {figures[name]}, asked: at most {asked}")
    return short


HEADS = (
    "sensors", "tiles", "parts USD", "all but lights, mA", "scan ms", "face", "kind", "height",
    "touch F1", "missed", "invented", "flat mm", "of 99.9 %", "leaner mm", "tilt deg",
)  # fmt: skip


def table(head: str, rows: Sequence[tuple[str, Mapping[str, Any]]]) -> str:
    """Markdown of (name, figures)."""
    text = f"| {' | '.join((head, *HEADS))} |\n|{'---|' * (len(HEADS) + 1)}\n"
    for name, f in rows:
        shares = (_share(f[k]) for k in ("face_right", "kind_right", "height_right", "touch_f1"))
        cells = (
            name, f["sensors"], f["tiles"], f["usd"], f["rest_ma"], f["scan_ms"], *shares,
            f["missed"], f["invented"], f"{f['flat_rms_mm']:.2f}",
            f"{f['flat_p999_mm']:.2f}", f"{f['leaner_rms_mm']:.2f}",
            f"{f['leaner_tilt_rms_deg']:.2f}",
        )  # fmt: skip
        text += f"| {' | '.join(map(str, cells))} |\n"
    return text


def _share(value: float | None) -> str:
    return "-" if value is None else f"{value:.4f}"


def main(argv: Sequence[str]) -> int:
    """Prints the tables or the check of the mat that is built; 1 when that falls short."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--write", action="store_true", help="put the tables into STUDY.md")
    parser.add_argument("--check", action="store_true", help="only the mat that is built")
    labels = [label for _, choices in TABLES.values() for _, label in choices]
    parser.add_argument("--only", action="append", choices=labels, help="that choice; repeatable")
    parser.add_argument("--seeds", type=int, default=len(SEEDS), metavar="N", help="scenes 1 to N")
    parser.add_argument("--jobs", type=int, default=0, metavar="N", help="processes at a time")
    args = parser.parse_args(argv)
    if args.only and args.write:
        parser.error("--write takes the whole tables: leave --only out")
    seeds, known = range(1, args.seeds + 1), {}

    def figures_of(changes: Changes, noise_mt: float | None = None) -> Mapping[str, Any]:
        key = firmware_key(changes, noise_mt)
        if key not in known:
            known[key] = measured(changes, seeds, args.jobs or None, noise_mt)
            print(json.dumps({"choice": changes, **known[key]}), file=sys.stderr, flush=True)
        return known[key]

    if args.check:
        found = figures_of({})
        short = shortfalls(found)
        print(json.dumps({**found, "short": short}))
        return 1 if short else 0
    tables: dict[str, str] = {}
    for name, (head, choices) in TABLES.items():
        rows = []
        for changes, label in choices:
            if args.only and label not in args.only:
                continue
            noise_mt = SENSORS[label][2] if label in SENSORS else None
            rows.append((label, figures_of(changes, noise_mt)))
        if not rows:
            continue
        tables[name] = table(head, rows)
        print(f"{name}\n\n{tables[name]}")
    if args.write:
        write(tables, "decisions")
    return 0


def firmware_key(
    changes: Changes, noise_mt: float | None
) -> tuple[float, float, float, float, float]:
    """Choices with the same key are the same mat."""
    mat = changed(changes)
    own = condition(ALL).noise_mt if noise_mt is None else noise_mt
    return mat.pitch_mm, float(mat.sensor_xyz_mm[0, 2]), mat.mv_per_mt, mat.saturation_mt, own


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
