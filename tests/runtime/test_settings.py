"""What settings the mat takes, from its flash and over the wire, by both Pythons alike."""

from pathlib import Path

from polarity_bench import runtimes

SCRIPT = Path(__file__).with_name("settings_script.py")


def test_cpython_and_micropython_take_and_refuse_the_same_settings():
    ours = runtimes.script_under_cpython(SCRIPT)
    assert runtimes.script_under_micropython(SCRIPT) == ours
