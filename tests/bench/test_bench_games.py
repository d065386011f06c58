"""The bench must find no fault with a faultless engine, and every fault with a faulty one."""

import pytest

from polarity_bench import games, judge_game
from polarity_bench.matching import match_facts
from polarity_bench.rulings import compare_rulings
from polarity_host.replay.recording import RecordingReader
from polarity_host.replay.truth import read_truth
from polarity_host.simulation.twin.whole_games import random_game
from tests.bench.truth_told import fact_message, fact_of, facts_of, heard, ruling_message


@pytest.fixture(scope="module")
def truth():
    return random_game(2).without_counts()


def other_name(ident):
    """The engine numbers pieces in its own way."""
    return 1000 - ident if ident else 0


def compared(truth, facts):
    """(match, rulings compared) for an engine that says these facts and rules on them rightly."""
    match = match_facts(truth, [fact_message(fact) for fact in facts])
    expected = [record for record in truth if record["k"] == "ruling"]
    said = [ruling_message(ruling) for ruling in heard(facts)]
    return match, compare_rulings(expected, said, match)


def test_a_faultless_engine(truth):
    match, rulings = compared(truth, facts_of(truth, other_name))
    assert not match.missed and not match.invented
    assert not [pair for pair in match.pairs if pair.wrong]
    assert rulings.wrong == 0


def test_small_errors_are_allowed(truth):
    facts = facts_of(truth, other_name)
    for fact in facts:
        fact.t_ms += 400
        fact.x += 300
    match, rulings = compared(truth, facts)
    assert not match.missed and not match.invented and rulings.wrong == 0


@pytest.mark.parametrize("kind", ["hand_in", "placed", "fell", "contact", "lifted", "shifted"])
def test_a_missed_fact(truth, kind):
    facts = facts_of(truth, other_name)
    last = [fact for fact in facts if fact.kind == kind][-1]
    if kind == "shifted":
        last = max((fact for fact in facts if fact.kind == kind), key=lambda fact: fact.d)
    match, _ = compared(truth, [fact for fact in facts if fact is not last])
    assert [fact["f"] for fact in match.missed] == [kind]


def told_of(kind, t_ms, piece, others=(), discs=1, seen_mm=82.0):
    """A fact as truth has it, and as an engine that is 25 ms late and sees it at x = `seen_mm`."""
    record = {
        "k": "fact", "f": kind, "t_us": 1000 * t_ms, "piece": piece, "others": list(others),
        "face": "b", "discs": discs, "x_mm": 82.0, "y_mm": -116.0, "tilt_deg": 0.0, "d_mm": 0.0,
        "shape": "",
    }  # fmt: skip
    told = fact_message(fact_of(record, 1))
    return record, {**told, "t_us": 1000 * t_ms + 25_000, "x": round(100 * seen_mm)}


def test_two_snaps_at_about_the_same_time_are_told_apart_by_how_many_discs_there_are_then():
    """The first is seen 4 mm off, as the second pulls already: that is allowed."""
    came = [told_of("hand_in", 10_000 * k, piece) for k, piece in enumerate((4, 10, 8))]
    first = told_of("snapped", 30_000, 8, [4], 2, seen_mm=86.0)
    second = told_of("snapped", 30_040, 8, [10], 3)
    truth, told = zip(*came, first, second)
    assert [pair.wrong for pair in match_facts(truth, told).pairs] == [[]] * 5
    swapped = [*told[:3], {**told[3], "others": [10]}, {**told[4], "others": [4]}]
    wrong = [pair.wrong for pair in match_facts(truth, swapped).pairs]
    assert wrong == [[], [], [], ["other pieces"], ["other pieces"]]


def test_an_invented_fact(truth):
    facts = facts_of(truth, other_name)
    leaner = next(fact for fact in facts if fact.shape == "leaner")
    place = next(fact for fact in facts if fact.kind == "hand_out")
    false = type(leaner)("fell", place.t_ms, leaner.piece, (), leaner.face, 1, leaner.x, leaner.y)
    at = facts.index(place)
    match, rulings = compared(truth, [*facts[:at], false, *facts[at:]])
    assert [fact["f"] for fact in match.invented] == ["fell"]
    assert rulings.wrong > 0


@pytest.mark.parametrize(
    ("name", "value", "words"), [("face", 0, "face"), ("discs", 3, "discs"), ("piece", 7, "piece")]
)
def test_a_fact_told_wrong(truth, name, value, words):
    facts = facts_of(truth, other_name)
    last = [fact for fact in facts if fact.kind == "hand_out"][-1]
    setattr(last, name, value)
    match, _ = compared(truth, facts)
    wrong = [word for pair in match.pairs for word in pair.wrong]
    assert len(wrong) == 1 and words in wrong[0]


class Breaking:
    """An engine that breaks after some frames."""

    def __init__(self, *_):
        self.frames = 0

    def frame(self, t_ms, counts):
        self.frames += 1
        if self.frames > 20:
            raise IndexError("frame 20")

    def read(self, max_bytes):
        return b""


def test_an_engine_that_breaks_is_reported_and_the_game_kept(monkeypatch, tmp_path):
    monkeypatch.setattr(judge_game, "build_engine", Breaking)
    told = []
    figures = games.run([3], 1, 1, tmp_path, lambda seed, one: told.append(seed))
    assert "IndexError: frame 20" in figures["details"][0]
    assert figures["facts_missed"] == figures["facts"] > 20
    assert figures["rulings_wrong"] == figures["rulings"] > 10
    assert told == [3]
    with RecordingReader(tmp_path / "game-3.matrec") as frames:
        assert sum(1 for _ in frames) > 2000
    assert [r for r in read_truth(tmp_path / "game-3.truth.jsonl") if r["k"] == "ruling"]
