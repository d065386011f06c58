"""`make hardware` is run as a person runs it: by a Python that has imported nothing yet."""

import subprocess
import sys


def test_the_tools_find_the_engine_by_themselves(project_root):
    """Under pytest its folder is on the path anyway (pythonpath in pyproject.toml)."""
    program = "import hardware.tools.__main__ as tools; print(tools.mat_data.__name__)"
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=project_root, capture_output=True, text=True
    )
    assert (done.returncode, done.stdout.strip()) == (0, "polarity.mat_data"), done.stderr
