"""Damage: a value or file as a broken disk, another version or somebody's editor leaves it."""

import copy
from collections.abc import Callable
from random import Random
from typing import Any

#: What stands in the place of a value: other types, and numbers beyond what anything holds.
OTHERS: tuple[Any, ...] = (
    None, True, False, "", "?", "\ud800", "w" * 300, [], ["P"], {}, {"k": 1}, 0, -1, 1, 7, 255,
    4096, 2**29, 2**31, 2**53, 2**64, 10**400, -(2**31), 1.5, float("nan"), float("inf"),
)  # fmt: skip


def mutated(value: Any, draw: Random) -> Any:
    """A copy of a value of JSON's types, one thing in it changed, left out, doubled or moved."""
    value = copy.deepcopy(value)
    places = list(_places(value))
    if not places:
        return draw.choice(OTHERS)
    holder, at = draw.choice(places)
    change = draw.randrange(8)
    if change == 0:
        del holder[at]
    elif change == 1 and isinstance(holder, list):
        holder.insert(draw.randrange(len(holder) + 1), copy.deepcopy(holder[at]))
    elif change == 2:
        other, other_at = draw.choice(places)
        holder[at], other[other_at] = copy.deepcopy(other[other_at]), copy.deepcopy(holder[at])
    elif change == 3 and type(holder[at]) is int:
        holder[at] += draw.choice((-1, 1, 2, -100, 1000))
    else:
        holder[at] = copy.deepcopy(draw.choice(OTHERS))
    return value


def damaged(data: bytes, draw: Random) -> bytes:
    """`data` with bytes changed, left out, doubled, put in or cut off; never the same."""
    changes: tuple[Callable[[bytes, Random], bytes], ...] = (
        _bit, _bytes, _cut, _left_out, _doubled, _put_in, _zeros,
    )  # fmt: skip
    found = data
    while found == data:
        for _ in range(draw.choice((1, 1, 1, 2, 5))):
            found = draw.choice(changes)(found, draw)
    return found


def _places(value: Any) -> Any:
    waiting = [value]
    for holder in waiting:
        keys = list(holder) if isinstance(holder, dict) else range(len(holder))
        for at in keys:
            yield holder, at
            if isinstance(holder[at], (dict, list)):
                waiting.append(holder[at])


def _span(data: bytes, draw: Random) -> tuple[int, int]:
    at = draw.randrange(len(data) + 1)
    return at, min(len(data), at + draw.choice((1, 2, 8, 100, 4096)))


def _bit(data: bytes, draw: Random) -> bytes:
    changed = bytearray(data or b"\0")
    changed[draw.randrange(len(changed))] ^= 1 << draw.randrange(8)
    return bytes(changed)


def _bytes(data: bytes, draw: Random) -> bytes:
    at, end = _span(data, draw)
    return data[:at] + draw.randbytes(end - at) + data[end:]


def _zeros(data: bytes, draw: Random) -> bytes:
    at, end = _span(data, draw)
    return data[:at] + bytes(end - at) + data[end:]


def _cut(data: bytes, draw: Random) -> bytes:
    return data[: draw.randrange(len(data) + 1)]


def _left_out(data: bytes, draw: Random) -> bytes:
    at, end = _span(data, draw)
    return data[:at] + data[end:]


def _doubled(data: bytes, draw: Random) -> bytes:
    at, end = _span(data, draw)
    return data[:end] + data[at:]


def _put_in(data: bytes, draw: Random) -> bytes:
    at = draw.randrange(len(data) + 1)
    words = (
        b"[" * 3000,
        b"9" * 5000,
        b"true",
        b"null",
        b"\xff\xfe",
        b'"\\ud800"',
        b"-",
        b"{}",
        b"~",
    )
    return data[:at] + draw.choice(words) + data[at:]
