"""`polarity log` killed at random points while a game is played: which of the mat's messages are
lost.

The virtual mat plays on in this process, with the ring of a real one; its numbered messages are
noted as they are numbered. The host is another process, killed (SIGKILL) and started again.
"""

import json
import random
import subprocess
import sys
import tempfile
import threading
import time
from array import array
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import TypeAlias, TypedDict

from polarity.wire.messages import NUMBERED
from polarity_host.errors import FAILED, HostError
from polarity_host.games.store import Store
from polarity_host.replay.engine import build_engine, raw_counts
from polarity_host.simulation.port.address import SimGame
from polarity_host.simulation.port.game_source import GameSource
from polarity_host.simulation.port.serve import MatServer
from polarity_host.simulation.port.sim_mat import SimMat

Numbered: TypeAlias = tuple[int, int, str, int]  # boot, number, kind, time in ms

SPEED = 2.0
TURNS = 200  # of a game; there may be several
STARTING_S = 2.0  # half of them are killed within this time of their start
LOGGING_S = 1.0  # the others at most so long after they have printed something
PATIENCE_S = 300.0  # for a host to print something, or to catch up


class Figures(TypedDict):
    """The figures of `run`."""

    kills: int
    kills_while_logging: int
    gave_up: int
    events: int
    events_lost: int
    events_twice: int
    told_not_stored: int


def run(
    kills: int = 200, seed: int = 1, on_kill: Callable[[int], object] = lambda done: None
) -> Figures:
    """Kills the host `kills` times. Returns

    `kills`, and `kills_while_logging` of hosts that had printed something already; `gave_up`: hosts
    that ended by themselves, because on so busy a computer the mat did not answer them;
    `events`: messages that the mats have numbered until the last kill;
    `events_lost`: those that are not in the database as they were numbered;
    `events_twice`, stored twice; `told_not_stored`: printed by a host, but not in the database.
    HostError FAILED when a host ends in any other way.
    """
    with tempfile.TemporaryDirectory() as folder:
        hosts, mats = _Hosts(Path(folder), random.Random(seed)), [_Mat(seed)]
        try:
            for done in range(kills):
                if mats[-1].over.is_set():  # played out: the next game, on another mat
                    hosts.let_one_catch_up(mats[-1])
                    mats.append(_Mat(seed + len(mats)))
                hosts.start_and_kill(mats[-1])
                on_kill(done + 1)
            hosts.let_one_catch_up(mats[-1])
        finally:
            for mat in mats:
                mat.close()
        stored, events = hosts.stored(), [event for mat in mats for event in mat.numbered]
    return {
        "kills": kills,
        "kills_while_logging": hosts.while_logging,
        "gave_up": hosts.gave_up,
        "events": len(events),
        "events_lost": len(set(events) - set(stored)),
        "events_twice": len(stored) - len(set(stored)),
        "told_not_stored": len(hosts.printed - set(stored)),
    }


class _Mat:
    """A virtual mat that plays one game. `numbered`: its numbered messages; `over` once it sends no
    more.
    """

    def __init__(self, seed: int):
        game = SimGame(kind="game", seed=seed, turns=TURNS, speed=SPEED, boot=seed)
        source = GameSource(game)
        engine = build_engine(source.mat.id, game.edition, game.boot_id())
        source.connect(engine)
        outbox = engine.outbox
        self.over, self._closed = threading.Event(), False
        self.numbered: list[Numbered] = [(outbox.boot, 1, "game", 0)]
        send = outbox.send

        def noting(kind: str, t_ms: int, values: Sequence[object]) -> int:
            number = send(kind, t_ms, values)
            if kind in NUMBERED and not self._closed:
                self.numbered.append((outbox.boot, number, kind, t_ms))
            return number

        def played() -> "Iterator[tuple[int, array[int]]]":
            for t_us, counts in source.frames():
                yield t_us, raw_counts(counts)
            self.over.set()

        outbox.send = noting  # a probe: each message as it is numbered, whoever reads it
        self._mat = SimMat(engine, played(), speed=game.speed, stays=True)
        self._server = MatServer(self._mat, "127.0.0.1:0")
        self.url = self._server.url
        threading.Thread(target=self._server.serve, daemon=True).start()

    def end(self) -> Numbered:
        """Its last numbered message so far; later ones do not count."""
        self._closed = True
        return self.numbered[-1]

    def close(self) -> None:
        """Switches it off."""
        self._mat.unplug()
        self._server.close()


class _Hosts:
    """Processes of `polarity log`, one after the other, on one database."""

    def __init__(self, folder: Path, chance: random.Random):
        self._db, self._out, self._chance = folder / "games.db", folder / "out", chance
        self.printed: set[Numbered] = set()
        self.while_logging = self.gave_up = 0

    def start_and_kill(self, mat: _Mat) -> None:
        """Kills a host at a random moment of its start or of its logging. HostError as `run`."""
        while_logging = self._chance.random() < 0.5
        host = self._until(
            mat, lambda: mat.over.is_set() or not while_logging or self._all_printed()
        )
        time.sleep(self._chance.uniform(0.0, LOGGING_S if while_logging else STARTING_S))
        self.while_logging += bool(self._end(host))

    def let_one_catch_up(self, mat: _Mat) -> None:
        """Runs a last host until it has stored all that the mat has numbered by now."""
        boot, number, _, _ = mat.end()

        def caught_up() -> bool:
            return any(e[0] == boot and e[1] >= number for e in self.stored())

        self._end(self._until(mat, caught_up))

    def _until(self, mat: _Mat, true: Callable[[], object]) -> subprocess.Popen:
        """A host, started, once this is true. A host that gives the port up, as it may when the
        computer is too busy for the mat to answer it, is started again, as people would do.
        """
        until = time.monotonic() + PATIENCE_S
        host = self._start(mat.url)
        while not true():
            if time.monotonic() > until:
                self._end(host)
                raise HostError(FAILED, "the host prints nothing; is this computer too busy?")
            if host.poll() is not None:
                why = host.stderr.read() if host.stderr else ""
                if "no mat on" not in why:
                    raise HostError(FAILED, f"the host ended by itself: {why.strip()}")
                self.gave_up += 1
                self._end(host)
                host = self._start(mat.url)
            time.sleep(0.05)
        return host

    def _end(self, host: subprocess.Popen[str]) -> set[Numbered]:
        """Kills it; returns what it has printed."""
        host.kill()
        host.communicate()
        printed = self._all_printed()
        self.printed |= printed
        return printed

    def stored(self) -> list[Numbered]:
        """The numbered messages in the database."""
        with Store(self._db) as store:
            lines = [line for game in store.games() for line in store.raw_lines(game["id"])]
        return _numbered(line.split(" ", 1)[1] for line in lines)

    def _start(self, url: str) -> subprocess.Popen[str]:
        command = [sys.executable, "-m", "polarity_host.cli", "log", url, "--json"]
        with open(self._out, "wb") as out:
            return subprocess.Popen(
                [*command, "--db", str(self._db)], stdout=out, stderr=subprocess.PIPE, text=True
            )

    def _all_printed(self) -> set[Numbered]:
        lines = self._out.read_text(encoding="utf-8").split("\n")[:-1]  # the last is cut off
        return set(_numbered(lines))


def _numbered(lines: Iterable[str]) -> list[Numbered]:
    messages = [json.loads(line) for line in lines]
    return [(m["b"], m["n"], m["k"], m["t"]) for m in messages if m["k"] in NUMBERED]
