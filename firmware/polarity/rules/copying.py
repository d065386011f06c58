"""A position's copy, to judge again from."""

from polarity.rules.pieces import Carried, Group, Piece
from polarity.rules.position import Position

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def copy_of(position: Position) -> Position:
    """Another position that is equal and shares nothing that changes."""
    copy = Position(position.edition)
    copies: "dict[int, object]" = {}
    for name, value in position.__dict__.items():
        if name != "edition":
            setattr(copy, name, copied(value, copies))
    return copy


def copied(value: "Any", copies: "dict[int, object]") -> "Any":
    """A copy of lists, dicts, pieces, carried bodies and groups; an object that occurs twice is one
    object in the copy too.

    `copies`, by the identity of the original, is an empty dict for each copy as a whole.
    """
    if isinstance(value, list):
        return [copied(item, copies) for item in value]
    if isinstance(value, dict):
        return {key: copied(item, copies) for key, item in value.items()}
    if not isinstance(value, (Piece, Carried, Group)):
        return value
    if id(value) not in copies:
        copies[id(value)] = copy = type(value)()
        for name, item in value.__dict__.items():
            setattr(copy, name, copied(item, copies))
    return copies[id(value)]
