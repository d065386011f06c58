"""The other end of the wire: a line's text, and whether it is a message; not for the mat."""

from binascii import crc32

from polarity.wire.framing import MAX_LINE_BYTES
from polarity.wire.messages import FIELDS, VERSION

HEAD = ("v", "b", "n", "t", "k")

#: Bytes a line has beyond its text: tilde, checksum, space, line feed.
FRAME_BYTES = 11

#: The type of each of FIELDS: i int, s string, b bool, l list, n list of ints, g list of [string,
#: list of ints], r list of [string, int], o object or list.
TYPES = {
    "hello": "sssislii",
    "game": "ss",
    "snap": "slo",
    "fact": "sinsiiiiissi",
    "ruling": "sssnngrnisnii",
    "log": "ss",
    "ack": "sbs",
    "health": "iiins",
    "gap": "ii",
    "frame": "is",
    "flight": "l",
    "settings": "ssiiilb",
}

#: {kind: ((name, type), ...)}, the type with `?` where the field may be absent.
SCHEMA = {
    kind: tuple(
        [
            (name[:-1], sort + "?") if name[-1] == "?" else (name, sort)
            for name, sort in zip(FIELDS[kind], TYPES[kind])
        ]
    )
    for kind in FIELDS
}


def unframe(line: "bytes | bytearray") -> "str | None":
    """The text inside `line` (with or without its line end), or None when it is no message.

    None for anything else: another shape, a wrong checksum, bytes that are not ASCII, a line over
    MAX_LINE_BYTES. It never raises.
    """
    end = len(line)
    if end > MAX_LINE_BYTES:
        return None
    while end and line[end - 1] in (10, 13):
        end -= 1
    if end < FRAME_BYTES or line[0] != 0x7E or line[9] != 0x20:
        return None
    stated = 0
    for index in range(1, 9):
        code = line[index]
        if 0x30 <= code <= 0x39:
            digit = code - 0x30
        elif 0x61 <= code <= 0x66:
            digit = code - 0x57
        else:
            return None
        stated = stated << 4 | digit
    body = bytes(line[10:end])
    if crc32(body) & 0xFFFFFFFF != stated:
        return None
    for code in body:
        if code > 0x7E or code < 0x20:
            return None
    return body.decode()


def problem(message: object) -> str:
    """What is wrong with a decoded message, or "" when it fits the schema.

    Fields beyond the schema are allowed, so that a newer mat can send more to an older host.
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


def _is_int(value: object) -> bool:
    return isinstance(value, int) and value is not True and value is not False


def _fits(value: object, sort: str) -> bool:
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
