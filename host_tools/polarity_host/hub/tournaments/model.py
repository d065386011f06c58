"""A tournament: who plays in it, by which system, and what was played."""

from dataclasses import dataclass, field
from typing import Literal

System = Literal["swiss", "round-robin"]
SYSTEMS: tuple[System, ...] = ("swiss", "round-robin")
#: What the arbiter may give as a result, and the half points of white and black.
RESULTS = {"1-0": (2, 0), "0-1": (0, 2), "=-=": (1, 1), "0-0": (0, 0)}
BYE = (2, 0)  # half points of who has no opponent
MOST_NAME = 80  # characters
MOST_PLAYERS = 200
MOST_ROUNDS = 99


@dataclass(frozen=True)
class Player:
    """Who plays, by number; `seed` counts from 1; `last_round` is that of one who has left."""

    id: int
    name: str
    seed: int
    last_round: int | None = None

    def plays(self, number: int) -> bool:
        """Whether he is there in a round."""
        return self.last_round is None or number <= self.last_round


@dataclass(frozen=True)
class Game:
    """A game on a mat: `winner` is `w`, `b` or "" for a draw; None while it is played."""

    mat: str
    boot: int
    n: int
    began_ms: int
    winner: str | None
    why: str

    @property
    def result(self) -> str | None:
        """One of RESULTS; None while it is played."""
        return None if self.winner is None else {"w": "1-0", "b": "0-1"}.get(self.winner, "=-=")


@dataclass(frozen=True)
class Pairing:
    """Two players at a board, by their numbers; `black` is None for a bye. `result` is one of
    RESULTS, and None while there is none; `by_arbiter` where he gave it. `game` is the one that
    belongs to it, `named` where the arbiter has said so."""

    round: int
    board: int
    white: int
    black: int | None
    mat: str | None = None
    since_ms: int = 0
    result: str | None = None
    by_arbiter: bool = False
    game: Game | None = None
    named: bool = False

    @property
    def points(self) -> tuple[int, int] | None:
        """Half points of white and black; None while there is no result."""
        if self.black is None:
            return BYE
        return RESULTS[self.result] if self.result else None


@dataclass(frozen=True)
class Tournament:
    """A tournament. `pairings` come by round and board."""

    id: int
    name: str
    system: System
    rounds: int
    mats: tuple[str, ...]
    players: tuple[Player, ...] = ()
    pairings: tuple[Pairing, ...] = field(default=())

    @property
    def round(self) -> int:
        """The number of rounds that are paired."""
        return max((one.round for one in self.pairings), default=0)

    def of_round(self, number: int) -> list[Pairing]:
        """The pairings of a round."""
        return [one for one in self.pairings if one.round == number]

    def open_boards(self) -> list[tuple[int, int]]:
        """Round and board of what has no result."""
        return [(one.round, one.board) for one in self.pairings if one.points is None]
