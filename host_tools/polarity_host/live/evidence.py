"""The evidence of a ruling: what the mat observed around it, stored for slow motion.

It begins a little before the first of the ruling's facts and ends a little after the ruling: where
every piece lay, where those in flight were, the raw frames, the facts, and the limits they were
judged by.
"""

import json
import zlib
from collections import deque
from collections.abc import Iterable, Sequence
from typing import Any

from polarity.kernels._limits import FREE_TILT_SINE_Q12
from polarity.perception.parameters import (
    ATTRACT_GAP_MM_Q8,
    JUMP_GAP_MM_Q8,
    LEANER_GAP_MM_Q8,
    REPEL_GAP_MM_Q8,
)
from polarity_host.live.scene import FlightRow, PieceRow
from polarity_host.mats.description import Mat
from polarity_host.wire.lines import Message
from polarity_host.wire.messages import RulingMessage

VERSION = 1
BEFORE_MS = 2000  # before the first of the facts
AFTER_MS = 1500  # after the ruling
MOST_MS = 12_000  # evidence begins at most so long before the ruling, however old its facts are
MOST_WAITING = 64  # rulings whose AFTER_MS is not over yet
MOST_FLIGHTS, MOST_SCENES, MOST_FRAMES = 600, 200, 120  # bounds the memory that a mat can fill
MOST_FACTS = 200
FRAME_EVERY_MS = 500  # of a whole game, one raw frame in so long
MOST_BYTES = 8_000_000  # of unpacked evidence: ten times what the bounds above allow
DEGREES_OF_SINE = 57.2958 / 4096  # degrees per unit of a small angle's sine in Q12

Evidence = dict[str, Any]  # as JSON, see API.md


class DamagedEvidence(Exception):
    """Stored bytes that are no evidence; the message says why."""


class EvidenceRecorder:
    """Holds the last seconds and cuts the evidence of each ruling out of them."""

    def __init__(self) -> None:
        self._flights: deque[tuple[int, list[FlightRow]]] = deque(maxlen=MOST_FLIGHTS)
        self._scenes: deque[tuple[int, list[PieceRow]]] = deque(maxlen=MOST_SCENES)
        self._frames: deque[tuple[int, str]] = deque(maxlen=MOST_FRAMES)  # counts in base64
        self._facts: deque[Message] = deque(maxlen=MOST_FACTS)
        self._waiting: deque[tuple[Message, RulingMessage]] = deque(maxlen=MOST_WAITING)

    def clear(self) -> None:
        """Forgets everything: at a new boot the mat's clock begins again."""
        for buffer in (self._flights, self._scenes, self._frames, self._facts, self._waiting):
            buffer.clear()

    def add_scene(self, t_ms: int, pieces: Iterable[PieceRow]) -> None:
        """What lies on the mat from `t_ms` on."""
        self._scenes.append((t_ms, list(pieces)))

    def add_flight(self, t_ms: int, bodies: list[FlightRow]) -> None:
        """What is in flight at `t_ms`."""
        self._flights.append((t_ms, bodies))

    def add_frame(self, t_ms: int, counts: str) -> None:
        """A raw frame, in base64 as on the wire."""
        self._frames.append((t_ms, counts))

    def add_fact(self, message: Message) -> None:
        """A fact, which a ruling may rest on."""
        self._facts.append(message)

    def add_ruling(self, message: Message, ruling: RulingMessage) -> None:
        """A ruling: its evidence is complete AFTER_MS later."""
        self._waiting.append((message, ruling))

    def complete(self, now_ms: int | None, mat: Mat) -> list[tuple[Message, Evidence]]:
        """The rulings whose evidence is complete, each with it; all of them when `now_ms` is
        None.
        """
        done = []
        while self._waiting and (now_ms is None or self._waiting[0][0].t_ms + AFTER_MS <= now_ms):
            message, ruling = self._waiting.popleft()
            done.append((message, self._cut(message, ruling, mat)))
        return done

    def _cut(self, message: Message, ruling: RulingMessage, mat: Mat) -> Evidence:
        rests_on = [fact for fact in self._facts if fact.number in ruling.facts]
        end_ms = message.t_ms + AFTER_MS
        begin_ms = min([message.t_ms, *(fact.t_ms for fact in rests_on)]) - BEFORE_MS
        begin_ms = max(begin_ms, message.t_ms - MOST_MS)
        scenes = [(t_ms, pieces) for t_ms, pieces in self._scenes if t_ms <= end_ms]
        first = max((i for i, (t_ms, _) in enumerate(scenes) if t_ms <= begin_ms), default=0)
        facts = [m for m in self._facts if begin_ms <= m.t_ms <= end_ms or m in rests_on]
        return {
            "v": VERSION,
            "k": "evidence",
            "mat": mat_of(mat),
            "from_ms": begin_ms,
            "to_ms": end_ms,
            "ruling": message.as_received(),
            "facts": [fact.as_received() for fact in facts],
            "limits": limits(mat),
            "scenes": scenes[first:],
            "flights": [item for item in self._flights if begin_ms <= item[0] <= end_ms],
            "frames": [item for item in self._frames if begin_ms <= item[0] <= end_ms],
        }


def mat_of(mat: Mat) -> dict[str, Any]:
    """What is needed to draw a mat: millimetres, and the sensors' places in frame order."""
    return {
        "id": mat.id,
        "circle_radius_mm": mat.circle_radius_mm,
        "dot_radius_mm": mat.dot_radius_mm,
        "disc": {"diameter_mm": mat.disc.diameter_mm, "thickness_mm": mat.disc.thickness_mm},
        "red_disc": {
            "diameter_mm": mat.red_disc.diameter_mm,
            "thickness_mm": mat.red_disc.thickness_mm,
        },
        "pitch_mm": mat.pitch_mm,
        "leds": mat.led_count,
        "sensors": [[float(x), float(y)] for x, y, _ in mat.sensor_xyz_mm],
        "counts_per_mt": mat.counts_per_mt,
        "zero_count": mat.zero_count,
    }


def limits(mat: Mat) -> dict[str, float]:
    """The limits that the firmware detects facts and judges them by, in mm and degrees."""
    return {
        "shift_mm": mat.disc.diameter_mm,
        "circle_mm": mat.circle_radius_mm,
        "dot_mm": mat.dot_radius_mm,
        "lean_deg": round(FREE_TILT_SINE_Q12 * DEGREES_OF_SINE, 1),
        "touch_attract_mm": round(ATTRACT_GAP_MM_Q8 / 256, 2),  # the gaps are Q8 millimetres
        "touch_repel_mm": round(REPEL_GAP_MM_Q8 / 256, 2),
        "touch_jump_mm": round(JUMP_GAP_MM_Q8 / 256, 2),
        "touch_leaner_mm": round(LEANER_GAP_MM_Q8 / 256, 2),
    }


def packed(evidence: Evidence) -> bytes:
    """Evidence in the form that the database stores."""
    return zlib.compress(json.dumps(evidence, separators=(",", ":")).encode())


def unpacked(data: object) -> Evidence:
    """Evidence from the form that the database stores. DamagedEvidence for anything else."""
    unpacking = zlib.decompressobj()
    try:
        text = unpacking.decompress(data, MOST_BYTES + 1) if isinstance(data, bytes) else b""
        if len(text) > MOST_BYTES:
            raise DamagedEvidence("it is too large to be evidence")
        evidence = json.loads(text)
        json.dumps(evidence, ensure_ascii=False, allow_nan=False).encode()  # what is sent on
    except (zlib.error, ValueError, RecursionError):
        raise DamagedEvidence("it is damaged") from None
    if not _is_evidence(evidence):
        raise DamagedEvidence("it is no evidence")
    return evidence


def joined(evidences: Sequence[Evidence]) -> Evidence:
    """The evidence of a game's rulings, one or more, as that of the whole game: `rulings` has all
    of them, and `told.rulings` their texts by number and language. Between two moments that were
    stored, nothing moves."""
    last = max(evidences, key=lambda one: one["ruling"]["n"])
    rulings = {one["ruling"]["n"]: one["ruling"] for one in evidences}
    facts = {fact["n"]: fact for one in evidences for fact in one["facts"]}
    told = {one["ruling"]["n"]: one.get("told") or {"words": {}} for one in evidences}
    frames: list[Any] = []
    for frame in _by_time(evidences, "frames"):
        if not frames or frame[0] - frames[-1][0] >= FRAME_EVERY_MS:
            frames.append(frame)
    return {
        **last,
        "from_ms": min(one["from_ms"] for one in evidences),
        "to_ms": max(one["to_ms"] for one in evidences),
        "rulings": [rulings[n] for n in sorted(rulings)],
        "facts": [facts[n] for n in sorted(facts)],
        "scenes": _by_time(evidences, "scenes"),
        "flights": _by_time(evidences, "flights"),
        "frames": frames,
        "told": {
            **told[last["ruling"]["n"]],
            "rulings": {n: texts["words"] for n, texts in told.items()},
        },
    }


def _by_time(evidences: Iterable[Evidence], what: str) -> list[Any]:
    found = {item[0]: item for one in evidences for item in one.get(what, ())}
    return [found[t_ms] for t_ms in sorted(found)]


def _is_evidence(value: Any) -> bool:
    return (
        isinstance(value, dict)
        and value.get("k") == "evidence"
        and isinstance(value.get("mat"), dict)
        and isinstance(value.get("ruling"), dict)
        and isinstance(value["ruling"].get("code"), str)
        and all(isinstance(value.get(name), list) for name in ("facts", "scenes", "flights"))
    )
