"""What pointers want of the mat, as plain messages: checked, queued, and carried out at a frame.

A message is a dict with "do" and "hand" (any short name; a hand is there from the first time on). It may have
"n", a number: the view shows the last one of each hand that was carried out.

| do | further fields | |
|---|---|---|
| `take` | `side`: "w", "b", "red"; may have `x`, `y` | an empty hand takes a disc from a reserve |
| `grab` | `body`; may have `discs`, `gather` | an empty hand lifts a body, its top discs, or also all that touch it |
| `move` | any of `x`, `y`, `z`, `tilt`, `azimuth` | where the hand wants what it holds: mm, degrees |
| `flip` | | turns what it holds over |
| `release` | | lets go: over the mat it falls, well outside it goes to a reserve, as by `put_back` |
| `set_down` | | lowers what it holds, lets a leaner find its balance, and lets go |
| `put_back` | may have `side` | what it holds goes to a reserve: `side`, or the one it belongs to |
| `set_up` | | red disc and foundations are laid for the players |
| `opponent` | `side`, `on`; may have `level` | a practice player plays this colour, or no longer: "clumsy", "usual" or "careful" |
| `clear` | | all discs go back to the reserves |
| `puzzle` | `number` | lays this puzzle in a game that has not begun yet |
"""  # noqa: E501

import math
import threading
from collections import deque
from collections.abc import Callable
from typing import Any, TypeAlias

from polarity_host.errors import BAD_INPUT, HostError
from polarity_host.simulation.players.puzzles import PUZZLES
from polarity_host.simulation.players.skill import SKILLS

from .hand import HIGHEST_MM, STEEPEST_DEG
from .world import World

Check: TypeAlias = Callable[[Any], Any]
"""Returns the value to take, or raises ValueError."""
Command: TypeAlias = tuple[str, str, dict[str, Any]]
"""(do, hand, fields), checked."""

WAITING = 60  # messages of one hand between two frames; more are refused, but for those that let go
HANDS = 24
NAME_LENGTH = 40
FAR_MM = 450.0

LETS_GO = ("release", "set_down", "put_back")
_SIDES = ("w", "b", "red")


def _number(low: float, high: float) -> Check:
    def check(value: Any) -> float:
        if isinstance(value, bool) or not isinstance(value, (int, float)):
            raise ValueError("must be a number")
        if not math.isfinite(value):
            raise ValueError("must be finite")
        return min(max(float(value), low), high)

    return check


def _count(value: Any) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or not 0 < value < 2**31:
        raise ValueError("must be a positive integer")
    return value


def _one_of(*choices: Any) -> Check:
    def check(value: Any) -> Any:
        if value not in choices:
            raise ValueError(f"must be one of {', '.join(map(str, choices))}")
        return value

    return check


_X = _Y = _number(-FAR_MM, FAR_MM)
#: do -> (fields that it must have, fields that it may have), each with its check
COMMANDS: dict[str, tuple[dict[str, Check], dict[str, Check]]] = {
    "take": ({"side": _one_of(*_SIDES)}, {"x": _X, "y": _Y}),
    "grab": ({"body": _count}, {"discs": _count, "gather": _one_of(True, False)}),
    "move": (
        {},
        {
            "x": _X,
            "y": _Y,
            "z": _number(0.0, HIGHEST_MM),
            "tilt": _number(0.0, STEEPEST_DEG),
            "azimuth": _number(-720.0, 720.0),
        },
    ),
    "flip": ({}, {}),
    "release": ({}, {}),
    "set_down": ({}, {}),
    "put_back": ({}, {"side": _one_of("w", "b")}),
    "set_up": ({}, {}),
    "opponent": (
        {"side": _one_of("w", "b"), "on": _one_of(True, False)},
        {"level": _one_of(*SKILLS)},
    ),
    "clear": ({}, {}),
    "puzzle": ({"number": _one_of(*range(1, len(PUZZLES) + 1))}, {}),
}


def checked(message: Any) -> Command:
    """The command of a message. HostError BAD_INPUT says what is wrong with it."""
    if not isinstance(message, dict):
        raise HostError(BAD_INPUT, "a message to the virtual mat is an object")
    do, hand = message.get("do"), message.get("hand", "")
    if not isinstance(do, str) or do not in COMMANDS:
        raise HostError(BAD_INPUT, "the virtual mat knows: {known}", known=", ".join(COMMANDS))
    if not isinstance(hand, str) or len(hand) > NAME_LENGTH:
        raise HostError(
            BAD_INPUT,
            "a hand's name is a text of up to {NAME_LENGTH} letters",
            NAME_LENGTH=NAME_LENGTH,
        )
    must, may = COMMANDS[do]
    fields = {}
    for name, check in (must | may | {"n": _count}).items():
        if name in message:
            try:
                fields[name] = check(message[name])
            except (ValueError, TypeError) as error:
                raise HostError(
                    BAD_INPUT, "{do}: {name} {error}", do=do, name=name, error=error
                ) from error
        elif name in must:
            raise HostError(BAD_INPUT, "{do}: {name} is missing", do=do, name=name)
    return do, hand, fields


class Inputs:
    """The messages that wait for the next frame. `put` may be called from any thread."""

    def __init__(self) -> None:
        self._waiting: deque[Command] = deque()
        self._names: set[str] = set()
        self._lock = threading.Lock()

    def put(self, message: Any) -> None:
        """Checks a message and queues it: of moves that follow each other, as one. HostError
        BAD_INPUT, also when too many wait."""
        do, hand, fields = checked(message)
        with self._lock:
            waiting = [command for command in self._waiting if command[1] == hand]
            if do == "move" and waiting and waiting[-1][0] == "move":
                waiting[-1][2].update(fields)
                return
            if waiting and waiting[-1][0] == do in LETS_GO:
                return
            if len(waiting) >= WAITING * (1 + (do in LETS_GO)):
                raise HostError(BAD_INPUT, "too many messages at once: slow down")
            if hand not in self._names and len(self._names) >= HANDS:
                raise HostError(
                    BAD_INPUT, "there are {HANDS} hands over this mat already", HANDS=HANDS
                )
            self._names.add(hand)
            self._waiting.append((do, hand, fields))

    def leave(self, hand: str) -> None:
        """A hand goes away and lets go of what it holds; another may take its place."""
        with self._lock:
            self._names.discard(hand)
            self._waiting.append(("leave", hand, {}))

    def taken(self) -> list[Command]:
        """Takes all that wait, in order."""
        with self._lock:
            waiting, self._waiting = list(self._waiting), deque()
        return waiting


def do_to(world: World, do: str, name: str, fields: dict[str, Any]) -> None:
    """Carries out a command that concerns one hand alone."""
    hand = world.hand(name)
    if do == "take":
        xy = (fields["x"], fields["y"]) if {"x", "y"} <= fields.keys() else None
        world.take(hand, fields["side"], xy)
    elif do == "grab":
        world.grab(hand, fields["body"], fields.get("discs"), fields.get("gather", False))
    elif hand.body is None:
        return
    elif do == "move":
        hand.aim(**fields)
    elif do == "flip":
        hand.flip()
    elif do in ("release", "leave"):
        world.release(hand)
    elif do == "put_back":
        world.put_back(hand, fields.get("side"))
