"""The oracle: the referee fed with the facts that really happened, and no sensors.

What it rules is what a game must lead to. The referee itself is proven by the books
(tests/rules/scenarios); that the physics tells it the truth is proven by tests/simulation.
"""

from collections.abc import Iterable
from typing import Any, TypeAlias

from polarity.facts import Fact, letter
from polarity.rules.declarations import parse
from polarity.rules.position import Position
from polarity.rules.referee import Referee
from polarity.rules.ruling import Ruling
from polarity_host.mats.description import Mat
from polarity_host.simulation.twin.truth import Record, TruthFact, TruthLog

State: TypeAlias = dict[str, Any]
"""The referee's state, as PROTOCOL.md describes it."""


def fact_of(truth: TruthFact, seq: int) -> Fact:
    """A true fact as the referee takes it, under this number."""
    fact = Fact(
        truth.kind,
        truth.t_us // 1000,
        truth.piece,
        tuple(sorted(truth.others)),
        truth.face,
        truth.discs,
        round(100 * truth.x_mm),
        round(100 * truth.y_mm),
        round(truth.tilt_deg),
        round(100 * truth.d_mm),
        truth.shape,
    )
    fact.sent_as(seq)
    return fact


def ruling_record(ruling: Ruling, t_us: int) -> Record:
    """A ruling as a line of a truth file; pieces are truth ids."""
    after = ruling.after
    record = {
        "t_us": t_us,
        "k": "ruling",
        "code": ruling.code,
        "player": letter(ruling.player),
        "why": ruling.why,
        "pieces": list(ruling.evidence.pieces),
        "owed": [[letter(player), list(ids)] for player, ids in after.owed],
        "returns": [[letter(player), discs] for player, discs in ruling.returns],
        "reserve": list(after.reserve),
        "turn": after.turn,
        "active": letter(after.active),
    }
    if after.score:
        record["score"] = list(after.score)
    if ruling.seat:
        record["seat"] = ruling.seat
    return record


class Oracle:
    """The rulings of one game by the facts of its `truth`, in order as they are noted.

    `rulings`: records as `ruling_record` makes them.
    """

    def __init__(self, edition: str, mat: Mat, truth: TruthLog):
        self.referee = Referee(edition, round(100 * mat.disc.diameter_mm))
        self.rulings: list[Record] = []
        self._truth = truth
        self._judged = 0
        self._seq = 0

    def judge(self) -> list[Record]:
        """Judges the facts noted since the last time, those of one moment in the order in which a
        referee judges them. Returns the rulings that follow."""
        fresh: list[Record] = []
        noted = self._truth.noted(self._judged)
        self._judged += len(noted)
        for fact in sorted(noted, key=lambda fact: fact_of(fact, 0).moment()):
            self._seq += 1
            for ruling in self.referee.handle_fact(fact_of(fact, self._seq)):
                fresh.append(ruling_record(ruling, fact.t_us))
        self.rulings += fresh
        return fresh

    def declare(self, words: str, t_us: int) -> str:
        """Players declare something, as a command of the wire. Returns why it is refused, or ""."""
        name, *rest = words.split()
        declaration = parse(name, rest, t_us // 1000)
        if declaration is None:
            raise ValueError(f"no declaration: {words!r}")
        self._seq += 1
        declaration.sent_as(self._seq)
        rulings: Iterable[Ruling] = self.referee.handle_declaration(declaration)
        self.rulings += [ruling_record(ruling, t_us) for ruling in rulings]
        return self.referee.refusal

    def state(self) -> State:
        """The referee's state; pieces are truth ids."""
        return self.referee.state()

    def due(self) -> list[tuple[int, int]]:
        """(piece, player) of the discs on the mat that ought to go back to a reserve: those that
        must not have been played, and the action disc on trial: it lies flat, or leans where or as
        it must not."""
        return due_back(self.referee.position)


def due_back(position: Position) -> list[tuple[int, int]]:
    """(piece, player) of the discs that go back to a reserve, as Oracle.due."""
    due = [(piece.id, piece.due) for piece in position.pieces.values() if piece.due]
    tried = position.trial()
    if tried and not tried.due:
        due.append((tried.id, position.active))
    return due
