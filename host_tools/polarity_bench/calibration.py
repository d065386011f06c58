"""How near a calibration comes to the truth of a virtual mat, and what it gains.

For each seed a mat is drawn with its own sensors, a hand calibrates it (twin/calibration_hand.py),
and the result is compared with what was drawn. Then discs are laid flat on that mat, each of
another moment, and the engine is asked where they lie: without the calibration, with its gains,
and, to show what the table of codes would add, with gains and counts corrected by the table.
"""

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import TypedDict

import numpy as np
from numpy.typing import ArrayLike, NDArray

from polarity.calibration import Calibration
from polarity_host.device.calibration.codes import CODES
from polarity_host.device.calibration.measure import corrected, measure
from polarity_host.mats.description import Mat, load_mat
from polarity_host.replay.engine import build_engine, raw_counts
from polarity_host.simulation.twin.adc import Rp2040Adc
from polarity_host.simulation.twin.calibration_hand import CalibrationHand
from polarity_host.simulation.twin.condition import MatCondition
from polarity_host.simulation.twin.motion import heading
from polarity_host.simulation.twin.nuisances import USUAL, condition
from polarity_host.simulation.twin.stage import Stage
from polarity_host.simulation.twin.stage_state import Action

from .parallel import in_parallel
from .scene_answers import reported_pieces


class Places(TypedDict):
    """Distances (mm) from flat discs to where the engine reports them."""

    before: NDArray[np.float64]
    after: NDArray[np.float64]
    with_codes: NDArray[np.float64]


class MatErrors(Places):
    """The errors of one mat: shares for each sensor, the disc's moment as a share and its size in
    mm, and the rms errors of codes in LSB."""

    seed: int
    gain_before: NDArray[np.float64]
    gain_after: NDArray[np.float64]
    moment: float
    diameter: float
    thickness: float
    codes: tuple[float, float]
    drawn_s: float


class Figures(TypedDict):
    """The figures of `run`."""

    mats: int
    gain_rms_before: float
    gain_rms_after: float
    moment_error: float
    diameter_error_mm: float
    thickness_error_mm: float
    flat_rms_mm_before: float
    flat_rms_mm_after: float
    flat_rms_mm_with_codes: float
    code_rms_lsb_before: float
    code_rms_lsb_after: float
    drawn_s: float
    placed: int
    missed: int
    details: list[str]


GAMES_SEED = 1000  # the discs that are looked for are others than those that calibrated
PLACED = 16
APART = 1.75  # diameters between middles: nearer, flat discs would move by themselves
FOUND_MM = 10.0
USED_CODES = slice(CODES * 9 // 32, CODES * 23 // 32)  # that discs on the mat give: +-45 mT


def run(
    seeds: Iterable[int],
    nuisances: str = USUAL,
    mat: str = "standard",
    jobs: int | None = None,
    on_done: Callable[[int, MatErrors], object] | None = None,
) -> Figures:
    """Calibrates a mat for every seed. `on_done` is called with (seed, its figures).

    Returns "gain_rms_before" and "gain_rms_after" (share by which the engine has a sensor's gain
    wrong, the mean gain being 1), "moment_error" (largest, of the drawn disc's moment, as a share),
    "diameter_error_mm", "thickness_error_mm" (largest), "flat_rms_mm_before", "..._after" and
    "..._with_codes" (distance of discs from where they lie), "code_rms_lsb_before" and "..._after"
    (error of a code but for a constant, in the range that discs use), "drawn_s" (longest), "mats",
    "placed", "missed". "details" has a line for each seed.
    """
    seeds, rows = list(seeds), []
    one = partial(calibrate_one, nuisances=nuisances, mat=load_mat(mat))
    for seed, row in zip(seeds, in_parallel(one, seeds, jobs)):
        rows.append(row)
        if on_done:
            on_done(seed, row)
    return figures(rows)


def calibrate_one(seed: int, nuisances: str, mat: Mat) -> MatErrors:
    """The figures of one mat, as lists where others are to be joined to them."""
    disturbed = condition(nuisances)
    hand = CalibrationHand(mat, seed, disturbed)
    measured = measure(hand.frames(), mat, "")
    fit, calibration = measured.fit, measured.calibration
    known = np.array(calibration.gains) > 0
    gain = hand.sensors.gain[known] / hand.sensors.gain[known].mean()
    moment = hand.disc.discs[0].polarisation_t / mat.disc.br_t * mat.disc.white_up_counts
    own = hand.sensors.gain[known].mean() * moment
    return {
        "seed": seed,
        "gain_before": gain - 1.0,
        "gain_after": np.array(calibration.gains)[known] / 32768 * gain - 1.0,
        "moment": measured.moment_share / own - 1.0,
        "diameter": fit.diameter_mm - mat.disc.diameter_mm,
        "thickness": fit.thickness_mm - mat.disc.thickness_mm,
        "codes": code_errors(hand.sensors.converter, calibration, mat),
        "drawn_s": hand.drawn_s,
        **places(seed, mat, disturbed, calibration),
    }


def code_errors(converter: Rp2040Adc, calibration: Calibration, mat: Mat) -> tuple[float, float]:
    """(rms before, after): how far off the codes are, in LSB, but for a constant."""
    code = np.arange(1, CODES) - 0.5
    counts = code * mat.oversample
    put_right = corrected(counts, calibration, mat) / mat.oversample
    errors = ((converter.transitions - by)[USED_CODES] for by in (code, put_right))
    before, after = (float(error.std()) for error in errors)
    return before, after


def places(seed: int, mat: Mat, disturbed: MatCondition, calibration: Calibration) -> Places:
    """Distances (mm) from flat discs to where the engine says that they lie, for each way."""
    stage = Stage(mat, GAMES_SEED + seed, disturbed, mat_seed=seed)
    frames = list(stage.stream(_lay(stage, np.random.default_rng([seed, 41]))))
    lying = [piece.xy for piece in stage.resting()]
    table = np.clip(np.rint(corrected(np.arange(2**mat.bits), calibration, mat)), 0, None)
    table = table.astype(np.uint16)
    found: dict[str, NDArray[np.float64]] = {}
    for name, used, codes in (
        ("before", None, False), ("after", calibration, False), ("with_codes", calibration, True),
    ):  # fmt: skip
        engine = build_engine(mat.id, mat.edition, calibration=used)
        for t_us, counts in frames:
            engine.frame(t_us // 1000, raw_counts(table[counts] if codes else counts))
            while engine.read(4096):
                pass
        found_mm = np.array([(piece[4] / 100, piece[5] / 100) for piece in reported_pieces(engine)])
        off = [np.hypot(*(found_mm - xy).T).min() if len(found_mm) else np.inf for xy in lying]
        found[name] = np.array(off)
    return Places(before=found["before"], after=found["after"], with_codes=found["with_codes"])


def _lay(stage: Stage, rng: np.random.Generator) -> Action:
    """Discs are brought one after the other and laid flat, far from one another."""
    mat, spots = stage.mat, []
    yield from stage.rest(1.0)
    for _ in range(50 * PLACED):
        reach = (mat.circle_radius_mm - 5.0) * np.sqrt(rng.uniform())
        xy = reach * heading(rng.uniform(0, 360))[:2]
        apart = APART * mat.disc.diameter_mm
        if len(spots) < PLACED and all(np.hypot(*(xy - other)) > apart for other in spots):
            spots.append(xy)
    for xy in spots:
        disc = stage.new_disc(int(rng.choice((1, -1))))
        yield from stage.carry_in(disc, tuple(xy), 50.0, speed_mm_s=600.0)
        yield from stage.set_flat(disc, tuple(xy))
        yield from stage.rest(0.6)
    yield from stage.rest(0.5)


def figures(rows: Sequence[MatErrors]) -> Figures:
    """One dict of all seeds."""
    together = {
        name: np.concatenate([row[name] for row in rows])
        for name in ("gain_before", "gain_after", "before", "after", "with_codes")
    }
    near = {name: off < FOUND_MM for name, off in together.items()}
    both = near["before"] & near["after"] & near["with_codes"]

    def rms(values: ArrayLike, digits: int) -> float:
        return round(float(np.sqrt(np.mean(np.square(values)))), digits)

    def worst(name: str, digits: int) -> float:
        return round(float(max(abs(row[name]) for row in rows)), digits)

    codes = np.array([row["codes"] for row in rows])
    return {
        "mats": len(rows),
        "gain_rms_before": rms(together["gain_before"], 5),
        "gain_rms_after": rms(together["gain_after"], 5),
        "moment_error": worst("moment", 5),
        "diameter_error_mm": worst("diameter", 3),
        "thickness_error_mm": worst("thickness", 3),
        "flat_rms_mm_before": rms(together["before"][both], 4),
        "flat_rms_mm_after": rms(together["after"][both], 4),
        "flat_rms_mm_with_codes": rms(together["with_codes"][both], 4),
        "code_rms_lsb_before": rms(codes[:, 0], 3),
        "code_rms_lsb_after": rms(codes[:, 1], 3),
        "drawn_s": worst("drawn_s", 1),
        "placed": len(both),
        "missed": int((~both).sum()),
        "details": [_line(row) for row in rows],
    }


def _line(row: MatErrors) -> str:
    flat = [np.sqrt(np.mean(row[name][row[name] < FOUND_MM] ** 2)) for name in ("before", "after")]
    return (
        f"seed {row['seed']}: gains {100 * row['gain_before'].std():.2f} -> "
        f"{100 * row['gain_after'].std():.2f} %, moment {100 * row['moment']:+.2f} %, "
        f"flat {flat[0]:.3f} -> {flat[1]:.3f} mm"
    )
