"""Puzzles are laid as they are meant to be, can be solved, and the referee says by whom."""

import pytest

from polarity_host.mats.description import load_mat
from polarity_host.replay.engine import build_engine, raw_counts
from polarity_host.simulation.play.hand_game import HandGame
from polarity_host.simulation.players.puzzles import EDITION, PUZZLES

LAID_S, SOLVED_S = 80, 60


class Puzzle:
    """Puzzle `number` on a mat with an engine, laid after so long."""

    def __init__(self, number, after_s=1.2):
        self.engine = build_engine("standard", EDITION)
        self.game = HandGame(1, load_mat("standard"), edition=EDITION)
        self.game.judged_by(self.engine)
        self._frames = self.game.frames()
        self.run(after_s)
        self.put("puzzle", number=number)
        self.run(LAID_S, until=lambda: self.progress not in (None, "laying"))

    @property
    def progress(self):
        shown = self.game.view.get("puzzle")
        return shown and shown["progress"]

    def put(self, do, **fields):
        self.game.inputs.put({"do": do, "hand": "h", **fields})

    def run(self, seconds, until=lambda: False):
        for _ in range(round(seconds * 100)):
            t_us, counts = next(self._frames)
            self.engine.frame(t_us // 1000, raw_counts(counts))
            if until():
                return


@pytest.mark.parametrize("number", range(1, len(PUZZLES) + 1))
def test_a_careful_player_solves_each(number):
    puzzle = Puzzle(number)
    assert puzzle.progress == "open"
    owed = puzzle.engine.game.referee.state()["owed"]
    assert [by for by, _ in owed] == ["w"] and not puzzle.game.hurries
    puzzle.put("opponent", side="w", on=True)
    puzzle.run(SOLVED_S, until=lambda: puzzle.progress != "open")
    assert puzzle.progress == "solved"


@pytest.mark.parametrize(
    "number, after_s", [(1, 3.04), (1, 3.07), (1, 3.1), (3, 3.0), (3, 3.19), (3, 3.29)]
)
def test_what_black_lets_fall_is_a_fault_whenever_it_falls(number, after_s):
    """It jumps to what lies there, or that to it: not to a hand, that has let go before."""
    assert Puzzle(number, after_s).progress == "open"


def test_there_are_ten():
    assert len(PUZZLES) == 10


def test_a_disc_that_is_made_to_jump_loses_it():
    """001 Faults: what jumps to the disc in the hand is a fault of whoever holds it."""
    puzzle = Puzzle(1)
    puzzle.put("take", side="w")
    puzzle.run(0.5)
    other = next(b for b in puzzle.game.view["bodies"] if b["face"] == "b" and b["y"] > 100)
    puzzle.put("move", x=other["x"], y=other["y"], z=60.0)
    puzzle.run(2.0)
    puzzle.put("move", z=0.0)
    puzzle.run(3.0)
    assert puzzle.progress == "failed"


def test_a_new_game_is_no_puzzle_any_more():
    puzzle = Puzzle(1)
    puzzle.engine.command(f"new {EDITION}\n".encode())
    puzzle.run(1.0)
    assert puzzle.progress is None and puzzle.game.view["bodies"] == []
