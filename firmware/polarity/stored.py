"""Whether a stored game is one: its types, and what must hold in every position.

What is read from the flash was whole when it was written, though perhaps by another version. This
is needed once, when the mat starts: import this module then, and unload it.
"""

from .rules.pieces import Carried, Group, Piece
from .rules.position import FOUNDATIONS, OVER, PLAY, RED_DISC

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from .rules.position import Position

#: Beyond any id, count, time and place, and within the chip's small ints.
MOST = 1 << 28
MOST_BODIES = 64
BODY = 11  # ints of a body: its id, its marks and its pose
_KINDS = {"pieces": Piece, "carried": Carried, "aside": Carried, "groups": Group}


def check(position: "Position", fresh: "Position", bodies: "Sequence[Sequence[int]]") -> None:
    """ValueError unless `position`, like `fresh`, is one that a referee can go on with, and
    `bodies` are as perception.memory.remembered gives them."""
    _must(isinstance(bodies, list) and len(bodies) <= MOST_BODIES)
    for body in bodies:
        _must(isinstance(body, list) and len(body) == BODY and _ints(body))
    for name, model in fresh.__dict__.items():
        value = getattr(position, name)
        kind = _KINDS.get(name)
        if name == "edition" or name == "outcome" or name == "question":
            continue
        _must(type(value) is type(model))
        if isinstance(value, dict):
            _must(_ints(list(value)))
            for key, item in value.items():
                _object(item, kind)
                _must(item.id == key)
        elif kind:
            for item in value:
                _object(item, kind)
        elif isinstance(value, (list, tuple)):
            _must(_ints(value))
        elif not isinstance(value, str):
            _must(-MOST < value < MOST)
    stacks = len(fresh.reserve), fresh.edition["stacks"]
    _must(len(position.reserve) in stacks and min(position.reserve) >= 0)
    _must(len(position.seats) == len(fresh.seats) and min(position.seats) >= 0)
    _must(max(position.seats) < max(2, len(position.colours)))
    _must(len(position.colours) == len(fresh.colours) and len(position.founded) == 2)
    _must(len(position.red_cmm) == 2 and position.active in (1, -1) and position.emptied >= 0)
    _must(position.emptied <= len(position.reserve))
    _must(position.phase in (RED_DISC, FOUNDATIONS, PLAY, OVER))
    _must((position.phase == OVER) == bool(position.outcome))
    if position.outcome:
        why, winner, score = position.outcome
        _must(isinstance(why, str) and winner in (1, 0, -1) and _ints(score))
    for piece in position.pieces.values():
        _must(0 <= piece.due_to < len(position.reserve))
    named = []
    for group in position.groups:
        _must(group.by in (1, -1))
        named += group.ids
    for ident in named:
        _must(ident in position.pieces)
    _must(len(set(named)) == len(named))
    for ident in position.carried:
        _must(ident not in position.pieces)


def _object(item: "Any", kind: "Any") -> None:
    """It is of this kind, and its attributes are as one's that was just made."""
    _must(kind and type(item) is kind)
    fresh = kind()
    for name, value in item.__dict__.items():
        model = getattr(fresh, name)
        if name == "group":
            _must(value is None or type(value) is Group)
            if value is not None:
                _object(value, Group)
            continue
        _must(type(value) is type(model))
        if isinstance(value, (list, tuple)):
            _must(_ints(value))
        elif not isinstance(value, str):
            _must(-MOST < value < MOST)
    if kind is not Group:
        _must(item.discs > 0 and item.face in (1, 0, -1))
        _must(len(item.from_cmm) == 2 if kind is Piece else item.owner in (1, 0, -1))


def _ints(values: "Sequence[int]") -> bool:
    for value in values:
        if type(value) is not int or not -MOST < value < MOST:
            return False
    return True


def _must(holds: "Any") -> None:
    if not holds:
        raise ValueError("no game was stored there")
