"""`polarity doctor --bring-up`, what takes a person: lights, buttons and calibration, each with the
faults that a builder makes. A fake chip runs the scripts here; tests/emulated runs them on one."""

import io
import re
import sys
from contextlib import redirect_stdout
from types import ModuleType, SimpleNamespace

import numpy as np
import pytest

from hardware.tools import schematic, trace
from polarity_host.cli import main
from polarity_host.device.bring_up import BY_HAND
from polarity_host.device.doctor import FRAMES
from polarity_host.device.hands_on import LEDS_AN_ARC, at_rest, buttons, lights
from polarity_host.mats.description import MAT_TOML, load_mat
from polarity_host.simulation.twin.condition import MatCondition
from polarity_host.simulation.twin.sensors import SensorArray

MAT = load_mat("standard")
COLOURS = ("red", "green", "blue")

#: What is wrong with the ring, as {light, from 1: what it shows of its colour}, and what the step
#: must name. The ring is twelve arcs of D1 to D5 (hardware/netlists/led_arc.net).
RINGS = {
    "sound": ({}, ""),
    "no data": (dict.fromkeys(range(1, 61), ()), "J20"),
    "cut within arc 5": (dict.fromkeys(range(23, 61), ()), "arc 5: D2, pin 2, or D3, pin 4"),
    "cut before arc 6": (dict.fromkeys(range(26, 61), ()), "arc 5's OUT"),
    "the last one dark": ({60: ()}, "arc 12: D4, pin 2, or D5, pin 4"),
    "a dark one": ({40: ()}, "arc 8, D5"),
    "one without blue": ({7: (0, 1)}, "arc 2, D2"),
}  # fmt: skip

#: What a press of each button does to the two pins, and what the steps must name: "" for a sound
#: one. Button 1 is at J21 by R3, the second at J22 by R4 (hardware/netlists/carrier_standard.net).
WIRINGS = {
    "sound": (((0,), (1,)), "", ""),
    "the first not plugged in": (((), (1,)), "J21", ""),
    "the second at pins that never join": (((0,), ()), "", "J22"),
    "exchanged": (((1,), (0,)), "exchanged", "exchanged"),
    "leads that touch": (((0, 1), (0, 1)), "touch", "touch"),
}  # fmt: skip


class Eyes:
    """A person who looks at the lights and answers by their numbers."""

    def __init__(self, pixels, fault):
        self.pixels, self.fault, self.asked = pixels, fault, []

    def __call__(self, question):
        self.asked.append(question)
        colour = re.search(r"must be (\w+) now", question)
        if colour:
            self.channel = COLOURS.index(colour[1])
        wrong = [n for n, pixel in enumerate(self.pixels(), 1) if not self._right(n, pixel)]
        if colour:
            return str(wrong[0]) if wrong else ""
        return "" if wrong[-1] == len(self.pixels()) else str(wrong[-1])

    def _right(self, number, pixel):
        shown = [
            value if k in self.fault.get(number, (0, 1, 2)) else 0 for k, value in enumerate(pixel)
        ]
        return [value > 0 for value in shown] == [k == self.channel for k in range(3)]


class FakeChip:
    """Runs scripts with the modules that the Pico has. `wiring`: the pins that each button pulls
    low; a press that `tell` asked for comes 0.4 s later and lasts `held_ms`."""

    def __init__(self, wiring=((0,), (1,)), held_ms=150, stuck=()):
        self.wiring, self.held_ms, self.stuck = wiring, held_ms, stuck
        self.now_ms, self.pressed, self.at_ms, self.shown = 0, None, 0, b""

    def tell(self, text):
        (number,) = re.findall(r"button (\d)", text)
        self.pressed, self.at_ms = int(number) - 1, self.now_ms + 400

    def pixels(self):
        return [tuple(self.shown[at : at + 3]) for at in range(0, len(self.shown), 3)]

    def _low(self, index):
        held = self.pressed is not None and 0 <= self.now_ms - self.at_ms < self.held_ms
        return index in self.stuck or held and index in self.wiring[self.pressed]

    def run(self, code):
        chip = self

        class Pin:
            IN = PULL_UP = 1

            def __init__(self, number, *how):
                self.index = MAT.button_pins.index(number)

            def value(self):
                return int(not chip._low(self.index))

        class Pixels:
            def __init__(self, pin, count, cap, machine=1, brightness=96):
                assert (pin, count) == (MAT.led_pin, MAT.led_count) and 0 < cap < 500

            def show(self, colours):
                chip.shown = bytes(colours)

        def module(name, **members):
            made = ModuleType(name)
            vars(made).update(members)
            return made

        def ticks_ms():
            chip.now_ms += 1
            return chip.now_ms

        def sleep_ms(ms):
            chip.now_ms += ms

        fakes = {
            "machine": module("machine", Pin=Pin),
            "time": module(
                "time",
                ticks_ms=ticks_ms,
                ticks_diff=lambda a, b: a - b,
                sleep_ms=sleep_ms,
            ),
            "drivers": module("drivers"),
            "drivers.pixels": module(
                "drivers.pixels", Pixels=Pixels, cap_ma=lambda mat, port_ma: port_ma - mat.REST_MA
            ),
        }
        before = {name: sys.modules.get(name) for name in fakes}
        sys.modules.update(fakes)
        try:
            with redirect_stdout(io.StringIO()) as printed:
                exec(code, {})
        finally:
            for name, one in before.items():
                sys.modules.pop(name) if one is None else sys.modules.update({name: one})
        return printed.getvalue()


@pytest.mark.parametrize("fault", RINGS)
def test_the_lights_that_are_wrong_lead_to_the_place(fault):
    wrong, named = RINGS[fault]
    chip = FakeChip()
    step = lights(chip, MAT, Eyes(chip.pixels, wrong))
    assert bool(step.wrong) == bool(named) and named in step.wrong
    if not named:
        assert chip.pixels() == [(0, 0, 0)] * 60  # nobody is dazzled by what comes next


def test_an_answer_that_is_no_number_of_a_light_is_asked_for_again():
    answers = iter(["x", "0", "61", "23", "22", ""])
    step = lights(FakeChip(), MAT, lambda question: next(answers))
    assert "arc 5" in step.wrong and "23" in step.reading and "60" in step.reading


@pytest.mark.parametrize("fault", WIRINGS)
def test_each_button_is_asked_for_and_its_wiring_told(fault):
    wiring, *named = WIRINGS[fault]
    chip = FakeChip(wiring)
    assert not at_rest(chip, MAT).wrong
    steps = list(buttons(chip, MAT, chip.tell))
    assert [step.name for step in steps] == ["button 1", "button 2"]
    for step, word in zip(steps, named, strict=True):
        assert bool(step.wrong) == bool(word) and word in step.wrong


def test_a_button_that_sticks_is_told():
    chip = FakeChip(held_ms=10**9)
    assert "sticks" in next(iter(buttons(chip, MAT, chip.tell))).wrong


def test_the_parts_that_are_named_are_those_of_the_boards():
    """By the carrier's netlist: from each button's pin of the Pico to its plug, and the lights'."""
    text = (MAT_TOML.parent / "netlists" / "carrier_standard.net").read_text(encoding="utf-8")
    net = trace.read(text).net
    for k, pico_pin in enumerate((26, 27)):  # GP20 and GP21: Pico datasheet, 2.1
        assert MAT.button_pins[k] == 20 + k
        assert net["U1", pico_pin] == net[f"R{3 + k}", 2]
        assert net[f"R{3 + k}", 1] == net[f"J{21 + k}", 1]
        assert net[f"R{3 + k}", 1] in (net["U6", 1], net["U6", 3])
    assert net["R2", 2] == net["J20", 2] and net["R2", 1] == net["U5", 4]
    assert LEDS_AN_ARC == schematic.LEDS_AN_ARC


@pytest.mark.parametrize(("index", "plug"), [(0, "J21"), (1, "J22")])
def test_a_button_that_is_down_from_the_start_is_told_before_the_mat_is_asked(index, plug):
    step = at_rest(FakeChip(stuck=(index,)), MAT)
    assert f"button {index + 1}" in step.wrong and plug in step.wrong


# ---- the command
@pytest.fixture
def bare():
    array = SensorArray(MAT, 5, MatCondition())
    return array.counts(10_000 * np.arange(FRAMES), np.zeros((FRAMES, MAT.n)))


@pytest.fixture
def at_the_table(monkeypatch, bare):
    """A person at a terminal, and a mat whose Pico is a FakeChip: returns what sets these up."""

    def prepare(chip, fault=(), answer_last="later"):
        eyes = Eyes(chip.pixels, dict(fault))
        done = []

        class Pico:
            def __init__(self, port):
                done.append("stopped")

            def run(self, code):
                return chip.run(code)

            def restart(self):
                done.append("started")

        def asked(question):
            return answer_last if "closed" in question else eyes(question)

        def say(*texts, **how):
            told = " ".join(map(str, texts))
            sys.stdout.write(told + "\n")
            if "Press button" in told:
                chip.tell(told)

        monkeypatch.setattr("sys.stdin", SimpleNamespace(isatty=lambda: True))
        monkeypatch.setattr("builtins.input", asked)
        monkeypatch.setattr("builtins.print", say)
        monkeypatch.setattr("polarity_host.device.flashing.pico.Pico", Pico)
        monkeypatch.setattr("polarity_host.cli.flash.hello", lambda url: {"mat": MAT.id})
        monkeypatch.setattr("polarity_host.cli.doctor._bare", lambda args: (bare, MAT))
        return done

    return prepare


def test_the_whole_walk_of_a_sound_mat_that_is_not_closed_yet(at_the_table, capsys):
    done = at_the_table(FakeChip())
    assert main(["doctor", "/dev/pico", "--bring-up"]) == 0
    told = capsys.readouterr().out
    order = [
        "the Pico",
        "power",
        "the carrier",
        "tile A1",
        "the whole mat",
        "lights",
        "button 2",
        "settling",
    ]
    places = [told.index("\n" + name) if k else told.index(name) for k, name in enumerate(order)]
    assert places == sorted(places) and "<-" not in told
    assert "polarity calibrate" in told  # it is left to do
    assert done == ["stopped", "started"] * 2  # the mat plays again in the end


@pytest.mark.parametrize(
    ("chip", "fault", "named", "stops"),
    [
        (FakeChip(stuck=(0,)), {}, "J21", "power"),
        (FakeChip(), {40: ()}, "arc 8, D5", "closed"),
        (FakeChip(((0,), ())), {}, "J22", "closed"),
    ],
    ids=["stuck", "light", "button"],
)
def test_it_stops_at_what_is_wrong(at_the_table, capsys, chip, fault, named, stops):
    done = at_the_table(chip, fault)
    assert main(["doctor", "/dev/pico", "--bring-up"]) == 1
    told = capsys.readouterr().out
    assert "  <- expected: " in told and named in told and stops not in told
    assert done[-1] == "started"


def test_a_virtual_mat_is_calibrated_by_it(monkeypatch, capsys):
    monkeypatch.setattr("sys.stdin", SimpleNamespace(isatty=lambda: True))
    monkeypatch.setattr("builtins.input", lambda question: "")
    url = "sim://calibration?mat=small&seed=4&speed=0"
    assert main(["doctor", url, "--bring-up"]) == 0
    told = capsys.readouterr().out
    assert "calibration: 121 of 121 sensors" in told and "a virtual mat has no lights" in told
    assert BY_HAND[2].name in told.splitlines()[-1]


def test_a_person_who_leaves_ends_it(at_the_table, monkeypatch):
    at_the_table(FakeChip())

    def left(question):
        raise EOFError

    monkeypatch.setattr("builtins.input", left)
    assert main(["doctor", "/dev/pico", "--bring-up"]) == 130
