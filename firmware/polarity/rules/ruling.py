"""A ruling: what the referee judged, whose it is, why, and what follows from it.

The names below are all there are: every `code`, and every `why` under the code it goes with.
"""

RED_PLACED = "red_placed"
FOUNDATION = "foundation"
SETUP_DONE = "setup_done"
TURN = "turn"
TRY_AGAIN = "try_again"
LEANER_PLACED = "leaner_placed"
FAULT = "fault"
CAPTURED = "captured"
CAPTURE_FAILED = "capture_failed"
TOSS = "toss"  # the winner of the toss plays this colour
CUBE = "cube"
END = "end"
UNSURE = "unsure"
IRREGULAR = "irregular"
# What players put right; `names` is the number of what it corrects.
OVERRULED = "overruled"
ANSWERED = "answered"
UNDONE = "undone"
ADJUSTED = "adjusted"  # a reserve has so many discs

# Why a fault is one (and, after a capture, why it failed).
CONTACT = "contact"
LEANER_FELL = "leaner_fell"
FLIPPED = "flipped"
SNAPPED = "snapped"
SHIFTED = "shifted"
OUT = "out"
STAYED_BEHIND = "stayed_behind"
NOT_SET_DOWN = "not_set_down"

# Why a game ended.
TOUCHED_RED = "touched_red"
RED_OFF = "red_off"
NO_COLOUR = "no_colour"
RESERVE_EMPTY = "reserve_empty"
ONE_COLOUR = "one_colour"
DECLARED = "declared"

# Why something is irregular: the books do not allow it, or do not know it.
FOUNDATION_TOUCHES = "foundation_touches"
FOUNDATION_LEANS = "foundation_leans"
FOUNDATION_SPARE = "foundation_spare"
RED_MISSING = "red_missing"
RED_AGAIN = "red_again"
OUT_OF_TURN = "out_of_turn"
WRONG_COLOUR = "wrong_colour"
SEVERAL_DISCS = "several_discs"
FLAT_KEPT = "flat_kept"
FLAT_AFTER_FAULT = "flat_after_fault"
PLAYED_AFTER_FAULT = "played_after_fault"
LEANS_ON_OPPONENT = "leans_on_opponent"
LEANS_ON_RED = "leans_on_red"
CAPTURE_OWED = "capture_owed"
TWO_HANDS = "two_hands"
NOT_FLAT = "not_flat"
LIFTED = "lifted"
RESERVE_SHORT = "reserve_short"
CUBE_OPEN = "cube_open"

# Why the referee is unsure, besides the reasons a fact brings with it.
UNKNOWN_PIECE = "unknown_piece"
COLOUR = "colour"
COUNT = "count"
LOST = "lost"
JOLT = "jolt"

# How a capture was made.
BY_LIFTING = "lifted"
IN_PLACE = "in_place"
BY_FLIP = "flip"

# Notes: on try_again, and on leaner_placed.
TAKEN_BACK = "taken_back"
WITH_FAULT = "with_fault"

# What happened to the doubling cube; PASSED also ends a game.
DOUBLED = "doubled"
TAKEN = "taken"
PASSED = "passed"

# How a ruling was overruled, or a question answered.
DENIED = "denied"  # what was seen did not happen
WAIVED = "waived"  # it happened, and is nobody's fault
CHARGED = "charged"  # it was the doing of `player`
YES = "yes"
NO = "no"


class Ruling:
    """One judgement.

    `player` +1 white, -1 black, 0 nobody (for END: the winner, 0 a draw). `pieces` ids; `facts`
    the numbers of the facts it rests on; `owed` what is to be captured now, ((player, (ids)), ...);
    `returns` the discs this ruling sends to reserves, ((player, discs), ...); `reserve` the
    unplayed discs after it, those in a hand included, (white, black) or a number for each player;
    `score` likewise for END. `seat`: with more than two players which one it is, counted from 1
    (for END the winner, 0 if it is not one alone), else 0. `names`: the number of the fact or
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
