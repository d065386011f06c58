"""Compiles the firmware for a Pico 2, to a file that `polarity flash --files` takes:
`make pico2`, or `python -m polarity_host.device.flashing.pico2 KERNELS ZIP`.

The sources are those of the Pico's firmware. Two things differ: chip_rp2350.py is compiled in the
place of drivers/chip.py, and KERNELS, which `python -m hardware.tools.pico2` writes, in that of
polarity/kernels/_chip.py.

Nothing of this was ever run on a Pico 2, and no emulator of one was at hand: neither its ADC, PIO
and DMA, nor what flash_pages does to MicroPython's objects there (it looks before it does so).
"""

import shutil
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from polarity_host.device.flashing.firmware import RP2350, firmware_files, write_files
from polarity_host.errors import BAD_INPUT, DONE
from polarity_host.sources import FIRMWARE


def overlay(root: Path, kernels: str) -> None:
    """Makes `root` a copy of the sources with the RP2350's constants and machine code, which
    `kernels` is the text of."""
    shutil.copytree(FIRMWARE, root, ignore=shutil.ignore_patterns("__pycache__"))
    constants = root / "drivers" / "chip.py"
    shutil.copyfile(constants.with_stem("chip_rp2350"), constants)
    (root / "polarity" / "kernels" / "_chip.py").write_text(kernels, encoding="utf-8")


def pico2_files(kernels: str) -> dict[str, bytes]:
    """All files for a Pico 2, by their paths on its flash."""
    with tempfile.TemporaryDirectory() as directory:
        root = Path(directory, "firmware")
        overlay(root, kernels)
        return firmware_files(root)


def main(argv: Sequence[str]) -> int:
    """Writes the file, and says what it is worth."""
    if len(argv) != 2:
        print(__doc__, file=sys.stderr)
        return BAD_INPUT
    files = pico2_files(Path(argv[0]).read_text(encoding="utf-8"))
    write_files(Path(argv[1]), RP2350, files)
    print(f"wrote {argv[1]}: {len(files)} files for a Pico 2. They were never run on one")
    return DONE


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
