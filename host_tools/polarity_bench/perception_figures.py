"""The figures of `polarity bench perception` from the answers at the looks of all scenes."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Literal, TypeAlias

import numpy as np

from polarity_host.simulation.twin.nuisances import ALL

from .scene_answers import BodyRow, RivalRow, SceneAnswers, ThresholdRow, TouchRow

DETAILS = 40

Figures: TypeAlias = dict[str, Any]  # see perception.run
Body: TypeAlias = tuple[BodyRow, RivalRow]
Limit: TypeAlias = Literal["fisher", "fisher_known_adc"]


def figures(scenes: Sequence[SceneAnswers], nuisances: str = ALL) -> Figures:
    """The figures of `run` from what `look_at_scene` gave for each scene."""
    bodies = [
        body for scene in scenes for body in zip(scene["bodies"], scene["rivals"], strict=True)
    ]
    pairs = [pair for scene in scenes for pair in scene["pairs"]]
    flats = [body for body in bodies if body[0]["shape"] in ("flat", "red")]
    leaners = [body for body in bodies if body[0]["shape"] == "leaner"]
    towers = [row for row, _ in bodies if row["shape"] == "tower"]
    flats_off, leaners_off = (_rms_off([row for row, _ in some]) for some in (flats, leaners))
    simple = [rival["threshold"] for _, rival in bodies]
    invented = [words for scene in scenes for words in scene["invented"]]
    found = {
        **decisions(scenes),
        **_ratios("flat", flats),
        **_ratios("leaner", leaners),
        "threshold_flat_rms_mm": _rms_off([rival["threshold"] for _, rival in flats]),
        "threshold_flat_p999_mm": _p999([rival["threshold"] for _, rival in flats]),
        "threshold_leaner_rms_mm": _rms_off([rival["threshold"] for _, rival in leaners]),
        "threshold_leaner_tilt_rms_deg": None,
        "threshold_face_right": _share(simple, "face"),
        "threshold_kind_right": None,
        "threshold_height_right": None,
        "threshold_touch_f1": None,
        "threshold_missed": sum(not row["found"] for row in simple),
        "threshold_invented": sum(scene["threshold_invented"] for scene in scenes),
        "nuisances": nuisances,
        "tower_rms_mm": _rms_off(towers),
        "lsq_flat_rms_mm": _rms([rival["lsq"][0] for _, rival in flats]),
        "lsq_leaner_rms_mm": _rms([rival["lsq"][0] for _, rival in leaners]),
        "lsq_leaner_tilt_rms_deg": _rms([rival["lsq"][1] for _, rival in leaners]),
        "fisher_flat_rms_mm": _limit(flats, "fisher"),
        "fisher_leaner_rms_mm": _limit(leaners, "fisher"),
        "flat_over_fisher_known_adc": _over(flats_off, _limit(flats, "fisher_known_adc")),
        "leaner_over_fisher_known_adc": _over(leaners_off, _limit(leaners, "fisher_known_adc")),
    }
    broke = [scene["broke"] for scene in scenes if scene["broke"]]
    mistaken = [words for is_so, claimed, words in pairs if is_so != claimed]
    return {
        **found,
        "table": list(_table(bodies)),
        "details": [
            *broke,
            *mistaken[: DETAILS // 4],
            *invented,
            *_worst([row for row, _ in bodies]),
        ][:DETAILS],
    }


def decisions(scenes: Sequence[SceneAnswers]) -> Figures:
    """The figures that say how pieces were judged, without any limit: see `run`."""
    bodies = [row for scene in scenes for row in scene["bodies"]]
    flats = [row for row in bodies if row["shape"] in ("flat", "red")]
    leaners = [row for row in bodies if row["shape"] == "leaner"]
    return {
        "flat_rms_mm": _rms_off(flats),
        "flat_p999_mm": _p999(flats),
        "leaner_rms_mm": _rms_off(leaners),
        "leaner_tilt_rms_deg": _rms([row["tilt_deg"] for row in leaners]),
        "face_right": _share(bodies, "face"),
        "kind_right": _share(bodies, "kind"),
        "height_right": _share([row for row in bodies if row["shape"] == "tower"], "height"),
        "touch_f1": _f1([pair for scene in scenes for pair in scene["pairs"]]),
        "scenes": len(scenes),
        "looks": sum(scene["looks"] for scene in scenes),
        "bodies": len(bodies),
        "missed": sum(not row["found"] for row in bodies),
        "invented": sum(len(scene["invented"]) for scene in scenes),
        "broke": sum(bool(scene["broke"]) for scene in scenes),
    }


def _ratios(name: str, bodies: Sequence[Body]) -> Figures:
    found = [body for body in bodies if body[0]["found"]]
    ours = _rms_off([row for row, _ in found])
    return {
        f"{name}_over_fisher": _over(ours, _limit(found, "fisher")),
        f"{name}_over_lsq": _over(ours, _rms([rival["lsq"][0] for _, rival in found])),
    }


def _limit(bodies: Sequence[Body], which: Limit) -> float | None:
    return _rms([float(np.sqrt(rival[which][0])) for _, rival in bodies])


def _off_mm(rows: Sequence[ThresholdRow]) -> list[float]:
    """The errors of place of what was found."""
    return [row["off_mm"] for row in rows if row["off_mm"] is not None]


def _rms_off(rows: Sequence[ThresholdRow]) -> float | None:
    return _rms(_off_mm(rows))


def _rms(values: Iterable[float | None]) -> float | None:
    values = [v for v in values if v is not None]
    return round(float(np.sqrt(np.mean(np.square(values)))), 4) if values else None


def _p999(rows: Sequence[ThresholdRow]) -> float | None:
    values = _off_mm(rows)
    return round(float(np.percentile(values, 99.9)), 3) if values else None


def _share(rows: Sequence[ThresholdRow], name: str) -> float | None:
    values = [bool(row[name]) for row in rows if row["found"]]
    return round(float(np.mean(values)), 5) if values else None


def _over(ours: float | None, other: float | None) -> float | None:
    return round(ours / other, 3) if ours is not None and other else None


def _f1(pairs: Sequence[TouchRow]) -> float | None:
    both = sum(is_so and claimed for is_so, claimed, _ in pairs)
    wrong = sum(is_so != claimed for is_so, claimed, _ in pairs)
    return round(2 * both / (2 * both + wrong), 4) if both or wrong else None


def _table(bodies: Sequence[Body]) -> Iterator[str]:
    """A row a kind of piece; towers by height."""
    heads = ("looks", "missed", "rms mm", "p99 mm", "lsq mm", "limit mm", "face", "kind", "height")
    yield f"{'':10}" + "".join(f"{head:>9}" for head in heads)
    kinds = sorted({(row["shape"], row["discs"]) for row, _ in bodies})
    for shape, discs in kinds:
        own = [body for body in bodies if (body[0]["shape"], body[0]["discs"]) == (shape, discs)]
        rows = [row for row, _ in own]
        off = _off_mm(rows)
        values = (
            len(rows), len(rows) - len(off), _rms(off),
            round(float(np.percentile(off, 99)), 2) if off else None,
            _rms([rival["lsq"][0] for _, rival in own]), _limit(own, "fisher"),
            *(_share(rows, name) for name in ("face", "kind", "height")),
        )  # fmt: skip
        name = shape if discs == 1 else f"{shape} {discs}"
        cells = ("-" if value is None else f"{value:.4g}" for value in values)
        yield f"{name:10}" + "".join(f"{cell:>9}" for cell in cells)


def _worst(bodies: Sequence[BodyRow]) -> list[str]:
    """What was worst, in words: missed and misjudged pieces, then the farthest off."""
    wrong = [r for r in bodies if not (r["found"] and r["face"] and r["kind"] and r["height"])]
    right = [r for r in bodies if r not in wrong]
    right.sort(key=lambda row: -(row["off_mm"] or 0.0))
    return [row["where"] for row in (*wrong[: DETAILS // 2], *right[:10])]
