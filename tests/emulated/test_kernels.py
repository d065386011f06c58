"""The kernels on the chip against the reference under CPython, bit by bit."""

from pathlib import Path

from polarity_host.device.flashing.compiled import compiled
from polarity_host.device.flashing.firmware import NOT_MOVED, import_order, source_of
from polarity_host.device.flashing.pages import pages
from tests.emulated.programs import pico_with
from tests.kernels import vectors

SEEDS = 6
LIMIT_MS = 60_000
RUN = """
from polarity import kernels
print(kernels.KIND)
import vectors
for line in vectors.lines(range(%d)):
    print(line)
"""


MOVED = """
from flash_pages import code as flash_code
flash_code.move("code")
flash_code.room = None
"""


def files_for(settings=b"", moved=True):
    """What the kernels' checks need; `moved`: their code can be run in the flash, as on a mat, for
    the heap is short."""
    modules = ["drivers", "drivers.guard", "drivers.sums"]
    modules += ["flash_pages", "flash_pages.code", "flash_pages.names"]
    for module in ("polarity.perception.search", "polarity.mat_data"):
        modules += [m for m in import_order(module, always=False) if m not in modules]
    here = Path(vectors.__file__).parent
    files = compiled(map(source_of, modules)) | compiled([here / "vectors.py"], here)
    if moved:
        files |= pages(files, [m for m in modules if not m.startswith(NOT_MOVED)])
    return files | {"polarity_settings.py": settings}


def wrong(said, seeds):
    """Which checks of which seeds differ from CPython's."""
    found = []
    for told, line in zip(said, vectors.lines(seeds), strict=True):
        names = [check.__name__ for check in vectors.CHECKS]
        both = zip(names, told.split()[1:], line.split()[1:], strict=True)
        found += [(line.split()[0], name) for name, ours, theirs in both if ours != theirs]
    return found


def test_the_chips_code_returns_what_the_reference_does(image):
    pico = pico_with(image, files=files_for())
    chosen, *said = pico.execute(MOVED + RUN % SEEDS, LIMIT_MS).splitlines()
    assert chosen == "chip"
    assert wrong(said, range(SEEDS)) == []


def test_the_reference_can_be_forced_and_is_the_same_on_the_chip(image):
    pico = pico_with(image, files=files_for(b"KERNELS = 'reference'\n", moved=False))
    chosen, *said = pico.execute(RUN % 2, LIMIT_MS).splitlines()
    assert chosen == "reference"
    assert wrong(said, range(2)) == []
