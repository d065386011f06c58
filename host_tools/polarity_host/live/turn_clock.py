"""How long each of two players has had the turn, by the mat's clock."""

from typing import TypedDict


class ClockView(TypedDict):
    """The part `clock` of the game (API.md)."""

    spent_ms: list[int]  # of white and black, up to `since_ms`
    running: str  # whose time has run since then: "w", "b", or "" while it stands still
    since_ms: int


class TurnClock:
    """Counts the time of whoever is to play. It wants every change of that, with its time."""

    def __init__(self) -> None:
        self._spent_ms = {"w": 0, "b": 0}
        self._running, self._since_ms = "", 0

    def note(self, side: str, t_ms: int) -> None:
        """From `t_ms` on, `side` is to play; "" for nobody."""
        if side == self._running:
            return
        if self._running:
            self._spent_ms[self._running] += max(0, t_ms - self._since_ms)
        self._running, self._since_ms = side, t_ms

    def stop(self) -> None:
        """The mat's clock begins anew: what passed since the last change is not known."""
        self._running, self._since_ms = "", 0

    def view(self) -> ClockView:
        """As viewers get it."""
        return {
            "spent_ms": [self._spent_ms["w"], self._spent_ms["b"]],
            "running": self._running,
            "since_ms": self._since_ms,
        }
