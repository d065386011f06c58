"""What the mats publish, into the database: nothing is receipted before it is stored.

The broker may drop what it cannot queue, and it may lose everything. So the numbers that a mat's
computer has are compared with those that are stored, and what is missing is asked for.
"""

import queue
import threading
import time
import uuid
from collections.abc import Callable, Iterable
from typing import NamedTuple

from polarity_host.games.admission import Allowance
from polarity_host.hub.hall import Hall
from polarity_host.hub.record import Away, Record
from polarity_host.mqtt import topics
from polarity_host.mqtt.broker import Broker, Connection, Refused, connected
from polarity_host.wire.lines import Message

CLIENT = "polarity-hub"
SESSION_S = 7 * 86400  # the broker queues for a hub that is away for so long
WINDOW = 500  # messages that are not receipted
BATCH = 200  # that are stored in one transaction
WAIT_S = 0.1
RETRY_S = (0.2, 5.0)
SLOW_S = 4.0  # for one batch: then the hall is told
#: How long numbers may be missing before they are asked for, and how often (seconds).
CHECK_EVERY_S = 2.0
#: What a mat may have stored: bytes at once, bytes a second. An hour that it catches up with fits.
SHARE = (16_000_000, 16_000)
MOST_MATS = 200


class Incoming(NamedTuple):
    """A message of the broker, with what receipts it."""

    connection: int
    topic: str
    payload: bytes
    token: tuple[int, int]


class Intake:
    """Receives from a broker until `stop`. HostError when there is none at first."""

    def __init__(
        self,
        broker: Broker,
        record: Record,
        hall: Hall,
        note: Callable[[str, Message], None] = lambda mat, message: None,
    ):
        """`note` gets each message once it is stored, with its mat's name."""
        self._broker, self._record, self._hall, self._note = broker, record, hall, note
        self._queue: queue.SimpleQueue[Incoming] = queue.SimpleQueue()
        self._stopped, self._gone = threading.Event(), threading.Event()
        self._number = 0
        self._boots: dict[str, list[tuple[int, int]]] = {}
        self._complete: set[tuple[str, int, int]] = set()
        self._unchecked: set[str] = set()
        self._check_s = 0.0
        self._shares: dict[str, Allowance] = {}
        self._evidence: dict[tuple[str, int, int], threading.Event] = {}
        self._storing_s: float | None = None  # since when a batch is being stored
        self._connection = connected(broker, self._connect)
        self._threads = [
            threading.Thread(target=self._store, name="store", daemon=True),
            threading.Thread(target=self._reconnect, name="broker", daemon=True),
            threading.Thread(target=self._watch, name="watch", daemon=True),
        ]

    def start(self) -> None:
        """Begins."""
        for thread in self._threads:
            thread.start()

    def stop(self) -> None:
        """Ends it; what is not stored is not receipted, and comes again."""
        self._stopped.set()
        self._gone.set()
        for thread in self._threads:
            thread.join()
        self._connection.close()

    def say(self, mat: str, command: str) -> None:
        """Sends a command to a mat, once it is stored that it was sent. Away."""
        self._record.add_decision(mat, command)
        self._ask(mat, topics.Ask(uuid.uuid4().hex, say=command))

    def evidence(self, mat: str, boot: int, number: int, wait_s: float = 5.0) -> bytes | None:
        """The evidence of a ruling, from the database or from the mat's computer; None where it
        does not come. Away."""
        found = self._record.evidence(mat, boot, number)
        if found is not None:
            return found
        come = self._evidence.setdefault((mat, boot, number), threading.Event())
        self._ask(mat, topics.Ask(uuid.uuid4().hex, boot=boot, n=number))
        come.wait(wait_s)
        self._evidence.pop((mat, boot, number), None)
        return self._record.evidence(mat, boot, number)

    # ------------------------------------------------------------------ the broker
    def _connect(self) -> Connection:
        self._number += 1
        number = self._number
        self._gone.clear()
        connection = Connection(
            self._broker,
            CLIENT,
            lambda name, payload, token: self._queue.put(Incoming(number, name, payload, token)),
            on_end=self._gone.set,
            session_s=SESSION_S,
            most_unreceipted=WINDOW,
        )
        connection.subscribe([topics.topic("+", leaf) for leaf in topics.PUBLISHED])
        return connection

    def _reconnect(self) -> None:
        pause_s = RETRY_S[0]
        while not self._stopped.is_set():
            self._gone.wait()
            if self._stopped.wait(pause_s):
                return
            try:
                self._connection.close()
                self._connection = self._connect()
                pause_s = RETRY_S[0]
            except (OSError, Refused):
                self._gone.set()
                pause_s = min(RETRY_S[1], 2 * pause_s)

    def _ask(self, mat: str, ask: topics.Ask) -> None:
        self._connection.publish(topics.topic(mat, topics.ASK), topics.encoded(ask))

    # ------------------------------------------------------------------ the database
    def _store(self) -> None:
        while not self._stopped.is_set():
            batch = list(self._batch())
            pause_s = RETRY_S[0]
            while not self._stopped.is_set():
                try:
                    self._storing_s = time.monotonic() if batch else None
                    self._take(batch)
                    self._storing_s = None
                    self._look_for_holes()
                    break
                except Away as away:
                    self._hall.report(str(away)[:200])
                    self._stopped.wait(pause_s)
                    pause_s = min(RETRY_S[1], 2 * pause_s)

    def _watch(self) -> None:
        """Tells the hall of a database that neither answers nor ends the connection."""
        while not self._stopped.wait(SLOW_S / 4):
            since_s = self._storing_s
            if since_s is not None and time.monotonic() > since_s + SLOW_S:
                self._hall.report("the database is slow")

    def _batch(self) -> Iterable[Incoming]:
        try:
            yield self._queue.get(timeout=WAIT_S)
            for _ in range(BATCH - 1):
                yield self._queue.get_nowait()
        except queue.Empty:
            return

    def _take(self, batch: list[Incoming]) -> None:
        """Stores a batch, then receipts and shows it."""
        events: dict[tuple[str, int, int], tuple[topics.Event, Message]] = {}
        for incoming in batch:
            name = topics.parts(incoming.topic)
            if name is None:
                continue
            mat, leaf = name
            if leaf == topics.EVENT:
                event = topics.decoded(incoming.payload, leaf, mat, topics.Event)
                message = event.message() if event else None
                if event and message and self._share(mat).spend(len(incoming.payload)):
                    events.setdefault((mat, message.boot, message.number), (event, message))
                    self._unchecked.add(mat)
            else:
                self._take_other(mat, leaf, incoming.payload)
        new = self._record.add(list(events.values()))
        if batch:
            self._hall.report("")
        for key in new:
            event, message = events[key]
            self._hall.note(event.mat, message, event.at_ms)
            self._note(event.mat, message)
        for incoming in batch:
            if incoming.connection == self._number and not self._connection.ended:
                self._connection.receipt(incoming.token)

    def _take_other(self, mat: str, leaf: str, payload: bytes) -> None:
        if leaf == topics.STATUS:
            self._hall.take_status(mat, payload == topics.ONLINE)
        elif leaf == topics.STATE:
            if state := topics.decoded(payload, leaf, mat, topics.State):
                self._hall.take_state(state)
        elif leaf == topics.RECORD:
            record = topics.decoded(payload, leaf, mat, topics.Record)
            if record and (mat in self._boots or len(self._boots) < MOST_MATS):
                self._boots[mat] = record.boots[:16]
                self._unchecked.add(mat)
        elif leaf == topics.LOST:
            lost = topics.decoded(payload, leaf, mat, topics.Lost)
            if lost and 1 <= lost.first <= lost.last < 2**53 and 0 <= lost.boot < 2**53:
                if self._share(mat).spend(len(payload) + 200):
                    self._record.add_lost(lost)
        elif leaf == topics.EVIDENCE:
            evidence = topics.decoded(payload, leaf, mat, topics.Evidence)
            key = (mat, evidence.boot, evidence.n) if evidence else None
            if evidence and key in self._evidence:  # nothing that nobody asked for is stored
                if evidence.packed:
                    self._record.add_evidence(mat, evidence.boot, evidence.n, evidence.packed)
                self._evidence[key].set()

    def _share(self, mat: str) -> Allowance:
        if mat not in self._shares:
            self._shares[mat] = Allowance(*SHARE)
        return self._shares[mat]

    def _look_for_holes(self) -> None:
        """Asks for the oldest numbers that a mat's computer has and the database has not."""
        if time.monotonic() < self._check_s:
            return
        self._check_s = time.monotonic() + CHECK_EVERY_S
        mats, self._unchecked = self._unchecked, set()
        for mat in mats:
            for boot, last in self._boots.get(mat, ()):
                if (mat, boot, last) in self._complete or not 1 <= last < 2**53:
                    continue
                holes = self._record.holes(mat, boot, last)
                for hole in holes:
                    ask = topics.Ask(uuid.uuid4().hex, boot, hole.start, hole.stop - 1)
                    self._ask(mat, ask)
                if holes:
                    self._unchecked.add(mat)
                    break
                self._complete = {one for one in self._complete if one[:2] != (mat, boot)}
                self._complete.add((mat, boot, last))
