"""The chip's Python takes and refuses calibrations as this one does."""

from pathlib import Path

from polarity_bench import runtimes


def test_cpython_and_micropython_take_the_same_calibrations():
    script = Path(__file__).with_name("calibration_script.py")
    ours = runtimes.script_under_cpython(script)
    assert b"is of mat other with" in ours and b"True" in ours
    assert runtimes.script_under_micropython(script) == ours
