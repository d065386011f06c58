"""A game record and a position, as plain data."""

from dataclasses import dataclass, field

#: Version of the text form; the first tag of every record.
VERSION = "1"

SIDES = {"w": "white", "b": "black"}


@dataclass(frozen=True)
class Position:
    """What lies where, and what the referee holds of it.

    `pieces`: (id, shape, face, discs, x, y, tilt, azimuth) each, in 1/100 mm and degrees, as a
    `snap` message gives them (firmware/PROTOCOL.md); `hands`: (id, face, discs, owner); `owed`:
    (player, ids); `outcome`: (why, winner) or (). Faces and players "w", "b" or "". `other`: what
    else the referee holds, as (name, JSON).
    """

    rules: str = ""
    phase: str = ""
    turn: int = 0
    active: str = ""
    played: bool = False  # the active player's turn is over but for its late faults
    reserve: tuple[int, ...] = ()
    founded: tuple[int, ...] = ()
    pieces: tuple[tuple, ...] = ()
    hands: tuple[tuple, ...] = ()
    owed: tuple[tuple, ...] = ()
    surplus: int = 0
    outcome: tuple[str, ...] = ()
    other: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True)
class Entry:
    """One line of a record: a `fact`, `ruling`, `note`, `gap`, `position` or, alone, a `remark`.

    `fields`: of a fact and a ruling those of the message on the wire, of a note `level` and `text`,
    of a gap `first` and `last`. `number` and `t_ms` (ms since the game began) None where the writer
    left them out. `line`: where it stands in the text that was read.
    """

    kind: str
    fields: dict = field(default_factory=dict, hash=False)
    number: int | None = None
    t_ms: int | None = None
    comment: str = ""
    position: Position | None = None
    line: int = field(default=0, compare=False)


@dataclass(frozen=True)
class Record:
    """`tags`: (name, value) in order; `entries` in order. `tag_lines`: where the tags stand in the
    text that was read, by name.
    """

    tags: tuple[tuple[str, str], ...] = ()
    entries: tuple[Entry, ...] = ()
    tag_lines: dict = field(default_factory=dict, compare=False)

    def tag(self, name: str) -> str:
        """A tag's value, "" when there is none."""
        return dict(self.tags).get(name, "")


#: What a fact says unless it says otherwise; and a ruling, besides what goes on from ruling to
#: ruling.
FACT_DEFAULTS = {
    "piece": 0, "others": [], "face": "", "discs": 1, "x": 0, "y": 0, "tilt": 0, "d": 0,
    "shape": "", "why": "", "conf": 100,
}  # fmt: skip
RULING_DEFAULTS = {"player": "", "why": "", "pieces": [], "facts": [], "returns": []}

#: What of a ruling goes on to the next, so that only changes are written.
BEGINNING = {"owed": [], "reserve": [0, 0], "turn": 0, "active": ""}


def goes_on(before: dict, code: str, player: str) -> dict:
    """What a ruling says of these unless it says otherwise: as the ruling before it; a turn that
    begins is the next one, and its player's.
    """
    now = {name: before[name] for name in BEGINNING}
    if code == "turn":
        now |= {"turn": before["turn"] + 1, "active": player}
    return now
