"""Compiles the kernels for the RP2350 of a Pico 2, as kernels.py does for the RP2040.

    python -m hardware.tools.pico2 FILE

The RP2040's machine code asks that chip's divider, which an RP2350 has not. So the same C is
compiled for its Cortex-M33, which divides itself. tests/kernels/test_cortex_m33.py runs the result
on an emulated one. It is not in the tree: who has a Pico 2 needs the compiler (`make pico2`).
"""

import sys
from pathlib import Path

from . import kernels

#: Without its floating-point unit: MicroPython's assembler functions get words.
CORE = "-mcpu=cortex-m33+nofp+nodsp"
FLAGS = [
    CORE if flag.startswith("-mcpu=") else flag
    for flag in kernels.FLAGS
    if flag != "-DPOLARITY_RP2040"
]


def kernels_text() -> str:
    """The text of polarity/kernels/_chip.py for the RP2350. FileNotFoundError: no compiler."""
    return kernels.module(FLAGS)


def main(argv: list[str]) -> int:
    """Writes the file that is named. Returns 1 without the compiler."""
    if len(argv) != 1:
        print(__doc__, file=sys.stderr)
        return 2
    if not kernels.has_compiler():
        return 1
    path = Path(argv[0])
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(kernels_text(), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
