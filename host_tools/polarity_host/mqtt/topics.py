"""The topic tree and what a payload says, for those who send and those who receive. TOPICS.md has
the same for readers.
"""

import re
from typing import Any, TypeVar

import msgspec
from msgspec import Struct

from polarity_host.wire.lines import Message, decode

VERSION = 1
ROOT = "polarity"
#: What a mat may be named. It is a part of topics, a user of the broker, and it stands in links.
NAME = re.compile(r"[a-z0-9][a-z0-9_-]{0,31}")

EVENT = "event"  # a numbered message
STATE = "state"  # retained: how the game stands
RECORD = "record"  # retained: which numbers the mat's computer has
STATUS = "status"  # retained: ONLINE or OFFLINE, the latter as the last will
LOST = "lost"  # numbers that nobody has
EVIDENCE = "evidence"  # the evidence of a ruling, as `ask` wanted it
ASK = "ask"  # for the mat's computer
OWNER = "owner"  # retained: which program publishes the mat
#: What a mat's computer publishes for the hall. ASK is from the hall, OWNER for others that would
#: publish the same mat.
PUBLISHED = (EVENT, STATE, RECORD, STATUS, LOST, EVIDENCE)

ONLINE, OFFLINE = b"online", b"offline"

#: The most bytes of a payload. A line has 4096; JSON may double some of its characters.
MOST_BYTES = {EVENT: 10_000, STATE: 40_000, RECORD: 4_000, STATUS: 16, LOST: 200, ASK: 500,
              EVIDENCE: 400_000, OWNER: 200}  # fmt: skip
MOST_OF_ALL = max(MOST_BYTES.values())

T = TypeVar("T", bound=Struct)


class Event(Struct, frozen=True):
    """A numbered message: its line as the mat sent it, and when it was stored (UTC, ms since 1970,
    by the clock of the mat's computer)."""

    mat: str
    at_ms: int
    line: str
    v: int = VERSION

    def message(self) -> Message | None:
        """The message; None where the line is none, or one without a number."""
        found = decode(self.line.encode("ascii", "replace"))
        return found if isinstance(found, Message) and found.numbered else None


class State(Struct, frozen=True):
    """How the game stands. The parts are those of `live/API.md`; `mat_kind` is the mat's
    id there, `ruling` the newest ruling as an event there, or None."""

    mat: str
    at_ms: int
    mat_kind: str
    boot: int
    port: dict[str, str]
    health: dict[str, Any]
    game: dict[str, Any]
    pieces: list[Any]
    names: dict[str, str]
    ruling: dict[str, Any] | None = None
    v: int = VERSION


class Record(Struct, frozen=True):
    """The boots that are published, newest first, each with its last number."""

    mat: str
    boots: list[tuple[int, int]]
    v: int = VERSION


class Lost(Struct, frozen=True):
    """Numbers of a boot that the mat's computer is without, for good."""

    mat: str
    boot: int
    first: int
    last: int
    v: int = VERSION


class Evidence(Struct, frozen=True):
    """The evidence of a ruling, compressed and in base64; "" where there is none."""

    mat: str
    boot: int
    n: int
    packed: bytes
    v: int = VERSION


class Ask(Struct, frozen=True, omit_defaults=True):
    """A request to a mat's computer, one of three: messages from number `first` to `last` of a
    boot once more; the evidence of a ruling, `n` of a boot; or a command for the mat."""

    id: str
    boot: int = 0
    first: int = 0
    last: int = 0
    n: int = 0
    say: str = ""
    v: int = VERSION


class Owner(Struct, frozen=True):
    """The program that publishes a mat, by a number of its own."""

    mat: str
    id: str
    v: int = VERSION


def topic(mat: str, leaf: str) -> str:
    """Where something of a mat stands."""
    return f"{ROOT}/{mat}/{leaf}"


def parts(name: str) -> tuple[str, str] | None:
    """The mat and the leaf of a topic; None for a topic that is none of ours."""
    root, _, rest = name.partition("/")
    mat, _, leaf = rest.partition("/")
    return (mat, leaf) if root == ROOT and NAME.fullmatch(mat) and leaf in MOST_BYTES else None


def encoded(payload: Struct) -> bytes:
    """A payload as JSON."""
    return msgspec.json.encode(payload)


def decoded(data: bytes, leaf: str, mat: str, kind: type[T]) -> T | None:
    """The payload of a topic; None where it is too large, is no JSON of this form, or speaks for
    another mat."""
    if len(data) > MOST_BYTES[leaf]:
        return None
    try:
        found = msgspec.json.decode(data, type=kind)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        return None
    return found if getattr(found, "mat", mat) == mat else None
