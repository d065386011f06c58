"""The editions as data: one row a point of the rules, one column an edition.

Citations.py says what each point means and names the book and paragraph of every value. `OPTIONS`
are rows of differences: the German text of the four-language rulebook, and the Strategy Guide's
variants. A house rule is one more row there. Both tables are text because the mat keeps text in a
third of the memory of objects. Books: 000 four-language rulebook (`fourlang`), 001 Temple Games
rules and 004 its Strategy Guide (`temple`), 002 translation of the original rules (`original`), 003
scaled-down rewrite (`scaled`).
"""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import TypedDict

    class Rules(TypedDict):
        """What a game is played by: POINTS in the terms of a type checker."""

        reserve: int
        foundations: int
        foundations_alternate: bool
        foundation_may_touch: bool
        red: bool
        toss: bool
        lean_on_red: bool
        first: int
        own_colour_up: bool
        own_discs_only: bool
        try_again: bool
        fault_contact: bool
        fault_fell: bool
        fault_snapped: bool
        fault_shift: bool
        fault_roll: bool
        move_own_only: bool
        one_movement: bool
        out: str
        group_in_by_one: bool
        action_disc_back: bool
        flip_capture: str
        own_flip_stays: bool
        capture_first: str
        in_place: bool
        lift_whole_tower: bool
        capture_fault_returns: bool
        set_down_fault_returns: bool
        fault_stays_behind: bool
        play_after_capture: bool
        loss_touch_red: bool
        loss_red_off: str
        no_colour: str
        one_colour: str
        one_colour_score: str
        last_disc: str
        score: str
        turn_until: str
        off_turn: str
        doubling_cube: bool
        players: int
        stacks: int
        leaners_in_group: bool


EDITIONS = ("temple", "fourlang", "original", "scaled")

#: A line a point: its name, and its value in each of EDITIONS.
POINTS = """\
reserve 26 26 26 19
foundations 5 5 5 4
foundations_alternate no no no yes
foundation_may_touch no no no no
red yes yes yes no
toss yes yes yes no
lean_on_red yes yes no no
first 1 1 1 1
own_colour_up yes yes yes yes
own_discs_only yes yes yes yes
try_again yes yes yes yes
fault_contact yes yes yes yes
fault_fell yes yes yes yes
fault_snapped yes yes yes yes
fault_shift yes no yes yes
fault_roll no no no no
move_own_only no yes no no
one_movement yes no no no
out circle circle circle mat
group_in_by_one yes yes yes yes
action_disc_back yes yes yes yes
flip_capture must must must may
own_flip_stays yes yes yes no
capture_first must must must must
in_place yes no no no
lift_whole_tower yes yes yes yes
capture_fault_returns yes yes yes yes
set_down_fault_returns no yes no no
fault_stays_behind yes yes yes yes
play_after_capture yes yes yes yes
loss_touch_red yes yes yes no
loss_red_off dot dot dot -
no_colour loses - - ends
one_colour - flat_and_towers all_discs -
one_colour_score minus_reserve minus_reserve towers minus_reserve
last_disc at_once opponent_captures opponent_captures at_once
score minus_reserve minus_reserve bonus_for_emptier minus_reserve
turn_until hand_crosses hand_crosses disc_grasped hand_approaches
off_turn causer - causer -
doubling_cube no no yes no
players 2 2 2 2
stacks 2 2 2 2
leaners_in_group no no no no
"""

#: A line an option: its name, the edition it belongs to (a dash: any), and what it changes.
OPTIONS = """\
german_in_place fourlang in_place=yes
german_red_off fourlang loss_red_off=circle
german_last_disc fourlang last_disc=all_capture
german_part_lifted fourlang lift_whole_tower=no
german_may_capture fourlang capture_first=left_over
german fourlang in_place=yes loss_red_off=circle last_disc=all_capture lift_whole_tower=no \
capture_first=left_over
three_player_shuffle temple players=3 stacks=3 score=emptier
shuffle_scored temple players=3 stacks=3 score=minus_reserve
four_player_team - players=4
four_player_advanced temple players=4 stacks=4
starting_point temple foundations=1
more_tower_to_you temple leaners_in_group=yes
"""


def rules_of(name: str) -> "Rules | None":
    """The rules called by `name`: {point: value}, values being ints, bools and strings.

    A name is an edition and any options to it, such as "temple+starting_point+more_tower_to_you";
    a later option goes before an earlier one. None if there is no such edition, or an option is
    unknown or belongs to another edition.
    """
    words = name.split("+")
    if words[0] not in EDITIONS:
        return None
    column = 1 + EDITIONS.index(words[0])
    rules = _Rules()
    for line in POINTS.split("\n"):
        row = line.split()
        if row:
            setattr(rules, row[0], value_of(row[column]))
    for word in words[1:]:
        found = None
        for line in OPTIONS.split("\n"):
            row = line.split()
            if row and row[0] == word and row[1] in ("-", words[0]):
                found = row[2:]
        if found is None:
            return None
        for change in found:
            point, value = change.split("=")
            setattr(rules, point, value_of(value))
    return rules.__dict__  # pyright: ignore[reportReturnType] - its names are those of POINTS


class _Rules:
    """Named attributes: MicroPython keeps such a name once, but each piece of a split text anew."""


def value_of(word: str) -> "bool | int | str":
    """A value of the tables: "yes", "no", a number, a dash for never (""), or a word of its own."""
    if word in ("yes", "no"):
        return word == "yes"
    if word == "-":
        return ""
    return int(word) if word.isdigit() else word
