"""What pyproject.toml cannot say: which folders the wheel takes its parts from, and its firmware.

A wheel carries the engine's sources as data of polarity_host (polarity_host.sources says why), and
the firmware compiled for the chip, so that `polarity flash` needs no compiler. Where the variable
POLARITY_SIGNING_KEY names a private key, it carries the firmware's signature as well, for
`polarity flash --key`.
"""

import os
import shutil
import sys
import zipfile
from pathlib import Path

from setuptools import find_packages, setup
from setuptools.command.build_py import build_py

HERE = Path(__file__).resolve().parent
FIRMWARE = "polarity_host.firmware"
SIGNING_KEY = os.environ.get("POLARITY_SIGNING_KEY")


class BuildPy(build_py):
    """Adds the compiled firmware to a wheel."""

    def run(self) -> None:
        if self.editable_mode:
            super().run()
            return
        for package in ("polarity_host", "polarity_bench"):  # what an earlier build has left there
            shutil.rmtree(Path(self.build_lib, package), ignore_errors=True)
        super().run()
        sys.path.insert(0, str(HERE / "host_tools"))
        try:
            from polarity_host.device.flashing import signing
            from polarity_host.device.flashing.firmware import firmware_files

            files = firmware_files()
            signature = signing.sign(files, Path(SIGNING_KEY)) if SIGNING_KEY else b""
        except ImportError as missing:  # --no-build-isolation: `flash` will compile it itself
            if SIGNING_KEY:
                raise
            self.warn(f"the wheel will have no compiled firmware: {missing}")
            return
        finally:
            sys.path.pop(0)
        target = Path(self.build_lib, "polarity_host", "compiled_firmware.zip")
        with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
            for name, data in sorted(files.items()):
                archive.writestr(name, data)
        if signature:
            target.with_suffix(".sig").write_bytes(signature)


setup(
    packages=[
        *find_packages("host_tools", include=["polarity_host*", "polarity_bench*"]),
        "polarity_host.hardware",
        FIRMWARE,
        *(f"{FIRMWARE}.{name}" for name in find_packages("firmware")),
    ],
    package_dir={"": "host_tools", FIRMWARE: "firmware", "polarity_host.hardware": "hardware"},
    package_data={
        "polarity_host": [
            "**/*.toml",
            "**/*.lark",
            "**/*.json",
            "**/*.md",
            "live/static/**",
            "hub/static/**",
            "hub/compose/*",
            "py.typed",
        ],
        "polarity_bench": ["*.lark", "*.mjs"],
        "polarity_host.hardware": ["mat.toml"],
        FIRMWARE: ["*.md", "**/*.pyi"],
    },
    cmdclass={"build_py": BuildPy},
)
