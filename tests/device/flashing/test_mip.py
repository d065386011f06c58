"""The firmware as a package for mip: what mpremote's own mip makes of it."""

import json
from argparse import Namespace

import pytest

from polarity_host.device.flashing import mip
from polarity_host.device.flashing.firmware import firmware_files

mpremote_mip = pytest.importorskip("mpremote.mip")


class Pico:
    """The part of mpremote's transport that mip calls."""

    def __init__(self):
        self.files: dict[str, bytes] = {}
        self.folders: set[str] = set()

    def fs_exists(self, path):
        return path in self.folders

    def fs_mkdir(self, path):
        parent = path.rpartition("/")[0]
        assert not parent or parent in self.folders, "mkdir makes no parents"
        self.folders.add(path)

    def fs_writefile(self, dest, data, progress_callback=None):
        assert "/" not in dest[1:] or dest.rpartition("/")[0] in self.folders
        self.files[dest] = data


class State:
    """The part of mpremote's state that mip calls."""

    def __init__(self):
        self.transport = Pico()

    def did_action(self):
        pass

    def ensure_raw_repl(self):
        pass


def test_mip_puts_every_file_where_the_start_looks_for_it(tmp_path, capsys, monkeypatch):
    made = firmware_files()
    monkeypatch.setattr(mip, "files_to_flash", lambda: made)
    assert mip.main([str(tmp_path / "package")]) == 0
    words = capsys.readouterr().out.split()
    assert words[:3] == ["mpremote", "mip", "install"]
    state = State()
    args = Namespace(command=["install"], packages=[words[-1]], target="", index=None, mpy=None)
    mpremote_mip.do_mip(state, args)
    copied = {path.removeprefix("/"): data for path, data in state.transport.files.items()}
    assert {"boot.py", "main.py", "start.mpy"} <= copied.keys()
    assert copied.keys() == made.keys() and [n for n in made if copied[n] != made[n]] == []


def test_the_package_s_description_is_as_mip_wants_it(tmp_path):
    package = mip.write_package(tmp_path, {"main.py": b"", "drivers/guard.mpy": b"M"})
    about = json.loads(package.read_text(encoding="ascii"))
    assert about["urls"] == [["drivers/guard.mpy", "drivers/guard.mpy"], ["main.py", "main.py"]]
    assert about["deps"] == [] and about["version"][0].isdigit()
    assert (tmp_path / "drivers/guard.mpy").read_bytes() == b"M"
