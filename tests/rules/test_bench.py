"""`polarity bench rules` in small: the figures that the mat depends on."""

import json

from polarity_bench import rules, sequences
from polarity_host.cli import main
from polarity_host.simulation.pico.image import EmulatorMissing


def test_the_core_fits_and_leaves_nothing_behind(capsys, monkeypatch):
    def no_chip(*_):
        raise EmulatorMissing("it is not here")

    monkeypatch.setattr(rules.on_chip, "printed", no_chip)  # tests/emulated has it
    assert main(["bench", "rules", "--sequences", "60", "--orders", "60", "--json"]) == 0
    figures = json.loads(capsys.readouterr().out)
    assert (figures["scenarios_failed"], figures["sequences_failed"]) == (0, 0)
    assert figures["order_sequences"] == 60 and figures["order_differences"] == 0
    assert figures["sentences"] == figures["sentences_held"] > 300
    assert figures["sentences_not_judged"] > 20
    assert figures["scenarios"] > 1000 and figures["random_sequences"] == 60
    assert figures["rules_heap_kb"] <= 45
    assert figures["heap_growth_bytes"] == 0
    assert figures["judge_ms"] is None and figures["judge_ms_why"] == "it is not here"


def test_failures_are_counted_and_told(monkeypatch):
    def play(seed, length):
        raise sequences.Broken("discs are lost")

    monkeypatch.setattr(rules.sequences, "play", play)
    monkeypatch.setattr(rules, "weigh", dict)
    figures = rules.run(3, 0)
    assert figures["sequences_failed"] == 3
    assert figures["details"][0] == "random game 0: Broken: discs are lost"
