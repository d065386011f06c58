"""`polarity log` killed at random points while a game is played: what is lost of what the mat said.

The virtual mat plays on in this process, with the ring of a real one; what it numbers is noted as
it is numbered. The host is another process, killed (SIGKILL) and started again.
"""

import json
import random
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

from polarity.wire.messages import NUMBERED
from polarity_host.errors import FAILED, HostError
from polarity_host.sim.game import SimGame
from polarity_host.sim.power import switch_on
from polarity_host.sim.serve import MatServer
from polarity_host.store import Store

SPEED = 2.0
TURNS = 1000  # more than it takes
STARTING_S = 2.0  # half of them are killed within this time of their start
LOGGING_S = 1.0  # the others so long after they have told something, at most
PATIENCE_S = 120.0  # for the last host to catch up


def run(kills: int = 200, seed: int = 1, on_kill=lambda done: None) -> dict:
    """Kills the host `kills` times. Returns

    `kills`, and `kills_while_logging` of hosts that had told something already;
    `events`: messages that the mat has numbered until the last kill;
    `events_lost` of those, that are not in the database as they were numbered;
    `events_twice`, stored twice; `told_not_stored`: printed by a host, but not in the database.
    HostError FAILED when a host ends by itself.
    """
    with tempfile.TemporaryDirectory() as folder:
        mat = switch_on(SimGame(kind="game", seed=seed, turns=TURNS, speed=SPEED), stays=True)
        numbered = _noted(mat)
        server = MatServer(mat, "127.0.0.1:0")
        threading.Thread(target=server.serve, daemon=True).start()
        hosts = _Hosts(server.url, Path(folder), random.Random(seed))
        try:
            for done in range(kills):
                hosts.start_and_kill()
                on_kill(done + 1)
            events = list(numbered)
            hosts.let_one_catch_up(events[-1][0])
        finally:
            mat.unplug()
            server.close()
        stored = hosts.stored()
    return {
        "kills": kills,
        "kills_while_logging": hosts.while_logging,
        "events": len(events),
        "events_lost": len(set(events) - set(stored)),
        "events_twice": len(stored) - len(set(stored)),
        "told_not_stored": len(hosts.told - set(stored)),
    }


def _noted(mat) -> list[tuple]:
    """(number, kind, time) of what the mat numbers, from now on."""
    outbox, numbered = mat.engine.outbox, []
    send = outbox.send

    def noting(kind, t_ms, values):
        number = send(kind, t_ms, values)
        if kind in NUMBERED:
            numbered.append((number, kind, t_ms))
        return number

    outbox.send = noting
    numbered.append((1, "game", 0))  # was said when the engine was built
    return numbered


class _Hosts:
    """Processes of `polarity log`, one after the other, on one database."""

    def __init__(self, url: str, folder: Path, chance: random.Random):
        self._db, self._out, self._chance = folder / "games.db", folder / "out", chance
        self._command = [sys.executable, "-m", "polarity_host.cli", "log", url, "--json"]
        self._command += ["--db", str(self._db)]
        self.told: set[tuple] = set()
        self.while_logging = 0

    def start_and_kill(self) -> None:
        """At a random moment: of its start, or of its logging."""
        host, while_logging = self._start(), self._chance.random() < 0.5
        if while_logging:
            self._wait(host, lambda: self._told())
        time.sleep(self._chance.uniform(0.0, LOGGING_S if while_logging else STARTING_S))
        if host.poll() is not None:
            raise HostError(FAILED, f"the host ended by itself: {host.stderr.read().strip()}")
        host.kill()
        host.communicate()
        told = self._told()
        self.while_logging += bool(told)
        self.told |= told

    def let_one_catch_up(self, number: int) -> None:
        """A last host, until `number` is stored."""
        host = self._start()
        self._wait(host, lambda: any(n >= number for n, _, _ in self.stored()))
        host.kill()
        host.communicate()
        self.told |= self._told()

    def stored(self) -> list[tuple]:
        """(number, kind, time) of the database."""
        with Store(self._db) as store:
            lines = [line for game in store.games() for line in store.raw_lines(game["id"])]
        return _numbered(line.split(" ", 1)[1] for line in lines)

    def _start(self) -> subprocess.Popen:
        with open(self._out, "wb") as out:
            return subprocess.Popen(self._command, stdout=out, stderr=subprocess.PIPE, text=True)

    def _wait(self, host: subprocess.Popen, true) -> None:
        until = time.monotonic() + PATIENCE_S
        while not true():
            if host.poll() is not None or time.monotonic() > until:
                host.kill()
                raise HostError(FAILED, f"the host tells nothing: {host.communicate()[1].strip()}")
            time.sleep(0.05)

    def _told(self) -> set[tuple]:
        lines = self._out.read_text(encoding="utf-8").split("\n")[:-1]  # the last is cut off
        return set(_numbered(lines))


def _numbered(lines) -> list[tuple]:
    messages = [json.loads(line) for line in lines]
    return [(m["n"], m["k"], m["t"]) for m in messages if m["k"] in NUMBERED]
