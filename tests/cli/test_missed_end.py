"""What is said of a virtual game that came to no end on the mat."""

import pytest

from polarity_host.cli.missed_end import Ruled, missed_end, unlike
from polarity_host.replay.truth import TruthWriter, truth_path

TURN = Ruled(10_000, "turn", "w", "")
FAULT = Ruled(12_500, "fault", "w", "contact")
LATE = FAULT._replace(t_ms=30_000)
END = Ruled(83_200, "end", "b", "reserve_empty")


@pytest.fixture
def recorded(tmp_path):
    """recorded(rulings...) -> the path of a recording with this truth beside it."""

    def write(*rulings):
        recording = tmp_path / "game.matrec"
        with TruthWriter(truth_path(recording)) as truth:
            truth.write({"k": "fact", "f": "hand_in", "t_us": 1})
            for r in rulings:
                fields = {"code": r.code, "player": r.player, "why": r.why}
                truth.write({"k": "ruling", "t_us": 1000 * r.t_ms, **fields})
        return recording

    return write


def test_the_first_ruling_that_the_mat_missed_is_named(recorded):
    words = str(missed_end(recorded(TURN, FAULT, END), [TURN._replace(t_ms=10_900)]))
    assert words.startswith("in truth it ended at 1:23 (reserve_empty), black won")
    assert words.endswith("missed is fault white (contact) at 0:12")


def test_a_ruling_that_is_not_so_is_named_if_it_came_first(recorded):
    added = Ruled(11_000, "irregular", "b", "out_of_turn")
    words = str(missed_end(recorded(TURN, FAULT, END), [TURN, added]))
    assert words.endswith("not so is irregular black (out_of_turn) at 0:11")


def test_players_who_came_to_no_end_either(recorded):
    assert str(missed_end(recorded(TURN), [TURN])) == (
        "its players came to no end either; the mat ruled as it should"
    )


def test_a_draw_and_a_truth_that_is_not_there(recorded, tmp_path):
    drawn = str(missed_end(recorded(END._replace(player="")), []))
    assert "(reserve_empty), nobody won" in drawn
    assert "cannot be read" in str(missed_end(tmp_path / "nothing.matrec", []))


def test_rulings_of_one_kind_are_paired_with_the_nearest_in_time():
    assert unlike([FAULT, LATE], [LATE, FAULT]) == (None, None)
    assert unlike([FAULT, LATE], [LATE]) == (FAULT, None)
    assert unlike([FAULT], [LATE]) == (FAULT, LATE)
