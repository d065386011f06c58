"""A judged game in words: truth on the left, the engine's messages on the right.

Truth's pieces are written #7, the engine's e7. Marks: `=` the same, `~` wrong, `-` missed,
`+` invented, `.` counts neither way; `§` begins a ruling.
"""

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, TextIO, TypeAlias

from polarity.perception.body import MOVING
from polarity_host.simulation.twin.stage import Counts, PieceState
from polarity_host.simulation.twin.truth import Record

from .judge_game import Judged
from .matching import Match, place_error_mm
from .rulings import Compared
from .scene_answers import reported_pieces

if TYPE_CHECKING:
    from polarity.engine import Engine

Row: TypeAlias = tuple[int, str, str, str]  # time in µs, mark, left, right

LEFT = 66
POSE_PER_MM = 256  # units of a pose in perception
NEAR_ROWS = 4  # rows shown round one that differs


def fact_words(fact: Record, sign: str) -> str:
    """A fact on one line; `sign` before ids. Reads truth records and the engine's alike."""
    mm = (fact["x_mm"], fact["y_mm"]) if "x_mm" in fact else (fact["x"] / 100, fact["y"] / 100)
    tilt = fact.get("tilt_deg", fact.get("tilt", 0))
    moved_mm = fact["d_mm"] if "d_mm" in fact else fact["d"] / 100
    words = [fact["f"]]
    if fact["piece"]:
        words.append(f"{sign}{fact['piece']}")
    words += [fact["shape"]] if fact["f"] in ("placed", "contact") else []
    words += [fact["face"]] if fact["face"] else []
    words += [f"x{fact['discs']}"] if fact["discs"] > 1 else []
    if fact["others"]:
        words.append("with " + ",".join(f"{sign}{i}" for i in fact["others"]))
    words.append(f"({mm[0]:.0f},{mm[1]:.0f})")
    words += [f"{tilt:.0f}°"] if tilt else []
    words += [f"by {moved_mm:.0f} mm"] if moved_mm else []
    words += [fact["why"]] if fact["why"] else []
    if fact.get("conf", 100) < 100:
        words.append(f"conf {fact['conf']}")
    return " ".join(words)


def ruling_words(ruling: Record, sign: str) -> str:
    """A ruling on one line."""
    words = ["§", ruling["code"]]
    words += [ruling["player"]] if ruling["player"] else []
    words += [ruling["why"]] if ruling["why"] else []
    words += [",".join(f"{sign}{i}" for i in ruling["pieces"])] if ruling["pieces"] else []
    for player, ids in ruling["owed"]:
        words.append(f"[{player} owes " + ",".join(f"{sign}{i}" for i in ids) + "]")
    words += [f"back {player}{discs}" for player, discs in ruling["returns"]]
    words.append("{}:{}".format(*ruling["reserve"]))
    if ruling.get("score"):
        words.append("score {}:{}".format(*ruling["score"]))
    return " ".join(words)


def rows(match: Match, compared: Compared) -> list[Row]:
    """(time in us, mark, left, right) of a whole game, in order."""
    found: list[Row] = []
    for pair in match.pairs:
        right = f"{_late(pair.truth, pair.reported)} {fact_words(pair.reported, 'e')}"
        off = place_error_mm(pair.truth, pair.reported)
        if off > 2:
            right += f" off {off:.0f}"
        if pair.wrong:
            right += "  <-- " + ", ".join(pair.wrong)
        mark = "~" if pair.wrong else "="
        found.append((pair.truth["t_us"], mark, fact_words(pair.truth, "#"), right))
    found += [(f["t_us"], "-", fact_words(f, "#"), "") for f in match.missed]
    found += [(f["t_us"], "+", "", _alone(f, fact_words)) for f in match.invented]
    for fact in match.unneeded:
        true = "x_mm" in fact
        left = fact_words(fact, "#") if true else ""
        found.append((fact["t_us"], ".", left, "" if true else _alone(fact, fact_words)))
    for ruling, reported, wrong in compared.pairs:
        right = f"{_late(ruling, reported)} {ruling_words(reported, 'e')}"
        right += "  <-- " + ", ".join(wrong) if wrong else ""
        found.append((ruling["t_us"], "~" if wrong else "=", ruling_words(ruling, "#"), right))
    found += [(r["t_us"], "-", ruling_words(r, "#"), "") for r in compared.missing]
    found += [(r["t_us"], "+", "", _alone(r, ruling_words)) for r in compared.invented]
    return sorted(found, key=lambda row: row[0])


def _late(truth: Record, reported: Record) -> str:
    """Seconds from the event to the time in the message, and to the moment when it was sent."""
    stamped = (reported["t_us"] - truth["t_us"]) / 1e6
    sent = (reported["sent_us"] - truth["t_us"]) / 1e6
    return f"{stamped:+.2f}/{sent:+.2f}"


def _alone(record: Record, words: Callable[[Record, str], str]) -> str:
    return f"{(record['sent_us'] - record['t_us']) / 1e6:+11.2f} {words(record, 'e')}"


def discrepancies(match: Match, compared: Compared) -> list[tuple[int, str]]:
    """(time in us, words) of everything that differs, in order of time."""
    verbs = {"-": "missed", "+": "invented", "~": "wrong"}
    return [
        (t_us, f"{t_us / 1e6:.2f} s {verbs[mark]}: " + " | ".join(filter(None, (left, right))))
        for t_us, mark, left, right in rows(match, compared)
        if mark in verbs
    ]


def show(
    judged: Judged, match: Match, compared: Compared, out: TextIO, only_wrong: bool = False
) -> None:
    """Print the whole timeline, or (`only_wrong`) what differs with the rows around it."""
    table = rows(match, compared)
    bad = [i for i, row in enumerate(table) if row[1] in "-+~"]
    print(f"{'s':>8}   {'truth (#)':{LEFT}} engine (e): s after the event / until sent", file=out)
    shown_before = -1
    for i, (t_us, mark, left, right) in enumerate(table):
        if only_wrong and not any(abs(i - b) <= NEAR_ROWS for b in bad):
            continue
        if i > shown_before + 1:
            print("     ...", file=out)
        shown_before = i
        print(f"{t_us / 1e6:8.2f} {mark} {left:{LEFT}} {right}".rstrip(), file=out)
    wrong = sum(bool(pair.wrong) for pair in match.pairs)
    print(
        f"seed {judged.seed}: {judged.turns} turns; facts: {len(match.pairs)} found, {wrong} of"
        f" them wrong, {len(match.missed)} missed, {len(match.invented)} invented; rulings:"
        f" {len(compared.pairs)} found, {compared.wrong} wrong, missing or invented;"
        f" {judged.game_s:.0f} s in {judged.engine_s:.1f} s"
        + (f"; the engine broke: {judged.broke}" if judged.broke else ""),
        file=out,
    )


class Scenes:
    """Prints the true scene beside the engine's pieces when a judged game passes given times."""

    def __init__(self, seconds: Iterable[float], out: TextIO):
        self._due_us = sorted(int(s * 1e6) for s in seconds)
        self._out = out

    def look(
        self, t_us: int, counts: Counts, scene: Sequence[PieceState], engine: "Engine"
    ) -> None:
        """To be called after every frame."""
        while self._due_us and self._due_us[0] <= t_us:
            self._due_us.pop(0)
            self._show(t_us, scene, engine)

    def _show(self, t_us: int, scene: Sequence[PieceState], engine: "Engine") -> None:
        known = [
            (x / 100, y / 100, f"e{i} {shape} {face} x{discs} ({x / 100:.1f},{y / 100:.1f}) {tilt}°"
             f" towards {azimuth}°")
            for i, shape, face, discs, x, y, tilt, azimuth in reported_pieces(engine)
        ]  # fmt: skip
        for body in engine.game.tracker.scene.bodies:
            if body.state < MOVING:
                x, y, z = (value / POSE_PER_MM for value in body.pose[:3])
                words = f"e{body.id} in flight x{body.discs} ({x:.1f},{y:.1f}) z {z:.0f}"
                known.append((x, y, f"{words} {body.tilt_deg()}°"))
        count = f"{len(scene)} true pieces, {len(known)} known"
        print(f"---- {t_us / 1e6:.2f} s: {count}", file=self._out)
        for piece in sorted(scene, key=lambda p: (p.held, p.id)):
            x, y = piece.contact_xy if piece.shape == "leaner" else (piece.x_mm, piece.y_mm)
            face = "w" if piece.face > 0 else "b"
            left = (
                f"#{piece.id} {piece.shape} {face} x{piece.discs} ({x:.1f},{y:.1f})"
                f" z {piece.z_mm:.0f} {piece.tilt_deg:.0f}° towards {piece.azimuth_deg:.0f}°"
                + (" in hand" if piece.held else "")
            )
            near = min(known, key=lambda k: (k[0] - x) ** 2 + (k[1] - y) ** 2, default=None)
            if near and (near[0] - x) ** 2 + (near[1] - y) ** 2 < 20**2:
                known.remove(near)
            else:
                near = None
            print(f"   {left:{LEFT}} {near[2] if near else ''}".rstrip(), file=self._out)
        for _, _, words in known:
            print(f"   {'':{LEFT}} {words}", file=self._out)
