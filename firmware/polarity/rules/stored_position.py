"""A position as plain values, to be stored over a power cut: numbers, words, and lists of them."""

from json import dumps

from polarity.rules.pieces import Carried, Group, Piece
from polarity.rules.position import Position

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from polarity.rules.editions import Rules

    Plain = int | str | list["Plain"] | None

_TIGHT = (",", ":")
_LONG_AGO_MS = -1_000_000
_SCALARS = (int, str, bool)
_KINDS = {"P": Piece, "C": Carried, "G": Group}


def serialized(position: Position) -> "Iterator[str]":
    """The JSON of what `restored` makes an equal position from, a piece at a time: all at once it
    takes the chip as long as several frames, and more memory than it may have in one block."""
    numbers: "dict[int, int]" = {}
    values = position.__dict__
    text = '["D"'
    for name in sorted(values):
        if name == "edition":
            continue
        value = values[name]
        text += "," + dumps(name) + ","
        if isinstance(value, dict):
            text += '["D"'
            for key in sorted(value):
                yield text + "," + dumps(key)
                text = "," + _text(_plain(value[key], numbers))
            text += "]"
        elif isinstance(value, list):
            text += '["L"'
            for item in value:
                yield text
                text = "," + _text(_plain(item, numbers))
            text += "]"
        else:
            text += _text(_plain(value, numbers))
    yield text + "]"


def restored(edition: "Rules", values: "Plain") -> Position:
    """The position by these rules that `serialized` stored, `values` being its JSON parsed.
    ValueError when the values are no position."""
    position = Position(edition)
    try:
        found = _restored(values, [])
        for name in position.__dict__:
            if name != "edition":
                setattr(position, name, found[name])
    except (AttributeError, IndexError, KeyError, TypeError):
        raise ValueError("no position was stored there") from None
    # numbers and times from before the power cut mean nothing now
    position.question = ()
    position.intruder = 0
    position.intruder_left_ms = -1
    position.fault_ms = _LONG_AGO_MS
    return position


def _text(plain: "Plain") -> str:
    return dumps(plain, separators=_TIGHT)


def _plain(value: "object", numbers: "dict[int, int]") -> "Plain":
    """Each list begins with a letter for what it was. An object that occurs twice is written once
    and then referred to by its number: `numbers` has them by identity."""
    if value is None or isinstance(value, _SCALARS):
        return value
    if isinstance(value, dict):
        items: "list[Plain]" = ["D"]
        for key in sorted(value):
            items += [key, _plain(value[key], numbers)]
        return items
    if isinstance(value, (list, tuple)):
        letter = "L" if isinstance(value, list) else "T"
        return [letter] + [_plain(item, numbers) for item in value]
    for letter, kind in _KINDS.items():
        if isinstance(value, kind):
            if id(value) in numbers:
                return ["=", numbers[id(value)]]
            numbers[id(value)] = len(numbers)
            return [letter, _plain(value.__dict__, numbers)]
    raise TypeError(type(value).__name__)


def _restored(value: "Any", found: "list[object]") -> "Any":
    """What `_plain` made this of; `found` has the objects by their numbers."""
    if not isinstance(value, list):
        return value
    letter = value[0]
    if letter == "=":
        return found[value[1]]
    if letter == "D":
        return {value[at]: _restored(value[at + 1], found) for at in range(1, len(value), 2)}
    if letter in _KINDS:
        copy = _KINDS[letter]()
        found.append(copy)
        for name, item in _restored(value[1], found).items():
            setattr(copy, name, item)
        return copy
    items = [_restored(item, found) for item in value[1:]]
    return items if letter == "L" else tuple(items)
