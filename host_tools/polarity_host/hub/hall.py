"""What the hall shows now: one board for each mat, those that wait for an arbiter first.

What comes from a mat is shown as far as it has the form of TOPICS.md: a board that sends something
else is shown without it.
"""

import threading
import time
from collections import deque
from collections.abc import Iterator
from typing import Any

from polarity_host.mqtt.topics import State
from polarity_host.wire.lines import Message

MOST_BOARDS = 200
MOST_PIECES = 80
MOST_NEW = 2000  # events between two ticks; more are told of by the state
#: Of a state's game: what the page shows, and of which type it is.
GAME = {"edition": str, "phase": str, "turn": int, "active": str, "done": int, "reserve": list,
        "owed": list, "question": list, "outcome": list, "score": list, "founded": list,
        "final": int, "seat": int}  # fmt: skip
RULING = {"n": int, "b": int, "clock": str, "turn": int, "code": str, "player": str, "words": dict}
FAULTS = ("fault", "capture_failed", "irregular", "unsure")
#: Why a board waits for an arbiter, the most urgent first.
REASONS = ("question", "fault", "health", "away")

Board = dict[str, Any]


class Late:
    """What viewers know of a hall, `delay_s` late: `whole`, and what is due of the changes that
    were taken (see `Hall.changes`)."""

    def __init__(self, delay_s: float = 0.0):
        self.delay_s = delay_s
        self.whole: dict[str, Any] = {"boards": {}, "problem": "", "tournament": {}}
        self._waiting: deque[tuple[float, dict[str, Any]]] = deque()

    def take(self, changes: dict[str, Any]) -> None:
        """Takes what has changed, if anything has."""
        if changes:
            self._waiting.append((time.monotonic() + self.delay_s, changes))

    def due(self) -> Iterator[dict[str, Any]]:
        """The changes that are due by now, in their order; `whole` follows them."""
        now_s = time.monotonic()
        while self._waiting and self._waiting[0][0] <= now_s:
            _, changes = self._waiting.popleft()
            self.whole["boards"] |= changes.get("boards", {})
            self.whole |= {key: changes[key] for key in ("problem", "tournament") if key in changes}
            yield changes


class Hall:
    """The boards by name. From any thread."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._boards: dict[str, Board] = {}
        self._changed: set[str] = set()
        self._new: deque[dict[str, Any]] = deque(maxlen=MOST_NEW)
        self._problem = ""
        self._problem_changed = False
        self._tournament: dict[str, Any] = {}
        self._tournament_changed = False
        self._seats: dict[str, dict[str, str]] = {}

    def take_status(self, mat: str, online: bool) -> None:
        """A mat's computer is there, or gone."""
        with self._lock:
            if board := self._board(mat):
                board["online"] = online
                self._judge(board)

    def take_state(self, state: State) -> None:
        """How a mat's game stands."""
        with self._lock:
            if not (board := self._board(state.mat)):
                return
            board["kind"], board["boot"] = state.mat_kind[:32], state.boot
            board["names"] = {
                name: text[:120]
                for name, text in state.names.items()
                if name in ("white", "black", "event")
            }
            board["game"] = _formed(state.game, GAME)
            board["ruling"] = _formed(state.ruling, RULING) if state.ruling else None
            board["pieces"] = [row for row in state.pieces[:MOST_PIECES] if _is_piece(row)]
            board["port"] = str(state.port.get("state", ""))[:20]
            board["health"] = str(state.health.get("why", ""))[:80]
            self._judge(board)

    def note(self, mat: str, message: Message, at_ms: int) -> None:
        """A message that is stored."""
        with self._lock:
            self._new.append(
                {
                    "mat": mat, "b": message.boot, "n": message.number, "k": message.kind,
                    "t_ms": message.t_ms, "at_ms": at_ms,
                }
            )  # fmt: skip

    def take_tournament(self, tournament: dict[str, Any]) -> None:
        """How the newest tournament stands, as `tournaments.export.as_object` has it. The players
        of its last round stand at their boards."""
        seats = {
            one["mat"]: {"white": one["white"], "black": one["black"], "event": tournament["name"]}
            for one in tournament["boards"]
            if one["round"] == tournament["rounds_paired"] and one["mat"] and one["black"]
        }
        with self._lock:
            self._tournament, self._tournament_changed = tournament, True
            for mat, board in self._boards.items():
                if board["seats"] != seats.get(mat, {}):
                    board["seats"] = seats.get(mat, {})
                    self._changed.add(mat)
            self._seats = seats

    def report(self, problem: str) -> None:
        """What is wrong with the hub itself; "" for nothing."""
        with self._lock:
            self._problem_changed = self._problem_changed or problem != self._problem
            self._problem = problem

    def changes(self) -> dict[str, Any]:
        """The boards that have changed since the last call, the events since then, and the
        tournament and a problem of the hub where these have; empty when nothing has."""
        with self._lock:
            found: dict[str, Any] = {}
            if self._changed:
                found["boards"] = {mat: dict(self._boards[mat]) for mat in self._changed}
            if self._new:
                found["events"] = list(self._new)
            if self._problem_changed:
                found["problem"] = self._problem
            if self._tournament_changed:
                found["tournament"] = self._tournament
            self._changed, self._problem_changed = set(), False
            self._tournament_changed = False
            self._new.clear()
            return found

    def whole(self) -> dict[str, Any]:
        """All boards."""
        with self._lock:
            boards = {mat: dict(board) for mat, board in self._boards.items()}
            return {"boards": boards, "problem": self._problem, "tournament": self._tournament}

    def knows(self, mat: str) -> bool:
        """Whether there is such a board."""
        return mat in self._boards

    def _board(self, mat: str) -> Board | None:
        """The board of a mat; None where the hall has no room for it."""
        if mat not in self._boards:
            if len(self._boards) == MOST_BOARDS:
                return None
            self._boards[mat] = {
                "online": True, "kind": "", "boot": 0, "names": {}, "game": {}, "ruling": None,
                "pieces": [], "port": "", "health": "", "waits": "", "since_s": 0.0,
                "seats": self._seats.get(mat, {}),
            }  # fmt: skip
        self._changed.add(mat)
        return self._boards[mat]

    def _judge(self, board: Board) -> None:
        """Says why a board waits for an arbiter, and since when."""
        game, ruling = board["game"], board["ruling"] or {}
        is_over = bool(game.get("outcome"))
        waits = ""
        if game.get("question"):
            waits = "question"
        elif ruling.get("code") in FAULTS and not is_over:
            waits = "fault"
        elif board["health"]:
            waits = "health"
        elif not board["online"] or board["port"] in ("lost", "failed"):
            waits = "" if is_over or not game else "away"
        if waits != board["waits"]:
            board["waits"], board["since_s"] = waits, round(time.time(), 1)


def _formed(given: dict[str, Any], form: dict[str, type]) -> dict[str, Any]:
    return {name: given[name] for name, kind in form.items() if type(given.get(name)) is kind}


def _is_piece(row: object) -> bool:
    return (
        isinstance(row, list)
        and len(row) == 8
        and isinstance(row[1], str)
        and isinstance(row[2], str)
        and all(type(row[k]) is int for k in (0, 3, 4, 5, 6, 7))
    )
