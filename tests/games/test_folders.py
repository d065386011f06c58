"""Where games are stored, by the environment."""

import sys
from pathlib import Path

import pytest

from polarity_host.games.folders import data_directory, games_file


@pytest.fixture(autouse=True)
def plain_environment(monkeypatch, tmp_path):
    for name in ("POLARITY_DATA", "XDG_DATA_HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))


def test_a_directory_of_the_user_s_choice_comes_first(monkeypatch, tmp_path):
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "shared"))
    monkeypatch.setenv("POLARITY_DATA", str(tmp_path / "own"))
    assert games_file() == tmp_path / "own" / "games.db"


@pytest.mark.skipif(sys.platform != "linux", reason="the places of Linux")
def test_on_linux_it_is_the_user_s_data_directory_by_the_xdg_specification(monkeypatch, tmp_path):
    assert data_directory() == Path.home() / ".local" / "share" / "polarity"
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "shared"))
    assert data_directory() == tmp_path / "shared" / "polarity"
