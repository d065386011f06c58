"""A scenario's words about the mat, read by the grammar in scenario.lark."""

from collections.abc import Sequence
from functools import cache
from pathlib import Path

from lark import Lark, Token, Transformer, v_args
from lark.exceptions import LarkError, VisitError

from polarity import facts
from polarity.facts import BLACK, WHITE, Fact
from polarity.rules import players
from polarity.rules.position import PLAY, Position, seat

GRAMMAR = Path(__file__).with_name("scenario.lark")
COLOURS = {"white": WHITE, "black": BLACK, "nobody": 0}
FOUNDATIONS = ("w1", "w2", "w3", "w4", "w5", "b1", "b2", "b3", "b4", "b5")
RED_ID = 99
CMM_PER_MM = 100  # facts count in 1/100 mm
LEANER_TILT_DEG = 40
UNCERTAIN = 20  # a confidence, in per cent, too low to lose a game by


class PieceIds:
    """The ids of the pieces by the names that a scenario gives them."""

    def __init__(self) -> None:
        self._ids = {name: i for i, name in enumerate(FOUNDATIONS, 1)}
        self._ids["red"] = RED_ID

    def of(self, name: str) -> int:
        """The id of the piece, a new one for a new name."""
        return self._ids.setdefault(name, len(self._ids) + 10)

    def names(self, ids: Sequence[int]) -> list[str]:
        """The names of these pieces, the number of one that has none."""
        names = {ident: name for name, ident in self._ids.items()}
        return [names.get(ident, str(ident)) for ident in ids]


def fact_of(text: str, t_ms: int, position: Position, ids: PieceIds) -> Fact:
    """The fact that a line of what happens describes; what it leaves out, such as a face, is as it
    was in the position. ValueError for a line that makes no sense."""
    return _read(text, "happening", _Facts(t_ms, position, ids))


def arrange(text: str, position: Position, ids: PieceIds) -> None:
    """Make a `given` line hold in the position. ValueError for a line that makes no sense."""
    line = _read(text, "given", _Words(position, ids))
    match line.data, line.children:
        case "foundations", []:
            for i, name in enumerate(FOUNDATIONS):
                colour = WHITE if i < 5 else BLACK
                _put(position, ids.of(name), colour, 1, facts.FLAT, 10000 - 4000 * (i % 5), 4000)
            position.founded = [5, 5]
            position.reserve = [21, 21]  # the scaled edition has fewer: the figures are the same
            players.set_up(position, seat(BLACK))
        case "reserve", reserve:
            position.reserve = reserve
        case "has_played", [colour]:
            position.active = colour
            position.turn = 1
        case "lies", [colour, kind, piece, discs]:
            shape = facts.FLAT if kind == "disc" else str(kind)
            _put(position, piece, colour, discs or 1, shape, 0, 0)
    position.phase = PLAY
    position.red_id = ids.of("red")
    if position.turn == 0:
        position.active = BLACK


def _put(
    position: Position, piece: int, colour: int, discs: int, kind: str, x_cmm: int, y_cmm: int
) -> None:
    position.put(piece, colour, discs, kind, x_cmm, y_cmm)
    position.spend(colour, discs)


@cache
def _parser() -> Lark:
    text = GRAMMAR.read_text(encoding="utf-8")
    return Lark(text, parser="lalr", start=["happening", "given"], maybe_placeholders=True)


def _read(text: str, start: str, words: "_Words"):
    try:
        return words.transform(_parser().parse(text, start=start))
    except VisitError as error:
        raise error.orig_exc from error
    except LarkError as error:
        raise ValueError(f"cannot read {text!r} as a {start}: {error}") from error


class _Words(Transformer):
    """What all lines have in common: pieces, colours, and numbers."""

    def __init__(self, position: Position, ids: PieceIds) -> None:
        super().__init__()
        self.position = position
        self.ids = ids

    def piece(self, words: list[Token]) -> int:
        return self.ids.of(words[0])

    def pieces(self, pieces: list[int]) -> list[int]:
        return pieces

    def COLOUR(self, word: Token) -> int:
        return COLOURS[word]

    def INT(self, word: Token) -> int:
        return int(word)


@v_args(inline=True)
class _Facts(_Words):
    """A line of what happens as a Fact."""

    def __init__(self, t_ms: int, position: Position, ids: PieceIds) -> None:
        super().__init__(position, ids)
        self.t_ms = t_ms

    def jolt(self) -> Fact:
        return Fact(facts.JOLT, self.t_ms)

    def unsure(self, why: Token, *others: int) -> Fact:
        return Fact(facts.UNSURE, self.t_ms, others=others, why=str(why))

    def red_placed(self) -> Fact:
        return Fact(facts.PLACED, self.t_ms, self.ids.of("red"), shape=facts.RED)

    def red_off(self) -> Fact:
        return Fact(facts.RED_OFF, self.t_ms)

    def red_off_at(self, x_mm: int, y_mm: int) -> Fact:
        return Fact(facts.RED_OFF, self.t_ms, x=x_mm * CMM_PER_MM, y=y_mm * CMM_PER_MM)

    def red_perhaps_off(self) -> Fact:
        return Fact(facts.RED_OFF, self.t_ms, confidence=UNCERTAIN)

    def brings(self, colour: int, piece: int, discs: int | None) -> Fact:
        return Fact(facts.HAND_IN, self.t_ms, piece, face=colour, discs=discs or 1)

    def out(self, piece: int, discs: int | None) -> Fact:
        face, carried = self._carried(piece)
        return Fact(facts.HAND_OUT, self.t_ms, piece, face=face, discs=discs or carried)

    def leans(self, piece: int, *words: int | None) -> Fact:
        *named, colour = words  # of the grammar: what it leans over, and the face it shows
        over = tuple(other for other in named if other is not None)
        face = self._carried(piece)[0] if colour is None else colour
        leaner, tilt_deg = facts.LEANER, LEANER_TILT_DEG
        return Fact(facts.PLACED, self.t_ms, piece, over, face, shape=leaner, tilt=tilt_deg)

    def laid(self, piece: int, colour: int | None) -> Fact:
        face, discs = self._carried(piece)
        face = face if colour is None else colour
        shape = facts.TOWER if discs > 1 else facts.FLAT
        return Fact(facts.PLACED, self.t_ms, piece, face=face, discs=discs, shape=shape)

    def falls(self, piece: int) -> Fact:
        lying = self.position.pieces.get(piece)
        return Fact(facts.FELL, self.t_ms, piece, face=lying.face if lying else 0)

    def flips(self, piece: int, colour: int) -> Fact:
        return Fact(facts.FLIPPED, self.t_ms, piece, face=colour)

    def shifts(self, piece: int, d_mm: int) -> Fact:
        return Fact(facts.SHIFTED, self.t_ms, piece, d=d_mm * CMM_PER_MM)

    def shifts_to(self, piece: int, x_mm: int, y_mm: int, d_mm: int) -> Fact:
        x, y, d = (mm * CMM_PER_MM for mm in (x_mm, y_mm, d_mm))
        return Fact(facts.SHIFTED, self.t_ms, piece, x=x, y=y, d=d)

    def rolls(self, piece: int, d_mm: int) -> Fact:
        return Fact(facts.ROLLED, self.t_ms, piece, d=d_mm * CMM_PER_MM)

    def slides(self, piece: int) -> Fact:
        return Fact(facts.LEFT_CIRCLE, self.t_ms, piece)

    def perhaps_out(self, name: Token) -> Fact:
        return Fact(facts.LEFT_CIRCLE, self.t_ms, self.ids.of(name), confidence=UNCERTAIN)

    def lifted(self, piece: int, left: int | None = None, discs: int | None = None) -> Fact:
        others = () if left is None else (left,)
        return Fact(facts.LIFTED, self.t_ms, piece, others, discs=discs or 1)

    def snaps(self, piece: int, *others: int) -> Fact:
        _, discs = self._carried(piece)
        lying = [self.position.pieces.get(other) for other in others]
        discs += sum(other.discs if other else 1 for other in lying)
        return Fact(facts.SNAPPED, self.t_ms, piece, others, discs=discs)

    def touches(self, name: Token) -> Fact:
        return Fact(facts.TOUCHED_RED, self.t_ms, self.ids.of(name))

    def perhaps_touches(self, name: Token) -> Fact:
        return Fact(facts.TOUCHED_RED, self.t_ms, self.ids.of(name), confidence=UNCERTAIN)

    def contact(
        self, pieces: list[int], shape: Token, into: int | None, colour: int | None
    ) -> Fact:
        piece = pieces[0] if into is None else into
        return Fact(facts.CONTACT, self.t_ms, piece, tuple(pieces), colour or 0, shape=str(shape))

    def part(self, pieces: list[int]) -> Fact:
        return Fact(facts.PARTED, self.t_ms, others=tuple(pieces))

    def _carried(self, piece: int) -> tuple[int, int]:
        """(face, discs) of the piece in a hand; (0, 1) when it is in none."""
        body = self.position.carried.get(piece)
        return (body.face, body.discs) if body else (0, 1)
