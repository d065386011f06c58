"""What a message says, by its kind: a typed struct for each of firmware/PROTOCOL.md's kinds.

The fields have the names and the units of PROTOCOL.md; of a fact, `f` and `conf` are `kind` and
`confidence`, as in polarity.facts.Fact. A field that may be absent has a default. The firmware's
schema (polarity.wire.messages, polarity.wire.reading) is the reference: tests/wire/test_messages.py
compares every field and type with it.
"""

from collections.abc import Iterable, Iterator
from json import dumps, loads
from typing import Any, NamedTuple, get_args

from msgspec import Struct, ValidationError, convert, field, to_builtins


class HelloMessage(Struct, frozen=True, tag_field="k", tag="hello"):
    """Which mat this is and what it can do."""

    name: str
    version: str
    mat: str
    sensors: int
    edition: str
    caps: tuple[Any, ...]  # the schema leaves the items of a plain list open
    frame_hz: int
    first: int


class GameMessage(Struct, frozen=True, tag_field="k", tag="game"):
    """A game begins."""

    edition: str
    mat: str


class SnapMessage(Struct, frozen=True, tag_field="k", tag="snap"):
    """The whole position: what lies on the mat, and the referee's state."""

    edition: str
    pieces: tuple[Any, ...]  # rows; their items are checked where they are used
    state: dict[str, Any] | list[Any]


class FactMessage(Struct, frozen=True, tag_field="k", tag="fact"):
    """Something happened on the mat. `x`, `y` and `d` in 1/100 mm, `tilt` in degrees."""

    kind: str = field(name="f")
    piece: int
    others: tuple[int, ...]
    face: str
    discs: int
    x: int
    y: int
    tilt: int
    d: int
    shape: str
    why: str
    confidence: int = field(name="conf")


class RulingMessage(Struct, frozen=True, omit_defaults=True, tag_field="k", tag="ruling"):
    """What the referee makes of the facts."""

    code: str
    player: str
    why: str
    pieces: tuple[int, ...]
    facts: tuple[int, ...]
    owed: tuple[tuple[str, tuple[int, ...]], ...]  # (player, ids) for each group
    returns: tuple[tuple[str, int], ...]  # (player, discs)
    reserve: tuple[int, ...]
    turn: int
    active: str
    score: tuple[int, ...] = ()
    seat: int = 0
    names: int = 0


class LogMessage(Struct, frozen=True, tag_field="k", tag="log"):
    """A note for the record."""

    level: str
    text: str


class AckMessage(Struct, frozen=True, tag_field="k", tag="ack"):
    """The answer to a command."""

    cmd: str
    ok: bool
    why: str


class HealthMessage(Struct, frozen=True, tag_field="k", tag="health"):
    """How the mat itself is; `why` is "" while all is well."""

    frames: int
    lost: int
    unsent: int
    masked: tuple[int, ...]
    why: str


class GapMessage(Struct, frozen=True, tag_field="k", tag="gap"):
    """The mat no longer has the numbered messages `first` to `last`."""

    first: int
    last: int


class FrameMessage(Struct, frozen=True, tag_field="k", tag="frame"):
    """The raw counts of all sensors, in base64."""

    us: int
    counts: str


class FlightMessage(Struct, frozen=True, tag_field="k", tag="flight"):
    """Where the pieces in flight are."""

    pieces: tuple[Any, ...]  # rows; their items are checked where they are used


class SettingsMessage(Struct, frozen=True, tag_field="k", tag="settings"):
    """The mat's settings."""

    mat: str
    edition: str
    brightness: int
    port_ma: int
    oversample: int
    later: tuple[Any, ...]  # the schema leaves the items of a plain list open
    kept: bool


Body = (
    HelloMessage
    | GameMessage
    | SnapMessage
    | FactMessage
    | RulingMessage
    | LogMessage
    | AckMessage
    | HealthMessage
    | GapMessage
    | FrameMessage
    | FlightMessage
    | SettingsMessage
)

#: The kind of each struct: its tag.
KINDS: dict[type[Struct], str] = {
    struct: str(struct.__struct_config__.tag) for struct in get_args(Body)
}


def body_of(message: dict[str, Any]) -> Body:
    """The body of a JSON object in which polarity.wire.reading.problem finds nothing wrong.

    Fields beyond the schema are ignored. msgspec.ValidationError for any other object.
    """
    return convert(message, Body)


def kind_of(body: Body) -> str:
    """The kind of a message with this body, as on the wire."""
    return KINDS[type(body)]


def json_fields(body: Body) -> dict[str, Any]:
    """The body's fields by their names on the wire, with JSON's types: lists for tuples, and
    without the fields of a ruling that are absent."""
    fields = loads(dumps(to_builtins(body)))
    del fields["k"]
    return fields


class PieceRow(NamedTuple):
    """A piece as `snap` lists it. `x` and `y` in 1/100 mm, `tilt` and `azimuth` in degrees."""

    number: int
    shape: str
    face: str
    discs: int
    x: int
    y: int
    tilt: int
    azimuth: int


def piece_rows(rows: Iterable[object]) -> Iterator[PieceRow]:
    """The rows of a `snap` that have PROTOCOL.md's form; what a later version appends to a row is
    left out."""
    for row in rows:
        if isinstance(row, list):
            try:
                yield convert(row[: len(PieceRow._fields)], PieceRow)
            except ValidationError:
                continue
