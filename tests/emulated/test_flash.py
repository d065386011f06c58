"""`polarity flash` over a mat that runs: an emulated Pico with the whole firmware, at its port."""

import json
import shutil

import numpy as np
import pytest

from polarity.calibration import CELLS, Calibration, write
from polarity_host.cli import flash, main
from polarity_host.device.flashing import pico
from polarity_host.device.flashing.compiled import FIRMWARE
from polarity_host.device.flashing.firmware import STARTS, firmware_files
from polarity_host.device.flashing.pages import SLOTS
from polarity_host.mats.description import load_mat
from polarity_host.simulation.pico.tcp_port import ServedPico
from tests.emulated.flash_files import REGION, files_in
from tests.emulated.programs import pico_with, record

LONG_S = 600.0  # the emulated chip is so much slower than a real one
MAT = load_mat("small")
KEPT = {
    "kept/settings": record(json.dumps({"mat": "small", "edition": "original"}).encode()),
    "kept/calibration": record(
        write(
            Calibration(
                "small", MAT.n, "2026-11-20", [1010, 22050, 3980], [],
                [32768 + 7 * i for i in range(MAT.n)], [0] * 2 * CELLS,
            )
        )
    ),
}  # fmt: skip

IDLE = b"""
import sys
sys.path.insert(0, "a")
from drivers.usb_link import UsbLink
link = UsbLink()
print("it runs")
while True:
    link.receive()
"""


@pytest.fixture
def patience(monkeypatch):
    for module, name in ((flash, "RESTART_S"), (pico, "ANSWER_S"), (pico, "PATIENCE_S")):
        monkeypatch.setattr(module, name, LONG_S)
    monkeypatch.setattr(flash, "HELLO_EVERY_S", 20.0)


@pytest.fixture
def slots(tmp_path):
    """The firmware of another version, as long in words, in both slots; no two pages of it have the
    same stamp."""
    root = tmp_path / "firmware"
    shutil.copytree(FIRMWARE, root)
    source = root / "polarity/version.py"
    text = source.read_text(encoding="utf-8")
    source.write_text(text.replace('number = "0.', 'number = "9.'), encoding="utf-8")
    return {
        f"{slot}/{name}": data
        for slot in SLOTS
        for name, data in firmware_files(root).items()
        if name not in STARTS
    }


@pytest.fixture
def running(image, slots):
    """A Pico that reads its port as a mat does, and no more: a whole mat takes long to start. And
    how its flash is read."""
    from polarity_host.simulation.pico.pins import EmulatedMat

    files = KEPT | slots | {"main.py": IDLE, "slot": b"a"}
    counts = np.full(MAT.n, MAT.zero_count, np.uint16)
    pico = pico_with(image, EmulatedMat(MAT, [(0, counts)]), files=files)
    assert pico.run_until(lambda: b"it runs" in pico.read(), 1000)
    served = ServedPico(pico)
    yield served.url, lambda: files_in(pico.chip.flash[REGION])
    served.close()


def test_a_mat_that_runs_gets_another_version_and_goes_back(running, patience, capsys):
    url, files = running
    assert main(["flash", url, "--json"]) == 0
    done = json.loads(capsys.readouterr().out)
    assert 0 < done["copied"] < 5
    assert done["hello"]["mat"] == "small"
    assert not done["hello"]["version"].startswith("9.")
    assert done["hello"]["version"].encode() in files()["b/polarity/version.mpy"]
    assert main(["flash", url, "--back"]) == 0
    went, said = capsys.readouterr().out.splitlines()
    assert went == "back to the version in slot a"
    assert said.startswith("polarity-mat 9.") and f"mat small, {MAT.n} sensors" in said
    found = files()
    assert {name: found[name] for name in KEPT} == KEPT
