"""The live state: all that a viewer is shown, and what has changed of it. The thread that follows
the mat fills it, the one that serves viewers reads it.
"""

import threading
import time
from collections import deque
from collections.abc import Callable
from typing import Any, Literal, get_args

from polarity_host.device.link import Event, Gap, PortState
from polarity_host.errors import HostError
from polarity_host.live.event_log import EventLog, ViewerEvent
from polarity_host.live.event_reporter import EventReporter
from polarity_host.live.evidence import EvidenceRecorder, packed
from polarity_host.live.game_state import GameState
from polarity_host.live.mat_health import MatHealth
from polarity_host.live.mat_in_use import MatInUse
from polarity_host.live.scene import Scene
from polarity_host.mats.description import MatError
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
)
from polarity_host.words.said import in_all_languages

MOST_ANSWERS = 16
PLAYERS = ("white", "black")
MOST_ASIDES = 20  # lines set aside that viewers are told of; `damaged` counts all
SNAP_EVERY_S = 0.4  # at most so often a snapshot is requested
MOST_PASSED_MS = 1000  # the mat's clock is run on for so long after its last message
#: Commands that the mat gets whenever its port is opened.
GREETING = ("frames on", "flight on", "snap")

Part = Literal[
    "mat", "port", "game", "names", "pieces", "flight", "health", "answers", "maintenance"
]
PARTS: tuple[Part, ...] = get_args(Part)


class LiveState:
    """What is known of one mat. All of it may be called from any thread.

    `send` sends a command to the mat; `store_evidence(boot, number, data)` stores the evidence of a
    ruling and returns whether it did. `result` is the `end` ruling, as of a terminal's reporter.
    """

    def __init__(
        self,
        send: Callable[[str], None] = lambda command: None,
        store_evidence: Callable[[int, int, bytes], bool] = lambda boot, number, data: True,
        clock: Callable[[], float] = time.monotonic,
    ):
        self.result: RulingMessage | None = None
        self._send, self._store_evidence, self._clock = send, store_evidence, clock
        self._lock = threading.Lock()
        self._scene = Scene()
        self._game = GameState()
        self._reporter = EventReporter()
        self._recorder = EvidenceRecorder()
        self._in_use: MatInUse | None = None
        self._boot: int | None = None
        self._t_ms = 0
        self._at_s = clock()
        self._requested_s = 0.0  # when the last snapshot was requested
        self._health = MatHealth()
        self._asides = 0  # lines set aside that viewers were told of
        self._port: dict[str, Any] = {"state": "waiting", "why": "", "words": {}}
        self._maintenance: dict[str, Any] | None = None
        self._names: dict[str, str] = {}
        self._events = EventLog()
        self._answers: deque[dict[str, Any]] = deque(maxlen=MOST_ANSWERS)  # newest last
        self._changed: set[Part] = set()

    # ------------------------------------------------------------------ from the mat
    def handle(self, event: Event) -> None:
        """Takes one event of a link. HostError when evidence cannot be stored."""
        with self._lock:
            if isinstance(event, Message):
                self._handle_message(event)
                self._at_s = self._clock()
            elif isinstance(event, Damaged):
                self._health.count_damaged()
                self._changed.add("health")
                if event.aside and self._asides < MOST_ASIDES:
                    self._asides += 1
                    self._events.add(self._reporter.report_aside(event, self._asides, self._t_ms))
            elif isinstance(event, Gap):
                self._events.add(self._reporter.report_gap(event, self._t_ms))
            elif isinstance(event, PortState):
                self._handle_port(event.state, event.why)
            self._finish_evidence()

    def restore(self, messages: list[Message], evidence: list[int]) -> None:
        """Takes the stored messages of the mat's game, which it is not asked for again.
        `evidence`: numbers of the rulings whose evidence is stored.
        """
        with self._lock:
            for message in messages:
                if message.numbered or message.kind == "snap":
                    self._handle_message(message)
            self._recorder.clear()
            self.result = None  # whoever waits for an end means one to come
            self._events.mark_slow(evidence)

    def show_maintenance(self, progress: dict[str, Any] | None) -> None:
        """Shows how the doctor or the calibration stands, see Maintenance; None: nothing."""
        with self._lock:
            self._maintenance = progress
            self._changed.add("maintenance")

    @property
    def names(self) -> dict[str, str]:
        """The players' names by "white" and "black", of this game and those that follow it."""
        return self._names

    def name_players(self, names: dict[str, str]) -> None:
        """From now on the players have these names; an empty one: none."""
        with self._lock:
            self._names = {**self._names, **names}
            self._changed.add("names")

    def finish(self) -> None:
        """Nothing more will come: the last rulings' evidence is stored as far as it goes."""
        with self._lock:
            self._finish_evidence(to_the_end=True)

    def fail(self, error: HostError) -> None:
        """The session with the mat has broken off."""
        with self._lock:
            self._handle_port("failed", error.message, in_all_languages(error))

    def _handle_port(self, state: str, why: str, words: dict[str, str] | None = None) -> None:
        self._port = {"state": state, "why": why, "words": words or in_all_languages(why)}
        self._changed.add("port")
        if state == "open":
            for command in GREETING:
                self._send(command)
        else:
            self._scene.apply_flight([])
            self._changed.add("flight")
            self._finish_evidence(to_the_end=True)

    def _handle_message(self, message: Message) -> None:
        if message.boot != self._boot:
            self._boot = message.boot
            self._recorder.clear()
            self._game.clock.stop()
            self._scene = Scene()
            self._changed |= {"pieces", "flight"}
        if message.kind != "fact":  # a fact is sent later than it happened
            self._t_ms = message.t_ms
        match message.body:
            case HelloMessage() as hello:
                self._use_mat(hello.mat)
                if self._game.edition != hello.edition:
                    self._game.begin(hello.edition)
                    self._changed.add("game")
            case GameMessage() as game:
                self._use_mat(game.mat)
                self._begin_game(message, game)
            case SnapMessage() as snap:
                self._scene.apply_snap(snap.pieces)
                if isinstance(snap.state, dict):
                    self._game.apply_snap(snap.state)
                self._note_scene(message.t_ms)
            case FlightMessage() as flight:
                self._scene.apply_flight(flight.pieces)
                self._recorder.add_flight(message.t_ms, self._scene.flight)
                self._changed.add("flight")
            case FrameMessage() as frame:
                self._handle_frame(message.t_ms, frame)
            case FactMessage() as fact:
                self._handle_fact(message, fact)
            case RulingMessage() as ruling:
                self._handle_ruling(message, ruling)
            case LogMessage():
                self._events.add(self._reporter.report(message))
            case AckMessage() as ack:
                self._answers.append({"cmd": ack.cmd, "ok": ack.ok, "why": ack.why})
                self._changed.add("answers")
            case HealthMessage() as health:
                self._health.take(health)
                self._changed.add("health")
        if self._scene.vague and self._clock() - self._requested_s > SNAP_EVERY_S:
            self._requested_s = self._clock()
            self._send("snap")

    def _use_mat(self, name: str) -> None:
        if self._in_use and self._in_use.mat.id == name:
            return
        try:
            self._in_use = MatInUse(name)
        except MatError as error:
            self._health.complain(error)
            self._changed.add("health")
            return
        self._changed.add("mat")

    def _begin_game(self, message: Message, game: GameMessage) -> None:
        self._game.begin(game.edition)
        self._scene = Scene()
        self._reporter.begin(game.edition, message.t_ms)
        self.result = None
        self._changed |= {"pieces", "flight", "game"}
        self._events.add(self._reporter.report(message))

    def _handle_frame(self, t_ms: int, frame: FrameMessage) -> None:
        bare = not self._scene.pieces and not self._scene.flight
        if self._in_use and self._in_use.take_frame(frame.counts, bare):
            self._recorder.add_frame(t_ms, frame.counts)
            if self._health.look_at(self._in_use.ill()):
                self._changed.add("health")

    def _handle_fact(self, message: Message, fact: FactMessage) -> None:
        self._scene.apply_fact(fact)
        if self._in_use:
            self._in_use.handle_fact(message.number, fact)
        self._recorder.add_fact(message)
        self._note_scene(message.t_ms)
        self._events.add(self._reporter.report(message))

    def _handle_ruling(self, message: Message, ruling: RulingMessage) -> None:
        self._game.apply_ruling(ruling)
        if ruling.code == "end":
            self.result = ruling
        elif message.reopens:
            self.result = None
        if ruling.code in ("unsure", "cube"):
            self._scene.mark_vague()
        if self._in_use:
            self._in_use.handle_ruling(ruling, message.t_ms)
        self._recorder.add_ruling(message, ruling)
        self._note_scene(self._t_ms)
        self._events.add(self._reporter.report(message))

    def _note_scene(self, t_ms: int) -> None:
        self._game.keep_time(t_ms)
        self._game.count_score(self._scene.pieces.values())
        self._game.find_in_place(self._scene.pieces)
        self._recorder.add_scene(t_ms, self._scene.pieces.values())
        self._changed |= {"pieces", "game"}

    def _finish_evidence(self, to_the_end: bool = False) -> None:
        if self._in_use is None:
            return
        now_ms = None if to_the_end else self._t_ms
        for ruling, evidence in self._recorder.complete(now_ms, self._in_use.mat):
            evidence["zero"] = self._in_use.zero()
            facts = [fact["n"] for fact in evidence["facts"]]
            evidence["told"] = self._reporter.texts_of(ruling.number, facts)
            if self._store_evidence(ruling.boot, ruling.number, packed(evidence)):
                self._events.mark_slow([ruling.number])
                self._events.announce_slow(ruling.number, ruling.boot)

    # ------------------------------------------------------------------ to the viewers
    def changes(self) -> tuple[dict[str, Any], list[ViewerEvent]]:
        """The parts of `whole` that have changed since the last call, and the events since then."""
        with self._lock:
            changed, self._changed = self._changed, set()
            parts = {name: self._part(name) for name in changed}
            return {**parts, **self._time()}, self._events.take_new()

    def whole(self) -> dict[str, Any]:
        """All of it: the PARTS (`mat` is None until the mat has stated what it is), `leds`, `t_ms`,
        `at_s` and `events`.
        """
        with self._lock:
            parts = {name: self._part(name) for name in PARTS}
            return {**parts, **self._time(), "events": self._events.newest()}

    def field(self) -> tuple[int, str]:
        """A number that rises with every frame, and the field as FieldView has it."""
        with self._lock:
            return (self._in_use.field_number, self._in_use.field()) if self._in_use else (0, "")

    @property
    def boot(self) -> int | None:
        """The boot of the mat that is followed now."""
        return self._boot

    def _time(self) -> dict[str, Any]:
        """The mat's clock now, when its last message came, and its lights."""
        passed_ms = min(MOST_PASSED_MS, int(1000 * (self._clock() - self._at_s)))
        now_ms = self._t_ms + (passed_ms if self._port["state"] == "open" else 0)
        lights = ""
        if self._in_use:
            unwell = bool(self._health.shown["why"])
            lights = self._in_use.lights(now_ms, self._game.shown, unwell)
        return {"t_ms": now_ms, "at_s": round(self._at_s, 4), "leds": lights}

    def _part(self, name: Part) -> Any:
        match name:
            case "pieces":
                return list(self._scene.pieces.values())
            case "flight":
                return self._scene.flight
            case "game":
                return {**self._game.shown, "boot": self._boot}
            case "mat":
                return self._in_use.shown if self._in_use else None
            case "health":
                return dict(self._health.shown)
            case "answers":
                return list(self._answers)
            case "maintenance":
                return self._maintenance
            case "names":
                return self._names
            case "port":
                return self._port
