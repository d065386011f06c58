"""Power cuts while the mat saves, over a modelled flash: is one whole recent record always there?

The model is at the files: what littlefs promises is that a rename happens or does not, and that a
file that was closed is whole. A file that was open when the power failed may be anything: not
there, cut anywhere, or whole. Its last page may be half-programmed, so that its cells read
differently each time (weak cells).
"""

from collections.abc import Callable
from importlib.util import module_from_spec, spec_from_file_location
from random import Random
from types import ModuleType
from typing import Any

from polarity_host.sources import FIRMWARE

PAGE_BYTES = 256  # that the W25Q16JV programs at once (its datasheet, 8.2.13)
WEAK_ONE_IN = 2  # of the cut pages
STEPS = 14  # of a save at most, in calls of the file system


def _driver(name: str) -> ModuleType:
    """A module of firmware/drivers, which is no package on this computer."""
    spec = spec_from_file_location(name, FIRMWARE / "drivers" / f"{name}.py")
    assert spec is not None and spec.loader is not None, "it is a file of Python"
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


flash_store = _driver("flash_store")


class Cut(BaseException):
    """The power fails. Nothing can catch it."""


class Flash:
    """Files by path, as littlefs leaves them. `steps` until the power fails, None for never."""

    def __init__(self, draw: Random) -> None:
        self.files: dict[str, bytes] = {}
        self.weak: dict[str, list[int]] = {}  # the bytes of a file that have weak cells
        self.open_files: dict[str, bytearray] = {}
        self.erasures = 0
        self.steps: int | None = None
        self.fail: Callable[[], None] = self._cut
        self._draw = draw

    def step(self) -> None:
        """A call that writes: the power may fail before it."""
        if self.steps is not None:
            if self.steps == 0:
                self.steps = None
                self.fail()
            else:
                self.steps -= 1

    def _cut(self) -> None:
        raise Cut

    def power_up(self) -> None:
        """What the cut left of the files that were open."""
        for path, data in self.open_files.items():
            fate = self._draw.randrange(4)
            if fate == 0:
                continue  # littlefs has not committed it
            kept = bytes(data) if fate == 1 else bytes(data[: self._draw.randrange(len(data) + 1)])
            self.files[path] = kept
            self.weak.pop(path, None)
            if kept and self._draw.randrange(WEAK_ONE_IN) == 0:
                page = len(kept) - 1 - (len(kept) - 1) % PAGE_BYTES
                count = self._draw.choice((1, 2, 3, 100))
                self.weak[path] = [self._draw.randrange(page, len(kept)) for _ in range(count)]
        self.open_files.clear()

    def read(self, path: str) -> bytes:
        """What a file reads as, this time."""
        data = self.files[path]
        if path not in self.weak:
            return data
        shaken = bytearray(data)
        for at in self.weak[path]:
            if self._draw.randrange(2):
                shaken[at] ^= 1 << at % 8  # a cell half-way to 0
        return bytes(shaken)

    # ---- as the module `os` and the function `open`
    def mkdir(self, folder: str) -> None:
        """There is one folder."""

    def stat(self, path: str) -> tuple[int, ...]:
        """Its size is the seventh."""
        if path not in self.files:
            raise OSError(2)
        return (0,) * 6 + (len(self.files[path]),)

    def remove(self, path: str) -> None:
        """OSError where it is not."""
        self.step()
        if self.files.pop(path, None) is None:
            raise OSError(2)
        self.weak.pop(path, None)

    def rename(self, path: str, to: str) -> None:
        """At once, or not."""
        self.step()
        if path not in self.files:
            raise OSError(2)
        self.files[to] = self.files.pop(path)
        self.weak.pop(to, None)
        if path in self.weak:
            self.weak[to] = self.weak.pop(path)

    def close(self, path: str, data: bytes) -> None:
        """A file that was written is committed as a whole."""
        self.step()
        self.files[path] = data
        self.weak.pop(path, None)
        self.erasures += 1 + len(data) // 4096

    def open(self, path: str, mode: str) -> "File":
        """A file to read or to write anew."""
        if "w" in mode:
            self.step()
            self.open_files[path] = bytearray()
        elif path not in self.files:
            raise OSError(2)
        return File(self, path, b"" if "w" in mode else self.read(path))


class File:
    """An open file of a Flash."""

    def __init__(self, flash: Flash, path: str, data: bytes) -> None:
        self._flash, self._path, self._data, self._at = flash, path, data, 0

    def __enter__(self) -> "File":
        return self

    def __exit__(self, kind: Any, *_: Any) -> None:
        written = self._flash.open_files.get(self._path)
        if written is not None and kind is None:
            self._flash.close(self._path, bytes(written))
        if kind is None or not issubclass(kind, Cut):
            self._flash.open_files.pop(self._path, None)

    def read(self, count: int = -1) -> bytes:
        """As a file's."""
        end = len(self._data) if count < 0 else self._at + count
        part, self._at = self._data[self._at : end], min(end, len(self._data))
        return part

    def write(self, data: bytes) -> None:
        """As a file's."""
        self._flash.step()
        self._flash.open_files[self._path] += data


def run(cuts: int, seed: int) -> dict[str, int]:
    """Cuts the power `cuts` times, each at a random call of a save of a game, on flashes that are
    used for a hundred cuts each. Returns

    `power_cuts`; `kept_wrong`: starts that found anything but the last record that was saved or the
    one that was being saved; `kept_stale`: those after which another start, with nothing saved in
    between, would have found the other of the two (of weak cells); `failed_io` and
    `io_unrecovered`: the same where a call raised OSError instead; `most_erasures` of one flash.
    """
    keys = ("power_cuts", "kept_wrong", "kept_stale", "failed_io", "io_unrecovered")
    figures: dict[str, int] = dict.fromkeys((*keys, "most_erasures"), 0)
    draw = Random(seed)
    module: dict[str, Any] = flash_store.__dict__
    really = module.get("os"), module.get("open")
    try:
        while figures["power_cuts"] < cuts:
            flash = Flash(draw)
            module.update(os=flash, open=flash.open)
            _wear(flash, draw, min(100, cuts - figures["power_cuts"]), figures)
            figures["most_erasures"] = max(figures["most_erasures"], flash.erasures)
    finally:
        module["os"] = really[0]
        module.pop("open")
        if really[1]:
            module["open"] = really[1]
    return figures


def _wear(flash: Flash, draw: Random, cuts: int, figures: dict[str, int]) -> None:
    kept = b"the first game"
    flash_store.FlashStore().save("game", kept)
    for number in range(cuts):
        data = b"game %d " % number + draw.randbytes(draw.choice((40, 400, 4000)))
        parts = [data[at : at + 512] for at in range(0, len(data), 512)]
        store = flash_store.FlashStore()
        flash.steps = draw.randrange(STEPS)
        io = draw.randrange(10) == 0
        flash.fail = _raise_os_error if io else flash._cut
        saved = False
        try:
            for _ in store.saving("game", parts):
                pass
            saved = True
        except (Cut, OSError):
            pass
        flash.steps = None
        flash.power_up()
        figures["failed_io" if io else "power_cuts"] += 1
        found = flash_store.FlashStore().load("game")[0]
        if found not in ((data,) if saved else (kept, data)):
            figures["io_unrecovered" if io else "kept_wrong"] += 1
        figures["kept_stale"] += flash_store.FlashStore().load("game")[0] != found
        kept = found or data
        flash_store.FlashStore().save("game", kept)  # as the loop does in the first pause


def _raise_os_error() -> None:
    raise OSError(5)
