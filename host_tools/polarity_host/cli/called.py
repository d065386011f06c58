"""How this program is called here, so that a hint can be pasted."""

import shutil
import sys
from pathlib import Path


def called() -> str:
    """`polarity` where the shell finds this very program by that name, else what was typed, as
    `.venv/bin/polarity`; `python -m polarity_host` where it was started as a module."""
    typed = Path(sys.argv[0])
    if typed.name == "__main__.py" and typed.parent.name == "polarity_host":
        return f"{sys.executable} -m polarity_host"
    found = shutil.which("polarity")
    same = found and typed.exists() and Path(found).resolve() == typed.resolve()
    return "polarity" if same or typed.stem != "polarity" else str(typed)
