"""Two buttons on the mat answer what it asks, overrule and undo."""

import pytest

from polarity.buttons import command_for
from tests.rules.test_engine_declarations import Table

FIRST, SECOND = 0, 1


@pytest.mark.parametrize(
    ("number", "held", "question", "meant"),
    [
        (FIRST, False, (9, "so"), ("answer", ["0", "yes"])),
        (SECOND, False, (9, "so"), ("answer", ["0", "no"])),
        (FIRST, False, (9, "whose"), ("answer", ["0", "w"])),
        (SECOND, False, (9, "whose"), ("answer", ["0", "b"])),
        (FIRST, False, (), None),
        (SECOND, False, (), None),
        (FIRST, True, (), ("overrule", ["0", "denied"])),
        (SECOND, True, (), ("undo", ["0"])),
        (FIRST, True, (9, "whose"), ("overrule", ["0", "denied"])),
        (SECOND, True, (9, "so"), ("undo", ["0"])),
    ],
)
def test_what_a_button_means(number, held, question, meant):
    assert command_for(number, held, question) == meant


class Pressed(Table):
    """A game that has begun, and what its rulings are after a button."""

    def __init__(self, edition="temple"):
        super().__init__(edition)
        self.set_up()
        self.observe("hand_in", 20, face=1)

    def press(self, number, held=False):
        self.engine.button(number, held)
        sent = self.messages()
        assert [m for m in sent if m["k"] == "ack"] == []
        return [(m["code"], m["why"]) for m in sent if m["k"] == "ruling"]

    @property
    def stands(self):
        state = self.engine.game.referee.state()
        return state["turn"], state["reserve"], state["owed"], state.get("question")


def test_yes_and_no():
    for button, answer, follows in (
        (FIRST, "yes", [("fault", "contact")]),
        (SECOND, "no", []),
    ):
        mat = Pressed()
        asked = mat.observe("unsure", 0, (1, 6), why="contact")[0]["facts"][0]
        assert mat.stands == (1, [21, 21], [], [asked, "so"])
        assert mat.press(button) == [("answered", answer), *follows]
        assert mat.stands[3] is None
        assert mat.press(button) == []  # nothing is asked any more


def test_who_shook_the_table():
    mat = Pressed()
    mat.observe("jolt")
    mat.observe("placed", 20, (1,), 1, shape="leaner")
    assert mat.press(SECOND) == [("answered", "charged"), ("leaner_placed", "")]
    assert mat.stands[3] is None


def test_whose_disc_was_it():
    mat = Pressed()
    mat.observe("placed", 20, (1,), 1, shape="leaner")
    mat.observe("hand_in", 21)
    assert mat.stands[3][1] == "whose"
    assert mat.press(SECOND) == [("answered", "charged"), ("turn", "")]


def test_a_question_is_of_its_turn():
    mat = Pressed()
    mat.observe("unsure", 0, (1, 6), why="contact")
    mat.observe("placed", 20, (1,), 1, shape="leaner")
    mat.observe("hand_in", 21, face=-1)
    assert mat.stands[3] is None and mat.press(FIRST) == []


def test_held_the_first_overrules_and_lets_it_hold_again():
    mat = Pressed()
    before = mat.stands
    mat.observe("contact", 1, (1, 6), shape="kiss")
    after = mat.stands
    for _ in range(2):
        assert mat.press(FIRST, True) == [("overruled", "denied")]
        assert mat.stands == before
        assert mat.press(FIRST, True) == [("overruled", "denied"), ("fault", "contact")]
        assert mat.stands == after


def test_held_the_second_goes_back_ruling_by_ruling_and_the_first_forward():
    mat = Pressed()
    stood = [mat.stands]
    for face, disc in ((1, 20), (-1, 21), (1, 22)):
        if disc > 20:
            mat.observe("hand_in", disc, face=face)
            stood.append(mat.stands)
        mat.observe("placed", disc, (1 if face == 1 else 6,), face, shape="leaner")
        stood.append(mat.stands)
    last = stood.pop()
    while stood:
        assert mat.press(SECOND, True) == [("undone", "")]
        assert mat.stands == stood.pop()
    assert mat.press(FIRST, True)[0] == ("overruled", "denied")  # the last undo
    assert mat.stands[0] == 1
    assert mat.stands != last


def test_what_comes_to_nothing_is_in_the_record():
    mat = Table()
    mat.engine.button(SECOND, True)
    [entry] = mat.messages()
    assert (entry["k"], entry["text"]) == ("log", "button 2: no such number")
