"""A game record and a position, as plain data."""

from dataclasses import dataclass, field
from typing import Any

from msgspec import structs

from polarity_host.wire.messages import (
    Body,
    FactMessage,
    GapMessage,
    LogMessage,
    PieceRow,
    RulingMessage,
    json_fields,
)

#: Version of the text form; the first tag of every record.
VERSION = "1"

SIDES = {"w": "white", "b": "black"}


@dataclass(frozen=True)
class RecordedPosition:
    """What lies where, and the referee's state.

    `pieces`: as in a `snap` message (firmware/PROTOCOL.md), in 1/100 mm and degrees; `hands`: (id,
    face, discs, owner); `owed`: (player, ids); `outcome`: (why, winner) or (). Faces and players
    "w", "b" or "". `other`: the rest of the referee's state, as (name, JSON).
    """

    rules: str = ""
    phase: str = ""
    turn: int = 0
    active: str = ""
    played: bool = False  # the active player's turn is over but for its late faults
    reserve: tuple[int, ...] = ()
    founded: tuple[int, ...] = ()
    pieces: tuple[PieceRow, ...] = ()
    hands: tuple[tuple[int, str, int, str], ...] = ()
    owed: tuple[tuple[str, tuple[int, ...]], ...] = ()
    surplus: int = 0
    outcome: tuple[str, ...] = ()
    other: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True)
class Entry:
    """One line of a record, by its `body`: a fact, a ruling, a note (LogMessage), missing messages
    (GapMessage), a position; None for a remark, which is a comment alone.

    `number` and `t_ms` (ms since the game began) None where the writer left them out. `line`: where
    it stands in the text that was read.
    """

    body: FactMessage | RulingMessage | LogMessage | GapMessage | RecordedPosition | None
    number: int | None = None
    t_ms: int | None = None
    comment: str = ""
    line: int = field(default=0, compare=False)

    @property
    def kind(self) -> str:
        """`fact`, `ruling`, `note`, `gap`, `position` or `remark`."""
        return KINDS[type(self.body)]


KINDS = {
    FactMessage: "fact",
    RulingMessage: "ruling",
    LogMessage: "note",
    GapMessage: "gap",
    RecordedPosition: "position",
    type(None): "remark",
}


@dataclass(frozen=True)
class Record:
    """`tags`: (name, value) in order; `entries` in order. `tag_lines`: where the tags stand in the
    text that was read, by name.
    """

    tags: tuple[tuple[str, str], ...] = ()
    entries: tuple[Entry, ...] = ()
    tag_lines: dict[str, int] = field(default_factory=dict, compare=False)

    def tag(self, name: str) -> str:
        """A tag's value, "" when there is none."""
        return dict(self.tags).get(name, "")


#: A fact in which a text names nothing but its kind.
PLAIN_FACT = FactMessage(
    kind="", piece=0, others=(), face="", discs=1, x=0, y=0, tilt=0, d=0, shape="", why="",
    confidence=100,
)  # fmt: skip

#: The ruling before the first.
NO_RULING = RulingMessage(
    code="", player="", why="", pieces=(), facts=(), owed=(), returns=(), reserve=(0, 0), turn=0,
    active="",
)  # fmt: skip


#: The fields of a ruling in the order in which a record's JSON form has them; the last three may be
#: absent.
RULING_FIELDS = (
    "code", "player", "why", "pieces", "facts", "returns", "owed", "reserve", "turn", "active",
    "names", "seat", "score",
)  # fmt: skip


def fields_of(body: Body) -> dict[str, Any]:
    """The fields of a message's body as JSON has them, in the order of a record's JSON form."""
    fields = json_fields(body)
    if isinstance(body, RulingMessage):
        return {name: fields[name] for name in RULING_FIELDS if name in fields}
    return fields


def ruling_after(before: RulingMessage, code: str, player: str) -> RulingMessage:
    """A ruling that changes nothing of what is owed, the reserves and the turn, so that a text
    needs to name only the changes; a turn that begins is the next one, and its player's.
    """
    begins = code == "turn"
    return structs.replace(
        NO_RULING,
        code=code,
        player=player,
        owed=before.owed,
        reserve=before.reserve,
        turn=before.turn + 1 if begins else before.turn,
        active=player if begins else before.active,
    )
