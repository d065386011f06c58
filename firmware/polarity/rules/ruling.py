"""A ruling: what the referee judged, whose it is, why, and what follows from it.

Vocabulary.py lists every `code`, and every `why` under the code it goes with.
"""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    Shares = Sequence[tuple[int, int]]
    Owed = tuple[tuple[int, tuple[int, ...]], ...]


class Evidence:
    """What a ruling rests on: `pieces`, their ids, and `facts`, the numbers of the facts.

    `corrects`: the number of the fact or ruling that a correction is about, else 0.
    """

    def __init__(
        self, pieces: "Sequence[int]" = (), facts: "Sequence[int]" = (), corrects: int = 0
    ) -> None:
        self.pieces = pieces
        self.facts = facts
        self.corrects = corrects


class Standing:
    """How the game stands after a ruling.

    `owed`: what is to be captured now, ((player, (ids)), ...); `reserve`: the unplayed discs, those
    in a hand included, (white, black) or a number for each player; `turn`: its number; `active`:
    the player responsible; `score` as `reserve`, once the game is over.
    """

    def __init__(
        self,
        owed: "Owed" = (),
        reserve: "tuple[int, ...]" = (0, 0),
        turn: int = 0,
        active: int = 0,
        score: "tuple[int, ...]" = (),
    ) -> None:
        self.owed = owed
        self.reserve = reserve
        self.turn = turn
        self.active = active
        self.score = score


class Ruling:
    """One judgement.

    `player` +1 white, -1 black, 0 nobody (for `end`: the winner, 0 a draw). `seat`: with more than
    two players which one it is, counted from 1 (for `end` the winner, 0 if it is not one alone),
    else 0. `evidence` is what it rests on, `returns` the discs that it sends to reserves, ((player,
    discs), ...), `after` how the game stands then.
    """

    def __init__(
        self,
        code: str,
        t_ms: int,
        player: int,
        why: str,
        evidence: Evidence,
        returns: "Shares",
        after: Standing,
        seat: int = 0,
    ) -> None:
        self.code = code
        self.t_ms = t_ms
        self.player = player
        self.why = why
        self.evidence = evidence
        self.returns = returns
        self.after = after
        self.seat = seat

    def date(self, t_ms: int) -> None:
        """It is made at this time: a correction led to it."""
        self.t_ms = t_ms
