"""A hint that can be pasted, wherever the program was installed."""

import sys

import pytest

from polarity_host.cli.called import called


@pytest.fixture
def program(tmp_path, monkeypatch):
    """A `polarity` in an environment of its own."""
    file = tmp_path / "venv" / "bin" / "polarity"
    file.parent.mkdir(parents=True)
    file.write_text("#!/bin/sh\n")
    file.chmod(0o755)
    monkeypatch.setattr(sys, "argv", [str(file), "demo"])
    return file


def test_what_the_shell_finds_is_called_by_its_name(program, monkeypatch):
    monkeypatch.setenv("PATH", str(program.parent))
    assert called() == "polarity"


def test_what_it_does_not_find_is_called_by_its_path(program, monkeypatch, tmp_path):
    monkeypatch.setenv("PATH", str(tmp_path))
    assert called() == str(program)


def test_another_program_of_that_name_is_not_meant(program, monkeypatch, tmp_path):
    other = tmp_path / "other" / "polarity"
    other.parent.mkdir()
    other.write_text("#!/bin/sh\n")
    other.chmod(0o755)
    monkeypatch.setenv("PATH", str(other.parent))
    assert called() == str(program)


def test_a_module_is_called_as_one(monkeypatch):
    monkeypatch.setattr(sys, "argv", ["/somewhere/polarity_host/__main__.py", "demo"])
    assert called() == f"{sys.executable} -m polarity_host"
