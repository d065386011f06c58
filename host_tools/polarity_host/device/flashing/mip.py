"""Writes the firmware as a package for `mip`, MicroPython's own installer:
`python -m polarity_host.device.flashing.mip FOLDER`.

mip copies files and asks nothing: it knows no second version to go back to, and looks at neither
board nor flash. `polarity flash` does. So this is for a Pico with nothing on it yet, where mpremote
is at hand and this program is not. The package has compiled modules: mip cannot take the sources,
which are too large to be compiled on the chip.
"""

import argparse
import json
import sys
from collections.abc import Mapping
from pathlib import Path

from polarity_host.device.flashing.firmware import files_to_flash
from polarity_host.errors import DONE

PACKAGE = "package.json"


def write_package(folder: Path, files: Mapping[str, bytes]) -> Path:
    """Writes the files and the package's description into `folder`, and returns where that is."""
    for name, data in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
    from polarity.version import number

    about = {"urls": [[name, name] for name in sorted(files)], "deps": [], "version": number}
    package = folder / PACKAGE
    package.write_text(json.dumps(about, indent=1) + "\n", encoding="ascii")
    return package


def main(argv: list[str] | None = None) -> int:
    """Writes the package, and says how it is installed."""
    parser = argparse.ArgumentParser(
        prog="python -m polarity_host.device.flashing.mip", description=__doc__
    )
    parser.add_argument("folder", type=Path, metavar="FOLDER", help="a folder to write it to")
    package = write_package(parser.parse_args(argv).folder, files_to_flash())
    print(f"mpremote mip install --target '' {package}")
    return DONE


if __name__ == "__main__":
    sys.exit(main())
