"""What outlives a power cut: the game, the bare mat's offsets, settings and calibration.

Nothing is written here: loop.py does that, drivers/flash_store.py says how.
"""

import json

from .perception.memory import recall, remembered
from .rules.editions import rules_of
from .rules.pieces import Carried, Group, Piece
from .rules.position import Position

TYPE_CHECKING = False
if TYPE_CHECKING:
    from array import array
    from collections.abc import Generator, Iterator, Sequence
    from typing import Any

    from .calibration import Calibration, Upload
    from .game import Game
    from .health import Counts
    from .rules.editions import Rules
    from .settings import Settings

    Plain = int | str | list["Plain"] | None

#: Of a stored game and of the bare mat's offsets: another is not gone on with.
VERSION = 2
#: Offsets are 1/16 counts of up to 16 bits.
MOST_OFFSET = 1 << 20

_TIGHT = (",", ":")
_LONG_AGO_MS = -1_000_000
_SCALARS = (int, str, bool)
_KINDS = {"P": Piece, "C": Carried, "G": Group}


class Persistence:
    """What must be stored of one mat. `settings`: those that the mat started with, None where none
    are stored, as in the twin."""

    def __init__(self, game: "Game", settings: "Settings | None" = None) -> None:
        self.game = game
        self.settings = settings
        self.later: "tuple[str, ...]" = ()  # names of settings that apply from the next start on
        self.unsaved: "dict[str, bytes | bytearray]" = {}  # records to be stored, by name
        self._upload: "Upload | None" = None

    # ------------------------------------------------------------------ settings, calibration
    def set(self, words: "list[str] | None") -> "tuple[list, str, str]":
        """Changes a setting, given [name, value]; None changes nothing. Returns (the fields of a
        `settings` message, what to log, why it is refused)."""
        from .settings import DEFAULTS, NAMES, apply, record  # hardly ever needed

        game, text, why = self.game, "", ""
        now = self.settings or dict(DEFAULTS, mat=game.mat.MAT, edition=game.edition)
        if words is not None:
            now, text, later, why = apply(words, now)
            if text:
                self.unsaved["settings"] = record(now)
                game.mark_changed()
                if later and words[0] not in self.later:
                    self.later += (words[0],)
        self.settings = now
        values = [now[name] for name in NAMES]
        return values + [self.later, "settings" not in self.unsaved], text, why

    def receive(self, words: "list[str]") -> "tuple[Calibration | None, str]":
        """Takes a piece of a calibration. Returns (the whole once it is there, why it is refused).
        After either, the next piece begins another calibration."""
        from .calibration import Upload  # hardly ever needed

        upload = self._upload = self._upload or Upload(self.game.mat)
        why = upload.take(words)
        calibration = upload.calibration
        if why or calibration:
            self._upload = None
        if calibration:
            self.unsaved["calibration"] = upload.data
        return calibration, why

    def stored(self, name: str) -> None:
        """The record of this name in `unsaved` was written."""
        del self.unsaved[name]

    # ------------------------------------------------------------------ the game
    def offset_parts(self) -> "tuple[bytes | array[int] | bytearray, ...]":
        """What `restore` must know of the bare mat; nothing before that was measured. Parts, none
        of them a copy: there may be no free piece of memory as large as a copy."""
        tracker = self.game.tracker
        field = tracker.scene.field
        return (bytes((VERSION,)), field.offset, field.noise) if tracker.ready else ()

    def game_parts(self) -> "Generator[bytes]":
        """The game and what lies on the mat, for `restore`: parts (bytes), each made within a
        frame's time. They are worth nothing once the game has changed meanwhile."""
        game = self.game
        head = VERSION, game.mat.MAT, game.edition, game.turn_doubted
        yield ('[%d,"%s","%s",%d,[' % head).encode()
        between = b""
        for piece in remembered(game.tracker):
            yield between + json.dumps(piece, separators=(",", ":")).encode()
            between = b","
        between = b"],"
        for text in serialized(game.referee.position):
            yield between + text.encode()
            between = b""
        yield b"]"

    def restore(self, offsets: bytes, text: bytes, counts: "Counts", t_ms: int = 0) -> str:
        """Goes on with a game, given all `offset_parts` and `game_parts` of the mat before the
        power cut, and a frame of the mat as it lies now. Returns the line for the log; "" when
        there is no game to go on with, and the mat must be bare.
        """
        game = self.game
        n, configured = game.mat.N, game.edition
        try:
            version, mat, edition, doubted, bodies, position = json.loads(text)
            if version != VERSION or mat != game.mat.MAT or not rules_of(edition):
                return ""
            if len(offsets) != 5 * n + 1 or offsets[0] != VERSION:
                return ""
            game.begin(edition, t_ms)
            game.referee.continue_from(restored(game.referee.edition, position, bodies))
            field = game.tracker.scene.field
            for i in range(n):
                bare = int.from_bytes(offsets[4 * i + 1 : 4 * i + 5], "little")
                if bare > MOST_OFFSET:
                    raise ValueError
                field.offset[i] = bare
            field.noise[:] = offsets[4 * n + 1 :]
            elsewhere = recall(game.tracker, bodies, counts)
            if doubted:
                game.doubt_turn()
        except (AttributeError, IndexError, KeyError, RuntimeError, TypeError, ValueError):
            game.begin(configured, t_ms)
            return ""
        if elsewhere * 2 > len(bodies):
            game.begin(configured, t_ms)
            return ""
        return "the game goes on: %d pieces remembered, %d lie elsewhere" % (len(bodies), elsewhere)


def serialized(position: Position) -> "Iterator[str]":
    """The JSON of what `restored` makes an equal position from, a piece at a time: all at once it
    takes the chip as long as several frames, and more memory than it may have in one block."""
    numbers: "dict[int, int]" = {}
    values = position.__dict__
    text = '["D"'
    for name in sorted(values):
        if name == "edition":
            continue
        value = values[name]
        text += "," + json.dumps(name) + ","
        if isinstance(value, dict):
            text += '["D"'
            for key in sorted(value):
                yield text + "," + json.dumps(key)
                text = "," + _text(_plain(value[key], numbers))
            text += "]"
        elif isinstance(value, list):
            text += '["L"'
            for item in value:
                yield text
                text = "," + _text(_plain(item, numbers))
            text += "]"
        else:
            text += _text(_plain(value, numbers))
    yield text + "]"


def restored(edition: "Rules", values: "Plain", bodies: "Sequence[Sequence[int]]" = ()) -> Position:
    """The position by these rules that `serialized` stored, `values` being its JSON parsed.
    ValueError when the values are no position, or what lay there with it are no `bodies`."""
    from .stored import check  # hardly ever needed

    position = Position(edition)
    try:
        found = _restored(values, [])
        for name in position.__dict__:
            if name != "edition":
                setattr(position, name, found[name])
        check(position, Position(edition), list(bodies))
    except (AttributeError, IndexError, KeyError, TypeError):
        raise ValueError("no position was stored there") from None
    # numbers and times from before the power cut mean nothing now
    position.question = ()
    position.contested = ()
    position.intruder = 0
    position.intruder_left_ms = -1
    position.fault_ms = position.stood_ms = position.ended_ms = _LONG_AGO_MS
    return position


def _text(plain: "Plain") -> str:
    return json.dumps(plain, separators=_TIGHT)


def _plain(value: "object", numbers: "dict[int, int]") -> "Plain":
    """Each list begins with a letter for what it was. An object that occurs twice is written once
    and then referred to by its number: `numbers` has them by identity."""
    if value is None or isinstance(value, _SCALARS):
        return value
    if isinstance(value, dict):
        items: "list[Plain]" = ["D"]
        for key in sorted(value):
            items += [key, _plain(value[key], numbers)]
        return items
    if isinstance(value, (list, tuple)):
        letter = "L" if isinstance(value, list) else "T"
        return [letter] + [_plain(item, numbers) for item in value]
    for letter, kind in _KINDS.items():
        if isinstance(value, kind):
            if id(value) in numbers:
                return ["=", numbers[id(value)]]
            numbers[id(value)] = len(numbers)
            return [letter, _plain(value.__dict__, numbers)]
    raise TypeError(type(value).__name__)


def _restored(value: "Any", found: "list[object]") -> "Any":
    """What `_plain` made this of; `found` has the objects by their numbers."""
    if not isinstance(value, list):
        return value
    letter = value[0]
    if letter == "=":
        return found[value[1]]
    if letter == "D":
        return {value[at]: _restored(value[at + 1], found) for at in range(1, len(value), 2)}
    if letter in _KINDS:
        copy = _KINDS[letter]()
        found.append(copy)
        for name, item in _restored(value[1], found).items():
            setattr(copy, name, item)
        return copy
    items = [_restored(item, found) for item in value[1:]]
    return items if letter == "L" else tuple(items)
