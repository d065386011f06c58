"""Random scenes with every nuisance on: how near pieces are found to where they are.

The engine gets frames and is asked what lies on the mat. On the same frames: a threshold at each
sensor (threshold.py), and SciPy's least squares over exact fields from near the truth, with what is
known beforehand about pieces, and the Cramer-Rao limit (exact_fit.py).
"""

from functools import partial

import numpy as np

from polarity_host.errors import FAILED, HostError
from polarity_host.mats.description import load_mat
from polarity_host.replay.engine import build_engine, raw_counts
from polarity_host.simulation.twin.nuisances import ALL, condition

from .parallel import in_parallel
from .scenes import Scene

FOUND_MM = 20.0  # an answer farther from every piece is another piece
TOUCHING_MM, NEAR_MM = 0.3, 1.7  # rim to rim: pieces touch; others are near enough to be mistaken
DETAILS = 40
FACES = {"w": 1, "b": -1}


def run(seeds, nuisances=ALL, jobs=None, on_done=None):
    """Judge a scene for every seed, three looks each. `on_done` is called with (seed, its rows).

    Returns, of pieces that were found: "flat_rms_mm" and "flat_p999_mm" (distance of flat discs,
    the red one too, from where they lie), "tower_rms_mm", "leaner_rms_mm" (of the contact point),
    "leaner_tilt_rms_deg", these over the Fisher limit ("..._over_fisher", and with an ADC whose
    nonlinearity is known "..._over_fisher_known_adc") and over least squares ("..._over_lsq");
    shares of right answers "face_right", "kind_right", "height_right" (of towers), and "touch_f1"
    of pairs that touch or lie 1 mm apart. The same of a threshold where it can answer, else None,
    as "threshold_...". "scenes", "looks", "bodies" (of all looks), "missed", "invented", "broke".
    For people "table" by kind of piece, and "details", what was worst in words.
    HostError without SciPy.
    """
    try:
        import scipy  # noqa: F401
    except ImportError as error:
        raise HostError(FAILED, "this needs SciPy; install it with: pip install scipy") from error
    seeds, scenes = list(seeds), []
    one = partial(look_at_scene, nuisances=nuisances)
    for seed, rows in zip(seeds, in_parallel(one, seeds, jobs)):
        scenes.append(rows)
        if on_done:
            on_done(seed, rows)
    return figures(scenes, nuisances)


def look_at_scene(seed, nuisances=ALL, mat=None):
    """Play a scene through an engine. Returns {"bodies": rows, "pairs": rows, "invented",
    "threshold_invented", "looks", "broke"}: see `_body_row` and `touching_pairs`."""
    from .exact_fit import fisher, fit
    from .threshold import pieces as above_threshold

    mat = mat or load_mat()
    disturbed = condition(nuisances)
    scene = Scene(seed, mat, disturbed)
    engine = build_engine(mat.id, mat.edition)
    rng = np.random.default_rng([seed, 22])
    out = no_answers()
    out["threshold_invented"] = 0
    for look in answers(scene, engine, out):
        truth = look.truth
        field_mt = (look.counts - look.bare_counts) / mat.counts_per_mt
        simple = [
            {"x": x, "y": y, "face": face, "shape": "flat", "id": 0}
            for x, y, face in above_threshold(field_mt, mat)
        ]
        simply_found, simply_invented = matched(truth, simple, mat)
        limits, calibrated = (
            _limits(truth, *fisher(truth, look, mat, scene.AVERAGED, disturbed, adc))
            for adc in ("spread", "known")
        )
        fitted = _fitted(truth, *fit(truth, look, mat, scene.AVERAGED, disturbed, rng), mat)
        for i, (piece, row) in enumerate(zip(truth, out["bodies"][-len(truth) :], strict=True)):
            simply = _body_row(piece, simply_found.get(i), mat)
            row["threshold"] = {k: simply[k] for k in ("found", "off_mm", "face")}
            row |= {"fisher": limits[i], "fisher_known_adc": calibrated[i], "lsq": fitted[i]}
        out["threshold_invented"] += len(simply_invented)
    return out


def no_answers():
    """What `answers` adds to, empty."""
    return {"bodies": [], "pairs": [], "invented": [], "looks": 0, "broke": ""}


def answers(scene, engine, out):
    """Play a scene through an engine and yield every Look, after what the engine answers there was
    added to `out`: "bodies" a row for each piece, in the truth's order; "pairs", "invented",
    "looks". An engine that raises ends it; "broke" says so."""
    mat, seed = scene.mat, scene.seed
    for t_us, counts, look in scene.frames():
        try:
            engine.frame(t_us // 1000, raw_counts(counts))
            while engine.read(4096):
                pass
        except Exception as error:
            out["broke"] = f"seed {seed}: {type(error).__name__}: {error}"
            return
        if look is None:
            continue
        out["looks"] += 1
        truth, when = look.truth, f"seed {seed}, {t_us / 1e6:.1f} s: "
        said = [answer_of(piece) for piece in engine.game.pieces()]
        found, invented = matched(truth, said, mat)
        for i, piece in enumerate(truth):
            row = _body_row(piece, found.get(i), mat)
            row["where"] = when + _words(piece, found.get(i), mat)
            out["bodies"].append(row)
        out["invented"] += [
            f"{when}invented {said[j]['shape']} ({said[j]['x']:.0f},{said[j]['y']:.0f})"
            for j in invented
        ]
        pairs = touching_pairs(truth, found, engine.game.tracker.contacts.pairs, mat)
        out["pairs"] += [(is_so, told, when + words) for is_so, told, words in pairs]
        yield look


def answer_of(piece):
    number, shape, face, discs, x, y, tilt, azimuth = piece
    return {
        "id": number, "shape": shape, "face": FACES.get(face, 0), "discs": discs,
        "x": x / 100, "y": y / 100, "tilt": tilt, "azimuth": azimuth,
    }  # fmt: skip


def matched(truth, said, mat):
    """({index in truth: answer}, indices of answers left over): nearest middles together."""
    from scipy.optimize import linear_sum_assignment

    from .exact_fit import middle_mm

    if not said:
        return {}, []
    is_at = np.array([middle_mm(piece, mat) for piece in truth])
    seems_at = np.array([_middle(answer, mat) for answer in said])
    away = np.hypot(*(is_at[:, None] - seems_at[None]).transpose(2, 0, 1))
    pairs = linear_sum_assignment(np.minimum(away, 3 * FOUND_MM))
    found = {int(i): said[j] for i, j in zip(*pairs) if away[i, j] <= FOUND_MM}
    taken = {int(j) for i, j in zip(*pairs) if away[i, j] <= FOUND_MM}
    return found, [j for j in range(len(said)) if j not in taken]


def _middle(answer, mat):
    x, y = answer["x"], answer["y"]
    if answer["shape"] == "leaner":
        tilt, azimuth = np.radians((answer["tilt"], answer["azimuth"]))
        disc = mat.disc
        reach = disc.diameter_mm / 2 * np.cos(tilt) - disc.thickness_mm / 2 * np.sin(tilt)
        x, y = x - reach * np.cos(azimuth), y - reach * np.sin(azimuth)
    return x, y


def _body_row(piece, answer, mat):
    """How one piece was answered: "shape" and "discs" of it, and unless it was not "found":
    "off_mm", "tilt_deg" (error), whether "face", "kind" and "height" are right."""
    from .exact_fit import spot_mm

    row = {"shape": piece.shape, "discs": piece.discs, "found": answer is not None}
    row |= {"off_mm": None, "tilt_deg": None, "face": None, "kind": None, "height": None}
    if answer is None:
        return row
    x, y = spot_mm(piece, mat)
    row["off_mm"] = float(np.hypot(answer["x"] - x, answer["y"] - y))
    row["face"] = answer["face"] == piece.face
    row["kind"] = answer["shape"] == piece.shape
    row["height"] = answer.get("discs") == piece.discs
    if piece.shape == "leaner" and "tilt" in answer:
        row["tilt_deg"] = answer["tilt"] - piece.tilt_deg
    return row


def _words(piece, answer, mat):
    from .exact_fit import spot_mm

    x, y = spot_mm(piece, mat)
    words = f"{piece.shape} x{piece.discs} ({x:.1f},{y:.1f}) {piece.tilt_deg:.0f} deg"
    if answer is None:
        return words + " missed"
    return words + (
        f" told as {answer['shape']} x{answer.get('discs')} "
        f"({answer['x']:.1f},{answer['y']:.1f}) {answer.get('tilt', 0)} deg"
    )


def _limits(truth, unknown, covariance):
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


def _fitted(truth, unknown, values, mat):
    """(error of the place in mm, of the tilt in deg) for every piece."""
    from .exact_fit import spot_mm

    errors = []
    for i, piece in enumerate(truth):
        off = values[unknown.of(i, "x", "y")] - spot_mm(piece, mat)
        tilt = unknown.of(i, "tilt")
        wrong = float(values[tilt[0]] - piece.tilt_deg) if tilt else None
        errors.append((float(np.hypot(*off)), wrong))
    return errors


def touching_pairs(truth, found, said_pairs, mat):
    """(touches, said to touch, words) for pairs of flat pieces that are near each other, and for
    all others that are said to touch. A tower in a crease touches with its lowest disc."""
    ids = {i: answer["id"] for i, answer in found.items()}
    said = {frozenset(pair) for pair in said_pairs}
    rows = []
    for i, a in enumerate(truth):
        for j in range(i):
            b = truth[j]
            gap = np.hypot(a.x_mm - b.x_mm, a.y_mm - b.y_mm)
            gap -= mat.disc.diameter_mm
            flat = a.shape != "leaner" and b.shape != "leaner"
            told = i in ids and j in ids and frozenset((ids[i], ids[j])) in said
            if told or (flat and gap < NEAR_MM):
                touches = bool(flat and gap < TOUCHING_MM)
                words = f"{a.shape} and {b.shape} ({a.x_mm:.0f},{a.y_mm:.0f}), " + (
                    f"{'the same face' if a.face == b.face else 'two faces'}, {gap:.1f} mm apart, "
                    f"{'' if told else 'not '}said to touch"
                )
                rows.append((touches, told, words))
    return rows


# ---- figures
def figures(scenes, nuisances=ALL):
    """The figures of `run` from what `look_at_scene` gave for each scene."""
    bodies = [row for scene in scenes for row in scene["bodies"]]
    pairs = [pair for scene in scenes for pair in scene["pairs"]]
    flats = [row for row in bodies if row["shape"] in ("flat", "red")]
    leaners = [row for row in bodies if row["shape"] == "leaner"]
    towers = [row for row in bodies if row["shape"] == "tower"]
    simple = [row["threshold"] for row in bodies]
    invented = [words for scene in scenes for words in scene["invented"]]
    told = {
        **decisions(scenes),
        **_ratios("flat", flats),
        **_ratios("leaner", leaners),
        "threshold_flat_rms_mm": _rms_off([row["threshold"] for row in flats]),
        "threshold_flat_p999_mm": _p999([row["threshold"] for row in flats]),
        "threshold_leaner_rms_mm": _rms_off([row["threshold"] for row in leaners]),
        "threshold_leaner_tilt_rms_deg": None,
        "threshold_face_right": _share(simple, "face"),
        "threshold_kind_right": None,
        "threshold_height_right": None,
        "threshold_touch_f1": None,
        "threshold_missed": sum(not row["found"] for row in simple),
        "threshold_invented": sum(scene["threshold_invented"] for scene in scenes),
        "nuisances": nuisances,
        "tower_rms_mm": _rms_off(towers),
        "lsq_flat_rms_mm": _rms([row["lsq"][0] for row in flats]),
        "lsq_leaner_rms_mm": _rms([row["lsq"][0] for row in leaners]),
        "lsq_leaner_tilt_rms_deg": _rms([row["lsq"][1] for row in leaners]),
        "fisher_flat_rms_mm": _limit(flats, "fisher"),
        "fisher_leaner_rms_mm": _limit(leaners, "fisher"),
        "flat_over_fisher_known_adc": _over(_rms_off(flats), _limit(flats, "fisher_known_adc")),
        "leaner_over_fisher_known_adc": _over(
            _rms_off(leaners), _limit(leaners, "fisher_known_adc")
        ),
    }
    broke = [scene["broke"] for scene in scenes if scene["broke"]]
    mistaken = [words for is_so, told, words in pairs if is_so != told]
    return {
        **told,
        "table": list(_table(bodies)),
        "details": [*broke, *mistaken[: DETAILS // 4], *invented, *_worst(bodies)][:DETAILS],
    }


def decisions(scenes):
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


def _ratios(name, rows):
    found = [row for row in rows if row["found"]]
    ours = _rms_off(found)
    return {
        f"{name}_over_fisher": _over(ours, _limit(found, "fisher")),
        f"{name}_over_lsq": _over(ours, _rms([row["lsq"][0] for row in found])),
    }


def _limit(rows, which):
    return _rms([np.sqrt(row[which][0]) for row in rows])


def _rms_off(rows):
    return _rms([row["off_mm"] for row in rows if row["found"]])


def _rms(values):
    values = [v for v in values if v is not None]
    return round(float(np.sqrt(np.mean(np.square(values)))), 4) if values else None


def _p999(rows):
    values = [row["off_mm"] for row in rows if row["found"]]
    return round(float(np.percentile(values, 99.9)), 3) if values else None


def _share(rows, name):
    values = [row[name] for row in rows if row["found"]]
    return round(float(np.mean(values)), 5) if values else None


def _over(ours, other):
    return round(ours / other, 3) if ours is not None and other else None


def _f1(pairs):
    both = sum(is_so and told for is_so, told, _ in pairs)
    wrong = sum(is_so != told for is_so, told, _ in pairs)
    return round(2 * both / (2 * both + wrong), 4) if both or wrong else None


def _table(bodies):
    """A row a kind of piece; towers by height."""
    heads = ("looks", "missed", "rms mm", "p99 mm", "lsq mm", "limit mm", "face", "kind", "height")
    yield f"{'':10}" + "".join(f"{head:>9}" for head in heads)
    kinds = sorted({(row["shape"], row["discs"]) for row in bodies})
    for shape, discs in kinds:
        rows = [row for row in bodies if (row["shape"], row["discs"]) == (shape, discs)]
        found = [row for row in rows if row["found"]]
        off = [row["off_mm"] for row in found]
        values = (
            len(rows), len(rows) - len(found), _rms(off),
            round(float(np.percentile(off, 99)), 2) if off else None,
            _rms([row["lsq"][0] for row in rows]), _limit(rows, "fisher"),
            *(_share(rows, name) for name in ("face", "kind", "height")),
        )  # fmt: skip
        name = shape if discs == 1 else f"{shape} {discs}"
        cells = ("-" if value is None else f"{value:.4g}" for value in values)
        yield f"{name:10}" + "".join(f"{cell:>9}" for cell in cells)


def _worst(bodies):
    """What was worst, in words: missed and misjudged pieces, then the farthest off."""
    wrong = [r for r in bodies if not (r["found"] and r["face"] and r["kind"] and r["height"])]
    right = [r for r in bodies if r not in wrong]
    right.sort(key=lambda row: -row["off_mm"])
    return [row["where"] for row in (*wrong[: DETAILS // 2], *right[:10])]
