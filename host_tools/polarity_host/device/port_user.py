"""Which program has a serial device open."""

import os
from pathlib import Path

from polarity_host.errors import Said

PROCESSES = Path("/proc")


def user_of(device: str, processes: Path = PROCESSES) -> Said:
    """The program that has `device` open, as `NAME (process 4711)`; "another program" where the
    system does not tell: it is another user's, or there is no /proc."""
    path = os.path.realpath(device)
    for process in sorted(processes.glob("[0-9]*")):
        if process.name == str(os.getpid()):
            continue
        try:
            if any(os.path.realpath(file) == path for file in (process / "fd").iterdir()):
                return Said("{name} (process {number})", name=_name(process), number=process.name)
        except OSError:
            continue
    return Said("another program")


def _name(process: Path) -> str:
    """How the program was called, as `python -m polarity_host.cli log …`, without folders."""
    words = (process / "cmdline").read_bytes().decode("utf-8", "replace").split("\0")[:4]
    names = [os.path.basename(word) for word in words if word]
    name = " ".join(names) or (process / "comm").read_text("utf-8", "replace").strip()
    return "".join(c if c.isprintable() else "?" for c in name)[:80]
