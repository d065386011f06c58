"""The chip's Python judges as this one does."""

import subprocess
import sys

import pytest


def test_both_runtimes_judge_alike(project_root):
    if not (project_root / "node_modules/@micropython").exists():
        pytest.skip("MicroPython for Node is not installed: run `make test`")
    firmware, script = project_root / "firmware", project_root / "tests/rules/judge_both.py"
    ours = subprocess.run(
        [sys.executable, script], env={"PYTHONPATH": str(firmware)},
        capture_output=True, check=True, text=True, timeout=120,
    )  # fmt: skip
    chip = subprocess.run(
        ["node", project_root / "tests/wire/run_micropython.mjs", firmware, script],
        capture_output=True, text=True, timeout=120,
    )  # fmt: skip
    assert chip.returncode == 0, chip.stderr[-2000:]
    assert len(ours.stdout.splitlines()) > 500
    assert chip.stdout == ours.stdout
