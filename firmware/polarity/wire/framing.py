"""A message as one checked line of ASCII: `~<crc32, 8 lower-case hex digits> <text>\\n`.

The text holds neither a line feed nor a tilde (the encoder escapes both), so a reader that lost its
place finds the next message at the next tilde, and a damaged line costs that line only.
"""

from binascii import crc32

#: Longest line in bytes, line feed included; a longer one is not a message.
MAX_LINE_BYTES = 4096
#: Bytes a line has beyond its text: tilde, checksum, space, line feed.
FRAME_BYTES = 11


def frame(text):
    """The line (bytes, with its line feed) that carries `text` (ASCII, no tilde, no line feed)."""
    body = text.encode()
    return ("~%08x " % (crc32(body) & 0xFFFFFFFF)).encode() + body + b"\n"


def unframe(line):
    """The text inside `line` (bytes, with or without its line end), or None when it is no message.

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
