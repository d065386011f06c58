"""The chip's Python judges as this one does."""

from pathlib import Path

from polarity_bench import runtimes


def test_both_runtimes_judge_alike():
    script = Path(__file__).with_name("judge_both.py")
    ours = runtimes.script_under_cpython(script)
    assert len(ours.splitlines()) > 500
    assert runtimes.script_under_micropython(script) == ours
