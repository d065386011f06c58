"""The wheel in an environment and a folder that know nothing of the checkout."""

import os
import zipfile
from importlib.metadata import version
from pathlib import Path

import pytest

from polarity_bench.install import Environment, Expected, build_wheel, commands_of, failures
from polarity_host.device.flashing import signing
from polarity_host.device.flashing.firmware import firmware_files
from polarity_host.errors import BAD_INPUT
from tests.device.flashing.test_signing import key_pair

MOST_BYTES = 3_000_000


@pytest.mark.skipif(
    int(version("setuptools").partition(".")[0]) < 77 and not os.environ.get("CI"),
    reason="setuptools is too old to build the wheel: `make test` installs another",
)
def test_every_command_runs_far_from_the_checkout(tmp_path, monkeypatch):
    private, public = key_pair(tmp_path, "maker")
    monkeypatch.setenv("POLARITY_SIGNING_KEY", str(private))
    wheel = build_wheel(tmp_path, isolated=False)
    assert wheel.stat().st_size < MOST_BYTES
    with zipfile.ZipFile(wheel) as archive:
        archive.extract("polarity_host/compiled_firmware.zip", tmp_path)
        signature = archive.read("polarity_host/compiled_firmware.sig")
        names = archive.namelist()
    assert "polarity_host/py.typed" in names  # PEP 561: its annotations count for who imports it
    assert {name.partition("/")[0].partition("-")[0] for name in names} == {
        "polarity_host", "polarity_bench", "polarity_mat",
    }  # fmt: skip
    place = Environment(tmp_path)
    place.install_alone(wheel)
    assert failures(place, commands_of(tmp_path)) == []
    assert place.page("sim://demo?seed=1", ("", "static/live.js", "static/style.css")) == []
    used = place.run_python("import polarity_host, polarity; print(polarity.__file__)")
    assert Path(used).is_relative_to(tmp_path)

    # What `flash` would copy is what a checkout compiles; pages have a stamp of their own.
    with zipfile.ZipFile(tmp_path / "polarity_host/compiled_firmware.zip") as archive:
        carried = {name: archive.read(name) for name in archive.namelist()}
    signing.check(carried, signature, public)
    flash = ["flash", str(tmp_path / "no-such-port"), "--key", str(public)]
    assert failures(place, [Expected(flash, BAD_INPUT, "there is no port")]) == []
    made = firmware_files()
    assert carried.keys() == made.keys()
    paged = [name for name in made if "/" in name and not name.endswith((".mpy", ".py"))]
    assert [name for name in made if name not in paged and carried[name] != made[name]] == []
