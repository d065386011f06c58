import inspect
import string

import pytest
from hypothesis import given
from hypothesis import strategies as st

from polarity import facts
from polarity.rules import ruling as rulings
from polarity.wire.messages import SCHEMA
from polarity_host import words
from polarity_host.words import clock, fact_words, ruling_words

RULING = {
    "code": "turn", "player": "w", "why": "", "pieces": [], "facts": [], "owed": [], "returns": [],
    "reserve": [20, 19], "turn": 3, "active": "w",
}  # fmt: skip
FACT = {
    "f": "placed", "piece": 7, "others": [], "face": "w", "discs": 1, "x": 0, "y": 0, "tilt": 0,
    "d": 0, "shape": "flat", "why": "", "conf": 100,
}  # fmt: skip


@pytest.mark.parametrize(
    "fields, sentence",
    [
        ({}, "White's turn. Reserves: white 20, black 19."),
        (
            {"owed": [["w", [3, 4]]]},
            "White's turn. Reserves: white 20, black 19. White must capture first.",
        ),
        (
            {"code": "fault", "player": "b", "why": "contact", "owed": [["w", [3, 4]]]},
            "Black's fault: discs touch. White captures them.",
        ),
        (
            {"code": "fault", "why": "snapped", "returns": [["w", 2]]},
            "White's fault: a disc jumped to the one in the hand. 2 discs go to White's reserve.",
        ),
        ({"code": "fault", "why": "sneezed_on"}, "White's fault: sneezed on."),
        (
            {"code": "end", "player": "b", "why": "touched_red", "score": [4, 7]},
            "A disc touched the red disc. Black wins.",
        ),
        (
            {"code": "end", "player": "", "why": "reserve_empty", "score": [3, 3]},
            "A reserve is empty. A draw, 3 to 3 (white to black).",
        ),
        ({"code": "unsure", "player": "", "why": "face"}, "Unsure: which colour shows?"),
        ({"code": "from_the_future", "why": "so_it_is"}, "White: from the future: so it is."),
    ],
)
def test_rulings_in_words(fields, sentence):
    assert ruling_words({**RULING, **fields}) == sentence


@pytest.mark.parametrize(
    "fields, phrase",
    [
        ({}, "disc 7 lies flat, white up"),
        (
            {"shape": "leaner", "others": [3], "tilt": 71, "face": "b"},
            "disc 7 leans over 3 at 71°, black up",
        ),
        ({"f": "shifted", "d": 3456}, "disc 7 moved by 34.6 mm"),
        ({"f": "contact", "others": [3, 7], "shape": "kiss"}, "discs 3, 7 touch side by side"),
        (
            {"f": "snapped", "others": [4], "discs": 2},
            "disc 4 jumped to the hand, which now holds 2",
        ),
        ({"f": "touched_red", "shape": ""}, "disc 7 touches the red disc"),
        ({"f": "unsure", "why": "height"}, "unsure: how many discs is this tower?"),
        ({"f": "from_the_future"}, "from_the_future"),
    ],
)
def test_facts_in_words(fields, phrase):
    assert fact_words({**FACT, **fields}) == phrase


def test_every_fact_has_words():
    for kind in facts.KINDS:
        assert fact_words({**FACT, "f": kind}) != kind


REASONS = {
    name: value
    for name, value in inspect.getmembers(rulings)
    if isinstance(value, str) and name[0] in string.ascii_uppercase
}


def test_every_code_has_words():
    for code in ("red_placed", "foundation", "setup_done", "turn", "try_again", "leaner_placed"):
        assert f": {code.replace('_', ' ')}" not in ruling_words({**RULING, "code": code})


def test_every_reason_of_the_referee_is_in_a_catalogue():
    codes = (
        "RED_PLACED FOUNDATION SETUP_DONE TURN TRY_AGAIN LEANER_PLACED FAULT CAPTURED"
        " CAPTURE_FAILED END UNSURE IRREGULAR"
    ).split()
    known = set()
    for name in ("FAULTS", "CAPTURES", "ENDS", "IRREGULAR", "UNSURE", "NOTES"):
        known |= set(getattr(words, name))
    missing = {v for name, v in REASONS.items() if name not in codes} - known
    assert not missing, f"say in polarity_host/words.py what {sorted(missing)} mean"


text = st.text(max_size=12)
anything = {
    "i": st.integers(),
    "s": text,
    "b": st.booleans(),
    "n": st.lists(st.integers(), max_size=3),
    "2": st.tuples(st.integers(), st.integers()),
    "g": st.lists(st.tuples(text, st.lists(st.integers())), max_size=3),
    "r": st.lists(st.tuples(text, st.integers()), max_size=3),
}


@given(st.data())
def test_no_value_of_the_right_type_makes_words_fail(data):
    for kind, say in (("fact", fact_words), ("ruling", ruling_words)):
        fields = {name: data.draw(anything[sort[0]]) for name, sort in SCHEMA[kind]}
        assert isinstance(say(fields), str)


def test_clock():
    assert [clock(t_ms) for t_ms in (-5, 0, 61_999, 3_600_000)] == [
        "00:00",
        "00:00",
        "01:01",
        "60:00",
    ]
