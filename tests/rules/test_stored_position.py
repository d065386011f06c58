"""A position outlives a power cut as plain values, whatever game it stands in."""

import json

import pytest

from polarity.persistence import restored, serialized
from polarity.rules.referee import Referee
from polarity_bench import sequences
from polarity_bench.faults.kept_games import goes_on


def text(position):
    return "".join(serialized(position))


def after_power_cut(referee):
    """Another referee that continues the game."""
    other = Referee(referee.edition_id)
    other.continue_from(restored(other.edition, json.loads(text(referee.position))))
    return other


@pytest.mark.parametrize("seed", range(0, 60))
def test_a_game_goes_on_where_it_stood(seed):
    referee = sequences.play(seed, 60).referee
    other = after_power_cut(referee)
    stood = referee.state()
    stood.pop("question", None)  # it names a fact by a number of before
    assert other.state() == stood
    assert text(other.base) == text(other.position)
    assert other.position.owed() == referee.position.owed()
    assert {i: p.__dict__ for i, p in other.position.pieces.items()} == {
        i: p.__dict__ for i, p in referee.position.pieces.items()
    }


@pytest.mark.parametrize("values", [None, [], ["D"], ["D", "phase"], "text", ["L", 1], ["=", 4]])
def test_what_is_no_position_is_refused(values):
    with pytest.raises(ValueError, match="no position"):
        restored(Referee().edition, values)


def test_a_stored_position_with_one_thing_changed_is_refused_or_played_on():
    """As another version or a fault of the program may have written it, with a right checksum."""
    taken = [goes_on(seed) for seed in range(400)]
    assert 10 < sum(taken) < 200
