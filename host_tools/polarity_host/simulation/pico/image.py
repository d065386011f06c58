"""Which MicroPython the emulated Pico runs, and what to do where there is none."""

import importlib.util
import os
from functools import cache
from pathlib import Path

from polarity_host.device.flashing.compiled import RELEASE
from polarity_host.errors import FAILED, HostError
from polarity_host.simulation.pico import native

VARIABLE = "POLARITY_UF2"


class EmulatorMissing(HostError):
    """There is no emulator or no image for it. The message says what to do."""

    def __init__(self, message: str):
        super().__init__(FAILED, message)


@cache
def find_image() -> Path:
    """A MicroPython UF2 for the Pico: the file that POLARITY_UF2 names, else the release that the
    emulator has in its cache or can download. EmulatorMissing when there is none.
    """
    for package, name in (("rp2040py", "rp2040py"), ("littlefs", "littlefs-python")):
        if importlib.util.find_spec(package) is None:
            raise EmulatorMissing(f"{name} is not installed: pip install 'polarity-mat[emulated]'")
    native.prepare()  # before anything of the emulator is imported
    named = os.environ.get(VARIABLE)
    if named:
        if not Path(named).is_file():
            raise EmulatorMissing(f"{VARIABLE} names {named}, which is no file")
        return Path(named)
    from rp2040py.utils.firmware_retrieve import MICROPYTHON, retrieve

    try:
        image = retrieve(MICROPYTHON, RELEASE, "pico")
    except OSError as error:
        image, why = None, f" ({getattr(error, 'reason', error)})"
    else:
        why = ""
    if image is None:
        raise EmulatorMissing(
            f"MicroPython {RELEASE} for the Pico cannot be downloaded{why}: "
            f"let {VARIABLE} name a UF2 of it"
        )
    return image
