"""What other converters would bring: the figures of hardware/REVISION_B.md.

    python -m polarity_bench.designs.revision_b                      prints the table of four scenes
    python -m polarity_bench.designs.revision_b --seeds 24 --write   puts that of 24 into the page

Each choice plays the scenes of `polarity bench perception` on the default mat, every nuisance on,
the same scenes for each, with the converter of the twin's adc.KINDS. "noise" is what a quiet frame
of the bare mat shows of the sensors and the converter together, rms, after all conversions of a
frame are summed.
"""

import argparse
import json
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from hardware.tools.tables import put_between
from polarity_bench.parallel import in_parallel
from polarity_bench.perception_figures import decisions
from polarity_bench.scene_answers import SceneAnswers, answers, no_answers
from polarity_bench.scenes import Scene
from polarity_host.mats.description import MAT_TOML, load_mat
from polarity_host.simulation.twin.condition import CLEAN, MatCondition
from polarity_host.simulation.twin.nuisances import ALL, condition
from polarity_host.simulation.twin.sensors import SensorArray

PAGE = MAT_TOML.parent / "REVISION_B.md"
MARK = "<!-- of `python -m polarity_bench.designs.revision_b`: do not edit -->"
END = "<!-- end -->"
SEEDS = range(1, 5)
FRAMES = 400


@dataclass(frozen=True)
class Choice:
    """A revision: its converter in the twin; `noise_share`: what a longer look leaves of the
    sensors' own noise; `samples_a_sensor` in a frame; what it adds to the parts, USD; how many
    kinds of firmware the mat then has."""

    name: str
    converter: str
    samples_a_sensor: int
    usd: float
    firmwares: int
    noise_share: float = 1.0


CHOICES = (
    Choice("as it is: the Pico's own ADC", "rp2040", 8, 0.0, 1),
    Choice("a Pico 2", "rp2350", 8, 1.0, 1),
    Choice("an ADC on the carrier, 12 bits, 1 MS/s", "external", 8, 6.0, 1),
    Choice("a microcontroller on each tile, 12 bits, 2.5 MS/s", "tile", 64, 9.0, 2, 0.7),
    Choice("for comparison: no error but noise, the sensors' own too", "ideal", 64, 0.0, 1),
)


def conditions(choice: Choice) -> MatCondition:
    """Every nuisance, and the choice's converter."""
    usual = condition(ALL)
    noise_mt = choice.noise_share * usual.noise_mt
    return replace(usual, converter=choice.converter, noise_mt=noise_mt)


def noise_ut(choice: Choice) -> float:
    """Rms of a frame of a bare mat about its mean, in uT."""
    mat = load_mat()
    noise_mt = choice.noise_share * MatCondition().noise_mt
    array = SensorArray(mat, 1, replace(CLEAN, converter=choice.converter, noise_mt=noise_mt,
                                        offset_sigma_mv=20.0))  # fmt: skip
    times_us = np.arange(1, FRAMES + 1) * 10_000
    counts = array.counts(times_us, np.zeros((FRAMES, mat.n)))
    return float(1000 * np.sqrt(counts.var(axis=0).mean()) / mat.counts_per_mt)


def judged(seed: int, choice: Choice) -> SceneAnswers:
    """What the engine answers in a scene."""
    from polarity import mat_data
    from polarity.engine import Engine

    mat = load_mat()
    out = no_answers()
    engine = Engine(mat_data.load(mat.id), mat.edition)
    for _ in answers(Scene(seed, mat, conditions(choice)), engine, out):
        pass
    return out


def measured(choice: Choice, seeds: Sequence[int], jobs: int | None) -> dict[str, Any]:
    """The row of a choice."""
    mat = load_mat()
    found = decisions(list(in_parallel(partial(judged, choice=choice), seeds, jobs)))
    samples = choice.samples_a_sensor * mat.n * mat.frame_hz
    return {**found, "samples_a_s": samples, "noise_ut": round(noise_ut(choice), 1)}


HEADS = (
    "choice", "samples a second", "noise uT", "flat mm", "of 99.9 %", "leaner mm", "tilt deg",
    "touch F1", "missed", "invented", "USD more", "firmwares",
)  # fmt: skip


def table(rows: Sequence[tuple[Choice, Mapping[str, Any]]]) -> str:
    """Markdown of the rows."""
    text = f"| {' | '.join(HEADS)} |\n|{'---|' * len(HEADS)}\n"
    for choice, f in rows:
        touch = f["touch_f1"]
        cells = (
            choice.name, f"{f['samples_a_s']:,}", f["noise_ut"], f"{f['flat_rms_mm']:.3f}",
            f"{f['flat_p999_mm']:.2f}", f"{f['leaner_rms_mm']:.2f}",
            f"{f['leaner_tilt_rms_deg']:.2f}", "-" if touch is None else f"{touch:.3f}",
            f["missed"], f["invented"], f"{choice.usd:.0f}", choice.firmwares,
        )  # fmt: skip
        text += f"| {' | '.join(map(str, cells))} |\n"
    return text


def main(argv: Sequence[str]) -> int:
    """Prints the table, and with --write puts it into the page."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--write", action="store_true", help="put the table into REVISION_B.md")
    parser.add_argument("--seeds", type=int, default=len(SEEDS), metavar="N", help="scenes 1 to N")
    parser.add_argument("--jobs", type=int, default=0, metavar="N", help="processes at a time")
    args = parser.parse_args(argv)
    rows = []
    for choice in CHOICES:
        rows.append((choice, measured(choice, range(1, args.seeds + 1), args.jobs or None)))
        print(json.dumps({"choice": choice.name, **rows[-1][1]}), file=sys.stderr, flush=True)
    made = f"{table(rows)}\nScenes 1 to {args.seeds}.\n"
    print(made)
    if args.write:
        put_between(PAGE, MARK, END, f"\n\n{made}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
