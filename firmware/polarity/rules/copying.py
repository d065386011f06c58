"""A position's copy, to judge again from."""

from polarity.rules.pieces import Carried, Group, Piece
from polarity.rules.position import Position


def copy_of(position):
    """Another position that is equal and shares nothing that changes."""
    twin = Position(position.edition)
    seen = {}
    for name, value in position.__dict__.items():
        if name != "edition":
            setattr(twin, name, copied(value, seen))
    return twin


def copied(value, seen):
    """A copy of lists, dicts, pieces, carried bodies and groups; one that stands twice does so in
    the copy.

    `seen` is an empty dict for each copy as a whole.
    """
    if isinstance(value, list):
        return [copied(item, seen) for item in value]
    if isinstance(value, dict):
        return {key: copied(item, seen) for key, item in value.items()}
    if not isinstance(value, (Piece, Carried, Group)):
        return value
    if id(value) not in seen:
        seen[id(value)] = twin = type(value)()
        for name, item in value.__dict__.items():
            setattr(twin, name, copied(item, seen))
    return seen[id(value)]
