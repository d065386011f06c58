"""The evidence of a ruling: what the mat saw around it, kept for slow motion.

From the first of its facts, and a little before, to a little after the ruling: where every piece
lay, where those in flight were, the raw frames, the facts, and by which limits they were judged.
"""

import json
import zlib
from collections import deque

from polarity.perception.body import FREE_TILT
from polarity.perception.contacts import ATTRACT_GAP, JUMP_GAP, LEANER_GAP, REPEL_GAP
from polarity_host.mats.description import Mat
from polarity_host.wire.lines import Message
from polarity_host.wire.messages import RulingMessage

VERSION = 1
BEFORE_MS = 2000  # before the first of the facts
AFTER_MS = 1500  # after the ruling
MOST_MS = 12_000  # an older fact is told of, but not seen again
MOST_WAITING = 64  # rulings whose time is not over yet
MOST_FLIGHTS, MOST_SCENES, MOST_FRAMES = 600, 200, 120  # a mat that floods its host fills nothing
DEGREES_OF_SINE = 57.2958 / 4096  # Q12, small angles


class EvidenceRecorder:
    """Remembers the last seconds and cuts the evidence of each ruling out of them."""

    def __init__(self):
        self._flights: deque = deque(maxlen=MOST_FLIGHTS)  # (t_ms, pieces in flight)
        self._scenes: deque = deque(maxlen=MOST_SCENES)  # (t_ms, pieces at rest)
        self._frames: deque = deque(maxlen=MOST_FRAMES)  # (t_ms, counts in base64)
        self._facts: deque = deque(maxlen=200)  # Message
        self._waiting: deque = deque(maxlen=MOST_WAITING)  # Message: rulings

    def clear(self) -> None:
        """A new boot of the mat: its clock begins again."""
        for kept in (self._flights, self._scenes, self._frames, self._facts, self._waiting):
            kept.clear()

    def scene(self, t_ms: int, pieces) -> None:
        """What lies on the mat from `t_ms` on."""
        self._scenes.append((t_ms, [list(piece) for piece in pieces]))

    def flight(self, t_ms: int, pieces: list) -> None:
        """What is in flight at `t_ms`."""
        self._flights.append((t_ms, pieces))

    def frame(self, t_ms: int, counts: str) -> None:
        """A raw frame, as on the wire."""
        self._frames.append((t_ms, counts))

    def fact(self, message: Message) -> None:
        """A fact, which a ruling may rest on."""
        self._facts.append(message)

    def ruling(self, message: Message) -> None:
        """A ruling: its evidence is ready AFTER_MS later."""
        self._waiting.append(message)

    def ready(self, now_ms: int | None, mat: Mat) -> list[tuple[Message, dict]]:
        """The rulings whose time is over, each with its evidence; all of them when `now_ms` is
        None.
        """
        done = []
        while self._waiting and (now_ms is None or self._waiting[0].t_ms + AFTER_MS <= now_ms):
            ruling = self._waiting.popleft()
            done.append((ruling, self._cut(ruling, mat)))
        return done

    def _cut(self, ruling: Message, mat: Mat) -> dict:
        facts = ruling.body.facts if isinstance(ruling.body, RulingMessage) else ()
        rests_on = [m for m in self._facts if m.number in facts]
        end = ruling.t_ms + AFTER_MS
        begun = min([ruling.t_ms, *(fact.t_ms for fact in rests_on)]) - BEFORE_MS
        begun = max(begun, ruling.t_ms - MOST_MS)
        scenes = [(t, pieces) for t, pieces in self._scenes if t <= end]
        first = max((i for i, (t, _) in enumerate(scenes) if t <= begun), default=0)
        return {
            "v": VERSION,
            "k": "evidence",
            "mat": mat_of(mat),
            "from_ms": begun,
            "to_ms": end,
            "ruling": ruling.as_received(),
            "facts": [
                m.as_received() for m in self._facts if begun <= m.t_ms <= end or m in rests_on
            ],
            "limits": limits(mat),
            "scenes": scenes[first:],
            "flights": [(t, pieces) for t, pieces in self._flights if begun <= t <= end],
            "frames": [(t, counts) for t, counts in self._frames if begun <= t <= end],
        }


def mat_of(mat: Mat) -> dict:
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


def limits(mat: Mat) -> dict:
    """The limits by which facts are told and judged, in mm and degrees, as the firmware has
    them.
    """
    return {
        "shift_mm": mat.disc.diameter_mm,
        "circle_mm": mat.circle_radius_mm,
        "dot_mm": mat.dot_radius_mm,
        "lean_deg": round(FREE_TILT * DEGREES_OF_SINE, 1),
        "touch_attract_mm": round(ATTRACT_GAP / 256, 2),
        "touch_repel_mm": round(REPEL_GAP / 256, 2),
        "touch_jump_mm": round(JUMP_GAP / 256, 2),
        "touch_leaner_mm": round(LEANER_GAP / 256, 2),
    }


def packed(evidence: dict) -> bytes:
    """Evidence as the database keeps it."""
    return zlib.compress(json.dumps(evidence, separators=(",", ":")).encode())


def unpacked(data: bytes) -> dict:
    """Evidence out of the database."""
    return json.loads(zlib.decompress(data))
