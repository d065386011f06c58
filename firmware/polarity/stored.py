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
        if kind is None:
            _like(value, model)
            continue
        _must(type(value) is type(model))
        for key in value:
            item = value[key] if isinstance(value, dict) else key
            _object(item, kind)
            _must(item is key or item.id == key)
    _numbers(position, fresh)
    _groups(position)


def _numbers(position: "Position", fresh: "Position") -> None:
    """They are within their bounds, and fit each other and the edition."""
    reserve, seats, colours = position.reserve, position.seats, position.colours
    _must(len(reserve) in (len(fresh.reserve), fresh.edition["stacks"]) and min(reserve) >= 0)
    _must(len(seats) == len(fresh.seats) and min(seats) >= 0 and len(position.founded) == 2)
    _must(max(seats) < max(2, len(colours)) and len(colours) == len(fresh.colours))
    _must(len(position.red_cmm) == 2 and position.active in (1, -1) and position.emptied >= 0)
    _must(position.emptied <= len(reserve) and (position.phase == OVER) == bool(position.outcome))
    _must(position.phase in (RED_DISC, FOUNDATIONS, PLAY, OVER))
    if position.outcome:
        why, winner, score = position.outcome
        _must(isinstance(why, str) and winner in (1, 0, -1) and _ints(score))
    for piece in position.pieces.values():
        _must(0 <= piece.due_to < len(reserve))


def _groups(position: "Position") -> None:
    """Each names pieces that lie there, and none that another does; a hand holds others."""
    named = set()
    for group in position.groups:
        _must(group.by in (1, -1))
        for ident in group.ids:
            _must(ident in position.pieces and ident not in named)
            named.add(ident)
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
        _like(value, model)
    if kind is not Group:
        _must(item.discs > 0 and item.face in (1, 0, -1))
        _must(len(item.from_cmm) == 2 if kind is Piece else item.owner in (1, 0, -1))


def _like(value: "Any", model: "Any") -> None:
    """It is of the model's type, and within bounds."""
    _must(type(value) is type(model))
    if isinstance(value, (list, tuple)):
        _must(_ints(value))
    elif not isinstance(value, str):
        _must(-MOST < value < MOST)


def _ints(values: "Sequence[int]") -> bool:
    for value in values:
        if type(value) is not int or not -MOST < value < MOST:
            return False
    return True


def _must(holds: "Any") -> None:
    if not holds:
        raise ValueError("no game was stored there")
