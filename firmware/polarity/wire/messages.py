"""The fields of each message, for the mat that writes it; reading.py is the other end's half.

A message is a JSON object whose keys stand in a fixed order: the head (v, b, n, t, k), then the
fields of its kind. Values are ints, bools, ASCII or Unicode strings, lists and (in `snap`) objects;
never floats. An OrderedDict of numbers and plain strings is left to json: both runtimes write it
alike, and it takes the chip a tenth of the time. The rest is written here, as MicroPython's dicts
have no order and both must produce the same bytes.
"""

from collections import OrderedDict
from json import dumps

from polarity.facts import letter

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Generator, Sequence
    from typing import Any

    from polarity.facts import Fact
    from polarity.rules.ruling import Ruling

#: Version of the wire; a reader refuses a message of a higher one.
VERSION = 1

#: The fields of each kind, in order; one with `?` may be absent. Reading.py has their types.
FIELDS = {
    "hello": ("name", "version", "mat", "sensors", "edition", "caps", "frame_hz", "first"),
    "game": ("edition", "mat"),
    "snap": ("edition", "pieces", "state"),
    "fact": (
        "f", "piece", "others", "face", "discs", "x", "y", "tilt", "d", "shape", "why", "conf",
    ),
    "ruling": (
        "code", "player", "why", "pieces", "facts", "owed", "returns", "reserve", "turn",
        "active", "score?", "seat?", "names?",
    ),
    "log": ("level", "text"),
    "ack": ("cmd", "ok", "why"),
    "health": ("frames", "lost", "unsent", "masked", "why"),
    "gap": ("first", "last"),
    "frame": ("us", "counts"),
    "flight": ("pieces",),
    "settings": ("mat", "edition", "brightness", "port_ma", "oversample", "later", "kept"),
}  # fmt: skip

#: Kinds that are part of the game's record: each takes the next number and is stored for `resume`.
#: The others carry the number of the last of these.
NUMBERED = ("game", "fact", "ruling", "log")


_TIGHT = (",", ":")
_SCALARS = (int, str, bool)
_LISTS = (tuple, list)


class WireError(Exception):
    """A value that the wire cannot carry: a programming error on the sending side."""


class Text:
    """A value for the wire whose JSON was made before by `json_text`, as consecutive texts."""

    def __init__(self, texts: "list[str]") -> None:
        self.texts = texts


def fact_values(fact: "Fact") -> tuple:
    """The fields of a `fact` message, in order, from a polarity.facts.Fact."""
    return (
        fact.kind, fact.piece, fact.others, letter(fact.face), fact.discs, fact.x, fact.y,
        fact.tilt, fact.d, fact.shape, fact.why, fact.confidence,
    )  # fmt: skip


def ruling_values(ruling: "Ruling") -> tuple:
    """The fields of a `ruling` message, in order, from a polarity.rules.ruling.Ruling."""
    evidence, after = ruling.evidence, ruling.after
    return (
        ruling.code, letter(ruling.player), ruling.why, evidence.pieces, evidence.facts,
        [(letter(player), pieces) for player, pieces in after.owed],
        [(letter(player), discs) for player, discs in ruling.returns],
        after.reserve, after.turn, letter(after.active), after.score or None,
        ruling.seat or None, evidence.corrects or None,
    )  # fmt: skip


def encode(kind: str, boot: int, number: int, t_ms: int, values: "Sequence") -> str:
    """The JSON text of a message; `values` in the schema's order, None for an absent field.

    WireError when the kind is unknown, the count of values is wrong or a value cannot be carried.
    """
    message: "OrderedDict[str, Any]" = OrderedDict(
        (("v", VERSION), ("b", boot), ("n", number), ("t", t_ms), ("k", kind))
    )
    for name, value in _present(kind, values):
        if not (isinstance(value, _SCALARS) or _simple(value)):
            break
        message[name] = value
    else:
        text = dumps(message, separators=_TIGHT)
        if _plain(text):
            return text
    return "".join(encode_long(kind, boot, number, t_ms, values))


def encode_long(kind: str, boot: int, number: int, t_ms: int, values: "Sequence") -> "list[str]":
    """As `encode`, in consecutive texts: none is longer than one value's, so no contiguous memory
    is needed for the whole."""
    texts = ['{"v":%d,"b":%d,"n":%d,"t":%d,"k":"%s"' % (VERSION, boot, number, t_ms, kind)]
    for name, value in _present(kind, values):
        texts.append(',"' + name + '":')
        _append(texts, value)
    texts.append("}")
    return texts


def json_text(value: object) -> str:
    """`value` as JSON without spaces, in ASCII, an object's keys sorted. WireError as `encode`."""
    if _simple(value):
        text = dumps(value, separators=_TIGHT)
        if _plain(text):
            return text
    parts = []
    _append(parts, value)
    return "".join(parts)


def _present(kind: str, values: "Sequence") -> "Generator[tuple[str, Any]]":
    """A generator of (name, value) of the fields that are there."""
    fields = FIELDS.get(kind)
    if fields is None:
        raise WireError("unknown kind of message")
    if len(fields) != len(values):
        raise WireError(kind + ": wrong count of values")
    for name, value in zip(fields, values):
        if name.endswith("?"):
            if value is None:
                continue
            name = name[:-1]
        yield name, value


def _plain(text: str) -> bool:
    """True when json had nothing to escape, and nothing is left that another runtime's would."""
    if "\\" in text or "~" in text or "\x7f" in text:
        return False
    return len(text.encode()) == len(text)


def _simple(value: object) -> bool:
    """True for numbers, strings, and lists of nothing else."""
    if isinstance(value, _LISTS):
        for item in value:
            if not isinstance(item, _SCALARS) and not _simple(item):
                return False
        return True
    return isinstance(value, _SCALARS)


def _append(parts: "list[str]", value: object) -> None:
    if value is True:
        parts.append("true")
    elif value is False:
        parts.append("false")
    elif isinstance(value, int):
        parts.append(str(value))
    elif isinstance(value, str):
        parts.append(_quoted(value))
    elif isinstance(value, (tuple, list)):
        parts.append("[")
        for index, item in enumerate(value):
            if index:
                parts.append(",")
            _append(parts, item)
        parts.append("]")
    elif isinstance(value, dict):
        parts.append("{")
        for index, key in enumerate(sorted(value.keys())):
            if index:
                parts.append(",")
            if not isinstance(key, str):
                raise WireError("an object's key must be a string")
            parts.append(_quoted(key))
            parts.append(":")
            _append(parts, value[key])
        parts.append("}")
    elif isinstance(value, Text):
        parts += value.texts
    else:
        raise WireError("the wire carries no " + type(value).__name__)


def _quoted(text: str) -> str:
    plain = True
    for char in text:
        code = ord(char)
        if code < 0x20 or code > 0x7D or code == 0x22 or code == 0x5C:
            plain = False
            break
    if plain:
        return '"' + text + '"'
    parts = ['"']
    for char in text:
        code = ord(char)
        if code == 0x22 or code == 0x5C:
            parts.append("\\" + char)
        elif 0x20 <= code <= 0x7D:
            parts.append(char)
        elif code < 0x10000:
            parts.append("\\u%04x" % code)
        else:
            code -= 0x10000
            parts.append("\\u%04x\\u%04x" % (0xD800 + (code >> 10), 0xDC00 + (code & 0x3FF)))
    parts.append('"')
    return "".join(parts)
