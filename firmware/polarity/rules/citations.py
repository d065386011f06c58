"""What each point of the editions' table means, and where each value stands in the books.

For people and for the pages made of it; the mat never loads this file.

A citation is the number of a rulebook and what tests/rules/scenarios/BOOKS.md calls its heading,
paragraph and sentence. "silent" means that the book does not say, and why the value is what it is.
"""

#: {point: meaning}
MEANINGS = {
    "reserve": "discs in each reserve at the start",
    "foundations": "foundations of each colour",
    "foundations_alternate": "foundations are placed one at a time in turn",
    "foundation_may_touch": "a foundation may touch another disc, the red one too",
    "red": "a red disc lies on the dot",
    "toss": "the red disc is tossed, and the winner of the toss chooses his colour",
    "lean_on_red": "a leaner may stand on the red disc's field besides that of an own disc",
    "first": "the colour that plays first: 1 white, -1 black",
    "own_colour_up": "the action disc shows its owner's colour",
    "own_discs_only": "the action disc is played on discs of its own colour only",
    "try_again": "an action disc that fell flat, nothing else reacting, may be played again",
    "fault_contact": "fault: two or more discs come to touch",
    "fault_fell": "fault: a leaner falls flat, in a conversion as well",
    "fault_snapped": "fault: discs jump to the one in the hand; all go to the reserve",
    "fault_shift": "fault: a flat disc or tower moves by more than its diameter",
    "fault_roll": "fault: a leaner rolls",
    "move_own_only": "the action disc may move its own player's discs, and no others",
    "one_movement": "several leaners are dropped in one movement, or it is play after the fault",
    "out": "where a piece that lies wholly outside of it is out of play",
    "group_in_by_one": "one disc inside keeps its whole contact group in",
    "action_disc_back": "a fault sends the action disc back to the reserve, from the hand or from "
    "where it lies flat on trial, unless it stands or touches another disc",
    "flip_capture": "the owner of a leaner that the opponent flipped turns it back",
    "own_flip_stays": "one's own leaner flipped lies where it fell; if not, the opponent may "
    "take it",
    "capture_first": "which discs in contact must be captured before the normal turn",
    "in_place": "a tower of one's colour is captured by declaring",
    "lift_whole_tower": "a whole tower of the group may be lifted, not only a part of it",
    "capture_fault_returns": "a fault while the discs of a capture are in the hand sends them to "
    "the reserve",
    "set_down_fault_returns": "so does a fault while the captured tower is set down, before its "
    "player goes on",
    "fault_stays_behind": "fault: a disc of the group is not lifted along",
    "play_after_capture": "after the captures comes a normal turn",
    "loss_touch_red": "the responsible player loses when a disc touches the red one",
    "loss_red_off": "off what the red disc must be for the responsible player to lose",
    "no_colour": "what happens when a player has no disc of his colour left",
    "one_colour": "which discs, all showing one colour, win at once",
    "one_colour_score": "how a win by one colour is scored",
    "last_disc": "when the game ends after a reserve is played out",
    "score": "how an end by a played-out reserve is decided",
    "turn_until": "what of the opponent's ends the responsibility; the mat sees the crossing",
    "off_turn": "who answers for a disturbance off turn",
    "doubling_cube": "the stakes may be doubled, as in backgammon",
    "players": "how many play: 4 are two teams; of 3 each changes colour from turn to turn",
    "stacks": "how many reserves there are in play: a colour's each, or each player's own",
    "leaners_in_group": "leaners on a group belong to it",
}

#: {point: (temple, fourlang, original, scaled)}, in the order of editions.EDITIONS.
CITATIONS = {
    "reserve": (
        "001 Setup 2",
        "000 Setup 2",
        "002 Start 2: two equal piles of the 52",
        "003 Setup",
    ),
    "foundations": ("001 Foundation Discs 2", "000 Setup 5", "002 Start 5", "003 Setup"),
    "foundations_alternate": (
        "001 Foundation Discs 2 and 3: all of white's, then all of black's",
        "000 Setup 5",
        "002 Start 5",
        "003 Setup 3: the players take turns",
    ),
    "foundation_may_touch": (
        "001 Foundation Discs 2",
        "000 Vorbereitung 5: the German text; silent in the others",
        "silent: as temple",
        "003 Setup",
    ),
    "red": ("001 Setup 4", "000 Setup 4", "002 Start 4", "silent: it has no red disc"),
    "toss": (
        "001 Setup 3; 004 Choosing a Color",
        "000 Setup 3",
        "002 Start 3",
        "silent: no red disc",
    ),
    "lean_on_red": (
        "silent: on own discs only (001 Game Play 1), and this is not forbidden",
        "silent: on own discs only (000 How to play 2), and this is not forbidden",
        "002 Start 4",
        "silent: no red disc",
    ),
    "first": (
        "001 Setup 3, Game Play 1; 004 FAQ 1",
        "000 Setup 5",
        "002 Start 5",
        "silent: as temple",
    ),
    "own_colour_up": (
        "001 Game Play 1; 004 FAQ 3",
        "000 How to play 1.3",
        "002 Playing a disc 1",
        "003 Game Play 3",
    ),
    "own_discs_only": (
        "001 Game Play 1; 004 Basic Terms: Action Disc, FAQ 2",
        "000 How to play 2",
        "002 Leaning a disc",
        "003 Game Play 1 and 3",
    ),
    "try_again": (
        "001 Game Play 4; 004 Placing a Leaner: no limit",
        "000 How to play 1.5",
        "silent: falling flat alone is none of its four outcomes",
        "silent: none of its faults",
    ),
    "fault_contact": (
        "001 Faults 1",
        "000 Faults c",
        "002 Contact between discs",
        "003 Game Play 6.2",
    ),
    "fault_fell": (
        "001 Faults 2, Conversions",
        "000 Faults b",
        "002 Making a leaner fall",
        "003 Game Play 6.1 and 7",
    ),
    "fault_snapped": (
        "001 Faults 3, After a Fault 2; 004 scenario 2",
        "000 Faults a",
        "002 Contact with the action disc",
        "003 Game Play 8.1",
    ),
    "fault_shift": (
        "001 Faults 4, After a Fault 4; 004 Shifting, FAQ 8",
        "000 Faults: it names four, and this is none of them",
        "002 Moving a disc",
        "003 Game Play 6.3",
    ),
    "fault_roll": (
        "004 Shifting, FAQ 8",
        "silent: no such fault",
        "002 Moving a disc",
        "silent: no such fault",
    ),
    "move_own_only": (
        "silent: 004 Shifting names no colour",
        "000 Tactics 3: in all four languages",
        "silent: 002 Moving a disc names no colour",
        "silent: 003 Game Play 6.3 names no colour",
    ),
    "one_movement": (
        "004 Introduction to Faults note 2",
        "silent: no such note",
        "silent: no such note",
        "silent: no such note",
    ),
    "out": (
        "001 Faults 5, After a Fault 5; 004 Forcing out, Attracted out, FAQ 4, 5",
        "000 Faults d",
        "002 Start 7, Sending a disc out",
        "003 Game Play 6.4",
    ),
    "group_in_by_one": (
        "004 FAQ 11",
        "silent: as temple",
        "silent: as temple",
        "silent: as temple",
    ),
    "action_disc_back": (
        "001 After a Fault 1; 004 FAQ 7: no foundations in play",
        "000 Faults b 1, c 1",
        "002 Making a leaner fall 1, Contact between discs 2",
        "003 Game Play 5; flat on trial silent: as temple",
    ),
    "flip_capture": (
        "001 After a Fault 1; 004 scenario 4, FAQ 10",
        "000 Faults b 2",
        "002 Making a leaner fall 2",
        "003 Game Play 8.5: he can choose to",
    ),
    "own_flip_stays": (
        "004 FAQ 9",
        "silent: as temple",
        "silent: as temple",
        "003 Game Play 8.5: whose disc it was makes no difference",
    ),
    "capture_first": (
        "001 Capturing Faults 1; 004 FAQ 12",
        "000 Faults c 3",
        "002 Contact between discs 2, Several conversions",
        "003 Game Play 8.2",
    ),
    "in_place": (
        "001 Capturing Faults 3; 004 scenario 6 note, FAQ 15",
        "000 Faults c 3: lifted and placed; 000 Scheiben erobern 1.4: the German text declares it",
        "002 Contact between discs 2: even a stack of the right colour",
        "003 Game Play 8.2",
    ),
    "lift_whole_tower": (
        "001 Capturing Faults 2: one disc or tower section",
        "silent: all discs in contact (000 Faults c 3); the German text forbids it",
        "silent: all discs in contact (002 Contact between discs 2)",
        "silent: as temple",
    ),
    "capture_fault_returns": (
        "001 Capturing Faults note; 004 scenario 7, FAQ 18",
        "000 Faults c note",
        "002 Contact between discs note",
        "003 Game Play 8.3",
    ),
    "set_down_fault_returns": (
        "silent: the discs in hand (001 Capturing Faults note; 004 FAQ 18)",
        "000 Faults c note: in French and Dutch",
        "silent: when the stack is taken away (002 Contact between discs note)",
        "003 Game Play 8.3: as a disc that is placed, and one in play stays",
    ),
    "fault_stays_behind": (
        "001 Capturing Faults note; 004 FAQ 19",
        "silent: as temple",
        "silent: as temple",
        "silent: as temple",
    ),
    "play_after_capture": (
        "004 scenario 6",
        "000 Faults c 3",
        "002 Several conversions",
        "silent: as temple",
    ),
    "loss_touch_red": (
        "001 End of the Game 3",
        "000 End of the game 1",
        "002 Start 4",
        "silent: no red disc",
    ),
    "loss_red_off": (
        "001 End of the Game 4",
        "000 End of the game 2; 000 Spielende 2: in the German text the circle of play",
        "002 Start 4",
        "silent: no red disc",
    ),
    "no_colour": (
        "001 End of the Game 5; 004 FAQ 7",
        "silent: its one-colour win takes the place",
        "silent: its one-colour win takes the place",
        "003 End of Game 2",
    ),
    "one_colour": (
        "silent: no such win",
        "000 End of the game 3",
        "002 End 3",
        "silent: no such win",
    ),
    "one_colour_score": (
        "silent: no such win",
        "silent: scored as any end",
        "002 End 3: what lies on the mat and the opponent's reserve",
        "silent: no such win",
    ),
    "last_disc": (
        "001 End of the Game 1",
        "000 End of the game 4; 000 Spielende 4: in the German text all open captures, in turn",
        "002 End 1",
        "003 End of Game 1",
    ),
    "score": (
        "001 End of the Game 1 and 2; 004 Basic Terms: Towers",
        "000 End of the game count",
        "002 Aim 3, End 2",
        "003 End of Game 3 and 4",
    ),
    "turn_until": (
        "001 Faults 6; 004 Basic Terms Turn, FAQ 6",
        "000 Special notes 1",
        "002 Responsibility 2",
        "003 Game Play 9",
    ),
    "off_turn": (
        "004 Basic Etiquette",
        "silent: what happens in a turn is its player's (000 Faults b 1)",
        "002 Responsibility 1",
        "silent: what happens after a move is the mover's (003 Game Play 9)",
    ),
    "doubling_cube": ("silent: none", "silent: none", "002 End 4", "silent: none"),
    "players": (
        "001 Game Play 1; 004 Three-player Shuffle, Four-player Team Game",
        "000 Introduction 1: two, or two teams",
        "002 Introduction 1, Team play",
        "003 Game Play 1",
    ),
    "stacks": ("001 Setup 2", "000 Setup 2", "002 Start 2", "003 Setup"),
    "leaners_in_group": (
        "001 Capturing Faults 1; 004 More Tower to You: a variant",
        "silent: as temple",
        "silent: as temple",
        "silent: as temple",
    ),
}

#: {option: citation}
OPTION_CITATIONS = {
    "german_in_place": "000 Scheiben erobern (German text)",
    "german_red_off": "000 Spielende 2 (German text)",
    "german_last_disc": "000 Spielende 4 (German text, note)",
    "german_part_lifted": "000 Scheiben erobern 1 (German text): never the whole tower",
    "german_may_capture": "000 Scheiben erobern 1 and 3 (German text): he can try; what remains "
    "of a failed capture must be done",
    "german": "none: the five above together, all that the German text of 000 says otherwise",
    "three_player_shuffle": "004 Three-player Shuffle",
    "shuffle_scored": "004 Three-player Shuffle 4",
    "four_player_team": "004 Four-player Team Game; 000 Introduction 1; "
    "002 Team play; 003 Game Play 1: silent",
    "four_player_advanced": "004 Four-player Advanced Team Game",
    "starting_point": "004 Starting Point",
    "more_tower_to_you": "004 More Tower to You",
}
