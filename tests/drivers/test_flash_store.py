"""The store survives a power cut at any byte, and tells damage."""

import base64
import builtins
import os
import re

import pytest

import loading
from drivers.flash_store import FlashStore

OLDER, NEWER = b"turn 7" * 9, b"turn 8: all of it" * 5


class PowerCut(BaseException):
    """Nothing can catch it."""


class Power:
    """Lets so many bytes and file operations happen, then none."""

    def __init__(self, monkeypatch, steps):
        self.left = steps
        self.used = 0
        really_open, rename, remove = builtins.open, os.rename, os.remove

        def opened(path, mode):
            if "w" in mode:
                self.step()
            return Slow(self, really_open(path, mode))

        monkeypatch.setattr(builtins, "open", opened)
        monkeypatch.setattr(os, "rename", lambda a, b: (self.step(), rename(a, b)))
        monkeypatch.setattr(os, "remove", lambda a: (self.step(), remove(a)))

    def step(self):
        if self.used == self.left:
            raise PowerCut
        self.used += 1


class Slow:
    """A file that writes a byte at a time."""

    def __init__(self, power, file):
        self.power, self.file = power, file

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.file.close()

    def read(self, count=-1):
        return self.file.read(count)

    def write(self, data):
        for at in range(len(data)):
            self.power.step()
            self.file.write(data[at : at + 1])


def cut_while_saving(tmp_path, steps):
    """Saves OLDER and NEWER, the power failing after so many steps of the second; returns what is
    there then, and whether it failed."""
    folder = str(tmp_path / str(steps))
    FlashStore(folder).save("game", OLDER)
    with pytest.MonkeyPatch.context() as monkeypatch:
        Power(monkeypatch, steps)
        store = FlashStore(folder)
        try:
            store.save("game", NEWER)
            failed = False
        except PowerCut:
            failed = True
    return folder, failed


def test_a_power_cut_at_any_byte_leaves_the_old_or_the_new(tmp_path):
    seen = set()
    for steps in range(1000):
        folder, failed = cut_while_saving(tmp_path, steps)
        data, complaint = FlashStore(folder).load("game")
        assert complaint == ""
        assert data in (OLDER, NEWER)
        seen.add(data)
        again = FlashStore(folder)
        again.save("game", b"after")
        assert FlashStore(folder).load("game") == (b"after", "")
        if not failed:
            assert data == NEWER
            break
    assert seen == {OLDER, NEWER} and steps > len(NEWER)


def test_a_second_cut_while_it_recovers_loses_nothing(tmp_path):
    for steps in range(0, 120, 7):
        for more in range(0, 120, 5):
            under = tmp_path / str(more)
            under.mkdir(exist_ok=True)
            folder, _ = cut_while_saving(under, steps)
            kept = FlashStore(folder).load("game")[0]
            with pytest.MonkeyPatch.context() as monkeypatch:
                Power(monkeypatch, more)
                try:
                    FlashStore(folder).save("game", b"third")
                except PowerCut:
                    pass
            assert FlashStore(folder).load("game") in ((kept, ""), (b"third", ""))


def test_what_is_saved_in_parts_is_kept_at_the_end_and_not_before(tmp_path):
    folder = str(tmp_path / "kept")
    store = FlashStore(folder)
    store.save("game", OLDER)
    for steps in range(100):
        saving = store.saving("game", (NEWER[:9], NEWER[9:]))
        done = 0
        while done < steps and next(saving, "over") is None:
            done += 1
        saving.close()
        data, complaint = FlashStore(folder).load("game")
        assert data in (OLDER, NEWER) and complaint == ""
        if done < steps:
            break
        store.save("game", OLDER)
    assert data == NEWER and steps > 3


def test_nothing_kept_is_no_complaint(tmp_path):
    assert FlashStore(str(tmp_path / "new")).load("settings") == (None, "")


@pytest.mark.parametrize("at", [0, 5, 9, 20, -1])
def test_a_damaged_record_is_told_and_the_copy_taken(tmp_path, at):
    folder = str(tmp_path / "kept")
    store = FlashStore(folder)
    store.save("game", OLDER)
    store.save("game", NEWER)
    path = tmp_path / "kept" / "game"
    broken = bytearray(path.read_bytes())
    broken[at] ^= 0x40
    path.write_bytes(broken)
    assert FlashStore(folder).load("game") == (OLDER, "game is damaged")


def test_what_is_set_aside_is_found_no_more_and_is_still_there(tmp_path):
    folder = str(tmp_path / "kept")
    store = FlashStore(folder)
    assert not store.set_aside("game")
    store.save("game", OLDER)
    store.save("game", NEWER)
    assert store.set_aside("game") and not store.set_aside("game")
    assert FlashStore(folder).load("game") == store.load("game") == (None, "")
    assert store.load("game.bad") == (NEWER, "")
    store.save("game", b"after")
    assert FlashStore(folder).load("game") == (b"after", "")


def test_a_cut_while_it_is_set_aside_leaves_one_whole_record(tmp_path):
    for steps in range(4):
        folder = str(tmp_path / str(steps))
        store = FlashStore(folder)
        store.save("game", OLDER)
        store.save("game", NEWER)
        with pytest.MonkeyPatch.context() as monkeypatch:
            Power(monkeypatch, steps)
            try:
                store.set_aside("game")
            except PowerCut:
                pass
        again = FlashStore(folder)
        assert NEWER in (again.load("game")[0], again.load("game.bad")[0])


@pytest.mark.parametrize(
    "failed, names",
    [(0, []), (1, ["game", "offsets"]), (2, ["game", "offsets", "settings", "calibration"])],
)
def test_what_is_set_aside_after_starts_that_failed_is_sent_in_lines(tmp_path, failed, names):
    folder = str(tmp_path / "kept")
    store = FlashStore(folder)
    for name in ("game", "offsets", "settings", "calibration"):
        store.save(name, name.encode() * 300)
    files = {name: (tmp_path / "kept" / name).read_bytes() for name in names}
    assert loading.set_aside(store, failed) == names
    sent = dict.fromkeys(names, b"")
    for line in loading.contents(names, folder):
        name, at, text = re.fullmatch(r"(\w+)\.bad from byte (\d+): (\S+)", line).groups()
        assert len(line) < 1000 and int(at) == len(sent[name])
        sent[name] += base64.b64decode(text)
    assert sent == files
