"""Messages of a mat, made for tests as the wire carries them."""

import json
from typing import Any

from polarity.wire.framing import frame
from polarity.wire.messages import VERSION
from polarity.wire.reading import SCHEMA
from polarity_host.wire.lines import Message, decode

#: What a field is unless the test names it, by its type in the schema.
EMPTY = {"i": 0, "s": "", "b": False, "l": [], "n": [], "g": [], "r": [], "o": {}}


def made_message(
    kind: str, number: int, t_ms: int | None = None, boot: int = 1, **fields: Any
) -> Message:
    """A message with these fields, the others empty; its time is its number unless given."""
    head = {"v": VERSION, "b": boot, "n": number, "t": number if t_ms is None else t_ms, "k": kind}
    empty = {name: EMPTY[sort] for name, sort in SCHEMA[kind] if not sort.endswith("?")}
    message = decode(frame(json.dumps({**head, **empty, **fields}))[:-1])
    assert isinstance(message, Message), message
    return message
