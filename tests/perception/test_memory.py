"""After a power cut: what lay on the mat is known again, and what was changed meanwhile is told."""

import json
from array import array

import numpy as np
import pytest

from polarity import mat_data
from polarity.engine import Engine
from polarity.facts import SHIFTED, SUSPECT, Fact
from polarity_host.mats.description import load_mat
from polarity_host.simulation.twin.stage import Stage


def frames(change):
    """(frames, number): a small game's counts, and the first frame after the power cut, before
    which `change(stage)` happened."""
    stage, marks = Stage(load_mat("standard"), seed=3), []

    def script():
        yield from stage.rest(0.5)
        yield from stage.place_red()
        for face, xy in ((+1, (-60, -30)), (-1, (55, 40)), (+1, (-8, 110))):
            disc = stage.new_disc(face)
            yield from stage.carry_in(disc, xy)
            yield from stage.set_flat(disc, xy)
            yield from stage.rest(0.3)
        yield from stage.rest(0.3)
        change(stage)
        marks.append(stage.t_us)
        yield from stage.rest(1.5)

    shown = [(t_us, array("H", counts.tolist())) for t_us, counts in stage.stream(script())]
    number = int(np.searchsorted([t_us for t_us, _ in shown], marks[0]))
    return shown, number


def kept(engine):
    """(offsets, game), as the flash has them."""
    persistence = engine.persistence
    return b"".join(persistence.offset_parts()), b"".join(persistence.game_parts())


def played(change, edition="temple"):
    """(before, after, said): engines before and after the cut, and what the second, which is set to
    `edition`, said of it."""
    shown, number = frames(change)
    data = mat_data.load("standard")
    before = Engine(data, "temple", 1)
    for t_us, counts in shown[:number]:
        before.frame(t_us // 1000, counts)
    offsets, text = kept(before)
    after = Engine(data, edition, 2)
    said = after.persistence.restore(offsets, text, shown[number][1])
    for t_us, counts in shown[number + 1 :]:
        after.frame((t_us - shown[number][0]) // 1000, counts)
    return before, after, said


def facts(engine):
    lines = engine.read(100_000).splitlines()
    messages = [json.loads(line.split(b" ", 1)[1]) for line in lines]
    return [message for message in messages if message["k"] == "fact"]


def test_the_game_goes_on_as_it_was():
    before, after, said = played(lambda stage: None)
    assert said == "the game goes on: 4 pieces remembered, 0 lie elsewhere"
    assert len(before.game.pieces()) == 4
    assert [piece[:5] for piece in after.game.pieces()] == [
        piece[:5] for piece in before.game.pieces()
    ]
    assert after.game.referee.state() == before.game.referee.state()
    assert facts(after) == []


@pytest.mark.parametrize("doubted", [False, True])
def test_whose_turn_it_is_stays_as_doubtful_as_it_was(doubted):
    """A hand that ill sensors missed before the power cut was not observed after it either."""
    shown, number = frames(lambda stage: None)
    data, laid = mat_data.load("standard"), shown[number - 1][1]
    before, after = Engine(data, "temple", 1), Engine(data, "temple", 2)
    for t_us, counts in shown[:number]:
        before.frame(t_us // 1000, counts)
    saved = before.game.changes
    if doubted:
        before.game.doubt_turn()
    assert (before.game.changes > saved) is doubted  # what is not saved yet is saved then
    assert after.persistence.restore(*kept(before), laid)
    after.game.handle(Fact(SHIFTED, 10, after.game.pieces()[0][0], d=100))
    told = facts(after)[-1]
    assert (told["conf"] <= SUSPECT) is doubted


def test_what_was_moved_meanwhile_is_told():
    def shift(stage):
        piece = stage.resting()[-1]
        piece.move_to(piece.centre + np.array([14.0, 0.0, 0.0]))

    _, after, said = played(shift)
    assert said == "the game goes on: 4 pieces remembered, 1 lie elsewhere"
    assert [fact["f"] for fact in facts(after)] == ["shifted"]


def test_a_mat_that_was_cleared_is_a_new_game():
    def clear(stage):
        for piece in list(stage.pieces):
            stage.leave(piece)

    _, after, said = played(clear, "original")
    assert said == ""
    assert after.game.pieces() == []
    assert after.game.edition == after.game.referee.state()["edition"] == "original"


@pytest.mark.parametrize(
    "text",
    ["", "{}", "[]", "[1,2,3,4]", '["standard","temple",[],[]]', '[3,"standard","temple",0,[],[]]']
    + ["[" * 5000, '[2,"standard","temple",0,[],["D"]]'],
)
def test_a_damaged_memory_is_no_game(text):
    engine = Engine(mat_data.load("standard"), "original", 1)
    assert (
        engine.persistence.restore(
            bytes(5 * engine.mat.N),
            text.encode(),
            array("H", [engine.mat.ZERO_COUNT] * engine.mat.N),
        )
        == ""
    )
    assert engine.game.pieces() == []
    assert engine.game.edition == engine.game.referee.state()["edition"] == "original"


def spoilt(values):
    """A kept game with one value after the other made something else, as by another version."""
    holders = [values]
    for holder in holders:
        holders += [value for value in holder if isinstance(value, list)]
    for holder in holders:
        for at, value in enumerate(holder):
            for other in (None, "?", [], ["P"], 1.5):
                holder[at] = other
                yield json.dumps(values)
            holder[at] = value


def test_a_game_that_another_version_kept_does_not_stop_the_mat():
    shown, number = frames(lambda stage: None)
    engine = Engine(mat_data.load("standard"), "temple", 1)
    for t_us, counts in shown[:number]:
        engine.frame(t_us // 1000, counts)
    offsets, text = kept(engine)
    again = Engine(mat_data.load("standard"), "temple", 2)
    refused = [
        again.persistence.restore(offsets, text.encode(), shown[number][1]) == ""
        for text in spoilt(json.loads(text))
    ]
    assert sum(refused) > 100


def test_a_game_or_bare_mat_of_another_version_is_not_gone_on_with():
    shown, number = frames(lambda stage: None)
    engine = Engine(mat_data.load("standard"), "temple", 1)
    for t_us, counts in shown[:number]:
        engine.frame(t_us // 1000, counts)
    counts = shown[number][1]
    offsets, text = kept(engine)
    absurd = offsets[:1] + b"\xff\xff\xff\x7f" + offsets[5:]
    assert text.startswith(b'[2,"standard","temple",0,') and offsets[0] == 2
    for changed in (
        (b"\x01" + offsets[1:], text), (offsets[1:], text), (absurd, text),
        (offsets, b"[1" + text[2:]), (offsets, text.replace(b'[2,"', b'["')),
    ):  # fmt: skip
        assert (
            Engine(mat_data.load("standard"), "temple", 2).persistence.restore(
                changed[0], changed[1], counts
            )
            == ""
        )
    again = Engine(mat_data.load("standard"), "temple", 2)
    assert "4 pieces remembered" in again.persistence.restore(offsets, text, counts)
