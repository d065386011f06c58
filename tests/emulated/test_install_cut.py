"""The cable is pulled while a version is put on the Pico, at every single write of its flash."""

import pytest

from polarity_host.device.flashing.firmware import STARTS
from polarity_host.device.flashing.install import checksum, go_back, install
from polarity_host.device.flashing.pico import Contents, Pico
from polarity_host.errors import HostError
from polarity_host.simulation.pico.flash import PAGE_BYTES
from polarity_host.simulation.pico.tcp_port import ServedPico
from tests.emulated.flash_files import REGION, files_in, recorded
from tests.emulated.test_install import BOOT, started


def version(number):
    """The files of a small firmware of this number: some are in the next too, some are not."""
    return {
        "boot.py": BOOT,
        "main.py": b"import start\n",
        "start.mpy": b"not really %d" % number,
        "start.py": b"import part.large\nprint('version %d', part.large.x)\n" % number,
        "code/00": b"PMC1" + bytes([number]) * 12 + b"same code",
        "part/large.py": b"x = %d\n" % number * 900,
        f"part/only_in_{number}.py": b"",
    }


def in_slot(slot, files):
    return {f"{slot}/{name}": data for name, data in files.items() if name not in STARTS}


def whole(found, slot):
    """The number of the version that a slot holds, without a file more or less."""
    there = {path: checksum(path, data) for path, data in found.items() if path[:2] == slot + "/"}
    for number in range(3):
        files = in_slot(slot, version(number))
        if there == {path: checksum(path, data) for path, data in files.items()}:
            return number
    raise AssertionError(sorted(there))


class Read:
    """What go_back wants of a Pico, over files that were read by other means."""

    def __init__(self, found):
        self.found = found

    def contents(self):
        sums = {path: checksum(path, data) for path, data in self.found.items() if "/" in path}
        return Contents(self.found["slot"].decode(), [], sums, "")

    def replace(self, name, data):
        assert name == "slot"


def pico_of(image, region):
    """A booted Pico with these bytes where its files lie."""
    from polarity_host.simulation.pico.pico import EmulatedPico

    pico = EmulatedPico({}, [], image)
    pico.chip.flash[REGION] = region
    pico.boot()
    return pico


@pytest.fixture
def served(image):
    made = []

    def serve(region):
        made.append(ServedPico(pico_of(image, region)))
        return made[-1]

    yield serve
    for one in made:
        one.close()


def states(region, changes):
    """The bytes of the files after each change, and in the middle of each that is a page."""
    region = bytearray(region)
    for at, before, after in changes:
        if before == after:
            continue
        if len(after) == PAGE_BYTES:
            half = PAGE_BYTES // 2
            region[at : at + PAGE_BYTES] = after[:half] + before[half:]
            yield bytes(region)
        region[at : at + len(after)] = after
        yield bytes(region)


def test_a_slot_is_whole_or_is_not_started(served):
    from polarity_host.simulation.pico.flash import file_system

    files = {name: version(1)[name] for name in STARTS} | {"slot": b"a"}
    region = file_system(files | in_slot("a", version(1)) | in_slot("b", version(0)))
    pico = served(region)
    before = bytes(pico.pico.chip.flash[REGION])
    changes = recorded(pico.pico.chip)
    assert install(Pico(pico.url), version(2)) == 4
    runs, back, refused = [], [], []  # the version that starts, the one that may be gone back to
    for cut in states(before, changes):
        found = files_in(cut)
        runs.append(whole(found, found["slot"].decode()))
        try:
            back.append(whole(found, go_back(Read(found))))
        except HostError:
            back.append(None)
            refused.append(cut)
    steps = list(dict.fromkeys(zip(runs, back)))
    assert steps == [(1, 0), (1, None), (1, 2), (2, 1)]
    left = served(refused[len(refused) // 2])
    flashed = Pico(left.url)
    with pytest.raises(HostError, match="no version before"):
        go_back(flashed)
    flashed.close()
    assert started(left) == "version 1 1"
    install(Pico(left.url), version(2))
    assert started(left) == "version 2 2"
