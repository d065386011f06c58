"""A ruling: what the referee judged, whose it is, why, and what follows from it.

Vocabulary.py lists every `code`, and every `why` under the code it goes with.
"""


class Ruling:
    """One judgement.

    `player` +1 white, -1 black, 0 nobody (for `end`: the winner, 0 a draw). `pieces` ids; `facts`
    the numbers of the facts it rests on; `owed` what is to be captured now, ((player, (ids)), ...);
    `returns` the discs this ruling sends to reserves, ((player, discs), ...); `reserve` the
    unplayed discs after it, those in a hand included, (white, black) or a number for each player;
    `score` likewise for `end`. `seat`: with more than two players which one it is, counted from 1
    (for `end` the winner, 0 if it is not one alone), else 0. `names`: the number of the fact or
    ruling that a correction is about, else 0.
    """

    def __init__(self, code, t_ms, player, why="", pieces=(), facts=(), owed=(), returns=(),
                 reserve=(0, 0), turn=0, active=0, score=(), seat=0, names=0):  # fmt: skip
        self.code = code
        self.t_ms = t_ms
        self.player = player
        self.why = why
        self.pieces = pieces
        self.facts = facts
        self.owed = owed
        self.returns = returns
        self.reserve = reserve
        self.turn = turn
        self.active = active
        self.score = score
        self.seat = seat
        self.names = names
