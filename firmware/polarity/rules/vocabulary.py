"""All words of rulings: every code, and under each the reasons that it comes with.

For people, pages and tests; the mat never loads this file. The rules write these words out where
they judge: on the chip a name for each would cost more memory than the word itself.
"""

FAULTS = (
    "contact", "leaner_fell", "flipped", "snapped", "shifted", "out",
    "stayed_behind", "not_set_down",  # in a capture
)  # fmt: skip

#: {code: its reasons}; "" where it may come without one.
RULINGS = {
    "red_placed": ("",),
    "foundation": ("",),
    "setup_done": ("",),
    "toss": ("",),  # the winner of the toss plays this colour
    "turn": ("",),
    "try_again": ("", "taken_back"),
    "leaner_placed": ("", "with_fault"),
    "fault": FAULTS,
    "captured": ("lifted", "in_place", "flip"),  # how it was made
    "capture_failed": FAULTS,
    "cube": ("doubled", "taken", "passed"),
    "end": (
        "touched_red", "red_off", "no_colour", "reserve_empty", "one_colour", "passed", "declared",
    ),
    # what the books do not allow, or do not know
    "irregular": (
        "foundation_touches", "foundation_leans", "foundation_spare", "red_missing", "red_again",
        "red_off", "touched_red", "out", "out_of_turn", "wrong_colour", "several_discs",
        "flat_kept", "leaner_kept", "not_ones_own", "whole_tower", "flat_after_fault",
        "played_after_fault", "leans_on_opponent", "leans_on_red",
        "capture_owed", "two_hands", "not_flat", "lifted", "reserve_short", "cube_open",
    ),
    # besides the reasons that a fact brings with it
    "unsure": (
        "unknown_piece", "colour", "count", "lost", "jolt", "touched_red", "red_off", "contact",
        "out",
        # only where the sensors are ill
        "leaner_fell", "flipped", "snapped", "shifted", "sensors",
    ),
    "revised": ("",),  # a fact was reported late: `names` is its number
    # corrections by the players; `names` is the number of what is corrected
    "overruled": ("denied", "waived", "charged"),
    "answered": ("yes", "no", "charged"),
    "undone": ("",),
    "adjusted": ("",),  # a reserve has so many discs
}  # fmt: skip
