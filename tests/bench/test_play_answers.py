"""What players answer in `polarity bench play`: what truly happened, and what lies in the trays."""

from polarity_bench.play_answers import ANSWER_US, QUIET_US, Answers

S = 1_000_000


def true(seconds, kind, xy=(0.0, 0.0), face=""):
    return {"k": "fact", "f": kind, "t_us": seconds * S, "x_mm": xy[0], "y_mm": xy[1], "face": face}


def ruled(seconds, code, reserve):
    return {"k": "ruling", "code": code, "t_us": seconds * S, "reserve": reserve}


def answered(truth, fact, shown=(20, 20), at_us=0):
    """What they say of a fact that the mat asks about, once they have had time."""
    fact = {"n": 7, "t_us": 10 * S, "x": 0, "y": 0, "face": "", "why": "", **fact}
    answers = Answers(truth)
    assert not answers.due
    asked = {"code": "unsure", "facts": [7], "sent_us": 10 * S}
    for _ in range(2):  # asked again, it is the same question: it is answered once
        answers.heard(asked, [{**fact, "n": 6}, fact])
    assert answers.due and list(answers.said(10 * S, list(shown))) == []
    return list(answers.said(at_us or 10 * S + ANSWER_US, list(shown)))


def test_whether_it_happened_there_and_then():
    fact = {"f": "unsure", "why": "contact"}
    assert answered([true(10, "contact", (20.0, 20.0))], fact) == ["answer 7 yes"]
    assert answered([true(10, "contact", (60.0, 0.0))], fact) == ["answer 7 no"]
    assert answered([true(5, "contact")], fact) == ["answer 7 no"]
    assert answered([true(10, "flipped")], {"f": "flipped", "face": "w"}) == ["answer 7 yes"]
    assert answered([], {"f": "jolt"}) == ["answer 7 no"]
    assert answered([true(10, "jolt")], {"f": "jolt"}) == []  # whose doing it was they do not say


def test_whose_disc_it_was():
    assert answered([true(10, "hand_in", (30.0, 0.0), "b")], {"f": "hand_in"}) == ["answer 7 b"]
    assert answered([], {"f": "hand_in"}) == ["answer 7 no"]


def test_trays_are_counted_when_nothing_moves():
    count = {"f": "unsure", "why": "count"}  # there is nothing to say of it but the numbers
    at_rest = [true(8, "placed"), ruled(8, "leaner_placed", [19, 20])]
    assert answered(at_rest, count) == ["reserve 19 w"]
    assert answered(at_rest, count, shown=(19, 20)) == []
    moving = [*at_rest, true(11, "hand_in")]
    assert answered(moving, count) == []
    later_us = 11 * S + QUIET_US
    assert answered(moving, count, at_us=later_us) == []  # what that led to is not known yet
    over = [*moving, ruled(11, "fault", [19, 18])]
    assert answered(over, count, at_us=later_us) == ["reserve 19 w", "reserve 18 b"]


def test_each_of_three_players_has_his_own():
    truth = [ruled(8, "captured", [9, 8, 7])]
    said = answered(truth, {"f": "unsure", "why": "lost"}, shown=(9, 8, 6))
    assert said == ["reserve 7 3"]


def test_other_rulings_ask_nothing():
    answers = Answers([ruled(1, "fault", [9, 9])])
    answers.heard({"code": "fault", "facts": [7], "sent_us": S}, [])
    assert not answers.due and list(answers.said(20 * S, [5, 5])) == []
