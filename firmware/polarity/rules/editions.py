"""The editions as data: one row a point of the rules, one column an edition.

`POINTS` is the table; citations.py holds the book and paragraph of every value in it. `OPTIONS` are
rows of differences: the German text of the four-language rulebook, and the Strategy Guide's
variants. A house rule is one more row there. Books: 000 four-language rulebook (`fourlang`), 001
Temple Games rules and 004 its Strategy Guide (`temple`), 002 translation of the original rules
(`original`), 003 scaled-down rewrite (`scaled`).
"""

# What a point's value may be, where it is not plainly a number or yes/no.
CIRCLE = "circle"
MAT = "mat"
DOT = "dot"
MUST = "must"
MAY = "may"
NEVER = ""
IN_HAND = "in_hand"
UNLESS_IT_STANDS_OR_TOUCHES = "unless_it_stands_or_touches"
LOSES = "loses"
ENDS = "ends"
FLAT_AND_TOWERS = "flat_and_towers"
ALL_DISCS = "all_discs"
AT_ONCE = "at_once"
OPPONENT_CAPTURES = "opponent_captures"
ALL_CAPTURE = "all_capture"
MINUS_RESERVE = "minus_reserve"
BONUS_FOR_EMPTIER = "bonus_for_emptier"
TOWERS = "towers"
EMPTIER = "emptier"
HAND_CROSSES = "hand_crosses"
HAND_APPROACHES = "hand_approaches"
DISC_GRASPED = "disc_grasped"
CAUSER = "causer"

EDITIONS = ("temple", "fourlang", "original", "scaled")

#: (point, temple, fourlang, original, scaled)
POINTS = (
    ("reserve", 26, 26, 26, 19),  # discs in each reserve at the start
    ("foundations", 5, 5, 5, 4),  # of each colour
    ("foundations_alternate", False, False, False, True),  # one at a time in turn
    ("foundation_may_touch", False, False, False, False),  # another disc, the red one too
    ("red", True, True, True, False),  # a red disc lies on the dot
    ("toss", True, True, True, False),  # it is tossed, the winner chooses his colour
    ("lean_on_red", True, True, False, False),  # a leaner may stand on the red disc's field
    ("first", 1, 1, 1, 1),  # the colour that plays first
    ("own_colour_up", True, True, True, True),  # the action disc shows its owner's colour
    ("own_discs_only", True, True, True, True),  # it is played on discs of that colour
    ("try_again", True, True, True, True),  # fallen flat alone it may be played again
    ("fault_contact", True, True, True, True),  # two or more discs come to touch
    ("fault_fell", True, True, True, True),  # a leaner falls flat, a conversion as well
    ("fault_snapped", True, True, True, True),  # a disc jumps to the one in the hand
    ("fault_shift", True, False, True, True),  # a flat piece moves by more than its diameter
    ("fault_roll", False, False, False, False),  # a leaner rolls
    ("out", CIRCLE, CIRCLE, CIRCLE, MAT),  # a piece wholly outside of this is out
    ("group_in_by_one", True, True, True, True),  # one disc inside keeps its contact group in
    (
        "action_disc_back",  # at a fault it goes back to the reserve if it is still in the hand;
        IN_HAND,  # let go, it stays as it lies, or stays only if it stands or touches another
        UNLESS_IT_STANDS_OR_TOUCHES,
        UNLESS_IT_STANDS_OR_TOUCHES,
        IN_HAND,
    ),
    ("flip_capture", MUST, MUST, MUST, MAY),  # the owner turns his flipped leaner back
    ("own_flip_stays", True, True, True, True),  # one's own leaner flipped lies where it fell
    ("capture_first", True, True, True, True),  # discs in contact, before the normal turn
    ("in_place", True, False, False, False),  # a tower of one's colour is captured by declaring
    ("capture_fault_returns", True, True, True, True),  # the discs in hand go to the reserve
    ("fault_stays_behind", True, True, True, True),  # a disc of the group is not lifted along
    ("play_after_capture", True, True, True, True),  # then comes a normal turn
    ("loss_touch_red", True, True, True, False),  # a disc touches the red one
    ("loss_red_off", DOT, DOT, DOT, NEVER),  # the red disc is wholly off the dot or the circle
    ("no_colour", LOSES, NEVER, NEVER, ENDS),  # a player has no disc of his colour left
    ("one_colour", NEVER, FLAT_AND_TOWERS, ALL_DISCS, NEVER),  # showing one colour alone wins
    (
        "one_colour_score",  # the score of such a win
        MINUS_RESERVE,
        MINUS_RESERVE,
        TOWERS,
        MINUS_RESERVE,
    ),
    ("last_disc", AT_ONCE, OPPONENT_CAPTURES, OPPONENT_CAPTURES, AT_ONCE),  # when the game ends
    ("score", MINUS_RESERVE, MINUS_RESERVE, BONUS_FOR_EMPTIER, MINUS_RESERVE),
    ("turn_until", HAND_CROSSES, HAND_CROSSES, DISC_GRASPED, HAND_APPROACHES),  # the opponent's
    ("off_turn", CAUSER, NEVER, CAUSER, NEVER),  # who answers for a disturbance off turn
    ("doubling_cube", False, False, True, False),
    ("players", 2, 2, 2, 2),  # 4 are two teams; of 3 each changes colour from turn to turn
    ("stacks", 2, 2, 2, 2),  # reserves in play: a colour's, or each player's own
    ("leaners_in_group", False, False, False, False),  # leaners on a group belong to it
)

#: (option, the edition it belongs to or "" for any, (point, value), ...)
OPTIONS = (
    ("german_in_place", "fourlang", ("in_place", True)),
    ("german_red_off", "fourlang", ("loss_red_off", CIRCLE)),
    ("german_last_disc", "fourlang", ("last_disc", ALL_CAPTURE)),
    (
        "german",
        "fourlang",
        ("in_place", True),
        ("loss_red_off", CIRCLE),
        ("last_disc", ALL_CAPTURE),
    ),
    ("three_player_shuffle", "temple", ("players", 3), ("stacks", 3), ("score", EMPTIER)),
    ("shuffle_scored", "temple", ("players", 3), ("stacks", 3)),
    ("four_player_team", "temple", ("players", 4)),
    ("four_player_advanced", "temple", ("players", 4), ("stacks", 4)),
    ("starting_point", "temple", ("foundations", 1)),
    ("more_tower_to_you", "temple", ("leaners_in_group", True)),
)


def rules_of(name):
    """The rules called by `name`: {point: value}.

    A name is an edition and any options to it, such as "temple+starting_point+more_tower_to_you";
    a later option goes before an earlier one. None if there is no such edition, or an option is
    unknown or belongs to another edition.
    """
    words = name.split("+")
    if words[0] not in EDITIONS:
        return None
    column = 1 + EDITIONS.index(words[0])
    rules = {}
    for row in POINTS:
        rules[row[0]] = row[column]
    for word in words[1:]:
        found = [o for o in OPTIONS if o[0] == word and o[1] in ("", words[0])]
        if not found:
            return None
        for point, value in found[0][2:]:
            rules[point] = value
    return rules
