"""What each message says: one schema for the mat that writes it and the host that reads it.

A message is a JSON object whose keys stand in a fixed order: the head (v, b, n, t, k), then the
fields of its kind. The encoder is written here because MicroPython's dicts have no order and both
runtimes must produce the same bytes. Values are ints, bools, ASCII or Unicode strings, lists and
(in `snap`) objects; never floats.
"""

from polarity.facts import letter

#: Version of the wire; a reader refuses a message of a higher one.
VERSION = 1

#: Field types: i int, s string, b bool, l list, n list of ints, g list of [string,
#: list of ints], r list of [string, int], o object or list; with `?` the field may be absent.
SCHEMA = {
    "hello": (
        ("name", "s"), ("version", "s"), ("mat", "s"), ("sensors", "i"), ("edition", "s"),
        ("caps", "l"), ("frame_hz", "i"), ("first", "i"),
    ),
    "game": (("edition", "s"), ("mat", "s")),
    "snap": (("edition", "s"), ("pieces", "l"), ("state", "o")),
    "fact": (
        ("f", "s"), ("piece", "i"), ("others", "n"), ("face", "s"), ("discs", "i"), ("x", "i"),
        ("y", "i"), ("tilt", "i"), ("d", "i"), ("shape", "s"), ("why", "s"), ("conf", "i"),
    ),
    "ruling": (
        ("code", "s"), ("player", "s"), ("why", "s"), ("pieces", "n"), ("facts", "n"),
        ("owed", "g"), ("returns", "r"), ("reserve", "n"), ("turn", "i"), ("active", "s"),
        ("score", "n?"), ("seat", "i?"), ("names", "i?"),
    ),
    "log": (("level", "s"), ("text", "s")),
    "ack": (("cmd", "s"), ("ok", "b"), ("why", "s")),
    "health": (("frames", "i"), ("lost", "i"), ("unsent", "i"), ("masked", "n"), ("why", "s")),
    "gap": (("first", "i"), ("last", "i")),
    "frame": (("us", "i"), ("counts", "s")),
}  # fmt: skip

#: Kinds that are part of the game's record: each takes the next number and is kept for `resume`.
#: The others carry the number of the last of these.
NUMBERED = ("game", "fact", "ruling", "log")

HEAD = ("v", "b", "n", "t", "k")


class WireError(Exception):
    """A value that the wire cannot carry: a programming mistake on the sending side."""


def fact_values(fact):
    """The fields of a `fact` message, in order, from a polarity.facts.Fact."""
    return (
        fact.kind, fact.piece, fact.others, letter(fact.face), fact.discs, fact.x, fact.y,
        fact.tilt, fact.d, fact.shape, fact.why, fact.confidence,
    )  # fmt: skip


def ruling_values(ruling):
    """The fields of a `ruling` message, in order, from a polarity.rules.ruling.Ruling."""
    return (
        ruling.code, letter(ruling.player), ruling.why, ruling.pieces, ruling.facts,
        [(letter(player), pieces) for player, pieces in ruling.owed],
        [(letter(player), discs) for player, discs in ruling.returns],
        ruling.reserve, ruling.turn, letter(ruling.active), ruling.score or None,
        ruling.seat or None, ruling.names or None,
    )  # fmt: skip


def encode(kind, boot, number, t_ms, values):
    """The JSON text of a message; `values` in the schema's order, None for an absent field.

    WireError when the kind is unknown, the count of values is wrong or a value cannot be carried.
    """
    fields = SCHEMA.get(kind)
    if fields is None:
        raise WireError("unknown kind of message")
    if len(fields) != len(values):
        raise WireError(kind + ": wrong count of values")
    parts = ['{"v":%d,"b":%d,"n":%d,"t":%d,"k":"%s"' % (VERSION, boot, number, t_ms, kind)]
    for (name, sort), value in zip(fields, values):
        if value is None and sort[-1] == "?":
            continue
        parts.append(',"' + name + '":')
        _append(parts, value)
    parts.append("}")
    return "".join(parts)


def json_text(value):
    """`value` as JSON without spaces, in ASCII, an object's keys sorted. WireError as `encode`."""
    parts = []
    _append(parts, value)
    return "".join(parts)


def _append(parts, value):
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
    else:
        raise WireError("the wire carries no " + type(value).__name__)


def _quoted(text):
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


def problem(message):
    """What is wrong with a decoded message, or "" when it fits the schema.

    Fields beyond the schema are allowed, so that a newer mat can say more to an older host.
    """
    if not isinstance(message, dict):
        return "not an object"
    for name in HEAD[:4]:
        if not _is_int(message.get(name)):
            return "no number in " + name
    if message["v"] > VERSION:
        return "wire version %d is newer than %d" % (message["v"], VERSION)
    kind = message.get("k")
    if not isinstance(kind, str) or kind not in SCHEMA:
        return "unknown kind"
    for name, sort in SCHEMA[kind]:
        if name not in message:
            if sort[-1] != "?":
                return kind + " without " + name
        elif not _fits(message[name], sort[0]):
            return kind + ": wrong type in " + name
    return ""


def _is_int(value):
    return isinstance(value, int) and value is not True and value is not False


def _fits(value, sort):
    if sort == "i":
        return _is_int(value)
    if sort == "s":
        return isinstance(value, str)
    if sort == "b":
        return value is True or value is False
    if sort == "o":
        return isinstance(value, (dict, list))
    if not isinstance(value, list):
        return False
    if sort == "n":
        return all(_is_int(item) for item in value)
    if sort == "g" or sort == "r":
        inner = "n" if sort == "g" else "i"
        for item in value:
            if not isinstance(item, list) or len(item) != 2:
                return False
            if not isinstance(item[0], str) or not _fits(item[1], inner):
                return False
    return True
