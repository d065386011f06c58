"""What the engine answers at the looks of a random scene, piece by piece against the truth."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias, TypedDict

import numpy as np

from polarity_host.mats.description import Mat
from polarity_host.replay.engine import raw_counts
from polarity_host.simulation.twin.stage import PieceState

from .scenes import Look, Scene

if TYPE_CHECKING:
    from polarity.engine import Engine

FOUND_MM = 20.0  # an answer farther from every piece is another piece
TOUCHING_MM, NEAR_MM = 0.3, 1.7  # rim to rim: pieces touch; others are near enough to be mistaken
FACES = {"w": 1, "b": -1}

PieceAnswer: TypeAlias = Sequence[Any]  # see `reported_pieces`
TouchRow: TypeAlias = tuple[bool, bool, str]  # touches, reported as touching, in words
Errors: TypeAlias = tuple[float, float | None]  # of the place, of a leaner's tilt


class Answer(TypedDict):
    """What the engine, or the threshold, reports of one piece: mm and degrees."""

    id: int
    shape: str
    face: int
    x: float
    y: float
    discs: int
    tilt: float
    azimuth: float


class ThresholdRow(TypedDict):
    """How the threshold found one piece."""

    found: bool
    off_mm: float | None
    face: bool | None


class BodyRow(ThresholdRow):
    """How one piece was answered: its shape and height, and unless it was not `found` the error of
    its place and tilt, and whether face, kind and height are right. `where`: in words."""

    shape: str
    discs: int
    tilt_deg: float | None
    kind: bool | None
    height: bool | None
    where: str


class RivalRow(TypedDict):
    """The same piece by the threshold, the errors of least squares in mm and degrees, and the
    Fisher limits for either ADC, variances in mm2 and deg2."""

    threshold: ThresholdRow
    fisher: Errors
    fisher_known_adc: Errors
    lsq: Errors


class SceneAnswers(TypedDict):
    """What was answered at the looks of a scene, see `answers`; `rivals`: a row for each of
    `bodies` where they were asked."""

    bodies: list[BodyRow]
    rivals: list[RivalRow]
    pairs: list[TouchRow]
    invented: list[str]
    threshold_invented: int
    looks: int
    broke: str


def no_answers() -> SceneAnswers:
    """What `answers` adds to, empty."""
    return {
        "bodies": [], "rivals": [], "pairs": [], "invented": [], "threshold_invented": 0,
        "looks": 0, "broke": "",
    }  # fmt: skip


def answers(scene: Scene, engine: "Engine", out: SceneAnswers) -> Iterator[Look]:
    """Play a scene through an engine and yield every Look, once the engine's answers there are
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
        answered = [answer_of(piece) for piece in reported_pieces(engine)]
        found, invented = matched(truth, answered, mat)
        for i, piece in enumerate(truth):
            where = when + _words(piece, found.get(i), mat)
            out["bodies"].append(body_row(piece, found.get(i), mat, where))
        out["invented"] += [
            f"{when}invented {answered[j]['shape']} ({answered[j]['x']:.0f},{answered[j]['y']:.0f})"
            for j in invented
        ]
        pairs = touching_pairs(truth, found, engine.game.tracker.scene.contacts.pairs, mat)
        out["pairs"] += [(is_so, claimed, when + words) for is_so, claimed, words in pairs]
        yield look


def reported_pieces(engine: "Engine") -> list[PieceAnswer]:
    """The pieces on the mat by the engine: [id, shape, face, discs, x, y, tilt, azimuth] each,
    1/100 mm and degrees."""
    return [*engine.game.pieces()]


def answer_of(piece: PieceAnswer) -> Answer:
    number, shape, face, discs, x, y, tilt, azimuth = piece
    return {
        "id": number, "shape": shape, "face": FACES.get(face, 0), "discs": discs,
        "x": x / 100, "y": y / 100, "tilt": tilt, "azimuth": azimuth,
    }  # fmt: skip


def matched(
    truth: Sequence[PieceState], answered: Sequence[Answer], mat: Mat
) -> tuple[dict[int, Answer], list[int]]:
    """({index in truth: answer}, indices of answers left over): nearest middles together."""
    from scipy.optimize import linear_sum_assignment

    from .exact_fit import middle_mm

    if not answered:
        return {}, []
    is_at = np.array([middle_mm(piece, mat) for piece in truth])
    seems_at = np.array([_middle(answer, mat) for answer in answered])
    away = np.hypot(*(is_at[:, None] - seems_at[None]).transpose(2, 0, 1))
    pairs = linear_sum_assignment(np.minimum(away, 3 * FOUND_MM))
    found = {int(i): answered[j] for i, j in zip(*pairs) if away[i, j] <= FOUND_MM}
    taken = {int(j) for i, j in zip(*pairs) if away[i, j] <= FOUND_MM}
    return found, [j for j in range(len(answered)) if j not in taken]


def _middle(answer: Answer, mat: Mat) -> tuple[float, float]:
    x, y = answer["x"], answer["y"]
    if answer["shape"] == "leaner":
        tilt, azimuth = np.radians((answer["tilt"], answer["azimuth"]))
        disc = mat.disc
        reach = disc.diameter_mm / 2 * np.cos(tilt) - disc.thickness_mm / 2 * np.sin(tilt)
        x, y = x - reach * np.cos(azimuth), y - reach * np.sin(azimuth)
    return x, y


def body_row(piece: PieceState, answer: Answer | None, mat: Mat, where: str = "") -> BodyRow:
    """How one piece was answered."""
    from .exact_fit import spot_mm

    row = BodyRow(
        shape=piece.shape, discs=piece.discs, found=answer is not None, off_mm=None,
        tilt_deg=None, face=None, kind=None, height=None, where=where,
    )  # fmt: skip
    if answer is None:
        return row
    x, y = spot_mm(piece, mat)
    row["off_mm"] = float(np.hypot(answer["x"] - x, answer["y"] - y))
    row["face"] = answer["face"] == piece.face
    row["kind"] = answer["shape"] == piece.shape
    row["height"] = answer["discs"] == piece.discs
    if piece.shape == "leaner":
        row["tilt_deg"] = answer["tilt"] - piece.tilt_deg
    return row


def _words(piece: PieceState, answer: Answer | None, mat: Mat) -> str:
    from .exact_fit import spot_mm

    x, y = spot_mm(piece, mat)
    words = f"{piece.shape} x{piece.discs} ({x:.1f},{y:.1f}) {piece.tilt_deg:.0f} deg"
    if answer is None:
        return words + " missed"
    return words + (
        f" reported as {answer['shape']} x{answer['discs']} "
        f"({answer['x']:.1f},{answer['y']:.1f}) {answer['tilt']} deg"
    )


def touching_pairs(
    truth: Sequence[PieceState],
    found: Mapping[int, Answer],
    touching: Iterable[Iterable[int]],
    mat: Mat,
) -> list[TouchRow]:
    """(touches, reported as touching, words) for pairs of flat pieces that are near each other,
    and for all others that are reported as touching. A tower in a crease touches with its lowest
    disc."""
    ids = {i: answer["id"] for i, answer in found.items()}
    answered = {frozenset(pair) for pair in touching}
    rows = []
    for i, a in enumerate(truth):
        for j in range(i):
            b = truth[j]
            gap = np.hypot(a.x_mm - b.x_mm, a.y_mm - b.y_mm)
            gap -= mat.disc.diameter_mm
            flat = a.shape != "leaner" and b.shape != "leaner"
            claimed = i in ids and j in ids and frozenset((ids[i], ids[j])) in answered
            if claimed or (flat and gap < NEAR_MM):
                touches = bool(flat and gap < TOUCHING_MM)
                words = f"{a.shape} and {b.shape} ({a.x_mm:.0f},{a.y_mm:.0f}), " + (
                    f"{'the same face' if a.face == b.face else 'two faces'}, {gap:.1f} mm apart, "
                    f"{'' if claimed else 'not '}reported as touching"
                )
                rows.append((touches, claimed, words))
    return rows
