"""The editions, point by point: one row an edition, one field a point of the rules.

Books: 000 four-language rulebook (`fourlang`), 001 Temple Games rules and 004 its Strategy Guide
(`temple`), 002 translation of the original rules (`original`), 003 scaled-down rewrite (`scaled`).
Where a book is silent the comment says so and the field takes what temple settles.
"""

# What a field's value may be, where it is not plainly a number or yes/no.
CIRCLE = "circle"
MAT = "mat"
DOT = "dot"
MUST = "must"
MAY = "may"
NEVER = ""
NOT_IN_HAND = "not_in_hand"
STANDS_OR_TOUCHES = "stands_or_touches"
LOSES = "loses"
ENDS = "ends"
FLAT_AND_TOWERS = "flat_and_towers"
ALL_DISCS = "all_discs"
AT_ONCE = "at_once"
OPPONENT_CAPTURES = "opponent_captures"
MINUS_RESERVE = "minus_reserve"
BONUS_FOR_EMPTIER = "bonus_for_emptier"
HAND_CROSSES = "hand_crosses"
HAND_APPROACHES = "hand_approaches"
DISC_GRASPED = "disc_grasped"
CAUSER = "causer"

TEMPLE = {
    "reserve": 26,  # 001 Setup 2
    "foundations": 5,  # 001 Foundation Discs 1
    "foundations_alternate": False,  # 001 Foundation Discs 2: all of white's, then all of black's
    "foundation_may_touch": False,  # 001 Foundation Discs 1: nor the red disc
    "red": True,  # 001 Setup 4
    "lean_on_red": True,  # silent
    "first": 1,  # 001 Game Play 1; 004 FAQ 1: whoever won the toss
    "own_colour_up": True,  # 001 Game Play 1; 004 FAQ 3
    "own_discs_only": True,  # 001 Game Play 1; 004 FAQ 2
    "try_again": True,  # 001 Game Play 4; 004 Placing a Leaner: no limit
    "fault_contact": True,  # 001 Faults
    "fault_fell": True,  # 001 Faults
    "fault_snapped": True,  # 001 Faults; 004 scenario 2: all of it to the faulter's reserve
    "fault_shift": True,  # 001 Faults; 004 Shifting
    "fault_roll": False,  # 004 Shifting
    "out": CIRCLE,  # 001 Faults; 004 Forced out: to the faulter's reserve
    "group_in_by_one": True,  # 004 FAQ 12
    "action_disc_stays": NOT_IN_HAND,  # 001 After a Fault
    "flip_capture": MUST,  # 001 After a Fault; 004 scenario 4
    "own_flip_stays": True,  # 004 FAQ 10
    "capture_first": True,  # 001 Capturing Faults
    "in_place": True,  # 001 Capturing Faults; 004 FAQ 16
    "capture_fault_returns": True,  # 004 FAQ 19
    "fault_stays_behind": True,  # 001 Capturing Faults, note; 004 FAQ 20
    "play_after_capture": True,  # 004 Successful Capture
    "loss_touch_red": True,  # 001 End of the Game
    "loss_red_off": DOT,  # 001 End of the Game
    "no_colour": LOSES,  # 001 End of the Game; 004 FAQ 7
    "win_one_colour": NEVER,  # not in 001, 004
    "last_disc": AT_ONCE,  # 001 End of the Game
    "score": MINUS_RESERVE,  # 001 End of the Game
    "turn_until": HAND_CROSSES,  # 001 Faults; 004 Basic Terms, Turn
    "off_turn": CAUSER,  # 004 Basic Etiquette
    "doubling_cube": False,  # not in 001, 004
}

FOURLANG = {
    "reserve": 26,  # 000 Setup
    "foundations": 5,  # 000 Setup
    "foundations_alternate": False,  # 000 Setup
    "foundation_may_touch": False,  # 000 Setup (said in German)
    "red": True,  # 000 Setup
    "lean_on_red": True,  # silent
    "first": 1,  # 000 Setup
    "own_colour_up": True,  # 000 How to play
    "own_discs_only": True,  # 000 How to play
    "try_again": True,  # 000 How to play
    "fault_contact": True,  # 000 Faults c
    "fault_fell": True,  # 000 Faults b
    "fault_snapped": True,  # 000 Faults a
    "fault_shift": False,  # 000 Faults: not among them
    "fault_roll": False,  # silent
    "out": CIRCLE,  # 000 Faults d
    "group_in_by_one": True,  # silent
    "action_disc_stays": STANDS_OR_TOUCHES,  # 000 Faults c
    "flip_capture": MUST,  # 000 Faults b
    "own_flip_stays": True,  # silent
    "capture_first": True,  # 000 Faults c
    "in_place": False,  # 000 Faults c (German declares in place)
    "capture_fault_returns": True,  # 000 Faults c, note
    "fault_stays_behind": True,  # silent
    "play_after_capture": True,  # 000 Faults c
    "loss_touch_red": True,  # 000 End of the game 1
    "loss_red_off": DOT,  # 000 End of the game 2 (German: the circle of play)
    "no_colour": NEVER,  # 000 End of the game: the one-colour win takes its place
    "win_one_colour": FLAT_AND_TOWERS,  # 000 End of the game 3
    "last_disc": OPPONENT_CAPTURES,  # 000 End of the game 4
    "score": MINUS_RESERVE,  # 000 End of the game
    "turn_until": HAND_CROSSES,  # 000 Special notes
    "off_turn": NEVER,  # silent
    "doubling_cube": False,  # not in 000
}

ORIGINAL = {
    "reserve": 26,  # 002 Start 2: two equal piles
    "foundations": 5,  # 002 Start 5
    "foundations_alternate": False,  # 002 Start 5
    "foundation_may_touch": False,  # silent
    "red": True,  # 002 Start 4
    "lean_on_red": False,  # 002 Start 4
    "first": 1,  # 002 Start 5
    "own_colour_up": True,  # 002 Playing a disc
    "own_discs_only": True,  # 002 Leaning a disc
    "try_again": True,  # 002: falling flat alone is none of its reactions
    "fault_contact": True,  # 002 Contact between discs
    "fault_fell": True,  # 002 Making a leaner fall
    "fault_snapped": True,  # 002 Contact with the action disc
    "fault_shift": True,  # 002 Moving a disc
    "fault_roll": False,  # 002 Moving a disc
    "out": CIRCLE,  # 002 Start 7, Sending a disc out
    "group_in_by_one": True,  # silent
    "action_disc_stays": STANDS_OR_TOUCHES,  # 002 Contact between discs
    "flip_capture": MUST,  # 002 Making a leaner fall
    "own_flip_stays": True,  # silent
    "capture_first": True,  # 002 Several conversions
    "in_place": False,  # 002 Contact between discs: lifted even if a tower of the right colour
    "capture_fault_returns": True,  # 002 Contact between discs, note
    "fault_stays_behind": True,  # silent
    "play_after_capture": True,  # 002 Several conversions
    "loss_touch_red": True,  # 002 Start 4
    "loss_red_off": DOT,  # 002 Start 4
    "no_colour": NEVER,  # 002 End: the one-colour win takes its place
    "win_one_colour": ALL_DISCS,  # 002 End: scores the sum on the mat and the opponent's reserve
    "last_disc": OPPONENT_CAPTURES,  # 002 End
    "score": BONUS_FOR_EMPTIER,  # 002 End
    "turn_until": DISC_GRASPED,  # 002 Responsibility
    "off_turn": CAUSER,  # 002 Responsibility
    "doubling_cube": True,  # 002 End
}

SCALED = {
    "reserve": 19,  # 003 Setup
    "foundations": 4,  # 003 Setup
    "foundations_alternate": True,  # 003 Setup
    "foundation_may_touch": False,  # 003 Setup
    "red": False,  # 003: it has none
    "lean_on_red": False,  # 003: it has none
    "first": 1,  # silent
    "own_colour_up": True,  # 003 Game Play
    "own_discs_only": True,  # 003 Game Play
    "try_again": True,  # silent
    "fault_contact": True,  # 003 Faults
    "fault_fell": True,  # 003 Faults
    "fault_snapped": True,  # 003 Faults resolved
    "fault_shift": True,  # 003 Faults
    "fault_roll": False,  # silent
    "out": MAT,  # 003 Faults
    "group_in_by_one": True,  # silent
    "action_disc_stays": NOT_IN_HAND,  # 003 Game Play
    "flip_capture": MAY,  # 003 Faults resolved
    "own_flip_stays": True,  # 003 Faults resolved
    "capture_first": True,  # 003 Faults resolved
    "in_place": False,  # 003 Faults resolved: retrieved and placed
    "capture_fault_returns": True,  # 003 Faults resolved: as when placing
    "fault_stays_behind": True,  # silent
    "play_after_capture": True,  # silent
    "loss_touch_red": False,  # 003: it has no red disc
    "loss_red_off": NEVER,  # 003: it has no red disc
    "no_colour": ENDS,  # 003 End of Game
    "win_one_colour": NEVER,  # not in 003
    "last_disc": AT_ONCE,  # 003 End of Game
    "score": MINUS_RESERVE,  # 003 End of Game
    "turn_until": HAND_APPROACHES,  # 003 Faults resolved
    "off_turn": NEVER,  # silent
    "doubling_cube": False,  # not in 003
}

EDITIONS = {"temple": TEMPLE, "fourlang": FOURLANG, "original": ORIGINAL, "scaled": SCALED}
