"""The firmware's code on the emulated chip: a script over its compiled modules."""

import re
from collections.abc import Iterable
from pathlib import Path

from polarity_host.device.flashing.compiled import compiled

# The processor's clock as start.py sets it, and as it stays where a chip does not come up to that.
FAST_MHZ, USUAL_MHZ = 200, 125
#: By MHz: the code that a program begins with to run at that clock.
CLOCKS_MHZ = {FAST_MHZ: "from drivers import clock\nclock.speed_up()\n", USUAL_MHZ: ""}

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
