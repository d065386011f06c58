"""Allocations that fail: of the mat's engine under real MicroPython, and of a host that stores."""

import json
import os
import shutil
import signal
import subprocess
import tempfile
from pathlib import Path
from typing import Any

from polarity_bench import runtimes
from polarity_bench.faults.files import game_messages
from polarity_host.games.store import Store
from polarity_host.mats.description import load_mat
from polarity_host.replay.recording import RecordingWriter
from polarity_host.simulation.twin.stage import Stage
from polarity_host.simulation.twin.stage_state import Action
from polarity_host.wire.lines import Message, decode
from polarity_host.wire.messages import RulingMessage
from polarity_host.words import LANGUAGES, Words

HERE = Path(__file__).resolve().parent
# The kernels' references leave megabytes of garbage in a frame, which the week must hold; where
# allocations fail, that is but one more of them.
HEAP_KB, WEEK_HEAP_KB = 1536, 24 * 1024
CHIP_FREE_BYTES = 87 * 1024  # `polarity bench device`: heap_free_kb
EVERY, EVERY_OF_WEEK = 4, 10  # frames, of which one is judged

PLACES_MM = ((-48.0, -30.0), (0.0, -62.0), (52.0, -20.0), (-40.0, 50.0))
ALLOCATIONS = 36_000  # that storing half a game takes, about
FILE_BYTES = 400_000  # that no file of it grows beyond, about
DISK_ONE_IN = 4  # of a host's failures are a full disk
FEW = 100  # failures, for which a shorter game will do
HOST_ONE_IN = 4  # of the failures are a host's


def run(count: int, seed: int, firmware: Path = runtimes.FIRMWARE) -> dict[str, Any]:
    """Lets at least so many allocations fail, each followed by what would follow it: a fourth of
    them a host's, where this Python and system can do that. Returns

    `failed_allocations`; `unrecovered`: after which the mat neither went on nor started anew with
    what was kept, or the host's store was not whole; `restarts_restored` and `restarts_anew` of the
    mat; `host_failed` of them, `disk_full` besides, and `host_died` without an exception;
    `details`. RuntimeMissing without Node.
    """
    hosts = host(count // HOST_ONE_IN, seed)
    with tempfile.TemporaryDirectory() as folder:
        short = Path(folder, "short.matrec")
        short_game(short, seed, discs=4 if count > FEW else 1)
        task = {"count": count - hosts["failed"], "seed": seed + 1}
        found = limited("failing_memory.py", short, task, firmware=firmware)
    figures = found["figures"]
    return {
        "failed_allocations": figures["failed"] + hosts["failed"],
        "unrecovered": figures["unrecovered"] + hosts["unrecovered"],
        "restarts_restored": figures["went_on"],
        "restarts_anew": figures["anew"],
        "host_failed": hosts["failed"],
        "disk_full": hosts["full"],
        "host_died": hosts["died"],
        "details": found["details"] + hosts["details"],
    }


def week(hours: int, seed: int) -> dict[str, Any]:
    """So many hours of simulated time, and a few minutes more, with a short game in each. Returns

    `simulated_hours`; `heap_growth_bytes` of what is live, from the second day (or quarter) to the
    last; `most_live_bytes` beyond what the mat began with; `counter_wraps` of the chip's timer;
    `week_failures`: frames or commands that raised anything, and more live than the chip has for
    it; `week_facts` and `week_rulings`. RuntimeMissing without Node.
    """
    with tempfile.TemporaryDirectory() as folder:
        short = Path(folder, "short.matrec")
        short_game(short, seed, EVERY_OF_WEEK, 1)
        return limited("simulated_week.py", short, {"hours": hours}, WEEK_HEAP_KB)


def host(count: int, seed: int) -> dict[str, Any]:
    """Processes that store a game's second half, in each of which one allocation fails, from the
    first to the last in as many steps, or the disk is full after so many bytes. Returns `failed`
    and `full`: how many ended by either, `died` of them without an exception, `unrecovered`: after
    which another did not store the whole game, once; `details`. All are 0 where Python has no
    `_testcapi`, or the system no `fork`."""
    figures: dict[str, Any] = {"failed": 0, "full": 0, "died": 0, "unrecovered": 0, "details": []}
    try:
        import resource
        from _testcapi import (  # pyright: ignore[reportMissingImports]  # not every Python has it
            remove_mem_hooks,
            set_nomemory,
        )
    except ImportError:
        return figures
    messages = [message for message in game_messages() if message.numbered]
    lines = [message.raw.encode() for message in messages[len(messages) // 2 :]]
    whole = [(message.boot, message.number) for message in messages]
    with tempfile.TemporaryDirectory() as folder:
        half, path = Path(folder, "half.db"), Path(folder, "games.db")
        with Store(half) as store:
            store.add(messages[: len(messages) // 2])
        for number in range(count):
            at = ALLOCATIONS * number // count + seed % 7
            shutil.copy(half, path)
            full = number % DISK_ONE_IN == 0
            child = os.fork()
            if not child:
                try:
                    if full:
                        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)  # writing fails instead
                        most = FILE_BYTES * number // count
                        resource.setrlimit(resource.RLIMIT_FSIZE, (most, most))
                    else:
                        set_nomemory(at, at + 1)
                    _store(path, lines)
                except BaseException:
                    os._exit(3)
                remove_mem_hooks()
                os._exit(0)
            status = os.waitpid(child, 0)[1]
            figures["full" if full else "failed"] += status != 0
            figures["died"] += os.WIFSIGNALED(status)
            with Store(path) as store:
                last = store.last_number(messages[0].boot)
                store.add(message for message in messages if message.number > last)
                found = [
                    (m.boot, m.number)
                    for game in store.games()
                    for m in store.messages(game["id"])[0]
                    if m.numbered
                ]
            if sorted(found) != sorted(whole):
                figures["unrecovered"] += 1
                figures["details"].append(f"host: allocation {at}: {len(found)} of {len(whole)}")
            for end in ("", "-wal", "-shm"):
                path.with_name(path.name + end).unlink(missing_ok=True)
    return figures


def _store(path: Path, lines: list[bytes]) -> None:
    """What `polarity log` does with lines: it decodes, stores and words them."""
    words = Words(LANGUAGES[0])
    with Store(path) as store:
        for line in lines:
            message = decode(line)
            if isinstance(message, Message):
                store.add([message])
                if isinstance(message.body, RulingMessage):
                    words.ruling(message.body)


def limited(
    script: str,
    game: Path,
    task: dict[str, int],
    heap_kb: int = HEAP_KB,
    firmware: Path = runtimes.FIRMWARE,
) -> dict[str, Any]:
    """What a script of this folder prints as its last line, as JSON, under MicroPython with a heap
    that cannot grow. It reads the recording `game` and, in task.json, `task` and the chip's free
    memory. RuntimeMissing without Node, RunFailed when it ends with an error."""
    node, _, _ = runtimes.micropython_command()
    handed = game.with_name("task.json")
    handed.write_text(json.dumps({"chip_free_bytes": CHIP_FREE_BYTES, **task}))
    command = [
        node, HERE.parent / "limited.mjs", firmware, str(heap_kb), HERE / script,
        HERE.parent / "heap_lock.py", game, handed,
    ]  # fmt: skip
    done = subprocess.run(command, capture_output=True, stdin=subprocess.DEVNULL, text=True)
    if done.returncode or not done.stdout.strip():
        lines = [line for line in done.stderr.splitlines() if line.strip()]
        last = (lines or [f"exit code {done.returncode}"])[-1]
        raise runtimes.RunFailed(f"{script} failed: {last}", done.stderr)
    return json.loads(done.stdout.splitlines()[-1])


def short_game(path: Path, seed: int, every: int = EVERY, discs: int = 4) -> None:
    """So many discs, up to four, are laid on the small mat; where there are four, two of them jump
    together. One frame of `every` is recorded."""
    mat = load_mat("small")
    stage = Stage(mat, seed=seed)

    def script() -> Action:
        yield from stage.rest(0.6)
        yield from stage.place_red()
        laid = []
        for number, xy in enumerate(PLACES_MM[:discs]):
            disc = stage.new_disc(-1 if number % 2 else 1)
            yield from stage.carry_in(disc, xy, from_deg=270.0)
            yield from stage.set_flat(disc, xy)
            yield from stage.rest(0.4)
            laid.append(disc)
        if len(laid) == len(PLACES_MM):
            yield from stage.snap_kiss(laid[0], laid[1], 0.0)
        yield from stage.rest(1.0)

    with RecordingWriter(path, mat.id, mat.n, edition="temple", seed=seed, version=1) as recording:
        for number, (t_us, counts) in enumerate(stage.stream(script())):
            if t_us < 800_000 or number % every == 0:
                recording.write(t_us, counts)
