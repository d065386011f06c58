"""An engine that needs the chip's time for its frames. Frames that come meanwhile wait, and are
judged in order or lost, as in drivers/hall_grid.py.
"""

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

if TYPE_CHECKING:
    from array import array

    from polarity.engine import Engine

WAITING = 35  # frames; what comes while so many wait is lost
CHIP_FILE = Path(__file__).with_name("chip_pace.json")


@dataclass(frozen=True)
class Pace:
    """What the chip needs for a frame, ms: `frame_ms` by how many bodies are in flight after it (of
    more than it lists: the last), and to that `fits_ms` for each ms that its fits are reckoned to
    take (Solver.work_us), `guess_ms` for each body fitted in a guess of the search, `search_ms` for
    each coarse search, `message_ms` for each fact, ruling or log line that it tells, and `turn_ms`
    for the rest of the loop's turn.
    """

    frame_ms: tuple[float, ...]
    fits_ms: float = 0.0
    guess_ms: float = 0.0
    search_ms: float = 0.0
    message_ms: float = 0.0
    turn_ms: float = 0.0

    @classmethod
    def of(cls, text: str) -> Self:
        """From the words of `--pace`: "chip", as measured; "2x", that by any factor; "ONE,MORE", ms
        while at most one body is in flight, and while several are. ValueError for others."""
        if text == "chip":
            return cls.measured()
        if text.endswith("x"):
            return cls.measured().times(_positive(text[:-1]))
        one, more = map(_positive, text.split(","))
        return cls((one, one, more))

    @classmethod
    def measured(cls) -> Self:
        """The emulated chip's, as CHIP_FILE has it."""
        values = json.loads(CHIP_FILE.read_text())
        del values["generated"]
        return cls(tuple(values.pop("frame_ms")), **values)

    def times(self, factor: float) -> Self:
        """That of a chip that needs `factor` times as long."""
        scaled = {name: factor * ms for name, ms in asdict(self).items() if name != "frame_ms"}
        return replace(self, frame_ms=tuple(factor * ms for ms in self.frame_ms), **scaled)

    def ms(
        self, flying: int, guesses: int, searches: int, messages: int, fits_us: int = 0
    ) -> float:
        """For a frame with so much of each."""
        return (
            self.frame_ms[min(flying, len(self.frame_ms) - 1)]
            + fits_us / 1000 * self.fits_ms
            + guesses * self.guess_ms
            + searches * self.search_ms
            + messages * self.message_ms
            + self.turn_ms
        )


def write_measured(times: dict[str, Any]) -> None:
    """Stores these times of the emulated chip, as Pace has them, in CHIP_FILE."""
    noted = {"generated": "by `polarity bench device --write-pace`; ms at 125 MHz"}
    CHIP_FILE.write_text(json.dumps(noted | times, indent=1) + "\n")


def _positive(text: str) -> float:
    value = float(text)
    if not 0 < value < 1000:
        raise ValueError(f"{text} is not above 0 and below 1000")
    return value


class PacedEngine:
    """Judges frames by `engine`, but needs for them what `pace` says.

    `lost`: frames that were not judged. `behind`: of each frame that was judged, how many others
    had come by then.
    """

    def __init__(self, engine: "Engine", pace: Pace):
        self.engine, self.pace = engine, pace
        self.lost = 0
        self.behind: list[int] = []
        self._waiting: list[tuple[int, array[int]]] = []
        self._free_ms = 0.0

    def frame(self, t_ms: int, counts: "array[int]") -> None:
        """Takes the frame of `t_ms`, and judges those before it as far as time allowed."""
        while self._waiting and self._free_ms < t_ms:
            self._judge()
        if len(self._waiting) < WAITING:
            self._waiting.append((t_ms, counts))
        else:
            self.lost += 1
        if self._free_ms <= t_ms:
            self._free_ms = t_ms
            self._judge()

    def finish(self) -> None:
        """No frame comes any more: judges those that wait."""
        while self._waiting:
            self._judge()

    def read(self, most: int) -> bytes:
        """Up to so many bytes of what the engine has put on its wire."""
        return self.engine.read(most)

    def command(self, chunk: bytes) -> None:
        """Passes on what the host sends."""
        self.engine.command(chunk)

    def _judge(self) -> None:
        self.behind.append(len(self._waiting) - 1)
        before = self._work()
        t_ms, counts = self._waiting.pop(0)
        self.engine.frame(t_ms, counts, self.lost, len(self._waiting))
        guesses, searches, messages = (
            now - then for now, then in zip(self._work(), before, strict=True)
        )
        scene = self.engine.game.tracker.scene
        self._free_ms += self.pace.ms(
            len(scene.flying), guesses, searches, messages, scene.solver.work_us
        )

    def _work(self) -> Sequence[int]:
        search = self.engine.game.tracker.scene.search
        return search.guesses, search.searches, self.engine.outbox.last
