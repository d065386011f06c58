"""A position as plain values, to be kept over a power cut: numbers, words, and lists of them."""

from json import dumps

from polarity.rules.copying import copy_of
from polarity.rules.pieces import Carried, Group, Piece
from polarity.rules.position import Position

_TIGHT = (",", ":")
_LONG_AGO_MS = -1_000_000
_SCALARS = (int, str, bool)
_KINDS = {"P": Piece, "C": Carried, "G": Group}


def slices(position):
    """A generator: the JSON of what `go_on` makes an equal position from, a piece at a time: all at
    once it takes the chip as long as several frames, and more memory than it may have in one."""
    seen, values = {}, position.__dict__
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
                text = "," + _text(_plain(value[key], seen))
            text += "]"
        elif isinstance(value, list):
            text += '["L"'
            for item in value:
                yield text
                text = "," + _text(_plain(item, seen))
            text += "]"
        else:
            text += _text(_plain(value, seen))
    yield text + "]"


def go_on(referee, values):
    """Lets a new referee go on where `slices` left another: corrections do not reach behind that.
    ValueError when the values are no position."""
    position = Position(referee.edition)
    try:
        found = _restored(values, [])
        for name in position.__dict__:
            if name != "edition":
                setattr(position, name, found[name])
    except (AttributeError, IndexError, KeyError, TypeError):
        raise ValueError("no position was kept there") from None
    # the numbers and times of before the cut mean nothing now
    position.question = ()
    position.intruder = 0
    position.intruder_left_ms = -1
    position.fault_ms = _LONG_AGO_MS
    referee.position = position
    referee.base = copy_of(position)


def _text(plain):
    return dumps(plain, separators=_TIGHT)


def _plain(value, seen):
    """Each list begins with a letter for what it was; what stands twice is numbered: `seen` has the
    numbers by identity."""
    if value is None or isinstance(value, _SCALARS):
        return value
    if isinstance(value, dict):
        kept = ["D"]
        for key in sorted(value):
            kept += [key, _plain(value[key], seen)]
        return kept
    if isinstance(value, (list, tuple)):
        return ["L" if isinstance(value, list) else "T"] + [_plain(item, seen) for item in value]
    for letter, kind in _KINDS.items():
        if isinstance(value, kind):
            if id(value) in seen:
                return ["=", seen[id(value)]]
            seen[id(value)] = len(seen)
            return [letter, _plain(value.__dict__, seen)]
    return value


def _restored(value, seen):
    if not isinstance(value, list):
        return value
    letter = value[0]
    if letter == "=":
        return seen[value[1]]
    if letter == "D":
        return {value[at]: _restored(value[at + 1], seen) for at in range(1, len(value), 2)}
    if letter in _KINDS:
        twin = _KINDS[letter]()
        seen.append(twin)
        for name, item in _restored(value[1], seen).items():
            setattr(twin, name, item)
        return twin
    items = [_restored(item, seen) for item in value[1:]]
    return items if letter == "L" else tuple(items)
