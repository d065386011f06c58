"""The state of the game by the mat's rulings, in the form that viewers and the ring of LEDs read.

The mat sends its whole position in a `snap`, and with each ruling what that changes. The score is
counted from it by the code that runs on the mat.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypedDict, cast

from polarity.facts import BLACK, WHITE
from polarity.rules import players
from polarity.rules.editions import rules_of
from polarity.rules.position import Position
from polarity_host.live.scene import PieceRow
from polarity_host.live.turn_clock import ClockView, TurnClock
from polarity_host.wire.messages import RulingMessage

PLAYERS = {"w": WHITE, "b": BLACK}
CORRECTIONS = ("answered", "overruled", "undone", "revised")
MOST_IDS = 64  # of a group to be captured


class GameView(TypedDict):
    """The part `game` of the state that viewers get (API.md)."""

    edition: str
    phase: str
    turn: int
    active: str
    done: int
    reserve: Sequence[int]
    owed: Sequence[Sequence[Any]]  # [player, ids] for each group
    founded: Sequence[int]
    question: Sequence[Any]  # [number, kind], or empty
    cube: Sequence[Any]
    seat: int  # where more than two play: whose turn it is, or who has won, from 1; else 0
    in_place: Sequence[int]  # owed towers that may be declared captured where they stand
    outcome: Sequence[str]  # [why, winner], or empty
    score: Sequence[int]
    final: int  # 1 once nothing can come any more that happened before the end
    clock: ClockView


def _are_ints(least: int, most: int) -> Callable[[object], bool]:
    return lambda value: (
        isinstance(value, list)
        and least <= len(value) <= most
        and all(isinstance(item, int) for item in value)
    )


def _are_groups(value: object) -> bool:
    return isinstance(value, list) and all(
        isinstance(group, list)
        and len(group) == 2
        and isinstance(group[0], str)
        and _are_ints(0, MOST_IDS)(group[1])
        for group in value
    )


def _is_pair(first: type, second: type) -> Callable[[object], bool]:
    def is_valid(value: object) -> bool:
        if not isinstance(value, list) or len(value) != 2:
            return value == []
        return isinstance(value[0], first) and isinstance(value[1], second)

    return is_valid


#: The parts that are taken from a snapshot, each if it is as PROTOCOL.md says.
VALID: dict[str, Callable[[object], bool]] = {
    "phase": lambda value: isinstance(value, str),
    "turn": lambda value: isinstance(value, int),
    "active": lambda value: isinstance(value, str),
    "done": lambda value: isinstance(value, int),
    "reserve": _are_ints(2, 4),
    "owed": _are_groups,
    "founded": _are_ints(2, 2),
    "question": _is_pair(int, str),
    "outcome": _is_pair(str, str),
    "final": lambda value: isinstance(value, int),
    "cube": lambda value: isinstance(value, list) and len(value) in (0, 3),
}


@dataclass(frozen=True)
class _ScoredPiece:
    face: int
    discs: int
    caught: bool
    due: int = 0  # a mat does not report which pieces ought to go back
    due_to: int = 0


@dataclass(frozen=True)
class _ScoredPosition:
    """What polarity.rules.players reads of a position."""

    pieces: dict[int, _ScoredPiece]
    reserve: Sequence[int]
    emptied: int = 0


class GameState:
    """`shown` is what viewers get. It wants every `snap` and every ruling."""

    def __init__(self, edition: str = ""):
        self.begin(edition)

    def begin(self, edition: str) -> None:
        """A new game, of which nothing is known yet."""
        self.edition = edition
        self.clock = TurnClock()
        self.shown: GameView = {
            "edition": edition, "phase": "red_disc", "turn": 0, "active": "", "done": 0,
            "reserve": [], "owed": [], "founded": [0, 0], "question": [], "cube": [],
            "seat": 0, "in_place": [], "outcome": [], "score": [],
            "final": 0, "clock": self.clock.view(),
        }  # fmt: skip
        rules = rules_of(edition)
        if rules:
            self.shown["reserve"] = [rules["reserve"]] * max(2, rules["stacks"])
            self.shown["phase"] = "red_disc" if rules["red"] else "foundations"

    def apply_snap(self, state: dict[str, Any]) -> None:
        """Takes the referee's whole position. It has no `question` and no `cube` while there is
        none, and no `final` before the game is over.
        """
        absent = {**self.shown, "question": [], "cube": [], "final": 0}
        found = {name: state.get(name, absent[name]) for name in VALID}
        valid = {name: value for name, value in found.items() if VALID[name](value)}
        self.shown = cast(GameView, {**self.shown, **valid})
        seats = state.get("seats")
        if _are_ints(2, 2)(seats) and self.shown["phase"] == "play":
            self.shown["seat"] = cast(list[int], seats)[self.shown["active"] == "b"]

    def apply_ruling(self, ruling: RulingMessage) -> None:
        """Takes what a ruling changes."""
        shown, code = self.shown, ruling.code
        shown["turn"], shown["active"] = ruling.turn, ruling.active
        if 2 <= len(ruling.reserve) <= 4:
            shown["reserve"] = list(ruling.reserve)
        if all(len(ids) <= MOST_IDS for _, ids in ruling.owed):
            shown["owed"] = ruling.owed
        if code == "turn" or code in CORRECTIONS:
            shown["question"] = []
        if code in CORRECTIONS:
            shown["outcome"], shown["final"] = [], 0
        if code in ("turn", "end"):
            shown["seat"] = ruling.seat
        if code == "turn":
            shown["done"] = 0
        elif code in ("leaner_placed", "fault", "capture_failed"):
            shown["done"] = 1
        if code == "foundation" and ruling.player in PLAYERS:
            white, black = shown["founded"]
            is_white = ruling.player == "w"
            shown["founded"] = [white + is_white, black + (not is_white)]
            shown["phase"] = "foundations"
        elif code == "red_placed":
            shown["phase"] = "foundations"
        elif code in ("setup_done", "turn"):
            shown["phase"] = "play"
        elif code == "end":
            shown["phase"], shown["outcome"] = "over", [ruling.why, ruling.player]
            shown["score"] = list(ruling.score) or shown["score"]

    def keep_time(self, t_ms: int) -> None:
        """Takes the mat's time at which the game came to be as it is. Of two players, whoever has
        played leaves the turn to the other."""
        shown, side = self.shown, ""
        if shown["phase"] == "play" and len(shown["reserve"]) == 2 and shown["active"] in PLAYERS:
            side = shown["active"]
            if shown["done"]:
                side = "b" if side == "w" else "w"
        self.clock.note(side, t_ms)
        shown["clock"] = self.clock.view()

    def find_in_place(self, pieces: Mapping[int, PieceRow]) -> None:
        """Finds, by what lies on the mat, the owed towers that their capturer may declare captured
        where they stand: all discs of the group are in it, and it shows his colour.
        """
        rules, found = rules_of(self.edition), []
        for player, ids in self.shown["owed"] if rules and rules["in_place"] else ():
            tower = pieces.get(ids[0]) if len(ids) == 1 else None
            if tower and tower.discs > 1 and tower.face == player:
                found.append(ids[0])
        self.shown["in_place"] = found

    def count_score(self, pieces: Iterable[PieceRow]) -> None:
        """Counts the score as if the game ended now, from what lies on the mat."""
        rules, shown = rules_of(self.edition), self.shown
        if shown["phase"] != "play" or not rules or rules["players"] == 3:
            return
        if len(shown["reserve"]) not in (2, 4):  # of two players or four: no mat sends others
            return
        caught = {ident for _, ids in shown["owed"] for ident in ids}
        lying = {
            piece.id: _ScoredPiece(PLAYERS.get(piece.face, 0), piece.discs, piece.id in caught)
            for piece in pieces
        }
        position = cast(Position, _ScoredPosition(lying, shown["reserve"]))  # all that it reads
        shown["score"] = list(players.score(position, rules))
