"""The referee: hears facts one by one, keeps the position, and says what follows.

The judging is split by subject: setup (red disc, foundations), turn (hands and the action disc),
faults (reactions on the mat), capture (what the opponent gathers up), ending; and, loaded when
players first say something, said and corrections (what they put right). Whatever the sequence of
facts, fact() raises nothing: what makes no sense is ruled `irregular` or `unsure`.
"""

from polarity.facts import KINDS, letter
from polarity.rules import capture, editions, ending, faults, players, setup, turn
from polarity.rules.journal import DEPTH, Journal
from polarity.rules.pieces import FLIP
from polarity.rules.position import OVER, PLAY, Position, seat
from polarity.rules.ruling import Ruling

SETTLED_MS = 500  # what a hand set in motion is told at most so long after it left


class Referee:
    """Judges one game of an edition. `disc_diameter_cmm`: 1/100 mm, from the mat's data.

    `edition` names the rules as editions.rules_of says; ValueError if there are none such. A
    fact's `seq` must be set before it is heard here, and grow: rulings name the facts they rest on,
    and corrections what they correct.

    `base` is the position before all that `journal` holds: what a correction judges again begins
    there. What no correction reaches any more is judged for good when there is time: call `settle`
    whenever nothing happens.
    """

    def __init__(self, edition="temple", disc_diameter_cmm=3400):
        self.edition_id = edition
        self.edition = editions.rules_of(edition)
        if self.edition is None:
            raise ValueError("no rules called " + edition)
        self.disc_diameter_cmm = disc_diameter_cmm
        self.position = Position(self.edition)
        self.base = Position(self.edition)
        self.journal = Journal()
        self.verdicts = {}  # of facts in the journal, by number: see corrections
        self.ruled = 0  # the number of the last fact or saying that led to a ruling and counts
        self.refused = ""  # why the last saying was refused
        self.t_ms = 0
        self.verdict = 0  # the players' word on what is judged now: see corrections
        self.waived = False  # it is nobody's fault
        self.charged = 0  # whose doing it is, where they say so
        self._said = []

    def fact(self, fact):
        """Hear one fact; returns the rulings that follow, in order, mostly none."""
        self.keep(fact)
        rulings = self.judge(fact, 0)
        if rulings:
            self.ruled = fact.seq
        return rulings

    def said(self, said):
        """Hear what the players say (see said.heard); yields the rulings that follow.

        It counts only once all of them are taken. `refused` then says why nothing came of it, or is
        empty. A correction's ruling comes first: all that rested on the facts from its own on is
        void, and what holds instead follows it, made anew.
        """
        from polarity.rules.corrections import taken_up

        return taken_up(self, said)

    def settle(self):
        """Judge the oldest fact for good if no correction reaches it any more; returns whether."""
        journal = self.journal
        if journal.count <= DEPTH:
            return False
        oldest = journal.fact(0)
        verdict = self.verdicts.pop(oldest.seq, 0)
        journal.drop()
        position, self.position = self.position, self.base
        self.judge(oldest, verdict)
        self.position = position
        self.refused = ""
        return True

    def keep(self, fact):
        """Enter it in the journal, which must have room for it now if it never had time."""
        if self.journal.full():
            self.settle()
        self.journal.add(fact)

    def judge(self, fact, verdict):
        """The rulings that a fact or saying leads to, with what the players say of it."""
        self._said = []
        position = self.position
        self.verdict = verdict
        self.waived = False
        self.charged = 0
        if verdict:
            from polarity.rules.corrections import put_right

            if not put_right(self, fact, verdict):
                return self._said
        if position.phase == OVER:
            return self._said
        self.t_ms = fact.t_ms
        if fact.kind not in KINDS:
            from polarity.rules.said import hear

            hear(self, fact)
            return self._said
        handler = (IN_PLAY if position.phase == PLAY else IN_SETUP)[KINDS.index(fact.kind)]
        if handler:
            handler(self, fact)
            position.prune()
            if position.phase == PLAY:
                ending.look(self, fact)
        return self._said

    def say(self, code, player, why="", pieces=(), seqs=(), returns=(), score=(), seat=0):
        """Add a ruling."""
        self._said.append(self.ruling(code, player, why, pieces, seqs, returns, score, seat))

    def ruling(self, code, player, why, pieces, seqs, returns=(), score=(), place=0, names=0):
        """A ruling; what is owed, the reserves and the turn are those of this moment."""
        position = self.position
        if self.edition["players"] > 2 and player and not place and code != "end":
            place = position.seats[seat(player)] + 1
        return Ruling(code, self.t_ms, player, why, tuple(pieces), tuple(seqs), position.owed(),
                      tuple(returns), position.reserves, position.turn, position.active, score,
                      place, names)  # fmt: skip

    def irregular(self, why, player, fact, pieces=(), returns=()):
        """Something the books do not allow, or do not know."""
        self.say("irregular", player, why, pieces, (fact.seq,), returns)

    def unsure(self, why, fact, pieces=()):
        """Something the referee cannot decide; mostly the players can."""
        asks = faults.asks(fact)
        if asks:
            self.position.question = (fact.seq, asks)
        self.say("unsure", 0, why, pieces, (fact.seq,))

    def responsible(self):
        """Whose fault a reaction is: the player off turn who reached in, else the active one."""
        if self.charged:
            return self.charged
        position = self.position
        left_ms = position.intruder_left_ms
        if left_ms >= 0 and self.t_ms - left_ms > SETTLED_MS:
            position.intruder = 0
        intruder = position.intruder if self.edition["off_turn"] else 0
        return intruder or position.active

    def begin_turn(self, player, fact):
        """The player's turn begins: he is responsible now, and owes what is in contact."""
        position = self.position
        position.active = player
        position.turn += 1
        position.done = False
        position.faulted = False
        position.action_id = 0
        position.intruder = 0
        position.question = ()
        for body in position.bodies():
            if body.owner == player:
                position.let_go(body)  # of an earlier turn; its leaving went unseen
            elif body.owner:
                body.unruled = 0
        players.hand_over(position, seat(player))
        for group in position.groups:
            if group.shape != FLIP:
                group.by = player
        self.say("turn", player, "", (fact.piece,), (fact.seq,))
        if position.cube_offer:
            position.cube_offer = 0
            self.irregular("cube_open", player, fact)

    def fault(self, player, why, fact, pieces, out=0):
        """The player committed a fault: his turn ends, what he holds goes to his reserve.

        `out`: discs already put into his reserve that this ruling is about. Groups in contact are
        the opponent's to capture now. A capture under way fails (001 Capturing Faults, note; 004
        FAQ 18). Off turn, the active player goes on (004 Basic Etiquette).
        """
        if self.waived:
            return
        position = self.position
        returns = out
        failed = []
        for body in position.bodies():
            if body.owner == player:
                returns += body.unruled
                body.unruled = 0
            elif body.group and body.group.by == player and self.edition["capture_fault_returns"]:
                failed.append(body)
                position.refund(player, body.discs)
                position.aside = [b for b in position.aside if b is not body]
                body.owner = player
                body.unruled = 0
                body.group = None
        if player == position.active:
            position.done = True
            if not position.faulted:
                position.faulted = True
                position.fault_ms = fact.t_ms
        for group in position.groups:
            if group.shape != FLIP:
                group.by = -player
        position.prune()
        returned = ((player, returns),) if returns else ()
        self.say("fault", player, why, pieces, (fact.seq,), returned)
        for body in failed:
            seqs = body.facts if fact.seq in body.facts else body.facts + [fact.seq]
            returned = ((player, body.discs),)
            self.say("capture_failed", player, why, sorted(body.ids), seqs, returned)

    def state(self):
        """A snapshot: ints, strings, lists."""
        snapshot = self.position.state()
        snapshot["edition"] = self.edition_id
        snapshot["outcome"] = self._outcome()
        return snapshot

    def final(self):
        """Reserves, score and outcome as they stand, over or not."""
        position = self.position
        return {
            "reserve": list(position.reserve),
            "score": list(position.outcome[2] if position.outcome else position.score()),
            "outcome": self._outcome(),
        }

    def _outcome(self):
        """[why, winner "w"|"b"|""], or [] while the game goes on."""
        outcome = self.position.outcome
        return [outcome[0], letter(outcome[1])] if outcome else []


# What each kind of fact means before the game and in it, in the order of KINDS.
IN_SETUP = (
    setup.hand_in, setup.hand_out, setup.placed, setup.lifted, setup.snapped, setup.fell,
    setup.fell, setup.moved, setup.moved, setup.contact, None, setup.left_circle,
    setup.red_disturbed, setup.red_disturbed, None, faults.unsure,
)  # fmt: skip
IN_PLAY = (
    turn.hand_in, turn.hand_out, turn.placed, capture.lifted, turn.snapped, faults.fell,
    faults.flipped, faults.shifted, faults.rolled, faults.contact, capture.parted,
    faults.left_circle, faults.touched_red, faults.red_off, faults.jolt, faults.unsure,
)  # fmt: skip
