import subprocess
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).parent
ROOT = HERE.parents[1]


@pytest.mark.skipif(
    not (ROOT / "node_modules/@micropython").exists(),
    reason="MicroPython for Node is not installed: run `make test`",
)
def test_cpython_and_micropython_write_the_same_bytes():
    firmware, script = ROOT / "firmware", HERE / "script.py"
    ours = subprocess.run(
        [sys.executable, "-c", "import sys, runpy; sys.path.insert(0, sys.argv[1]); "
         "runpy.run_path(sys.argv[2])", firmware, script],
        capture_output=True, check=True, timeout=120,
    )  # fmt: skip
    chip = subprocess.run(
        ["node", HERE / "run_micropython.mjs", firmware, script],
        capture_output=True, timeout=120,
    )  # fmt: skip
    assert chip.returncode == 0, chip.stderr.decode()[-2000:]
    assert len(ours.stdout) > 10000
    assert chip.stdout == ours.stdout
