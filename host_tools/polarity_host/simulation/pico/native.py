"""The emulator's compiled modules, compiled again for the running Python.

rp2040py's wheels use CPython's limited API, so that one wheel serves all versions. The price: each
call from one of its classes to another looks the method up by its name, at each instruction of the
emulated chip. The wheel carries the C sources too; the same ones, compiled for
one version of Python, run four times as fast. Where there is no C compiler, or Python came without
its headers, the wheel's own modules are used.
"""

import importlib.util
import os
import shlex
import shutil
import subprocess
import sys
import sysconfig
import tempfile
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from importlib.machinery import ModuleSpec, PathFinder
from importlib.metadata import version
from pathlib import Path
from types import ModuleType

from platformdirs import user_cache_path

from polarity_host.sources import INSTALLED, ROOT

#: In a checkout its folder for what is made, else where this system keeps a user's caches.
BUILD = user_cache_path("polarity", appauthor=False) if INSTALLED else ROOT / "build"
PACKAGE = "rp2040py.native."


class _Compiled:
    """Finds the modules of PACKAGE in a folder; see sys.meta_path."""

    def __init__(self, folder: Path):
        self.folder = str(folder)

    def find_spec(
        self, name: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        return PathFinder.find_spec(name, [self.folder]) if name.startswith(PACKAGE) else None


def prepare(build: Path = BUILD) -> bool:
    """Lets the emulator use modules compiled for this Python, in a folder of `build`; compiles them
    if need be. To be called before the emulator is imported. Returns whether that worked."""
    if any(isinstance(finder, _Compiled) for finder in sys.meta_path):
        return True
    folder = build / f"rp2040py-{version('rp2040py')}-{sys.implementation.cache_tag}"
    if not folder.is_dir() and not _compile(folder):
        return False
    sys.meta_path.insert(0, _Compiled(folder))
    return True


def _compile(folder: Path) -> bool:
    command = shlex.split(sysconfig.get_config_var("LDSHARED") or "")
    include = sysconfig.get_path("include")
    if not command or not shutil.which(command[0]) or not Path(include, "Python.h").is_file():
        return False
    found = importlib.util.find_spec("rp2040py")
    if found is None or not found.submodule_search_locations:
        return False
    package = Path(found.submodule_search_locations[0])
    print("Compiling the emulator for this Python (once, half a minute) ...", file=sys.stderr)
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        made = tempfile.mkdtemp(prefix="rp2040py.", dir=folder.parent)
    except OSError:
        return False
    # -fwrapv: signed overflow wraps, as Python's own build has it
    command += ["-fPIC", "-O2", "-DNDEBUG", "-fwrapv", "-w", f"-I{include}"]

    def compiles(source: Path) -> bool:
        target = Path(made, source.stem + sysconfig.get_config_var("EXT_SUFFIX"))
        done = subprocess.run([*command, source, "-o", target], capture_output=True)
        return done.returncode == 0

    with ThreadPoolExecutor(os.cpu_count()) as pool:
        done = all(pool.map(compiles, sorted(package.glob("native/*.c"))))
    try:
        if done:
            os.rename(made, folder)
            return True
    except OSError:
        pass  # another process was faster
    shutil.rmtree(made)
    return folder.is_dir()
