"""Writes the files that mats are built from: netlists, parts lists, simulations, drawings, pages.

    python -m hardware.tools.build            writes them, below hardware/
    python -m hardware.tools.build --check    exit 1 and a line for each file that is stale

Both need `pip install -e '.[hardware]'`; `make hardware` sees to that.
"""

import argparse
import sys
from pathlib import Path

from hardware.tools import outputs

HARDWARE = Path(__file__).resolve().parents[1]


def main(argv: list[str] | None = None) -> int:
    """Writes the files, or with --check names the stale ones; 1 when there are any."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument(
        "--check", action="store_true", help="change nothing; exit 1 when a file is stale"
    )
    check = parser.parse_args(argv).check
    stale = 0
    for name, text in outputs.texts().items():
        path = HARDWARE / name
        if path.exists() and path.read_text(encoding="utf-8") == text:
            continue
        stale += 1
        if check:
            print(f"{path} is stale: run `make hardware`", file=sys.stderr)
        else:
            path.parent.mkdir(exist_ok=True)
            path.write_text(text, encoding="utf-8")
            print(f"wrote {path}")
    return 1 if check and stale else 0


if __name__ == "__main__":
    sys.exit(main())
