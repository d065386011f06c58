"""What a line may hold beyond the types of its fields, so that nothing behind it has to ask again.

The schema (polarity.wire.reading) says the types. These bounds hold for every value of a line, also
for fields that a newer mat adds.
"""

import json
from collections.abc import Iterator
from typing import Any, NoReturn

#: The largest integer that every JSON reader holds exactly (RFC 8259, section 6).
LARGEST = 2**53 - 1
#: How deep lists and objects may stand in each other. A `snap` needs five.
DEEPEST = 16


class OutOfBounds(ValueError):
    """A value that no line may hold; the message says which."""


def bounded(text: str) -> Any:
    """The value of a JSON text. ValueError when it is no JSON, RecursionError when it is far too
    deep, OutOfBounds for a number that is no integer or beyond LARGEST, a text that is no Unicode,
    or lists and objects deeper than DEEPEST."""
    value = json.loads(text, parse_float=_no_integer, parse_constant=_no_integer)
    for item in _items(value):
        if isinstance(item, int):
            if not -LARGEST <= item <= LARGEST:
                raise OutOfBounds("a number too large")
        elif isinstance(item, str) and not item.isascii() and _has_surrogate(item):
            raise OutOfBounds("half a character")
    return value


def implausible(message: dict[str, Any]) -> str:
    """What cannot be in a message that fits the schema, or ""."""
    if message["b"] < 0 or message["n"] < 0:
        return "a number below 0"
    if message["k"] == "gap" and not 1 <= message["first"] <= message["last"] <= message["n"]:
        return "gap: numbers that the mat has not reached"
    return ""


def _no_integer(number: str) -> NoReturn:
    raise OutOfBounds("a number that is no integer")


def _has_surrogate(text: str) -> bool:
    return any("\ud800" <= character <= "\udfff" for character in text)


def _items(value: Any) -> Iterator[Any]:
    """All numbers, texts and keys in a value, layer by layer."""
    layer = [value]
    for _ in range(DEEPEST + 1):
        inner: list[Any] = []
        for item in layer:
            if isinstance(item, dict):
                yield from item
                inner += item.values()
            elif isinstance(item, list):
                inner += item
            else:
                yield item
        if not inner:
            return
        layer = inner
    raise OutOfBounds("too deep")
