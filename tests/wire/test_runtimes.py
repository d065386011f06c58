"""The chip's Python writes the same wire as this one."""

from pathlib import Path

from polarity_bench import runtimes


def test_cpython_and_micropython_write_the_same_bytes():
    script = Path(__file__).with_name("script.py")
    ours = runtimes.script_under_cpython(script)
    assert len(ours) > 10000
    assert runtimes.script_under_micropython(script) == ours
