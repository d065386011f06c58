"""Hostile lines, both ways: well-formed with contents that no mat sends, and half of it noise."""

import json
from binascii import crc32
from random import Random
from typing import Any

from polarity.facts import KINDS
from polarity.rules.editions import EDITIONS
from polarity.rules.vocabulary import RULINGS
from polarity.wire.reading import SCHEMA
from polarity_bench.faults.mutations import OTHERS

OWN_BOOT = 1
HARMLESS = ("hello", "resume", "snap", "frames", "flight", "settings")  # declare nothing
WORDS = (
    *"w b flat leaner tower red stack contact temple play so over resume snap".split(), "",
    *KINDS, *RULINGS, *EDITIONS, "fault.contact", "../x", "{0.x}", "\ud800", "x\udfff", "\0",
    "\x1b[2J", "\u202e", "<b>", "w" * 900,
)  # fmt: skip
INTS = (-3, -1, 0, 1, 2, 7, 53, 2**31, 2**53 - 1, 2**53, 2**63, -(2**63), 10**400)
STATE = (
    "phase turn active done reserve owed founded question cube outcome final seats pieces".split()
)


def line(draw: Random) -> bytes:
    """A line as a broken or hostile device sends it; none of them is of the record of OWN_BOOT."""
    if draw.randrange(4) == 0:
        return _noise(draw)
    kind = draw.choice(tuple(SCHEMA))
    boot = draw.choice((0, 2, 3, OWN_BOOT, _int(draw)))
    if boot == OWN_BOOT and kind in ("game", "fact", "ruling", "log", "gap", "ack", "hello"):
        boot = 2
    number = draw.choice((0, 1, draw.randrange(60), _int(draw)))
    fields: dict[str, Any] = {"v": 1, "b": boot, "n": number, "t": _int(draw), "k": kind}
    odd = draw.randrange(40)
    for index, (name, sort) in enumerate(SCHEMA[kind]):
        if not sort.endswith("?") or draw.randrange(2):
            fields[name] = draw.choice(OTHERS) if index == odd else _value(sort[0], draw)
    if draw.randrange(4) == 0:
        fields["later"] = draw.choice((*OTHERS, _value("o", draw)))
    return framed(json.dumps(fields, separators=(",", ":")))


def framed(text: str) -> bytes:
    """As polarity.wire.framing.frame, for any text of JSON."""
    data = text.replace("~", "\\u007e").replace("\x7f", "\\u007f").encode("ascii", "replace")
    return b"~%08x %s\n" % (crc32(data) & 0xFFFFFFFF, data)


def command(draw: Random) -> bytes:
    """What a stray or hostile program sends a mat; it declares nothing of a game."""
    kind = draw.randrange(4)
    if kind == 0:
        return draw.randbytes(draw.randrange(200)).replace(b"new", b"old")
    name = draw.choice((*HARMLESS, "nonsense", "calibrate", "set", "x" * 90))
    words = [str(draw.choice((*INTS, "on", "off", "w", "AAAA", "\x7f", ""))) for _ in range(kind)]
    if name == "frames":
        words = ["off"]  # `only` stops the judging, as it should
    return " ".join([name, *words]).encode("utf-8", "replace")[:300] + b"\n"


def _noise(draw: Random) -> bytes:
    good = framed('{"v":1,"b":2,"n":1,"t":1,"k":"log","level":"info","text":"x"}')
    kind = draw.randrange(4)
    if kind == 0:
        return draw.randbytes(draw.randrange(1, 300)) + b"\n"
    if kind == 1:
        return good[: draw.randrange(len(good))]
    if kind == 2:
        at = draw.randrange(1, len(good) - 1)
        return good[:at] + bytes([good[at] ^ 1 << draw.randrange(7)]) + good[at + 1 :] + b"\n"
    text = draw.choice(('{"v":1', "[" * 3000, "9" * 4000, '"\\ud800"', "null", "[]", '{"v":2}'))
    return framed(text)


def _int(draw: Random) -> int:
    return draw.choice((draw.choice(INTS), draw.randrange(-3, 70), draw.randrange(-(2**40), 2**40)))


def _ints(draw: Random, most: int = 4) -> list[int]:
    return [_int(draw) for _ in range(draw.randrange(most + 1))]


def _value(sort: str, draw: Random) -> Any:
    few = range(draw.randrange(3))
    if sort == "i":
        return _int(draw)
    if sort == "s":
        return draw.choice(WORDS)
    if sort == "b":
        return bool(draw.randrange(2))
    if sort == "n":
        return _ints(draw)
    if sort == "g":
        return [[draw.choice(WORDS), _ints(draw, 3)] for _ in few]
    if sort == "r":
        return [[draw.choice(WORDS), _int(draw)] for _ in few]
    if sort == "l":
        row = [_int(draw), draw.choice(WORDS), draw.choice(WORDS), *(_int(draw) for _ in range(6))]
        return [draw.choice((row, draw.choice(OTHERS))) for _ in few]
    state = {}
    for name in draw.sample(STATE, draw.randrange(6)):
        state[name] = draw.choice((draw.choice(OTHERS), _ints(draw), _value("g", draw)))
    return state
