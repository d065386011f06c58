"""Publishes a mat: what its computer has stored, in order, and how its game stands.

The store comes first: a message is published once it is committed, from there. So what the broker
missed, and what was played while nobody published, is sent from the store as well.
"""

import queue
import threading
import time
import uuid
from collections import deque
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import msgspec

from polarity_host.device.link import Event
from polarity_host.errors import HostError, Said
from polarity_host.games.outbox import Outbox, Outgoing
from polarity_host.games.store import Store
from polarity_host.live.live_state import LiveState
from polarity_host.mqtt import topics
from polarity_host.mqtt.broker import Broker, Connection, Refused, connected
from polarity_host.mqtt.topics import encoded, topic
from polarity_host.wire.lines import Message
from polarity_host.wire.player_commands import refusal

#: Messages that the broker has not receipted yet.
WINDOW = 100
#: How often the state is sent at most, the record, and how often the position is stored (seconds).
STATE_EVERY_S, RECORD_EVERY_S, POSITION_EVERY_S = 0.25, 1.0, 0.25
#: Without news the state is sent again after this long, so that a hall sees that it is young.
STATE_AGAIN_S = 30.0
#: Pauses between attempts to reach the broker: from the first, doubled up to the last (seconds).
RETRY_S = (0.5, 10.0)
#: Who has published as we do may be there for so long without being noticed (seconds).
RIVAL_S = 60.0
MOST_ASKS = 64  # that wait; more are dropped, and asked for again
MOST_KNOWN = 256  # requests whose repetition is recognised


class Publisher:
    """Publishes one mat by the name `mat`. `note` it every event that is stored.

    `send` sends a command to the mat: an arbiter's, from the hall; None: none are taken.
    `discovery`: retained payloads by topic, which announce the mat to others.
    `problem` says why nothing goes out, or not for long, "" while all is well.
    """

    def __init__(
        self,
        broker: Broker,
        mat: str,
        games: Path,
        state: LiveState,
        send: Callable[[str], None] | None = None,
        discovery: dict[str, bytes] | None = None,
        on_problem: Callable[[str | Said], None] = lambda why: None,
    ):
        self.problem: str | Said = ""
        self._rival = Said(
            "another computer publishes as {name} too: give one of the two another name, with "
            "--name or as NAME=PORT",
            name=mat,
        )
        self._alone_s = 0.0  # when the rival is regarded as gone
        self._owner = topics.Owner(mat, uuid.uuid4().hex)
        self._has_owned = False  # who is the owner later is a rival, not who was before us
        self._broker, self._mat, self._games, self._state = broker, mat, games, state
        self._send, self._discovery, self._on_problem = send, discovery or {}, on_problem
        self._until_s = 0.0
        self._stopped, self._news = threading.Event(), threading.Event()
        self._boots: queue.SimpleQueue[int] = queue.SimpleQueue()
        self._boot: int | None = None
        self._changed = True
        self._asks: deque[topics.Ask] = deque(maxlen=MOST_ASKS)
        self._known_asks: deque[str] = deque(maxlen=MOST_KNOWN)
        self._receipts: queue.SimpleQueue[tuple[int, str]] = queue.SimpleQueue()
        self._thread: threading.Thread | None = None

    def start(self, strict: bool = True) -> None:
        """Begins in a thread. If `strict`, HostError FAILED when the broker cannot be reached now,
        so that a wrong address is noticed; later it may come and go."""
        first = connected(self._broker, self._connection) if strict else None
        self._thread = threading.Thread(
            target=self._run, args=(first,), name=f"publish {self._mat}", daemon=True
        )
        self._thread.start()

    def stop(self, wait_s: float = 5.0) -> None:
        """Ends it. What is stored and not sent yet is sent first, for up to `wait_s`."""
        self._until_s = time.monotonic() + wait_s
        self._stopped.set()
        self._news.set()
        if self._thread:
            self._thread.join(wait_s + 5.0)

    def note(self, event: Event) -> None:
        """An event that is stored; from the thread that follows the mat."""
        if isinstance(event, Message):
            if event.fleeting:
                return
            if event.boot != self._boot:
                self._boot = event.boot
                self.claim(event.boot)
        self._changed = True
        self._news.set()

    def claim(self, boot: int) -> None:
        """All that is stored of this boot is published by this name."""
        self._boots.put(boot)
        self._news.set()

    # ------------------------------------------------------------------ the publisher's thread
    def _run(self, first: Connection | None) -> None:
        try:
            with Store(self._games) as store:
                self._publish(Outbox(store, self._mat), first)
        except HostError as error:  # the log that fills the store ends by it too
            self._complain(error.message)

    def _publish(self, outbox: Outbox, connection: Connection | None) -> None:
        pause_s = RETRY_S[0]
        while True:
            if connection:
                try:
                    _Sending(self, outbox, connection).run()
                finally:
                    connection.close()
                pause_s = RETRY_S[0]
                if self._has_rival:
                    pause_s = RETRY_S[1]  # by our name the broker lets one in: each takes its turn
            if self._stopped.wait(pause_s):
                return
            pause_s = min(RETRY_S[1], 2 * pause_s)
            try:
                connection = self._connection()
            except (OSError, Refused) as error:
                connection = None
                self._complain(str(getattr(error, "strerror", None) or error))

    def _connection(self) -> Connection:
        self._receipts = queue.SimpleQueue()
        return Connection(
            self._broker,
            f"polarity-mat-{self._mat}",
            self._receive,
            partial(self._take_receipt, self._receipts),
            self._news.set,
            will=(topic(self._mat, topics.STATUS), topics.OFFLINE),
            most_unreceipted=WINDOW,
        )

    def take_changed(self) -> bool:
        """Whether anything has changed since the last call."""
        changed, self._changed = self._changed, False
        return changed

    @property
    def _has_rival(self) -> bool:
        return time.monotonic() < self._alone_s

    def own(self, connection: Connection) -> None:
        """Tells who publishes the mat, and learns of others that do."""
        name = topic(self._mat, topics.OWNER)
        connection.subscribe([name])
        connection.publish(name, encoded(self._owner), retain=True)

    def report_sending(self) -> None:
        """It goes out, though with a rival not for long."""
        self._complain(self._rival if self._has_rival else "")

    def _complain(self, why: str | Said) -> None:
        if why != self.problem:
            self.problem = why
            self._on_problem(why)

    # ------------------------------------------------------------------ paho's thread
    def _take_receipt(self, receipts: "queue.SimpleQueue[Any]", mid: int, problem: str) -> None:
        receipts.put((mid, problem))
        self._news.set()

    def _receive(self, name: str, payload: bytes, token: tuple[int, int]) -> None:
        if name == topic(self._mat, topics.OWNER):
            owner = topics.decoded(payload, topics.OWNER, self._mat, topics.Owner)
            if owner == self._owner:
                self._has_owned = True
            elif owner and self._has_owned:
                self._alone_s = time.monotonic() + RIVAL_S
                self._news.set()
            return
        ask = topics.decoded(payload, topics.ASK, self._mat, topics.Ask)
        if ask is None or ask.id in self._known_asks:
            return
        self._known_asks.append(ask.id)
        if not ask.say:
            self._asks.append(ask)
            self._news.set()
        elif self._send and not refusal(ask.say):
            self._send(ask.say)


class _Sending:
    """What goes out over one connection, until it ends or the publisher is stopped."""

    def __init__(self, publisher: Publisher, outbox: Outbox, connection: Connection):
        self._publisher, self._outbox, self._connection = publisher, outbox, connection
        self._position = self._sent = outbox.position
        self._stored = self._position
        self._open: dict[int, int] = {}  # positions of what is not receipted, by mid, in order
        self._done: set[int] = set()  # of these, what is receipted before an earlier one
        self._resent: set[int] = set()
        self._state = b""
        self._record = b""
        self._due = {"state": 0.0, "record": 0.0, "position": 0.0}

    def run(self) -> None:
        """HostError from the store."""
        own, connection = self._publisher, self._connection
        connection.subscribe([topic(own._mat, topics.ASK)])
        own.own(connection)
        self._publish(topics.STATUS, topics.ONLINE, retain=True)
        for name, payload in own._discovery.items():
            connection.publish(name, payload, retain=True)
        while not connection.ended:
            own._news.wait(STATE_EVERY_S)
            own._news.clear()
            own.report_sending()
            self._take_receipts()
            self._claim()
            self._send_events()
            self._answer()
            self._send_record()
            self._send_state()
            self._store_position(idle=not self._open)
            if own._stopped.is_set() and (self._is_done() or time.monotonic() > own._until_s):
                self._publish(topics.STATUS, topics.OFFLINE, retain=True)
                break
        self._take_receipts()
        self._store_position(idle=True)

    def _is_done(self) -> bool:
        return not self._open and not self._resent and not self._outbox.after(self._sent, 1)

    def _publish(self, leaf: str, payload: bytes, retain: bool = False) -> int:
        return self._connection.publish(topic(self._publisher._mat, leaf), payload, retain)

    def _claim(self) -> None:
        boots = self._publisher._boots
        while not boots.empty():
            self._outbox.claim(boots.get())
            # earlier messages of that boot may lie before what is sent
            before = self._outbox.position
            if before < self._position:
                self._position = self._sent = self._stored = before
                self._open.clear()
                self._done.clear()

    def _send_events(self) -> None:
        room = WINDOW - len(self._open) - len(self._resent)
        if room <= 0:
            return
        for outgoing in self._outbox.after(self._sent, room):
            self._open[self._send_event(outgoing)] = outgoing.position
            self._sent = outgoing.position

    def _send_event(self, outgoing: Outgoing) -> int:
        event = topics.Event(self._publisher._mat, outgoing.stored_ms, outgoing.line)
        return self._publish(topics.EVENT, encoded(event))

    def _take_receipts(self) -> None:
        receipts = self._publisher._receipts
        while not receipts.empty():
            mid, problem = receipts.get()
            self._resent.discard(mid)
            if mid in self._open and problem:
                self._publisher._complain(problem)
                self._connection.drop()  # nothing is skipped: it is tried again later
                return
            if mid in self._open:
                self._done.add(mid)
        while self._open and (first := next(iter(self._open))) in self._done:
            self._done.discard(first)
            self._position = self._open.pop(first)

    def _store_position(self, idle: bool) -> None:
        """Writes are rare: after a kill a few messages are sent twice, and recognised."""
        if self._position == self._stored or not (idle or self._is_due("position")):
            return
        self._outbox.move_to(self._position)
        self._stored = self._position
        self._put_off("position", POSITION_EVERY_S)

    def _send_record(self) -> None:
        if not self._is_due("record"):
            return
        payload = encoded(topics.Record(self._publisher._mat, self._outbox.record()))
        if payload != self._record:
            self._publish(topics.RECORD, payload, retain=True)
            self._record = payload
            self._put_off("record", RECORD_EVERY_S)

    def _send_state(self) -> None:
        own = self._publisher
        if not self._is_due("state"):
            return
        late = time.monotonic() - self._due["state"] > STATE_AGAIN_S
        if not (own.take_changed() or late or not self._state):
            return
        state = state_of(own._mat, own._state, self._outbox.names(own._state.boot))
        fresh = encoded(msgspec.structs.replace(state, at_ms=0))
        if fresh != self._state or late:
            payload = encoded(state)
            if len(payload) > topics.MOST_BYTES[topics.STATE]:
                payload = encoded(msgspec.structs.replace(state, pieces=[], ruling=None))
            self._publish(topics.STATE, payload, retain=True)
            self._state = fresh
            self._put_off("state", STATE_EVERY_S)

    def _answer(self) -> None:
        """Does what the hall has asked for, a request at a time."""
        asks = self._publisher._asks
        if not asks or self._resent:
            return
        ask, mat = asks.popleft(), self._publisher._mat
        self._publisher._news.set()
        if ask.n:
            packed = self._outbox.evidence(ask.boot, ask.n)
            self._publish(topics.EVIDENCE, encoded(topics.Evidence(mat, ask.boot, ask.n, packed)))
        elif 1 <= ask.first <= ask.last:
            found, holes = self._outbox.again(ask.boot, ask.first, ask.last)
            for outgoing in found:
                self._resent.add(self._send_event(outgoing))
            for hole in holes:
                lost = topics.Lost(mat, ask.boot, hole.start, hole.stop - 1)
                self._publish(topics.LOST, encoded(lost))

    def _is_due(self, what: str) -> bool:
        return time.monotonic() >= self._due[what]

    def _put_off(self, what: str, seconds: float) -> None:
        self._due[what] = time.monotonic() + seconds


def state_of(mat: str, live: LiveState, names: dict[str, str]) -> topics.State:
    """How the game of a mat stands now."""
    whole = live.whole()
    rulings = [event for event in whole["events"] if event["k"] == "ruling"]
    ruling = None
    if rulings:
        wanted = ("n", "b", "t_ms", "clock", "turn", "words")
        ruling = {name: rulings[-1][name] for name in wanted}
        fields = rulings[-1]["fields"]
        ruling |= {name: fields[name] for name in ("code", "player", "why")}
    game = {name: value for name, value in whole["game"].items() if name != "clock"}
    return topics.State(
        mat,
        time.time_ns() // 1_000_000,
        whole["mat"]["id"] if whole["mat"] else "",
        live.boot or 0,
        {name: whole["port"][name] for name in ("state", "why")},
        whole["health"],
        game,
        [list(piece) for piece in whole["pieces"]],
        names,
        ruling,
    )
