"""The mat's ring of LEDs, painted on the host by the code that runs on the mat."""

from dataclasses import dataclass

from polarity.lights.ring import Ring
from polarity_host.live.game_state import PLAYERS, GameView
from polarity_host.wire.messages import RulingMessage


@dataclass(frozen=True)
class _RingRuling:
    """What the ring reads of a ruling."""

    code: str
    t_ms: int
    player: int
    why: str


class _RingPosition:
    """What the ring reads of the referee's position."""

    def __init__(self, game: GameView):
        self.phase = game["phase"]
        self.active = PLAYERS.get(game["active"], 0)
        self.question = tuple(game["question"]) if len(game["question"]) == 2 else ()
        self.outcome: tuple[object, ...] = ()
        if len(game["outcome"]) == 2:
            why, winner = game["outcome"]
            self.outcome = (why, PLAYERS.get(winner, 0), game["score"])
        self._owed = tuple(
            (PLAYERS[player], tuple(ids)) for player, ids in game["owed"] if player in PLAYERS
        )

    def owed(self) -> tuple[tuple[int, tuple[int, ...]], ...]:
        """(player, ids) of each group that is to be captured."""
        return self._owed


class LedRing:
    """A ring of `count` LEDs."""

    def __init__(self, count: int):
        self._ring = Ring(count)

    def handle_ruling(self, ruling: RulingMessage, t_ms: int, azimuth_deg: int = -1) -> None:
        """Takes a ruling; `azimuth_deg` as in polarity.lights.ring."""
        player = PLAYERS.get(ruling.player, 0)
        self._ring.show(_RingRuling(ruling.code, t_ms, player, ruling.why), azimuth_deg)

    def paint(self, t_ms: int, game: GameView, ill: bool) -> str:
        """The ring at `t_ms`, as hexadecimal: six digits (red, green, blue) for each LED."""
        return bytes(self._ring.paint(t_ms, _RingPosition(game), True, ill)).hex()
