"""An engine that needs time for its frames, as the chip's does: those that come meanwhile wait, as
drivers/hall_grid.py has them, and of what moves all but the last LATEST are lost, as in loop.py.
"""

WAITING, LATEST = 6, 2


class SlowEngine:
    """Takes the place of `engine`. A frame takes it `one_ms` while no more than one body is in
    flight, and `more_ms` while several are.
    """

    def __init__(self, engine, one_ms: float, more_ms: float):
        self._engine, self._one_ms, self._more_ms = engine, one_ms, more_ms
        self._waiting, self._free_ms = [], 0.0

    def frame(self, t_ms: int, counts) -> None:
        """The frame of `t_ms` is there; those before it are judged as far as time allowed."""
        while self._waiting and self._free_ms < t_ms:
            self._judge()
        self._waiting.append((t_ms, counts))
        if self._free_ms <= t_ms:
            self._free_ms = t_ms
            self._judge()

    def read(self, most: int) -> bytes:
        """What the engine has to say."""
        return self._engine.read(most)

    def _judge(self):
        may_wait = LATEST if self._engine.game.moving() else WAITING
        del self._waiting[:-may_wait]
        self._engine.frame(*self._waiting.pop(0))
        several = len(self._engine.game.tracker.flying) > 1
        self._free_ms += self._more_ms if several else self._one_ms
