"""A fact that never reaches the referee costs the game one answer, not all rulings from then on:
once the mat lies still the position follows what lies there, and the reserves what is left."""

from array import array

import pytest

from polarity_bench.virtual_games import SCRIPTS
from polarity_host.replay.engine import build_engine, raw_counts, sent_messages

TURNS = 12
AFTER_MS = 25_000  # the foundations lie
DISCS = 52


class Loses:
    """Hands on all facts to the game but the first of a kind in play."""

    def __init__(self, game, kind):
        self._handle, self._kind = game.handle, kind
        self.lost = None
        game.handle = self

    def __call__(self, fact):
        if self.lost is None and fact.kind == self._kind and fact.t_ms > AFTER_MS:
            self.lost = fact
        else:
            self._handle(fact)


def played(kind):
    """(what was lost, the engine, whys of its rulings `unsure`, the true pieces that lie)."""
    game = SCRIPTS.game(3, TURNS, "usual")
    engine = build_engine(game.mat.id, "temple", 1)
    loses, unsure, lying = Loses(engine.game, kind), [], []
    for t_us, counts, scene in game.scenes():
        lying = [piece for piece in scene if not piece.held and piece.shape != "red"]
        engine.frame(t_us // 1000, array("H", raw_counts(counts)))
        unsure += [
            message.body.why
            for message in sent_messages(engine)
            if message.kind == "ruling" and message.body.code == "unsure"
        ]
    return loses.lost, engine, unsure, lying


@pytest.mark.parametrize("kind", ["placed", "snapped"])
def test_a_fact_that_gets_lost_is_made_up_for_once_the_mat_lies_still(kind):
    lost, engine, unsure, lying = played(kind)
    assert lost is not None
    position = engine.game.referee.position
    there = sorted((piece.face, piece.discs) for piece in position.pieces.values())
    assert there == sorted((piece.face, piece.discs) for piece in lying)
    assert sum(position.reserve) == DISCS - sum(piece.discs for piece in lying)
    assert unsure.count("count") <= 1
