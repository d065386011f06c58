"""What players declare reaches the referee by the engine's commands and is in the record."""

import json
from array import array
from types import SimpleNamespace

import pytest

from polarity.engine import Engine
from polarity.facts import Fact
from polarity.mat_data import load
from polarity.perception.field import Field
from polarity.wire.reading import unframe


class OneFact:
    """A tracker that observes one thing in the frame it is given."""

    complaint = ""
    ready = False
    flying, field = (), Field(load("standard"))
    scene = SimpleNamespace(bodies=(), flying=(), hurried=False, field=field)

    def __init__(self, fact):
        self.fact = fact

    def step(self, t_ms, counts, waiting):
        self.scene.facts = [self.fact]


class Table:
    """An engine that gets facts past its sensors."""

    def __init__(self, edition="temple"):
        self.engine = Engine(load("standard"), edition)
        self.messages()

    def messages(self):
        lines = self.engine.read(10**6).split(b"\n")[:-1]
        return [json.loads(unframe(line)) for line in lines]

    def observe(self, kind, *fields, **named):
        engine = self.engine
        engine.t_ms += 2000
        fact = Fact(kind, engine.t_ms, *fields, **named)
        engine.game.tracker = OneFact(fact)
        engine.frame(engine.t_ms, array("H", [engine.mat.ZERO_COUNT] * engine.mat.N))
        return [m for m in self.messages() if m["k"] == "ruling"]

    def command(self, line):
        """The rulings that it leads to, and the ack."""
        self.engine.command(line.encode() + b"\n")
        sent = self.messages()
        return [m for m in sent if m["k"] == "ruling"], sent[-1]

    def set_up(self):
        self.observe("placed", 99, shape="red")
        for ident in range(1, 11):
            self.observe("placed", ident, (), 1 if ident < 6 else -1, shape="flat")


def test_a_fault_is_overruled_and_what_follows_is_judged_anew():
    table = Table()
    table.set_up()
    table.observe("hand_in", 20, face=1)
    *_, fault = table.observe("contact", 1, (1, 6), shape="kiss")
    assert (fault["code"], fault["why"]) == ("fault", "contact")
    table.observe("placed", 20, (1,), 1, shape="leaner")
    rulings, ack = table.command(f"overrule {fault['n']} denied")
    assert ack["ok"] and ack["k"] == "ack"
    overruled, leaner = rulings
    assert (overruled["code"], overruled["why"], overruled["names"]) == (
        "overruled", "denied", fault["n"],
    )  # fmt: skip
    assert overruled["facts"] == [fault["n"] - 1]
    assert (leaner["code"], leaner["reserve"]) == ("leaner_placed", [20, 21])
    rulings, ack = table.command(f"overrule {overruled['n']} denied")
    assert [r["code"] for r in rulings] == ["overruled", "fault", "irregular"]


def test_zero_is_the_last_question_or_the_last_ruling():
    table = Table()
    table.set_up()
    table.observe("hand_in", 20, face=1)
    asked = table.observe("unsure", 0, (1, 6), why="contact")[0]
    table.observe("placed", 20, (1,), 1, shape="leaner")
    [answered, fault, late], ack = table.command("answer 0 yes")
    assert ack["ok"]
    assert (answered["names"], fault["code"], late["why"]) == (
        asked["facts"][0], "fault", "played_after_fault",
    )  # fmt: skip
    rulings, _ = table.command("undo 0")  # the answer was the last
    assert [r["code"] for r in rulings] == ["undone", "unsure", "leaner_placed"]
    rulings, _ = table.command("undo 0")  # now it is the leaner; an undo is passed over
    assert [r["code"] for r in rulings] == ["undone", "unsure"]
    assert table.engine.game.referee.position.reserves == (21, 21)
    [redone, _, leaner], _ = table.command("overrule 0 denied")  # the last ruling is that undo
    assert (redone["code"], leaner["code"]) == ("overruled", "leaner_placed")


def test_what_players_have_answered_they_are_not_asked_again():
    """One more disc than the mat knew of came together, by sensors that it doubts."""
    table = Table()
    table.set_up()
    table.observe("hand_in", 20, face=1)
    asked = table.observe("contact", 1, (1, 6), 1, 3, shape="stack", confidence=10)
    assert [(r["code"], r["why"]) for r in asked] == [("unsure", "contact")]
    answered, _ = table.command("answer 0 yes")
    assert [(r["code"], r["why"]) for r in answered] == [("answered", "yes"), ("fault", "contact")]


def test_the_toss_the_reserves_and_the_end():
    table = Table("original")
    [toss], ack = table.command("toss b")
    assert (toss["code"], toss["player"], ack["ok"]) == ("toss", "b", True)
    table.set_up()
    assert table.command("toss b") == ([], refusal("toss b", "the game has begun"))
    [double], _ = table.command("double w")
    [take], _ = table.command("take")
    assert (double["why"], take["why"], take["player"]) == ("doubled", "taken", "b")
    assert table.engine.game.referee.state()["cube"] == [2, "b", ""]
    [adjusted], _ = table.command("reserve 20 w")
    assert (adjusted["code"], adjusted["reserve"]) == ("adjusted", [20, 21])
    [end], _ = table.command("declare draw")
    assert (end["code"], end["why"], end["player"]) == ("end", "declared", "")


def refusal(line, why):
    return {"v": 1, "b": 0, "n": 25, "t": 22000, "k": "ack", "cmd": line, "ok": False, "why": why}


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ("overrule 3", "argument"),
        ("overrule 999 denied", "no such number"),
        ("answer 2 yes", "there is no question"),
        ("answer 0 yes", "there is no question"),
        ("undo 0", "no such number"),
        ("take", "nobody has doubled"),
        ("double w", "these rules have no cube"),
        ("reserve 4 4", "no such reserve"),
        ("toss", "argument"),
        ("new temple+german", "no such edition"),
    ],
)
def test_what_cannot_be_is_refused(line, why):
    table = Table()
    if why not in ("no such number",) or "999" in line:
        table.set_up()
    rulings, ack = table.command(line)
    assert rulings == [] and (ack["ok"], ack["why"]) == (False, why)


def test_a_game_by_a_variant_shows_whose_turn_it_is():
    table = Table()
    _, ack = table.command("new temple+four_player_advanced+starting_point")
    assert ack["ok"]
    table.observe("placed", 99, shape="red")
    table.observe("placed", 1, (), 1, shape="flat")
    table.observe("placed", 2, (), -1, shape="flat")
    [turn] = table.observe("hand_in", 20, face=1)
    assert (turn["code"], turn["seat"], turn["reserve"]) == ("turn", 3, [13, 13, 12, 12])
    snap = table.engine.game.referee.state()
    assert snap["seats"] == [3, 2]
