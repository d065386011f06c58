"""`polarity bench club`: many mats, one hall, on a real mosquitto and a real PostgreSQL."""

import contextlib
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np

from polarity_bench.club.mats import RepeatedMat
from polarity_bench.club.servers import LocalBroker, LocalPostgres, started_hub, stat_of
from polarity_host.device.link import Link
from polarity_host.errors import FAILED, HostError
from polarity_host.games.store import Store
from polarity_host.hub.record import Record
from polarity_host.wire.lines import Message

SETTLE_S = 5.0  # before it is measured
FAULT_S = 3.0  # how long each fault lasts
CAUGHT_UP_S = 90.0


class Hall:
    """Broker, database, hub and mats in a folder; `stack` ends them."""

    def __init__(self, stack: contextlib.ExitStack, folder: Path, mats: int, lines: list[dict]):
        self.names = [f"mat{number + 1}" for number in range(mats)]
        self.broker = stack.enter_context(LocalBroker(folder / "broker", self.names))
        self.database = stack.enter_context(LocalPostgres(folder / "postgres"))
        self._stack = stack
        self.start_hub()
        last_ms = lines[-1]["t"]
        self.mats = [
            RepeatedMat(name, 1000 * (k + 1), lines, self.broker.broker(name), folder,
                        last_ms * k // (2 * mats))
            for k, name in enumerate(self.names)
        ]  # fmt: skip
        for mat in self.mats:
            mat.start()
            stack.callback(mat.stop)

    def start_hub(self) -> None:
        """Starts the hub, once more too."""
        self.hub, self.link = started_hub(self._stack, self.broker, self.database.url)

    def hub_cpu_s(self) -> float:
        """The CPU time that the hub has used, by Linux's /proc."""
        fields = stat_of(self.hub.pid)
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def missing(self) -> tuple[int, int]:
        """How many messages that mats have numbered are not in the database, and how many rows it
        has beyond them."""
        record = Record(self.database.url)
        try:
            lost = more = 0
            for mat in self.mats:
                for boot in {boot for boot, _ in mat.played}:
                    wanted = {n for one, n in mat.played if one == boot}
                    stored = record.numbers(mat.name, boot)
                    lost += len(wanted - set(stored))
                    more += len(stored) - len(wanted & set(stored))
            return lost, more
        finally:
            record.close()

    def watched(self, spectators: int, seconds: float) -> dict[str, Any]:
        """What `spectators` got within `seconds`."""
        command = [sys.executable, "-m", "polarity_bench.club.spectators", self.link,
                   str(spectators), str(seconds)]  # fmt: skip
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode:
            raise HostError(FAILED, f"the spectators broke off: {done.stderr.strip()[-200:]}")
        return json.loads(done.stdout)


def run(mats: int = 30, spectators: int = 200, seconds: float = 30.0) -> dict[str, Any]:
    """Measures a hall. Returns

    `event_lag_p95_ms`: from the moment a mat's message came to its computer until a spectator had
    it; `events_not_seen`: messages of that time that a spectator who reads did not get;
    `hub_cpu_share` and `hub_cpu_share_per_mat`: CPU time of the hub in a second;
    `curve`: lag and share for fewer mats; `faults_survived` of `faults`, and `events_lost`,
    `events_doubled` in the database after all of them; `catch_up_events_per_s`: how fast what was
    played while the broker was away came into the database, `catch_up_times_pace`: that by the
    pace at which it was played. HostError FAILED where a server is missing or does not start.
    """
    lines = _game()
    pace = sum(1 for line in lines if line["k"] in ("fact", "ruling", "game", "log"))
    pace_hz = pace / (lines[-1]["t"] / 1000)
    curve = {}
    for fewer in sorted({1, max(1, mats // 3)} - {mats}):
        with _hall(fewer, lines) as hall:
            curve[str(fewer)] = _lag(hall, spectators, seconds / 2)
    with _hall(mats, lines) as hall:
        whole = _lag(hall, spectators, seconds)
        survived, faults = _faults(hall)
        lost, doubled = hall.missing()
    curve[str(mats)] = whole
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
        "faults": faults,
        "faults_survived": survived,
        "events_lost": lost,
        "events_doubled": doubled,
        "catch_up_events_per_s": round(caught),
        "catch_up_times_pace": round(caught / pace_hz),
    }


@contextlib.contextmanager
def _hall(mats: int, lines: list[dict]) -> Any:
    with tempfile.TemporaryDirectory(prefix="polarity-hall-") as folder:
        with contextlib.ExitStack() as stack:
            hall = Hall(stack, Path(folder), mats, lines)
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


def _faults(hall: Hall) -> tuple[int, int]:
    """Brings about one fault after the other; returns how many the hall has got over, and how
    many there were."""

    def broker_killed() -> None:
        hall.broker.kill()
        time.sleep(FAULT_S)
        hall.broker.start()

    def broker_forgets() -> None:
        hall.broker.kill()
        hall.broker.forget()
        time.sleep(FAULT_S)
        hall.broker.start()

    def database_killed() -> None:
        hall.database.kill()
        time.sleep(FAULT_S)
        hall.database.start()

    def database_hangs() -> None:
        hall.database.stop_answering()
        time.sleep(FAULT_S)
        hall.database.stop_answering(False)

    def hub_killed() -> None:
        hall.hub.send_signal(signal.SIGKILL)
        hall.hub.wait()
        time.sleep(FAULT_S)
        hall.start_hub()

    def hub_and_broker_killed() -> None:
        hall.hub.send_signal(signal.SIGKILL)
        hall.hub.wait()
        broker_forgets()
        hall.start_hub()

    faults = (broker_killed, broker_forgets, database_killed, database_hangs, hub_killed,
              hub_killed, hub_and_broker_killed)  # fmt: skip
    survived = 0
    for fault in faults:
        fault()
        survived += _caught_up(hall)
    for mat in hall.mats:
        mat.stop()
    _caught_up(hall)
    return survived, len(faults)


def _caught_up(hall: Hall) -> bool:
    """Waits until the database has all that was played before now; whether it came to that."""
    until_s = time.monotonic() + CAUGHT_UP_S
    wanted = [(mat, list(mat.played)) for mat in hall.mats]
    while time.monotonic() < until_s:
        record = Record(hall.database.url)
        try:
            stored = {
                (mat.name, boot, n)
                for mat, keys in wanted
                for boot in {boot for boot, _ in keys}
                for n in record.numbers(mat.name, boot)
            }
        finally:
            record.close()
        if all((mat.name, *key) in stored for mat, keys in wanted for key in keys):
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
