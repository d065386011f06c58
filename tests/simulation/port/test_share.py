"""How much of a virtual game has been played, as the progress line says."""

import pytest

from polarity_host.simulation.port.address import SimGame
from polarity_host.simulation.port.game_source import GameSource


@pytest.mark.parametrize(
    "game",
    [
        SimGame(kind="demo", seed=1),
        SimGame(kind="game", seed=3, turns=4),
        SimGame(kind="game", seed=2, edition="scaled", driver="physics"),
    ],
    ids=["demo", "script", "practice players"],
)
def test_the_share_rises_with_the_time_played(game):
    source = GameSource(game)
    shares = [source.share for _ in source.frames()]
    assert shares[0] == 0.0 and shares[-1] == 1.0
    assert shares == sorted(shares)
    for played in (0.25, 0.5, 0.75):
        assert shares[int(played * len(shares))] == pytest.approx(played, abs=0.25)


def test_a_game_played_by_hands_has_no_share():
    assert GameSource(SimGame(kind="virtual")).share is None
