"""Random scenes with every nuisance on: how near pieces are found to where they are.

The engine gets frames and is asked what lies on the mat. On the same frames: a threshold at each
sensor (threshold.py), and SciPy's least squares over exact fields from near the truth, with what is
known beforehand about pieces, and the Cramer-Rao limit (exact_fit.py).
"""

import importlib.util
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from polarity_host.errors import MissingExtra
from polarity_host.mats.description import Mat, load_mat
from polarity_host.replay.engine import build_engine
from polarity_host.simulation.twin.motion import Vector
from polarity_host.simulation.twin.nuisances import ALL, condition
from polarity_host.simulation.twin.stage import PieceState

from .parallel import in_parallel
from .perception_figures import Figures, figures
from .scene_answers import (
    Answer,
    Errors,
    RivalRow,
    SceneAnswers,
    ThresholdRow,
    answers,
    body_row,
    matched,
    no_answers,
)
from .scenes import Scene

if TYPE_CHECKING:
    from .exact_fit import Unknowns


def run(
    seeds: Iterable[int],
    nuisances: str = ALL,
    jobs: int | None = None,
    on_done: Callable[[int, SceneAnswers], object] | None = None,
) -> Figures:
    """Judge a scene for every seed, three looks each. `on_done` is called with (seed, its rows).

    Returns, of pieces that were found: "flat_rms_mm" and "flat_p999_mm" (distance of flat discs,
    the red one too, from where they lie), "tower_rms_mm", "leaner_rms_mm" (of the contact point),
    "leaner_tilt_rms_deg", these over the Fisher limit ("..._over_fisher", and with an ADC whose
    nonlinearity is known "..._over_fisher_known_adc") and over least squares ("..._over_lsq");
    shares of right answers "face_right", "kind_right", "height_right" (of towers), and "touch_f1"
    of pairs that touch or lie 1 mm apart. The same of a threshold where it can answer, else None,
    as "threshold_...". "scenes", "looks", "bodies" (of all looks), "missed", "invented", "broke".
    For people "table" by kind of piece, and "details", what was worst in words.
    MissingExtra without SciPy.
    """
    if importlib.util.find_spec("scipy") is None:
        raise MissingExtra("scipy")
    seeds, scenes = list(seeds), []
    one = partial(look_at_scene, nuisances=nuisances)
    for seed, rows in zip(seeds, in_parallel(one, seeds, jobs)):
        scenes.append(rows)
        if on_done:
            on_done(seed, rows)
    return figures(scenes, nuisances)


def look_at_scene(seed: int, nuisances: str = ALL, mat: Mat | None = None) -> SceneAnswers:
    """Play a scene through an engine, and ask the rivals at each look."""
    from .exact_fit import fisher, fit
    from .threshold import pieces as above_threshold

    mat = mat or load_mat()
    disturbed = condition(nuisances)
    scene = Scene(seed, mat, disturbed)
    engine = build_engine(mat.id, mat.edition)
    rng = np.random.default_rng([seed, 22])
    out = no_answers()
    for look in answers(scene, engine, out):
        truth = look.truth
        field_mt = (look.counts - look.bare_counts) / mat.counts_per_mt
        simple = [
            Answer(id=0, shape="flat", face=face, discs=1, x=x, y=y, tilt=0, azimuth=0)
            for x, y, face in above_threshold(field_mt, mat)
        ]
        simply_found, simply_invented = matched(truth, simple, mat)
        limits, calibrated = (
            limits_of(truth, *fisher(truth, look, mat, scene.AVERAGED, disturbed, adc))
            for adc in ("spread", "known")
        )
        fitted = _fitted(truth, *fit(truth, look, mat, scene.AVERAGED, disturbed, rng), mat)
        for i, piece in enumerate(truth):
            row = body_row(piece, simply_found.get(i), mat)
            simply = ThresholdRow(found=row["found"], off_mm=row["off_mm"], face=row["face"])
            out["rivals"].append(
                RivalRow(
                    threshold=simply, fisher=limits[i], fisher_known_adc=calibrated[i],
                    lsq=fitted[i],
                )
            )  # fmt: skip
        out["threshold_invented"] += len(simply_invented)
    return out


def limits_of(truth: Sequence[PieceState], unknown: "Unknowns", covariance: Vector) -> list[Errors]:
    """(variance of the place in mm2, of the tilt in deg2) for every piece."""
    limits = []
    for i in range(len(truth)):
        place = unknown.of(i, "x", "y")
        tilt = unknown.of(i, "tilt")
        limits.append(
            (float(np.trace(covariance[np.ix_(place, place)])),
             float(covariance[tilt[0], tilt[0]]) if tilt else None)
        )  # fmt: skip
    return limits


def _fitted(
    truth: Sequence[PieceState], unknown: "Unknowns", values: Vector, mat: Mat
) -> list[Errors]:
    """(error of the place in mm, of the tilt in deg) for every piece."""
    from .exact_fit import spot_mm

    errors = []
    for i, piece in enumerate(truth):
        off = values[unknown.of(i, "x", "y")] - spot_mm(piece, mat)
        tilt = unknown.of(i, "tilt")
        wrong = float(values[tilt[0]] - piece.tilt_deg) if tilt else None
        errors.append((float(np.hypot(*off)), wrong))
    return errors
