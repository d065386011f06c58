"""A game in any order of what may happen on a mat, with players who change their minds."""

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from polarity import facts
from polarity.buttons import command_for
from polarity.facts import Fact
from polarity.rules.declarations import Declaration, parse
from polarity.rules.position import OVER
from polarity_bench.sequences import RULES, Record, must, set_up

FACE = st.sampled_from([1, -1])
PLACE = st.integers(-20000, 20000)
BACK = st.integers(0, 12)


class Mat(RuleBasedStateMachine):
    """Facts about pieces that are there, as perception would report them, and all declarations.

    Each step goes through `Record`, which checks what must hold: discs are conserved, one player is
    responsible, nothing is owed to nobody, a finished game takes no more rulings.
    """

    @initialize(rules=st.sampled_from(RULES))
    def begin(self, rules):
        self.record = Record(rules)
        self.t_ms = 0
        self.next_id = 200
        for fact in set_up(rules):
            self.record.handle(fact)

    @property
    def position(self):
        return self.record.referee.position

    def observe(self, kind, *fields, **named):
        self.t_ms += 700
        self.record.handle(Fact(kind, self.t_ms, *fields, **named))

    def declare(self, kind, **fields):
        self.t_ms += 700
        self.record.handle(Declaration(kind, self.t_ms, **fields))

    def any_of(self, data, things):
        return data.draw(st.sampled_from(sorted(things)))

    @rule(face=FACE, discs=st.sampled_from([1, 1, 1, 2]))
    def a_hand_comes_in(self, face, discs):
        self.next_id += 1
        self.observe(facts.HAND_IN, self.next_id, (), face, discs)

    @precondition(lambda self: self.position.carried)
    @rule(data=st.data(), shape=st.sampled_from(["leaner", "leaner", "flat"]), x=PLACE, y=PLACE)
    def something_is_let_go(self, data, shape, x, y):
        ident = self.any_of(data, self.position.carried)
        body = self.position.carried[ident]
        over = (self.any_of(data, self.position.pieces),) if self.position.pieces else ()
        shape = "tower" if body.discs > 1 else shape
        face = data.draw(st.sampled_from([body.face, body.face, -body.face]))
        self.observe(facts.PLACED, ident, over, face, body.discs, x, y, shape=shape)

    @precondition(lambda self: self.position.carried)
    @rule(data=st.data())
    def a_hand_goes_out(self, data):
        ident = self.any_of(data, self.position.carried)
        body = self.position.carried[ident]
        self.observe(facts.HAND_OUT, ident, (), body.face, body.discs)

    @precondition(lambda self: self.position.carried and self.position.pieces)
    @rule(data=st.data())
    def it_snaps_to_the_hand(self, data):
        ident = self.any_of(data, self.position.carried)
        other = self.any_of(data, self.position.pieces)
        discs = self.position.carried[ident].discs + self.position.pieces[other].discs
        self.observe(facts.SNAPPED, ident, (other,), 0, discs)

    @precondition(lambda self: self.position.pieces)
    @rule(
        data=st.data(),
        kind=st.sampled_from([
            facts.FELL, facts.FLIPPED, facts.SHIFTED, facts.ROLLED, facts.LIFTED,
            facts.LEFT_CIRCLE, facts.UNSURE,
        ]),
        d=st.integers(0, 9000),
    )  # fmt: skip
    def something_happens_to_a_piece(self, data, kind, d):
        ident = self.any_of(data, self.position.pieces)
        piece = self.position.pieces[ident]
        face = -piece.face if kind == facts.FLIPPED else piece.face
        self.observe(kind, ident, (), face, piece.discs, piece.x_cmm + d, piece.y_cmm, d=d)

    @precondition(lambda self: len(self.position.pieces) > 1)
    @rule(data=st.data(), shape=st.sampled_from(["kiss", "stack", "mix"]), face=FACE)
    def pieces_touch(self, data, shape, face):
        ids = data.draw(
            st.lists(
                st.sampled_from(sorted(self.position.pieces)), min_size=2, max_size=3, unique=True
            )
        )
        self.observe(facts.CONTACT, min(ids), tuple(ids), face, shape=shape)

    @precondition(lambda self: self.position.groups)
    @rule(data=st.data())
    def they_part(self, data):
        group = data.draw(st.sampled_from(range(len(self.position.groups))))
        ids = self.position.groups[group].ids
        if ids:
            self.observe(facts.PARTED, 0, tuple(ids))

    @precondition(lambda self: self.position.groups)
    @rule(data=st.data())
    def a_group_is_gathered(self, data):
        """All of it, and set down: most often by the one who owes it."""
        group = self.position.groups[0]
        ids, by = sorted(group.ids), group.by
        if not ids:
            return
        discs = sum(self.position.pieces[i].discs for i in ids)
        self.observe(facts.LIFTED, ids[0], (), by, self.position.pieces[ids[0]].discs)
        if len(ids) > 1:
            self.observe(facts.SNAPPED, ids[0], tuple(ids[1:]), by, discs)
        self.observe(facts.PLACED, ids[0], (), by, discs, shape="tower" if discs > 1 else "flat")

    @rule(sure=st.booleans())
    def red_or_a_jolt(self, sure):
        if sure:
            self.observe(facts.JOLT)
        else:
            self.observe(facts.TOUCHED_RED, 1, confidence=20)

    @rule(back=BACK, verdict=st.sampled_from(["denied", "waived", "charged"]), face=FACE)
    def players_overrule(self, back, verdict, face):
        number = max(0, self.record.number - 10 * back)
        player = face if verdict == "charged" else 0
        self.declare("overrule", about=number, verdict=verdict, player=player)

    @rule(back=BACK, verdict=st.sampled_from(["yes", "no", "charged"]), face=FACE)
    def players_answer(self, back, verdict, face):
        question = self.position.question
        number = question[0] if question else max(0, self.record.number - 10 * back)
        player = face if verdict == "charged" else 0
        self.declare("answer", about=number, verdict=verdict, player=player)

    @rule(back=BACK)
    def players_undo(self, back):
        self.declare("undo", about=max(0, self.record.number - 10 * back))

    @rule(number=st.sampled_from([0, 1]), held=st.booleans())
    def players_press_a_button(self, number, held):
        if command := command_for(number, held, self.position.question):
            self.t_ms += 700
            self.record.handle(parse(*command, self.t_ms))

    @rule(face=FACE, discs=st.integers(0, 30))
    def players_count_a_reserve(self, face, discs):
        self.declare("reserve", player=face, count=discs)

    @rule(kind=st.sampled_from(["double", "take", "toss"]), face=FACE)
    def players_declare(self, kind, face):
        self.declare(kind, player=face)

    @precondition(lambda self: self.position.phase != OVER and self.position.turn > 8)
    @rule(winner=st.sampled_from([1, -1, 0]))
    def players_end_it(self, winner):
        self.declare("declare", player=winner)

    @invariant()
    def the_record_leads_to_the_same_position(self):
        if hasattr(self, "record"):
            must(self.record.replayed().stands() == self.record.stands(), "replay differs")


TestMat = Mat.TestCase
TestMat.settings = settings(max_examples=60, stateful_step_count=40, deadline=None)
