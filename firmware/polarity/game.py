"""The game in progress: what perception reports is judged, shown on the ring and recorded."""

from .facts import CONTACT, HAND_IN, LEANER, PLACED, SUSPECT, UNSURE, Fact, letter
from .kernels._records import FLYER_AGE, FLYER_UNEASY
from .lights.azimuth import azimuth_deg
from .lights.ring import Ring
from .perception.body import MOVING, TENTATIVE
from .perception.tracker import Tracker
from .rules.position import OVER, PLAY
from .rules.referee import Referee
from .wire.messages import fact_values, ruling_values

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from .calibration import Calibration
    from .mat_data.mat import Mat
    from .perception.body import Body
    from .rules.pieces import Piece
    from .rules.position import Position
    from .rules.ruling import Ruling
    from .wire.outbox import Outbox

    Row = list[Any]  # id, shape, face, discs, x, y, tilt, azimuth
    Lying = list[Any]  # id, shape, face, discs, x, y, tilt, whether it lies outside

STILL_MS = 300  # so long all must lie still before it is recounted
NEW_FRAMES = 24  # a body that began to move less than this many frames ago may lead to more
LEFT_TURNS = 3  # so many turns later a piece that ought to be gone is left where it is


class Game:
    """One game after another on one mat.

    `edition` is an id of polarity.rules.editions that the rules know. What is judged goes to
    `outbox`. `on_ruling` is called, if given, as soon as something was ruled, before it is put into
    words.
    """

    def __init__(
        self,
        mat: "Mat",
        edition: str,
        outbox: "Outbox",
        on_ruling: "Callable[[], None] | None" = None,
    ) -> None:
        self.mat = mat
        self.outbox = outbox
        self.ring = Ring(mat.LED_COUNT)
        self.number = 0  # games begun since power-up
        self.changes = 0  # grows with each change that must outlive a power cut
        self._on_ruling = on_ruling
        self._set_up(edition, 0, None, None)

    def begin(self, edition: str, t_ms: int) -> None:
        """Begins another game. ValueError for an unknown edition."""
        self._set_up(edition, t_ms, self.referee, self.tracker)

    def _set_up(
        self, edition: str, t_ms: int, referee: "Referee | None", tracker: "Tracker | None"
    ) -> None:
        """Begins a game in the memory of the referee and the tracker of the one before."""
        self.edition = edition
        self.number += 1
        self.changes += 1
        self.ring.clear()
        mat = self.mat  # its lengths are Q8 mm, the referee's 1/100 mm
        self._recounted = True  # since the last fact
        self._moved_ms = t_ms
        self.turn_doubted = False
        # what players have accepted by playing on, and with which piece until they are asked; or 0
        self._overruled = self._accepted = 0
        self._came = self._played = 0  # which colour came in last, was played last, since the end
        # pieces that are due back: the turn in which they were, less 1 once that has been asked
        self._due: "dict[int, int]" = {}
        diameter, radius = mat.DISC_RADIUS * 25 >> 5, mat.CIRCLE_RADIUS * 25 >> 6
        self.referee = Referee(edition, diameter, radius, referee)
        rules = self.referee.edition
        self.tracker = Tracker(mat, rules["red"], tracker, rules["out"] == "circle")
        self.outbox.send("game", t_ms, (edition, self.mat.MAT))

    def calibrate(self, calibration: "Calibration") -> None:
        """Uses the calibration's gains from the next frame on."""
        self.tracker.scene.field.calibrate(calibration.gains)

    def mark_changed(self) -> None:
        """Something else than the game changed that must outlive a power cut."""
        self.changes += 1

    # ------------------------------------------------------------------ what happens in it
    def handle(self, fact: "Fact") -> None:
        """Judges one fact and records it and its rulings. The ring shows a ruling before it is put
        into words, which takes the chip longer."""
        self.changes += 1
        self._recounted = False
        position = self.referee.position
        if self.turn_doubted:
            if fact.kind == HAND_IN and fact.face and fact.confidence > SUSPECT:
                expected = -position.active if position.done else position.active
                self.turn_doubted = position.phase == PLAY and fact.face != expected
            if self.turn_doubted:
                fact.suspect()
        fact.sent_as(self.outbox.last + 1)
        over = position.phase == OVER
        held = position.carried.get(fact.piece)
        if held and fact.kind == PLACED and fact.discs > held.discs:
            self._accepted = fact.piece
        rulings = self.referee.handle_fact(fact)
        for ruling in rulings:
            self.ring.show(ruling, azimuth_deg(fact.x, fact.y))
        if rulings and self._on_ruling:
            self._on_ruling()
        self.outbox.send("fact", fact.t_ms, fact_values(fact))
        for ruling in rulings:
            self._record(ruling)
        if over:
            if self._goes_on(fact):
                self._overrule(self.referee.last_ruled, fact)
            return
        self._came = self._played = 0
        contested = self.referee.position.contested
        if contested and contested[1] == 2 and contested[0] != self._overruled:
            self._overruled = contested[0]
            self._overrule(contested[0], fact)

    def _goes_on(self, fact: "Fact") -> bool:
        """Whether both players have played on after an end that follows from the discs which the
        mat knows of: one has set down a disc, and now the other's comes in."""
        outcome = self.referee.position.outcome
        if not outcome or outcome[0] not in ("reserve_empty", "no_colour", "one_colour"):
            return False
        if fact.kind == HAND_IN and fact.face:
            self._came = fact.face
            return self._played == -fact.face
        if fact.kind in (PLACED, CONTACT):
            self._played = self._came
        return False

    def _overrule(self, number: int, fact: "Fact") -> None:
        """By this fact both players have accepted that what rests on that number is nobody's
        doing."""
        self._accepted = fact.piece
        self.declare("overrule", [str(number), "waived"], fact.t_ms)

    def doubt_turn(self) -> None:
        """Sensors were found to be ill. They may have missed a hand, or invented one: nobody knows
        whose turn it is until the next one comes in, and what would cost anything is asked."""
        if not self.turn_doubted:
            self.turn_doubted = True
            self.changes += 1

    def is_due(self, t_ms: int) -> bool:
        """Whether what lies on the mat ought to be recounted: something has happened since that was
        done, and all lies still but for tentative tracks, of which nothing was told yet. To be
        asked each frame without a fact."""
        if self._recounted:
            return False
        tracker = self.tracker
        known = [o for o in tracker.scene.flying if o.state != TENTATIVE or o.leaving]
        if known or tracker.news.odd_frames > 0:
            self._moved_ms = t_ms
            return False
        return t_ms - self._moved_ms >= STILL_MS

    def recount(self, t_ms: int) -> None:
        """Where the pieces of the position are not those that lie on the mat, they are from now
        on."""
        position = self.referee.position
        if position.phase == PLAY and not (position.away or position.capturing()):
            facts = _differences(self._lying(), position, t_ms)
            for fact in facts:
                self.handle(fact)
            self._leave_due(t_ms)
            about, self._accepted = self._accepted, 0
            if about and not facts:  # the game stood otherwise, and so may the reserves
                self.handle(Fact(UNSURE, t_ms, about, (), 0, 0, why="count", confidence=99))
        self._recounted = True

    def _leave_due(self, t_ms: int) -> None:
        """What ought to have gone to a reserve, and lies there yet in the next turn, may never have
        been due: the players are asked. After both have played on it stays in play: neither minds.
        """
        position, due = self.referee.position, {}
        for ident in sorted(position.pieces):
            piece = position.pieces[ident]
            if not piece.due:
                continue
            since = self._due.get(ident, position.turn)
            turns = position.turn - since
            if turns == 1:
                self._accepted = ident
                since -= 1
            due[ident] = since
            if turns > LEFT_TURNS:
                about = [ident, piece.kind, piece.face, piece.discs, piece.x_cmm, piece.y_cmm, 0, 0]
                self.handle(_counted([about], [], t_ms)[0])
        self._due = due

    def _lying(self) -> "list[Lying]":
        """What lies on the mat but for the red disc."""
        found = []
        for body in sorted_resting(self.tracker):
            if body.id and not body.is_red:
                x, y = body.spot_cmm(self.mat.DISC_RADIUS)
                about = [body.id, body.shape, body.face, body.discs, x, y, body.tilt_deg()]
                found.append(about + [body.out_told])
        return found

    def declare(self, name: str, words: "list[str]", t_ms: int) -> str:
        """Handles what players declare, a command's name and words. Returns why it is refused, or
        an empty string."""
        from .rules.declarations import parse

        declaration = parse(name, words, t_ms)
        if declaration is None:
            return "argument"
        referee = self.referee
        self.changes += 1
        declaration.sent_as(self.outbox.last + 1)
        for ruling in referee.handle_declaration(declaration):  # made one by one
            self.ring.show(ruling)
            self._record(ruling)
        return referee.refusal

    def _record(self, ruling: "Ruling") -> None:
        self.outbox.send("ruling", ruling.t_ms, ruling_values(ruling))

    # ------------------------------------------------------------------ how it stands
    def moving(self) -> bool:
        """Whether anything is in flight, or not explained yet."""
        tracker = self.tracker
        return bool(tracker.scene.flying) or tracker.news.odd_frames > 0

    def busy(self) -> bool:
        """Whether something has just begun to move, or is not understood."""
        tracker = self.tracker
        if tracker.news.odd_frames > 0:
            return True
        for body in tracker.scene.flying:
            if body.slot.flyer[FLYER_UNEASY] or body.slot.flyer[FLYER_AGE] < NEW_FRAMES:
                return True
        return False

    def pieces(self) -> "list[Row]":
        """What lies on the mat: [id, shape, face, discs, x, y, tilt, azimuth] each, 1/100 mm and
        degrees."""
        return [row(body, self.mat.DISC_RADIUS) for body in sorted_resting(self.tracker)]

    def final(self) -> "dict[str, list]":
        """The position as it stands: pieces (as `pieces`), reserves, score, outcome."""
        final = self.referee.final()
        final["reserves"] = final.pop("reserve")
        final["pieces"] = self.pieces()
        return final


def row(body: "Body", radius: int) -> "Row":
    """[id, shape, face, discs, x, y, tilt, azimuth] of a resting body, 1/100 mm and degrees;
    `radius` is a disc's, Q8 mm."""
    x, y = body.spot_cmm(radius)
    face, discs = letter(body.face), body.discs
    return [body.id, body.shape, face, discs, x, y, body.tilt_deg(), body.azimuth_deg()]


def sorted_resting(tracker: "Tracker") -> "list[Body]":
    """The bodies that lie on the mat, in the order of their ids."""
    found = [(body.id, body) for body in tracker.scene.bodies if body.state >= MOVING]
    found.sort(key=_by_id)
    return [body for _, body in found]


def _by_id(pair: "tuple[int, Body]") -> int:
    return pair[0]


def _differences(rows: "list[Lying]", position: "Position", t_ms: int) -> "list[Fact]":
    """What must be reported for the position to be as the pieces lie, all of them at rest: facts
    `unsure` of the reason "count", which the referee's `recount` takes."""
    lying = {row[0]: row for row in rows}
    missing = [p for i, p in position.pieces.items() if i not in lying and not p.outside]
    changed = []
    for ident, shape, face, discs, _, _, _, outside in rows:
        piece = position.pieces.get(ident)
        if piece is None:
            # what a fault has just sent to a reserve may still lie there
            if not outside and not (position.faulted and ident in position.gone):
                changed.append(lying[ident])
        elif piece.discs != discs or (piece.face != face and discs == 1):
            changed.append(lying[ident])
        elif (piece.kind == LEANER) != (shape == LEANER) and not piece.outside:
            changed.append(lying[ident])
    return _counted(changed, missing, t_ms)


def _counted(changed: "list[Lying]", missing: "list[Piece]", t_ms: int) -> "list[Fact]":
    """The facts that these lie there, and the missing pieces nowhere: each is taken for a part of
    the nearest tower of those, if there is one."""
    facts = []
    parts: "dict[int, list[int]]" = {}
    for piece in missing:
        towers = [
            ((row[4] - piece.x_cmm) ** 2 + (row[5] - piece.y_cmm) ** 2, row[0])
            for row in changed
            if row[3] > 1
        ]
        parts.setdefault(min(towers)[1] if towers else 0, []).append(piece.id)
    for ident, shape, face, discs, x, y, tilt, _ in changed:
        others = tuple(sorted(parts.get(ident, []) + [ident]))
        fact = Fact(UNSURE, t_ms, ident, others, face, discs, x, y, tilt, 0, shape, "count", 99)
        facts.append(fact)
    if 0 in parts:
        gone = tuple(sorted(parts[0]))
        facts.append(Fact(UNSURE, t_ms, gone[0], gone, 0, 0, why="count", confidence=99))
    return facts
