"""The referee: takes facts one by one, maintains the position, and rules on what follows.

The judging is split by subject: setup (red disc, foundations), turn (hands and the action disc),
faults (reactions on the mat), capture (what the opponent gathers up), ending; and, loaded when
first needed, the recount, and declarations and corrections. Whatever the sequence of facts,
handle_fact() raises nothing: what makes no sense is ruled `irregular` or `unsure`.
"""

from polarity.facts import KINDS, LATEST_MS, SUSPECT, Fact, letter
from polarity.rules import capture, editions, ending, faults, setup, turn
from polarity.rules.journal import DEPTH, Journal, mark_of
from polarity.rules.position import OVER, PLAY, Position, seat
from polarity.rules.ruling import Evidence, Ruling, Standing

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from polarity.rules.declarations import Declaration
    from polarity.rules.position import State
    from polarity.rules.ruling import Shares


class Referee:
    """Judges one game of an edition. `disc_diameter_cmm`, `circle_radius_cmm`: 1/100 mm, from the
    mat's data.

    `edition` names the rules as editions.rules_of defines; ValueError if there are none such. The
    `seq` of a fact or declaration must be set before it comes here, and grow: rulings name the
    facts they rest on, and corrections what they correct.

    `base` is the position before all that `journal` holds: what a correction judges again begins
    there. What no correction reaches any more is judged for good when there is time: call
    `judge_oldest` whenever nothing happens. The journal's memory is that of the referee `before`
    this one, whose end it is: the chip's heap may have no room for two.
    """

    def __init__(
        self,
        edition: str = "temple",
        disc_diameter_cmm: int = 3400,
        circle_radius_cmm: int = 22500,
        before: "Referee | None" = None,
    ) -> None:
        rules = editions.rules_of(edition)
        if rules is None:
            raise ValueError("no rules called " + edition)
        self.edition_id = edition
        self.edition = rules
        self.disc_diameter_cmm = disc_diameter_cmm
        self.circle_radius_cmm = circle_radius_cmm
        self.position = Position(rules)
        self.base = Position(rules)
        self.journal = before.journal if before else Journal()
        self.journal.clear()
        self.verdicts: "dict[int, int]" = {}  # of facts in the journal, by number: see corrections
        self.last_ruled = 0  # the number of the last entry that led to a ruling and counts
        self.refusal = ""  # why the last declaration came to nothing
        self.t_ms = 0
        self.verdict = 0  # the players' word on what is judged now: see corrections
        self.waived = False  # it is nobody's fault
        self.charged = 0  # whose doing it is, where the players decided
        self._rulings: "list[Ruling]" = []

    def handle_fact(self, fact: Fact) -> "list[Ruling]":
        """Judge one fact; returns the rulings that follow, in order, mostly none.

        A fact that is reported after others which happened later may lead to a ruling `revised`:
        what rested on the facts from its number on is void, and what holds instead follows it.
        """
        journal = self.journal
        if journal.full():
            self.judge_oldest()
        at = journal.place(fact)
        self.enter(fact, at)
        if at == journal.count - 1 and not ending.on_trial(self, fact):
            rulings = self.judge(fact, 0)
            if rulings:
                journal.set_mark(at, mark_of(rulings))
            return rulings
        from polarity.rules.corrections import revise

        return revise(self, at)

    def handle_declaration(self, declaration: "Declaration") -> "Iterator[Ruling]":
        """Judge what the players declare (see declarations.parse); yields the rulings that follow.

        It counts only once all of them are taken. Then `refusal` is why nothing came of it, or an
        empty string. A correction's ruling comes first: all that rested on the facts from its own
        on is void, and what holds instead follows it, made anew.
        """
        from polarity.rules.corrections import handle_declaration

        return handle_declaration(self, declaration)

    def judge_oldest(self) -> bool:
        """Judge the oldest entry for good if no correction reaches it any more; returns whether."""
        journal = self.journal
        if journal.count <= DEPTH:
            return False
        oldest = journal.entry(0)
        verdict = self.verdicts.pop(oldest.seq, 0)
        journal.drop()
        position, last_ruled = self.position, self.last_ruled
        self.position = self.base
        self.judge(oldest, verdict)
        self.position = position
        self.last_ruled = last_ruled
        self.refusal = ""
        return True

    def continue_from(self, position: Position) -> None:
        """The game stands so; corrections do not reach back behind it."""
        from polarity.rules.copying import copy_of

        self.position = position
        self.base = copy_of(position)

    def start_again(self, verdicts: "dict[int, int]") -> None:
        """Go back to before all that the journal holds, to judge it with these verdicts."""
        from polarity.rules.copying import copy_of

        self.verdicts = verdicts
        self.last_ruled = 0
        self.position = copy_of(self.base)

    def enter(self, entry: "Fact | Declaration", at: int) -> None:
        """Enter it in the journal at this place, -1 at the end. When that is full the oldest entry
        is judged for good first."""
        if self.journal.full():
            self.judge_oldest()
        self.journal.add(entry, self.journal.count if at < 0 else at)

    def judge(self, entry: "Fact | Declaration", verdict: int) -> "list[Ruling]":
        """The rulings that a fact or declaration leads to, with the players' verdict on it."""
        self._rulings = rulings = []
        position = self.position
        self.verdict = verdict
        self.waived = False
        self.charged = 0
        if verdict:
            from polarity.rules.corrections import responsible

            whose = responsible(entry, verdict)
            if whose is None:
                return rulings
            self.waived, self.charged = whose
        if position.phase == OVER:
            return rulings
        self.t_ms = entry.t_ms
        if not isinstance(entry, Fact):
            from polarity.rules.declarations import judge

            judge(self, entry)
        elif entry.kind in KINDS:
            if verdict or entry.confidence > SUSPECT or not self._asked(entry):
                self._judge_fact(entry)
        if rulings:
            self.last_ruled = entry.seq
        return rulings

    def _judge_fact(self, fact: Fact) -> None:
        position = self.position
        in_play = position.phase == PLAY and not setup.not_yet(position, fact)
        handler = (IN_PLAY if in_play else IN_SETUP)[KINDS.index(fact.kind)]
        if handler:
            if in_play and position.intruder:
                turn.came_early(self, fact)
            handler(self, fact)
            if not in_play:
                setup.set_phase(position)
            position.prune()
            if position.phase == PLAY:
                ending.check_end(self, fact)

    def _asked(self, fact: Fact) -> bool:
        """Whether a fact from sensors that are ill would cost somebody anything. Then it counts for
        nothing until the players have said that it was so; they are asked here."""
        from polarity.rules.copying import copy_of

        position, confidence = self.position, fact.confidence
        self.position = copy_of(position)
        fact.rate(100)
        self._judge_fact(fact)
        fact.rate(confidence)
        self.position = position
        whys = [ruling.why for ruling in self._rulings if ruling.code in COSTLY]
        self._rulings.clear()
        if whys:
            why = whys[0] if whys[0] in ASKED else "sensors"
            pieces = fact.others or ((fact.piece,) if fact.piece else ())
            self.unsure(why, fact, pieces)
        return bool(whys)

    def refuse(self, why: str) -> None:
        """The declaration comes to nothing, and why; an empty string when it does not."""
        self.refusal = why

    def rule(
        self,
        code: str,
        player: int,
        why: str = "",
        pieces: "Iterable[int]" = (),
        facts: "Iterable[int]" = (),
        returns: "Shares" = (),
        score: "tuple[int, ...]" = (),
        seat: int = 0,
    ) -> None:
        """Add a ruling, which rests on these pieces and on the facts of these numbers."""
        evidence = Evidence(tuple(pieces), tuple(facts))
        t_ms = self.t_ms
        self._rulings.append(self.ruling(code, t_ms, player, why, evidence, returns, score, seat))

    def ruling(
        self,
        code: str,
        t_ms: int,
        player: int,
        why: str,
        evidence: Evidence,
        returns: "Shares" = (),
        score: "tuple[int, ...]" = (),
        place: int = 0,
    ) -> Ruling:
        """A ruling; what is owed, the reserves and the turn are those of this moment."""
        position = self.position
        if self.edition["players"] > 2 and player and not place and code != "end":
            place = position.seats[seat(player)] + 1
        after = Standing(position.owed(), position.reserves, position.turn, position.active, score)
        return Ruling(code, t_ms, player, why, evidence, tuple(returns), after, place)

    def irregular(
        self,
        why: str,
        player: int,
        fact: Fact,
        pieces: "Iterable[int]" = (),
        returns: "Shares" = (),
    ) -> None:
        """Something the books do not allow, or do not know."""
        self.rule("irregular", player, why, pieces, (fact.seq,), returns)

    def unsure(self, why: str, fact: Fact, pieces: "Iterable[int]" = ()) -> None:
        """Something the referee cannot decide; usually the players can. Once they have, they are
        not asked again."""
        if self.verdict:
            return
        question = faults.question_about(fact)
        if question:
            self.position.ask(fact.seq, question)
        self.rule("unsure", 0, why, pieces, (fact.seq,))

    def responsible(self) -> int:
        """Whose fault a reaction is: see Position.responsible; unless the players decided."""
        return self.charged or self.position.responsible(self.t_ms)

    def begin_turn(self, player: int, fact: Fact) -> None:
        """The player's turn begins: he is responsible now, and owes what is in contact."""
        unanswered = self.position.begin_turn(player)
        self.rule("turn", player, "", (fact.piece,), (fact.seq,))
        if unanswered:
            self.irregular("cube_open", player, fact)

    def fault(
        self, player: int, why: str, fact: Fact, pieces: "Iterable[int]", out: int = 0
    ) -> None:
        """The player committed a fault: his turn ends, what he holds goes to his reserve.

        `out`: discs already put into his reserve that this ruling is about. Groups in contact are
        the opponent's to capture now. A capture under way fails (001 Capturing Faults, note; 004
        FAQ 18). Off turn, the active player goes on (004 Basic Etiquette). An action disc on trial
        goes back, unless it touches another (000 Faults b 1, c 1; 002 Making a leaner fall 1; 004
        FAQ 7).
        """
        if self.waived:
            return
        position = self.position
        returns = out
        failed = []
        dropped = []
        trial = position.trial() if player == position.active else None
        if trial and not trial.due and self.edition["action_disc_back"]:
            if position.group_of(trial.id) is None:
                position.send_back(trial, player)
                returns += trial.discs
        for body in position.bodies():
            if body.owner == player:
                returns += body.returns()
            elif body.group and body.group.by == player and self.edition["capture_fault_returns"]:
                failed.append(body)
                dropped.append(body.group)
                position.refund(player, body.discs)
                if body in position.aside:
                    position.aside.remove(body)
                body.refund(player)
        down = position.undo_capture() if player == position.active else None  # 000 Faults c, note
        position.fault(player, fact.t_ms)
        if failed or down:
            for group in position.groups:
                if group in dropped:
                    group.owe(-player)
                group.remain()
        position.prune()
        returned = ((player, returns),) if returns else ()
        self.rule("fault", player, why, pieces, (fact.seq,), returned)
        for body in failed:
            seqs = body.facts if fact.seq in body.facts else body.facts + [fact.seq]
            returned = ((player, body.discs),)
            self.rule("capture_failed", player, why, sorted(body.ids), seqs, returned)
        if down:
            returned = ((player, down.discs),)
            self.rule("capture_failed", player, why, (down.id,), (fact.seq,), returned)

    def is_final(self, t_ms: int) -> bool:
        """Whether the game is over, and nothing can be reported any more that happened before."""
        position = self.position
        if position.phase != OVER:
            return False
        return t_ms - position.ended_ms > max(ending.TRIAL_MS, LATEST_MS)

    def state(self) -> "State":
        """What a snapshot has of the game: ints, strings, lists."""
        snapshot = self.position.state()
        snapshot["edition"] = self.edition_id
        snapshot["outcome"] = self._outcome()
        return snapshot

    def final(self) -> "dict[str, list]":
        """Reserves, score and outcome as they stand, over or not."""
        position = self.position
        return {
            "reserve": list(position.reserve),
            "score": list(position.outcome[2] if position.outcome else position.score()),
            "outcome": self._outcome(),
        }

    def _outcome(self) -> "list[str]":
        """[why, winner "w"|"b"|""], or [] while the game goes on."""
        outcome = self.position.outcome
        return [outcome[0], letter(outcome[1])] if outcome else []


def _unsure(ref: Referee, fact: Fact) -> None:
    """What players may decide, or what lies there where that was not understood."""
    if fact.why != "count":
        return faults.unsure(ref, fact)
    from polarity.rules.recount import recount

    return recount(ref, fact)


# The rulings that cost somebody anything, and which reasons for them make questions of their own.
COSTLY = ("fault", "capture_failed", "irregular", "end")
ASKED = ("contact", "touched_red", "red_off", "out", "leaner_fell", "flipped", "snapped", "shifted")

# The handler of each kind of fact, in the order of KINDS: before the game, and in it.
IN_SETUP = (
    setup.hand_in, setup.hand_out, setup.placed, setup.lifted, setup.snapped, setup.fell,
    setup.fell, setup.moved, setup.moved, setup.contact, None, setup.left_circle,
    setup.red_disturbed, setup.red_disturbed, None, faults.unsure,
)  # fmt: skip
IN_PLAY = (
    turn.hand_in, turn.hand_out, turn.placed, capture.lifted, turn.snapped, faults.fell,
    faults.flipped, faults.shifted, faults.rolled, capture.contact, capture.parted,
    faults.left_circle, ending.touched_red, ending.red_off, faults.jolt, _unsure,
)  # fmt: skip
