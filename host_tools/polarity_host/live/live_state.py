"""The whole that a viewer is shown, and what has changed of it: filled by the thread that follows
the mat, read by the one that serves viewers.
"""

import threading
import time
from collections import deque
from collections.abc import Callable

from polarity.lights.azimuth import azimuth_deg
from polarity_host.device.link import Event, Gap, PortState
from polarity_host.live.event_reporter import EventReporter
from polarity_host.live.evidence import EvidenceRecorder, mat_of, packed
from polarity_host.live.field import FieldView
from polarity_host.live.game_state import GameState
from polarity_host.live.led_ring import LedRing
from polarity_host.live.scene import Scene
from polarity_host.mats.description import Mat, MatError, load_mat
from polarity_host.wire.lines import Damaged, Message
from polarity_host.wire.messages import (
    AckMessage,
    FactMessage,
    FlightMessage,
    FrameMessage,
    GameMessage,
    HealthMessage,
    HelloMessage,
    LogMessage,
    RulingMessage,
    SnapMessage,
    json_fields,
)

EVENTS = 300  # the last ones, which a viewer who comes late is told
ASK_S = 0.4  # how long after a fact that did not tell all the mat is asked for a snapshot
#: What the mat is asked whenever its port is opened.
GREETING = ("frames on", "flight on", "snap")


class LiveState:
    """What is known of one mat. `tell` takes what a link brings, as a Teller does; everything else
    may be called from another thread. `say` sends a command to the mat; `keep` stores evidence and
    says whether it did.
    """

    def __init__(
        self,
        say: Callable[[str], None] = lambda command: None,
        keep: Callable[[int, int, bytes], bool] = lambda boot, number, data: True,
        clock: Callable[[], float] = time.monotonic,
        told: Callable[[], None] = lambda: None,
    ):
        self._say, self._keep, self._clock, self._told = say, keep, clock, told
        self._lock = threading.Lock()
        self._scene = Scene()
        self._position = GameState()
        self._telling = EventReporter()
        self._recorder = EvidenceRecorder()
        self._mat: Mat | None = None
        self._view: FieldView | None = None
        self._lights: LedRing | None = None
        self._fact_at = 0, 0  # the last fact's number, and its azimuth
        self._boot: int | None = None
        self._t_ms = 0
        self._at_s = clock()
        self._asked_s = 0.0
        self._health = {"why": "", "masked": [], "lost": 0, "unsent": 0, "damaged": 0, "ill": {}}
        self._port = {"state": "waiting", "why": ""}
        self._mat_shown: dict | None = None
        self._tending: dict | None = None
        self._events: deque = deque(maxlen=EVENTS)
        self._new_events: list = []
        self._answers: deque = deque(maxlen=16)  # acks, newest last
        self._changed: set[str] = set()
        self._field_at = 0
        self.result: RulingMessage | None = None  # the `end` ruling, as a Teller has it

    # ------------------------------------------------------------------ from the mat
    def handle(self, event: Event) -> None:
        """Takes one event of a link. HostError when evidence cannot be stored."""
        with self._lock:
            if isinstance(event, Message):
                self._message(event)
                self._at_s = self._clock()
            elif isinstance(event, Damaged):
                self._health["damaged"] += 1
                self._changed.add("health")
            elif isinstance(event, Gap):
                self._event(self._telling.gap(event, self._t_ms))
            elif isinstance(event, PortState):
                self._port_state(event.state, event.why)
            self._keep_evidence()
        self._told()

    def restore(self, messages: list[Message], evidence: list[int]) -> None:
        """What the mat has said before, and is not asked again: the stored messages of its game.
        `evidence`: numbers of the rulings whose evidence is stored.
        """
        with self._lock:
            for message in messages:
                if message.numbered or message.kind == "snap":
                    self._message(message)
            self._recorder.clear()
            self.result = None  # whoever waits for an end means one to come
            for event in self._events:
                if event["k"] == "ruling" and event["n"] in evidence:
                    event["slow"] = True

    def show_maintenance(self, how: dict | None) -> None:
        """How doctor or calibration stand, see `tending`; None: no more."""
        with self._lock:
            self._tending = how
            self._changed.add("tending")

    def finish(self) -> None:
        """Nothing more will be told: the evidence of the last rulings is kept as far as it goes."""
        with self._lock:
            self._keep_evidence(to_the_end=True)

    def fail(self, why: str) -> None:
        """Following the mat has ended, and why."""
        with self._lock:
            self._port_state("failed", why)

    def _port_state(self, state: str, why: str) -> None:
        self._port = {"state": state, "why": why}
        self._changed.add("port")
        if state == "open":
            for command in GREETING:
                self._say(command)
        else:
            self._scene.fly([])
            self._changed.add("flight")
            self._keep_evidence(to_the_end=True)

    def _message(self, message: Message) -> None:
        if message.boot != self._boot:
            self._boot = message.boot
            self._recorder.clear()
            self._scene = Scene()
            self._changed |= {"pieces", "flight"}
        body = message.body
        if not isinstance(body, FactMessage):  # which happened before it was sent
            self._t_ms = message.t_ms
        if isinstance(body, (HelloMessage, GameMessage)):
            self._use_mat(body.mat)
        handle = getattr(self, f"_take_{message.kind}", None)
        if handle:
            handle(message, body)
        if self._scene.vague and self._clock() - self._asked_s > ASK_S:
            self._asked_s = self._clock()
            self._say("snap")

    def _use_mat(self, name: str) -> None:
        if self._mat and self._mat.id == name:
            return
        try:
            self._mat = load_mat(name)
        except MatError as error:
            self._health["why"] = str(error)
            self._changed.add("health")
            return
        self._view = FieldView(self._mat)
        self._lights = LedRing(self._mat.led_count)
        self._mat_shown = mat_of(self._mat)
        self._changed.add("mat")

    def _take_hello(self, message: Message, hello: HelloMessage) -> None:
        if self._position.edition != hello.edition:
            self._position.begin(hello.edition)
            self._changed.add("game")

    def _take_game(self, message: Message, game: GameMessage) -> None:
        self._position.begin(game.edition)
        self._scene = Scene()
        self._telling.begin(game.edition, message.t_ms)
        self.result = None
        self._changed |= {"pieces", "flight", "game"}
        self._event(self._telling.message(message))

    def _take_snap(self, message: Message, snap: SnapMessage) -> None:
        self._scene.snap(snap.pieces)
        if isinstance(snap.state, dict):
            self._position.snap(snap.state)
        self._moved(message.t_ms)

    def _take_flight(self, message: Message, flight: FlightMessage) -> None:
        self._scene.fly(flight.pieces)
        self._recorder.flight(message.t_ms, self._scene.flight)
        self._changed.add("flight")

    def _take_frame(self, message: Message, frame: FrameMessage) -> None:
        bare = not self._scene.pieces and not self._scene.flight
        if self._view and self._view.take(frame.counts, bare):
            self._recorder.frame(message.t_ms, frame.counts)
            self._field_at += 1
            ill = self._view.ill()
            if ill != self._health["ill"]:
                self._health["ill"] = ill
                self._changed.add("health")

    def _take_fact(self, message: Message, fact: FactMessage) -> None:
        self._scene.fact(fact)
        self._fact_at = message.number, azimuth_deg(fact.x, fact.y)
        self._recorder.fact(message)
        self._moved(message.t_ms)
        self._event(self._telling.message(message))

    def _take_ruling(self, message: Message, ruling: RulingMessage) -> None:
        self._position.ruling(ruling)
        if ruling.code == "end":
            self.result = ruling
        elif message.reopens:
            self.result = None
        if ruling.code in ("unsure", "cube"):
            self._scene.vague = True
        if self._lights:
            self._lights.ruling(ruling, message.t_ms, self._where(ruling))
        self._recorder.ruling(message)
        self._moved(self._t_ms)
        self._event(self._telling.message(message))

    def _take_log(self, message: Message, log: LogMessage) -> None:
        self._event(self._telling.message(message))

    def _take_ack(self, message: Message, ack: AckMessage) -> None:
        self._answers.append(json_fields(ack))
        self._changed.add("answers")

    def _take_health(self, message: Message, health: HealthMessage) -> None:
        self._health |= {"why": health.why, "masked": list(health.masked)}
        self._health |= {"lost": health.lost, "unsent": health.unsent}
        self._changed.add("health")

    def _where(self, ruling: RulingMessage) -> int:
        """Where the fact was that led to a ruling, as the mat takes it: the last one told."""
        number, azimuth = self._fact_at
        return azimuth if number in ruling.facts else -1

    def _moved(self, t_ms: int) -> None:
        self._position.count(self._scene.pieces.values())
        self._recorder.scene(t_ms, self._scene.pieces.values())
        self._changed |= {"pieces", "game"}

    def _event(self, told: dict) -> None:
        self._events.append(told)
        self._new_events.append(told)

    def _keep_evidence(self, to_the_end: bool = False) -> None:
        if not self._mat:
            return
        for ruling, evidence in self._recorder.ready(None if to_the_end else self._t_ms, self._mat):
            evidence["zero"] = self._view.zero()
            facts = [fact["n"] for fact in evidence["facts"]]
            evidence["told"] = self._telling.told(ruling.number, facts)
            if not self._keep(ruling.boot, ruling.number, packed(evidence)):
                continue
            for event in self._events:
                if event["n"] == ruling.number and event["k"] == "ruling":
                    event["slow"] = True
            self._new_events.append({"k": "slow", "n": ruling.number, "b": ruling.boot})

    # ------------------------------------------------------------------ to the viewers
    def changes(self) -> tuple[dict, list[dict]]:
        """What has changed since the last call, by the names of `whole`, and the events since
        then.
        """
        with self._lock:
            changed, self._changed = self._changed, set()
            events, self._new_events = self._new_events, []
            told = {name: self._part(name) for name in changed}
            told.update(self._time())
            return told, events

    def whole(self) -> dict:
        """All of it: `mat` (null until the mat has said what it is), `port`, `game`, `pieces`,
        `flight`, `health`, `answers`, `tending`, `leds`, `t_ms`, `at_s` and `events`.
        """
        with self._lock:
            names = ("mat", "port", "game", "pieces", "flight", "health", "answers", "tending")
            told = {name: self._part(name) for name in names}
            return {**told, **self._time(), "events": list(self._events)}

    def field(self) -> tuple[int, str]:
        """A number that rises with every frame, and the field as FieldView has it."""
        with self._lock:
            return self._field_at, self._view.field() if self._view else ""

    @property
    def boot(self) -> int | None:
        """The boot of the mat that is followed now."""
        return self._boot

    def _time(self) -> dict:
        """The mat's clock now, when it was last heard, and its lights."""
        passed_ms = min(1000, int(1000 * (self._clock() - self._at_s)))
        now_ms = self._t_ms + (passed_ms if self._port["state"] == "open" else 0)
        lights = ""
        if self._lights:
            lights = self._lights.paint(now_ms, self._position.shown, bool(self._health["why"]))
        return {"t_ms": now_ms, "at_s": round(self._at_s, 4), "leds": lights}

    def _part(self, name: str):
        if name == "pieces":
            return list(self._scene.pieces.values())
        if name == "flight":
            return self._scene.flight
        if name == "game":
            return {**self._position.shown, "boot": self._boot}
        if name == "mat":
            return self._mat_shown
        if name == "health":
            return dict(self._health)
        if name == "answers":
            return list(self._answers)
        if name == "tending":
            return self._tending
        return self._port
