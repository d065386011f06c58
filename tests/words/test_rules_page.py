"""firmware/RULES.md follows the editions' data, and the data says what the rulebooks say."""

import pytest

from polarity.rules.citations import CITATIONS, MEANINGS, OPTION_CITATIONS
from polarity.rules.editions import EDITIONS, rules_of
from polarity_host.words import rules_page

NO = False
YES = True
DASH = ""

#: The rulebooks read point by point, by hand and without the code: temple, fourlang, original,
#: scaled. What a book does not say is filled in as its neighbours have it.
READ = {
    # 26 discs each in the three books of the full set, 19 in the scaled-down one
    "reserve": (26, 26, 26, 19),
    # five each, white's all before black's; four each, turn by turn
    "foundations": (5, 5, 5, 4),
    "foundations_alternate": (NO, NO, NO, YES),
    "foundation_may_touch": (NO, NO, NO, NO),
    # the red disc is tossed for colours and lies on the dot; in the original nothing may lean on
    # it, elsewhere only what leans on an own disc as well
    "red": (YES, YES, YES, NO),
    "toss": (YES, YES, YES, NO),
    "lean_on_red": (YES, YES, NO, NO),
    "first": (1, 1, 1, 1),
    # the action disc: own colour up, on own discs; flat alone, it is tried again without limit
    "own_colour_up": (YES, YES, YES, YES),
    "own_discs_only": (YES, YES, YES, YES),
    "try_again": (YES, YES, YES, YES),
    # faults
    "fault_contact": (YES, YES, YES, YES),
    "fault_fell": (YES, YES, YES, YES),
    "fault_snapped": (YES, YES, YES, YES),
    "fault_shift": (YES, NO, YES, YES),
    "fault_roll": (NO, NO, NO, NO),
    "move_own_only": (NO, YES, NO, NO),
    "one_movement": (YES, NO, NO, NO),
    "out": ("circle", "circle", "circle", "mat"),
    "group_in_by_one": (YES, YES, YES, YES),
    # no foundations in play: it goes back unless it stands or touches
    "action_disc_back": (YES, YES, YES, YES),
    # flips, and captures
    "flip_capture": ("must", "must", "must", "may"),
    "own_flip_stays": (YES, YES, YES, NO),
    "capture_first": ("must", "must", "must", "must"),
    "in_place": (YES, NO, NO, NO),
    "lift_whole_tower": (YES, YES, YES, YES),
    "capture_fault_returns": (YES, YES, YES, YES),
    "set_down_fault_returns": (NO, YES, NO, NO),
    "fault_stays_behind": (YES, YES, YES, YES),
    "play_after_capture": (YES, YES, YES, YES),
    # how a game ends
    "loss_touch_red": (YES, YES, YES, NO),
    "loss_red_off": ("dot", "dot", "dot", DASH),
    "no_colour": ("loses", DASH, DASH, "ends"),
    "one_colour": (DASH, "flat_and_towers", "all_discs", DASH),
    "last_disc": ("at_once", "opponent_captures", "opponent_captures", "at_once"),
    "score": ("minus_reserve", "minus_reserve", "bonus_for_emptier", "minus_reserve"),
    # who answers
    "turn_until": ("hand_crosses", "hand_crosses", "disc_grasped", "hand_approaches"),
    "off_turn": ("causer", DASH, "causer", DASH),
    "doubling_cube": (NO, NO, YES, NO),
    # two players, a reserve each; leaners are no part of a contact group
    "players": (2, 2, 2, 2),
    "stacks": (2, 2, 2, 2),
    "leaners_in_group": (NO, NO, NO, NO),
}

#: What the options change, read by hand as well.
READ_OPTIONS = {
    "fourlang+german": {
        "in_place": YES,
        "loss_red_off": "circle",
        "last_disc": "all_capture",
        "lift_whole_tower": NO,
        "capture_first": "left_over",
    },
    "temple+three_player_shuffle": {"players": 3, "stacks": 3, "score": "emptier"},
    "temple+shuffle_scored": {"players": 3, "stacks": 3},
    "temple+four_player_team": {"players": 4},
    "fourlang+four_player_team": {"players": 4},
    "original+four_player_team": {"players": 4},
    "temple+four_player_advanced": {"players": 4, "stacks": 4},
    "temple+starting_point": {"foundations": 1},
    "temple+more_tower_to_you": {"leaners_in_group": YES},
}


@pytest.mark.parametrize("point", READ)
def test_the_data_says_what_the_books_say(point):
    assert tuple(rules_of(edition)[point] for edition in EDITIONS) == READ[point]


def test_the_original_s_win_by_one_colour_scores_the_mat_and_the_opponent_s_reserve():
    assert rules_of("original")["one_colour_score"] == "towers"


@pytest.mark.parametrize("rules", READ_OPTIONS)
def test_an_option_changes_what_the_books_say(rules):
    plain, changed = rules_of(rules.split("+")[0]), rules_of(rules)
    assert {p: v for p, v in changed.items() if v != plain[p]} == READ_OPTIONS[rules]


def test_every_point_is_read_cited_and_has_a_meaning():
    assert set(READ) | {"one_colour_score"} == set(rules_of("temple")) == set(CITATIONS)
    assert set(MEANINGS) == set(CITATIONS)


def test_the_page_is_fresh_and_holds_all_points_and_options():
    page = rules_page.PAGE.read_text(encoding="utf-8")
    assert rules_page.page_text(page) == page, f"stale: run `{rules_page.COMMAND}`"
    points, options, citations = (block.group(0) for block in rules_page.BLOCK.finditer(page))
    assert all(f"| `{point}` |" in points and f"| `{point}` |" in citations for point in READ)
    assert all(f"| `{option}` |" in options for option in OPTION_CITATIONS)


def test_the_page_says_a_row_as_a_player_reads_it():
    page = rules_page.PAGE.read_text(encoding="utf-8")
    cells = {
        line.split("|")[1].strip(" `"): [cell.strip() for cell in line.split("|")[3:7]]
        for line in page.splitlines()
        if line.count("|") == 7
    }
    assert cells["reserve"] == ["26", "26", "26", "19"]
    assert cells["fault_shift"] == ["yes", "no", "yes", "yes"]
    assert cells["loss_red_off"] == ["the dot", "the dot", "the dot", "–"]


def test_check_says_that_the_page_is_stale_and_changes_nothing(tmp_path, monkeypatch, capsys):
    page = tmp_path / "RULES.md"
    stale = rules_page.PAGE.read_text(encoding="utf-8").replace("| 26 |", "| 62 |", 1)
    page.write_text(stale, encoding="utf-8")
    monkeypatch.setattr(rules_page, "PAGE", page)
    assert rules_page.main(["--check"]) == 1
    said = capsys.readouterr().err
    assert "RULES.md is stale" in said and said.count("\n") == 1
    assert page.read_text(encoding="utf-8") == stale
    assert rules_page.main([]) == 0 and rules_page.main(["--check"]) == 0
