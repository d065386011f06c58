"""The mat's ring of LEDs, painted on the host by the code that runs on the mat."""

from types import SimpleNamespace

from polarity.lights.ring import Ring
from polarity_host.live.game_state import PLAYERS
from polarity_host.wire.messages import RulingMessage


class LedRing:
    """The mat's ring of LEDs, painted here as it is there."""

    def __init__(self, count: int):
        self._ring = Ring(count)

    def ruling(self, ruling: RulingMessage, t_ms: int, azimuth_deg: int = -1) -> None:
        """Hears a ruling; `azimuth_deg` as polarity.lights.ring."""
        player = PLAYERS.get(ruling.player, 0)
        heard = SimpleNamespace(code=ruling.code, t_ms=t_ms, player=player, why=ruling.why)
        self._ring.ruling(heard, azimuth_deg)

    def paint(self, t_ms: int, shown: dict, ill: bool) -> str:
        """The ring now, as hexadecimal: six digits (red, green, blue) an LED."""
        self._ring.ill = ill
        owed = [(PLAYERS.get(player, 0), tuple(ids)) for player, ids in shown["owed"]]
        outcome = shown["outcome"]
        position = SimpleNamespace(
            phase=shown["phase"],
            active=PLAYERS.get(shown["active"], 0),
            outcome=(outcome[0], PLAYERS.get(outcome[1], 0), shown["score"])
            if len(outcome) == 2
            else (),
            question=tuple(shown["question"]) if len(shown["question"]) == 2 else (),
            owed=lambda: tuple(pair for pair in owed if pair[0]),
        )
        return bytes(self._ring.paint(t_ms, position, True)).hex()
