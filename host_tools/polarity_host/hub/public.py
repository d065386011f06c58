"""What spectators see, as files in a folder that any static host can serve: ten thousand viewers
cost the hall as much as none.

    index.html, hall/, static/, words/, mats.json   the page
    now.json             `seq`, the newest tick; `first`, the oldest that is there; `whole`, the
                         newest whole; `every_s`. The only file that changes.
    whole/N.json         everything as of tick N
    ticks/N.json         what changed with tick N
"""

import contextlib
import json
import os
import re
import shutil
import sys
import threading
from pathlib import Path
from typing import Any

from polarity_host.errors import FAILED, HostError
from polarity_host.hub.hall import Late
from polarity_host.hub.page import STATIC, hall_page, mats, words_of
from polarity_host.live.access import Role, policy
from polarity_host.live.page import STATIC as LIVE_STATIC
from polarity_host.words import LANGUAGES

EVERY_S = 2.0
WHOLE_EVERY = 30  # ticks
KEPT = 300  # ticks: ten minutes, for caches and for who was away
#: How a script names one of the live page's.
IMPORT = re.compile(r'from "mat/([\w.]+)"')


class PublicFolder:
    """Writes a hall into a folder, `delay_s` late, from `start` until `stop`; `take` it every
    change. Begun again on the same folder it goes on with the numbers of before."""

    def __init__(self, folder: Path, delay_s: float = 0.0, every_s: float = EVERY_S):
        """Makes the page. HostError FAILED where the folder cannot be written."""
        self._folder, self._late, self._every_s = folder, Late(delay_s), every_s
        self._stopped = threading.Event()
        self._thread = threading.Thread(target=self._run, name="public", daemon=True)
        try:
            self._make_page()
        except OSError as error:
            raise HostError(
                FAILED, "cannot write {path}: {why}", path=folder, why=error.strerror or error
            ) from error
        self._seq = self._first = self._whole_seq = _last_number(folder) + 1
        self._begun = False

    def start(self) -> None:
        """Begins."""
        self._thread.start()

    def stop(self) -> None:
        """Ends it; what is due is written."""
        self._stopped.set()
        self._thread.join()

    def take(self, changes: dict[str, Any]) -> None:
        """What has changed in the hall, see `Hall.changes`."""
        self._late.take(changes)

    def _run(self) -> None:
        failed = ""
        while True:
            over = self._stopped.wait(self._every_s)
            try:
                self._write_tick(self._merged())
                failed = ""
            except OSError as error:
                why = error.strerror or str(error)
                if why != failed:
                    print(f"{self._folder}: {why}", file=sys.stderr)
                failed = why
                self._begun = False  # whoever watches begins anew
            if over:
                return

    def _merged(self) -> dict[str, Any]:
        """All that is due by now, as one change; of each board its newest state."""
        found: dict[str, Any] = {}
        for changes in self._late.due():
            found.setdefault("boards", {}).update(changes.get("boards", {}))
            found.setdefault("events", []).extend(changes.get("events", ()))
            found |= {key: changes[key] for key in ("problem", "tournament") if key in changes}
        return found

    def _write_tick(self, changes: dict[str, Any]) -> None:
        if self._begun and not changes:
            return
        self._seq += 1
        tick = {"v": 1, "k": "tick", "seq": self._seq, **changes}
        _write(self._folder / "ticks" / f"{self._seq}.json", tick)
        if not self._begun or self._seq >= self._whole_seq + WHOLE_EVERY:
            if not self._begun:
                self._first = self._seq + 1  # nobody goes on from before
            late = self._late
            whole = {"v": 1, "k": "hall", "seq": self._seq, "delay_s": late.delay_s, **late.whole}
            _write(self._folder / "whole" / f"{self._seq}.json", whole)
            self._whole_seq = self._seq
        self._first = max(self._first, self._seq - KEPT + 1)
        now = {"v": 1, "seq": self._seq, "first": self._first, "whole": self._whole_seq,
               "every_s": self._every_s}  # fmt: skip
        _write(self._folder / "now.json", now)
        self._begun = True
        self._forget()

    def _forget(self) -> None:
        """Deletes what nobody needs any more; twice what is offered stays, for who is reading."""
        oldest = self._seq - 2 * KEPT
        for name in ("ticks", "whole"):
            for path in (self._folder / name).glob("*.json"):
                if path.stem.isdecimal() and int(path.stem) < oldest:
                    path.unlink(missing_ok=True)

    def _make_page(self) -> None:
        folder = self._folder
        for name in ("ticks", "whole", "words"):
            (folder / name).mkdir(parents=True, exist_ok=True)
        shutil.copytree(STATIC, folder / "hall", dirs_exist_ok=True)
        (folder / "static").mkdir(exist_ok=True)
        for name in ("style.css", "icon.svg", *_live_scripts()):
            shutil.copyfile(LIVE_STATIC / name, folder / "static" / name)
        for language in LANGUAGES:
            _write(folder / "words" / f"{language}.json", {"v": 1, "page": words_of(language)})
        _write(folder / "mats.json", mats())
        text, scripts = hall_page(Role.SPECTATOR, "./")
        # frame-ancestors works in a header alone (CSP Level 3, 3.3)
        allowed = policy(scripts).rpartition("; ")[0]
        meta = f'<meta http-equiv="Content-Security-Policy" content="{allowed}">'
        text = text.replace("<title>", f"{meta}\n<title>").replace("<body ", "<body data-files ")
        _write(folder / "index.html", text)


def _write(path: Path, what: object) -> None:
    """Writes a file whole: who reads it meanwhile gets the one of before."""
    text = what if isinstance(what, str) else json.dumps(what, separators=(",", ":"))
    fresh = path.with_name(f".{path.name}")
    fresh.write_text(text, encoding="utf-8")
    os.replace(fresh, path)


def _live_scripts() -> set[str]:
    """The live page's scripts that the hall page uses, and those that these use."""
    found: set[str] = set()
    unread = list(STATIC.glob("*.js"))
    while unread:
        for name in IMPORT.findall(unread.pop().read_text(encoding="utf-8")):
            if name not in found:
                found.add(name)
                unread.append(LIVE_STATIC / name)
    return found


def _last_number(folder: Path) -> int:
    with contextlib.suppress(OSError, ValueError, KeyError, TypeError):
        return int(json.loads((folder / "now.json").read_text(encoding="utf-8"))["seq"])
    return 0
