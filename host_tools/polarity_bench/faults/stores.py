"""Stores that several programs use at once: two loggers of one mat, one of another, and somebody
who locks the file again and again. What each mat numbered is there once, and the seals hold."""

import io
import json
import os
import sqlite3
import tempfile
import time
from contextlib import redirect_stdout
from pathlib import Path
from random import Random
from typing import Any

from polarity_bench.faults import hostile
from polarity_bench.faults.files import game_messages
from polarity_host.cli import main
from polarity_host.errors import DONE, HostError
from polarity_host.games.schema import APPLICATION_ID, MIGRATIONS
from polarity_host.games.store import Store
from polarity_host.wire.lines import Message, decode

BOOTS = (1, 1, 2)  # of the mats that the loggers follow
LOCKS, LOCKED_S = 4, 0.05  # how often it is locked, and at most for so long each time
STORED, REFUSED, BROKEN = 0, 3, 4  # how a logger ends


def run(rounds: int, seed: int) -> dict[str, Any]:
    """So many new and old stores. Returns `stores`; `stores_wrong`: those that lack a message, have
    one twice, are not sound, or in which a logger ended otherwise than it may; `loggers_refused`:
    the second of a mat, in one line; `details`. All are 0 where the system has no `fork`."""
    figures: dict[str, Any] = {"stores": 0, "stores_wrong": 0, "loggers_refused": 0, "details": []}
    if not hasattr(os, "fork"):
        return figures
    messages = [message for message in game_messages() if message.numbered]
    by_boot = {boot: [_of_boot(message, boot) for message in messages] for boot in BOOTS}
    with tempfile.TemporaryDirectory() as folder:
        for number in range(rounds):
            path = Path(folder, f"{number}.db")
            draw = Random(f"{seed}/{number}")
            _make(path, draw.randrange(len(MIGRATIONS) + 1))
            ends, wrong = _used(path, by_boot, draw), []
            figures["loggers_refused"] += ends.count(REFUSED)
            if not set(ends) <= {STORED, REFUSED} or ends[2] or STORED not in ends[:2]:
                wrong.append(f"loggers ended with {ends}")
            for boot, own in by_boot.items():
                found = _numbers(path, boot)
                if found != [message.number for message in own]:
                    wrong.append(f"boot {boot}: {len(found)} of {len(own)} messages")
            if not _is_sound(path):
                wrong.append("its seals do not hold")
            figures["stores_wrong"] += bool(wrong)
            figures["details"] += [f"{seed}/{number}: {what}" for what in wrong][:12]
            figures["stores"] += 1
    return figures


def _of_boot(message: Message, boot: int) -> Message:
    fields = json.loads(message.raw.partition(" ")[2]) | {"b": boot}
    found = decode(hostile.framed(json.dumps(fields, separators=(",", ":"))).rstrip(b"\n"))
    assert isinstance(found, Message)
    return found


def _make(path: Path, version: int) -> None:
    """An empty store as a version of this program once made it; none for version 0."""
    if not version:
        return
    with sqlite3.connect(path) as db:
        for script in MIGRATIONS[:version]:
            db.executescript(script)
        db.execute(f"PRAGMA application_id = {APPLICATION_ID}")
        db.execute(f"PRAGMA user_version = {version}")
    db.close()


def _used(path: Path, by_boot: dict[int, list[Message]], draw: Random) -> list[int]:
    """How the loggers ended that all used it at once."""
    children = []
    for part in (*(by_boot[boot] for boot in BOOTS), None):
        chance = Random(draw.random())
        child = os.fork()
        if not child:
            try:
                if part is None:
                    _lock(path, chance)
                else:
                    _log(path, part, chance)
            except HostError as error:
                os._exit(BROKEN if "\n" in error.message else REFUSED)
            except BaseException:
                os._exit(BROKEN)
            os._exit(STORED)
        children.append(child)
    return [os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) for child in children][:-1]


def _log(path: Path, messages: list[Message], draw: Random) -> None:
    """As `polarity log` does: it asks the mat for what it has not, and stores what comes."""
    with Store(path) as store:
        last = store.last_number(messages[0].boot)
        left = [message for message in messages if message.number > last]
        while left:
            share = draw.randrange(1, 6)
            store.add(left[:share])
            left = left[share:]
            time.sleep(draw.uniform(0, 0.005))


def _lock(path: Path, draw: Random) -> None:
    for _ in range(LOCKS):
        db = sqlite3.connect(path, timeout=10, isolation_level=None)
        db.execute("BEGIN EXCLUSIVE")
        time.sleep(draw.uniform(0, LOCKED_S))
        db.execute("ROLLBACK")
        db.close()


def _numbers(path: Path, boot: int) -> list[int]:
    with Store(path) as store:
        return sorted(
            message.number
            for game in store.games()
            for message in store.messages(game["id"])[0]
            if message.boot == boot and message.numbered
        )


def _is_sound(path: Path) -> bool:
    """Whether `polarity games --check` finds nothing wrong."""
    with redirect_stdout(io.StringIO()):
        return main(["games", "--check", "--db", str(path)]) == DONE
