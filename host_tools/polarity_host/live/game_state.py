"""The position by the rulings, as the firmware's own ring and scoring can read it.

The mat tells its position in a `snap`, and in each ruling what that changes. From it the ring of
LEDs is painted, and the score is counted, by the very code that runs on the mat.
"""

from types import SimpleNamespace

from polarity.facts import BLACK, WHITE
from polarity.rules import scoring
from polarity.rules.editions import rules_of
from polarity_host.wire.messages import RulingMessage, json_fields

PLAYERS = {"w": WHITE, "b": BLACK}


def _ints(least: int, most: int):
    return lambda value: (
        isinstance(value, list)
        and least <= len(value) <= most
        and all(isinstance(item, int) for item in value)
    )


def _owed(value) -> bool:
    return isinstance(value, list) and all(
        isinstance(group, list)
        and len(group) == 2
        and isinstance(group[0], str)
        and _ints(0, 64)(group[1])
        for group in value
    )


def _pair(first: type, second: type):
    def right(value) -> bool:
        if not isinstance(value, list) or len(value) != 2:
            return value == []
        return isinstance(value[0], first) and isinstance(value[1], second)

    return right


#: What is taken from a snapshot, if it is as PROTOCOL.md says.
RIGHT = {
    "phase": lambda value: isinstance(value, str),
    "turn": lambda value: isinstance(value, int),
    "active": lambda value: isinstance(value, str),
    "done": lambda value: isinstance(value, int),
    "reserve": _ints(2, 4),
    "owed": _owed,
    "founded": _ints(2, 2),
    "question": _pair(int, str),
    "outcome": _pair(str, str),
    "cube": lambda value: isinstance(value, list) and len(value) in (0, 3),
}


class GameState:
    """`shown` is what viewers are told: phase, turn, active, done, reserve, owed, founded,
    question, cube, outcome, score. Hear every `snap` and ruling.
    """

    def __init__(self, edition: str = ""):
        self.begin(edition)

    def begin(self, edition: str) -> None:
        """A new game, of which nothing is known yet."""
        self.edition = edition
        self.shown = {
            "edition": edition, "phase": "red_disc", "turn": 0, "active": "", "done": 0,
            "reserve": [], "owed": [], "founded": [0, 0], "question": [], "cube": [],
            "outcome": [], "score": [],
        }  # fmt: skip
        rules = rules_of(edition)
        if rules:
            self.shown["reserve"] = [rules["reserve"]] * max(2, rules["stacks"])
            self.shown["phase"] = "red_disc" if rules["red"] else "foundations"

    def snap(self, state: dict) -> None:
        """The referee's position, whole."""
        for name, right in RIGHT.items():
            told = state.get(name, [] if name in ("question", "cube") else self.shown[name])
            if right(told):
                self.shown[name] = told

    def ruling(self, ruling: RulingMessage) -> None:
        """What a ruling changes."""
        shown, code, fields = self.shown, ruling.code, json_fields(ruling)
        for name in ("turn", "active", "reserve", "owed"):
            if RIGHT[name](fields[name]):
                shown[name] = fields[name]
        if code in ("turn", "answered", "overruled", "undone"):
            shown["question"] = []
        if code in ("answered", "overruled", "undone"):
            shown["outcome"] = []
        if code == "turn":
            shown["done"] = 0
        elif code in ("leaner_placed", "fault", "capture_failed"):
            shown["done"] = 1
        if code == "foundation" and ruling.player in PLAYERS:
            shown["founded"] = list(shown["founded"])
            shown["founded"][0 if ruling.player == "w" else 1] += 1
            shown["phase"] = "foundations"
        elif code == "red_placed":
            shown["phase"] = "foundations"
        elif code in ("setup_done", "turn"):
            shown["phase"] = "play"
        elif code == "end":
            shown["phase"], shown["outcome"] = "over", [ruling.why, ruling.player]
            shown["score"] = list(ruling.score) or shown["score"]

    def count(self, pieces) -> None:
        """The score as if the game ended now, from what lies on the mat."""
        rules, shown = rules_of(self.edition), self.shown
        if shown["phase"] != "play" or not rules or rules["players"] == 3 or not shown["reserve"]:
            return
        lying = {
            piece[0]: SimpleNamespace(face=PLAYERS.get(piece[2], 0), discs=piece[3])
            for piece in pieces
        }
        position = SimpleNamespace(pieces=lying, reserve=shown["reserve"], emptied=0)
        shown["score"] = list(scoring.score(position, rules))
