"""A message as one checked line of ASCII: `~<crc32, 8 lower-case hex digits> <text>\\n`.

The text holds neither a line feed nor a tilde (the encoder escapes both), so a reader that lost its
place finds the next message at the next tilde, and a damaged line costs that line only.
"""

from binascii import crc32

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

#: Longest line in bytes, line feed included; a longer one is not a message.
MAX_LINE_BYTES = 4096


def frame(text: str) -> bytes:
    """The line (with its line feed) that carries `text` (ASCII, no tilde, no line feed)."""
    body = text.encode()
    return b"".join((("~%08x " % (crc32(body) & 0xFFFFFFFF)).encode(), body, b"\n"))


def frame_long(texts: "Iterable[str]") -> "list[bytes]":
    """The same line, for a text that comes in parts, as a list of parts."""
    crc, parts = 0, [b""]
    for text in texts:
        body = text.encode()
        crc = crc32(body, crc)
        parts.append(body)
    parts[0] = ("~%08x " % (crc & 0xFFFFFFFF)).encode()
    parts.append(b"\n")
    return parts
