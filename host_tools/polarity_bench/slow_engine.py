"""An engine that needs time for its frames, as the chip's does. Frames that come meanwhile wait, as
in drivers/hall_grid.py; while something moves, all but the last LATEST are lost, as in loop.py.
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from array import array

    from polarity.engine import Engine

WAITING, LATEST = 6, 2  # frames


class SlowEngine:
    """Judges frames by `engine`, but needs `one_ms` for a frame while no more than one body is in
    flight, and `more_ms` while several are.
    """

    def __init__(self, engine: "Engine", one_ms: float, more_ms: float):
        self._engine, self._one_ms, self._more_ms = engine, one_ms, more_ms
        self._waiting: list[tuple[int, array[int]]] = []
        self._free_ms = 0.0

    def frame(self, t_ms: int, counts: "array[int]") -> None:
        """Takes the frame of `t_ms`, and judges those before it as far as time allowed."""
        while self._waiting and self._free_ms < t_ms:
            self._judge()
        self._waiting.append((t_ms, counts))
        if self._free_ms <= t_ms:
            self._free_ms = t_ms
            self._judge()

    def read(self, most: int) -> bytes:
        """Up to so many bytes of what the engine has put on its wire."""
        return self._engine.read(most)

    def command(self, chunk: bytes) -> None:
        """Hands on what the host sends."""
        self._engine.command(chunk)

    def _judge(self) -> None:
        may_wait = LATEST if self._engine.game.moving() else WAITING
        del self._waiting[:-may_wait]
        self._engine.frame(*self._waiting.pop(0))
        several = len(self._engine.game.tracker.flying) > 1
        self._free_ms += self._more_ms if several else self._one_ms
