"""`polarity bench club`: many mats, one hall, on a real mosquitto and a real PostgreSQL."""

import contextlib
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import numpy as np
from sqlalchemy import func, select

from polarity_bench.club.cable import Cable
from polarity_bench.club.faults import FAULT_S, FAULTS
from polarity_bench.club.mats import MatApart, RepeatedMat
from polarity_bench.club.servers import LocalBroker, LocalPostgres, started_hub, stat_of
from polarity_host.device.link import Link
from polarity_host.errors import FAILED, HostError
from polarity_host.games.store import Store
from polarity_host.hub.public import EVERY_S
from polarity_host.hub.record import Record
from polarity_host.hub.schema import MESSAGES
from polarity_host.mqtt.broker import Broker
from polarity_host.wire.lines import Message

SETTLE_S = 5.0  # before it is measured
CAUGHT_UP_S = 90.0
CURVE = (1, 5, 10, 20)  # mats of smaller halls
VIEWERS = (500, 900)  # spectators beyond those asked for


class Hall:
    """Broker, database, hub and mats in a folder; `stack` ends them. With `faults`, one more mat
    has a process of its own (`apart`), another login is an intruder's, and hub, database and the
    first mat are connected by cables that can be cut."""

    intruder = "intruder"

    def __init__(
        self,
        stack: contextlib.ExitStack,
        folder: Path,
        mats: int,
        lines: list[dict],
        faults: bool = False,
    ):
        self.names = [f"mat{number + 1}" for number in range(mats)]
        logins = [*self.names, "apart", self.intruder]
        self.broker = stack.enter_context(LocalBroker(folder / "broker", logins))
        self.database = stack.enter_context(LocalPostgres(folder / "postgres"))
        self._stack, self.public = stack, folder / "public"
        if faults:
            self.of_mat = stack.enter_context(Cable(self.broker.port))
            self.of_hub = stack.enter_context(Cable(self.broker.port))
            self.of_database = stack.enter_context(Cable(self.database.port))
        self._faults = faults
        self.start_hub()
        last_ms = lines[-1]["t"]
        self.mats = [
            RepeatedMat(name, 1000 * (k + 1), lines, self._login(name), folder,
                        last_ms * k // (2 * mats))
            for k, name in enumerate(self.names)
        ]  # fmt: skip
        for mat in self.mats:
            mat.start()
            stack.callback(mat.stop)
        if faults:
            played = folder / "lines.json"
            played.write_text(json.dumps(lines), encoding="utf-8")
            url = self.broker.url("apart")
            self.apart = MatApart("apart", 10_000_000, played, url, folder)
            self.apart.start()
            stack.callback(self.apart.kill)

    def _login(self, mat: str) -> Broker:
        wired = self._faults and mat == self.names[0]
        return self.broker.broker(mat, self.of_mat.port if wired else 0)

    def start_hub(self) -> None:
        """Starts the hub, once more too."""
        broker, database = self.broker.url(), self.database.url
        if self._faults:
            broker = self.broker.url(port=self.of_hub.port)
            database = self.database.url_at(self.of_database.port)
        public = ("--public", str(self.public))
        self.hub, self.link = started_hub(self._stack, broker, database, *public)

    def hub_cpu_s(self) -> float:
        """The CPU time that the hub has used, by Linux's /proc."""
        fields = stat_of(self.hub.pid)
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def numbered(self) -> dict[tuple[str, int], list[int]]:
        """What the mats' computers have stored, by mat and boot."""
        mats = [*self.mats, self.apart] if self._faults else self.mats
        return {
            (mat.name, boot): numbers for mat in mats for boot, numbers in mat.numbers().items()
        }

    def stored(self, keys: Iterable[tuple[str, int]]) -> dict[tuple[str, int], list[int]]:
        """What the database has of these, by mat and boot."""
        record = Record(self.database.url)
        try:
            return {key: record.numbers(*key) for key in keys}
        finally:
            record.close()

    def public_bytes_per_s(self) -> float:
        """What a viewer of the files gets in a second, uncompressed."""
        ticks = [path.stat().st_size for path in (self.public / "ticks").glob("[0-9]*.json")]
        return (
            sum(ticks) / max(1, len(ticks)) + (self.public / "now.json").stat().st_size
        ) / EVERY_S

    def missing(self) -> tuple[int, int]:
        """How many messages that mats have numbered are not in the database, and how many it has
        beyond them or twice."""
        record = Record(self.database.url)
        try:
            with record.transaction() as db:
                rows = db.execute(select(func.count()).select_from(MESSAGES)).scalar() or 0
        finally:
            record.close()
        numbered = self.numbered()
        stored = self.stored(numbered)
        lost = sum(len(set(own) - set(stored[key])) for key, own in numbered.items())
        return lost, rows - sum(len(set(own)) for own in numbered.values()) + lost

    def watched(self, spectators: int, seconds: float) -> dict[str, Any]:
        """What `spectators` got within `seconds`."""
        command = [sys.executable, "-m", "polarity_bench.club.spectators", self.link,
                   str(spectators), str(seconds)]  # fmt: skip
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode:
            raise HostError(FAILED, f"the spectators broke off: {done.stderr.strip()[-200:]}")
        return json.loads(done.stdout)


def run(
    mats: int = 30,
    spectators: int = 200,
    seconds: float = 30.0,
    cut_s: float = 120.0,
    progress: Callable[[str], None] = lambda text: None,
) -> dict[str, Any]:
    """Measures a hall. Returns

    `event_lag_p95_ms`: from the moment a mat's message came to its computer until a spectator had
    it; `events_not_seen`: messages of that time that a spectator who reads did not get;
    `hub_cpu_share` and `hub_cpu_share_per_mat`: CPU time of the hub in a second;
    `curve`: lag and share for fewer mats, `viewers_curve` for more spectators;
    `public_bytes_per_s`: what a viewer of the files gets, uncompressed;
    `faults_survived` of `faults`, in which a cable is cut for `cut_s`, and `events_lost`,
    `events_doubled` in the database after all of them;
    `catch_up_events_per_s`: how fast what was played while the broker was away came into the
    database, `catch_up_times_pace`: that by the pace at which it was played.
    HostError FAILED where a server is missing or does not start.
    """
    lines = _game()
    pace = sum(1 for line in lines if line["k"] in ("fact", "ruling", "game", "log"))
    pace_hz = pace / (lines[-1]["t"] / 1000)
    curve = {}
    for fewer in sorted({n for n in CURVE if n < mats}):
        progress(f"a hall of {fewer}")
        with _hall(fewer, lines) as hall:
            curve[str(fewer)] = _lag(hall, spectators, seconds / 2)
    viewers = {}
    with _hall(mats, lines) as hall:
        progress(f"a hall of {mats}")
        whole = viewers[str(spectators)] = _lag(hall, spectators, seconds)
        for more in sorted({n for n in VIEWERS if n > spectators}):
            progress(f"{more} spectators")
            viewers[str(more)] = _lag(hall, more, seconds / 2)
        public_bytes_per_s = hall.public_bytes_per_s()
    curve[str(mats)] = whole
    with _hall(mats, lines, faults=True) as hall:
        survived = _survived(hall, cut_s, progress)
        lost, doubled = hall.missing()
    progress("the broker is back after an hour")
    caught = _catch_up(lines)
    return {
        "mats": mats,
        "spectators": spectators,
        "play_events_per_s": round(pace_hz, 2),
        "event_lag_p95_ms": whole["event_lag_p95_ms"],
        "events_not_seen": whole["events_not_seen"],
        "hub_cpu_share": whole["hub_cpu_share"],
        "hub_cpu_share_per_mat": round(whole["hub_cpu_share"] / mats, 4),
        "curve": curve,
        "viewers_curve": viewers,
        "public_bytes_per_s": round(public_bytes_per_s),
        "faults": len(FAULTS),
        "faults_survived": len(survived),
        "faults_not_survived": [one.__name__ for one in FAULTS if one.__name__ not in survived],
        "cut_s": cut_s,
        "events_lost": lost,
        "events_doubled": doubled,
        "catch_up_events_per_s": round(caught),
        "catch_up_times_pace": round(caught / pace_hz),
    }


@contextlib.contextmanager
def _hall(mats: int, lines: list[dict], faults: bool = False) -> Any:
    with tempfile.TemporaryDirectory(prefix="polarity-hall-") as folder:
        with contextlib.ExitStack() as stack:
            hall = Hall(stack, Path(folder), mats, lines, faults)
            time.sleep(SETTLE_S)
            yield hall


def _game() -> list[dict]:
    """The messages of a virtual game, from the mat's own wire, at its own times."""
    found: list[dict] = []
    for batch in Link("sim://demo?seed=1&speed=0").batches():
        found += [
            event.as_received()
            for event in batch
            if isinstance(event, Message) and not event.fleeting and event.kind != "ack"
        ]
    return found


def _lag(hall: Hall, spectators: int, seconds: float) -> dict[str, Any]:
    cpu_s, begun_s = hall.hub_cpu_s(), time.monotonic()
    seen = hall.watched(spectators, seconds)
    passed_s = time.monotonic() - begun_s
    share = (hall.hub_cpu_s() - cpu_s) / passed_s
    lags, unseen = [], 0
    played = {f"{m.name}/{b}/{n}": at for m in hall.mats for (b, n), at in list(m.played.items())}
    for came in seen["came"]:
        lags += [1000 * (at - played[key]) for key, at in came.items() if key in played]
        first, last = min(came.values(), default=0.0), max(came.values(), default=0.0)
        # what was played while he surely watched
        unseen += sum(1 for k, at in played.items() if first < at < last - 3 and k not in came)
    if not lags:
        raise HostError(FAILED, "no spectator got an event")
    return {
        "event_lag_p95_ms": round(float(np.percentile(lags, 95))),
        "events_not_seen": unseen,
        "hub_cpu_share": round(share, 3),
    }


def _survived(hall: Hall, cut_s: float, progress: Callable[[str], None]) -> list[str]:
    """Brings about one fault after the other; returns those that the hall has got over."""
    survived = []
    for fault in FAULTS:
        progress(f"fault {fault.__name__}")
        fault(hall, cut_s)
        if _caught_up(hall):
            survived.append(fault.__name__)
    for mat in hall.mats:
        mat.stop()
    hall.apart.kill()
    hall.apart.start()  # it publishes what it stored before it was killed
    time.sleep(FAULT_S)
    _caught_up(hall)
    return survived


def _caught_up(hall: Hall) -> bool:
    """Waits until the database has all that was played before now; whether it came to that."""
    until_s = time.monotonic() + CAUGHT_UP_S
    wanted = hall.numbered()
    while time.monotonic() < until_s:
        stored = hall.stored(wanted)
        if all(set(stored[key]) >= set(own) for key, own in wanted.items()):
            return True
        time.sleep(0.5)
    return False


def _catch_up(lines: list[dict], events: int = 8000) -> float:
    """Messages a second that come into the database when the broker is back after an hour."""
    with _hall(1, lines) as hall:
        (mat,) = hall.mats
        mat.stop()
        login = hall.broker.broker("mat1")
        late = RepeatedMat("mat1", 500_000, lines, login, mat.games.parent, 0)
        with Store(late.games) as store:
            boots, count, batch = set(), 0, []
            for message, _ in late.due():
                batch.append(message)
                boots.add(message.boot)
                count += message.numbered
                if count >= events:
                    break
            store.add(batch)
        for message in batch:
            late.publisher.note(message)
        begun_s = time.monotonic()
        late.publisher.start()
        record = Record(hall.database.url)
        try:
            while sum(len(record.numbers("mat1", boot)) for boot in boots) < count:
                if time.monotonic() > begun_s + CAUGHT_UP_S:
                    raise HostError(FAILED, "what the broker missed did not come")
                time.sleep(0.2)
            return count / (time.monotonic() - begun_s)
        finally:
            record.close()
            late.publisher.stop()
