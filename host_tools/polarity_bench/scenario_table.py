"""A mat as scenarios tell of it: pieces with names, what happens in words, rulings in words."""

import re

from polarity import facts
from polarity.facts import Fact
from polarity.rules import players
from polarity.rules.declarations import parse
from polarity.rules.position import PLAY
from polarity.rules.referee import Referee

COLOURS = {"white": 1, "black": -1, "nobody": 0}
NAMES = {1: "white", -1: "black", 0: "nobody"}
STEP_MS = 2000
FOUNDATIONS = ["w1", "w2", "w3", "w4", "w5", "b1", "b2", "b3", "b4", "b5"]


class Table:
    """A mat, a referee and the names that a scenario gives to pieces."""

    def __init__(self, scenario):
        self.ids = {name: i for i, name in enumerate(FOUNDATIONS, 1)}
        self.ids["red"] = 99
        self.referee = Referee(scenario.edition)
        self.handle = self.referee.handle_fact
        self.t_ms = 0
        self.seq = 0
        self.numbers = {}  # what happened -> its number
        for line in scenario.given:
            self.arrange(line.split())
        self.referee.continue_from(self.referee.position)

    def piece(self, name):
        return self.ids.setdefault(name, len(self.ids) + 10)

    def names(self, ids):
        back = {i: name for name, i in self.ids.items()}
        return [back.get(i, str(i)) for i in ids]

    def arrange(self, words):
        """Part of the position at the start, without facts."""
        position = self.referee.position
        if words == ["foundations"]:
            for i, name in enumerate(FOUNDATIONS):
                self.put(name, 1 if i < 5 else -1, 1, "flat", 10000 - 4000 * (i % 5), 4000)
            position.founded = [5, 5]
            position.reserve = [21, 21]  # the scaled edition has fewer: the figures are the same
            players.set_up(position, 1)
        elif words[:1] == ["reserve"]:
            position.reserve = [int(word) for word in words[1:]]
        elif words[1:] == ["has", "played"]:
            position.active = COLOURS[words[0]]
            position.turn = 1
        else:  # white leaner L | black tower T 3 | white disc D
            shape = {"disc": "flat"}.get(words[1], words[1])
            discs = int(words[3]) if len(words) > 3 else 1
            self.put(words[2], COLOURS[words[0]], discs, shape, 0, 0)
        position.phase = PLAY
        position.red_id = 99
        if words[1:] != ["has", "played"] and position.turn == 0:
            position.active = -1

    def put(self, name, face, discs, kind, x, y):
        self.referee.position.put(self.piece(name), face, discs, kind, x, y)
        self.referee.position.spend(face, discs)

    def happen(self, text):
        """One line of what happens: the rulings that the referee gives for it."""
        words = text.split()
        if words[0] == "meanwhile":  # at the same moment as the line before
            words = words[1:]
        else:
            self.t_ms += STEP_MS
        fact = self.fact(words)
        return self.tell(fact, text)

    def tell(self, fact, text=""):
        """The next fact: the rulings that the referee gives for it."""
        self.seq += 1
        fact.seq = self.seq
        self.numbers[text] = self.seq
        return self.handle(fact)

    def declare(self, text):
        """Players say something, naming what happened in quotes: the rulings, or the refusal."""
        self.t_ms += STEP_MS
        quoted = re.search(r'"(.*)"', text)
        words = text.replace(quoted.group(), str(self.numbers[quoted.group(1)])) if quoted else text
        kind, *rest = words.split()
        declaration = parse(kind, rest, self.t_ms)
        if declaration is None:
            raise ValueError(f"players do not declare {text!r}")
        self.seq += 1
        declaration.seq = self.seq
        self.numbers[text] = self.seq
        rulings = list(self.referee.handle_declaration(declaration))
        return self.referee.refusal or rulings

    def fact(self, words):
        who, verb, rest = words[0], words[1] if len(words) > 1 else "", words[2:]
        position = self.referee.position

        def make(kind, name=who, **fields):
            piece = self.piece(name) if name else 0
            return Fact(kind, self.t_ms, piece, **fields)

        def ids(names):
            return tuple(self.piece(n) for n in names)

        def colour_of(name):
            body = position.carried.get(self.piece(name))
            return body.face if body else 0

        if who == "jolt":
            return make(facts.JOLT, "")
        if who == "unsure":
            return make(facts.UNSURE, "", why=verb, others=ids(rest))
        if who == "red" and verb in ("off", "perhaps"):  # red perhaps off
            return make(facts.RED_OFF, "", confidence=100 if verb == "off" else 20)
        if who == "red" and verb == "placed":
            return make(facts.PLACED, shape=facts.RED)
        if who in COLOURS and verb == "brings":  # white brings A [of 2]
            discs = int(rest[2]) if len(rest) > 2 else 1
            return make(facts.HAND_IN, rest[0], face=COLOURS[who], discs=discs)
        if verb == "out":  # A out [of 2]: in the hand
            body = position.carried.get(self.piece(who))
            discs = int(rest[1]) if rest else body.discs if body else 1
            return make(facts.HAND_OUT, discs=discs, face=colour_of(who))
        if verb == "leans":  # A leans w1 w2
            return make(facts.PLACED, shape=facts.LEANER, face=colour_of(who), others=ids(rest),
                        tilt=40)  # fmt: skip
        if verb == "laid":  # A laid [white]; T laid white
            face = COLOURS[rest[0]] if rest else colour_of(who)
            body = position.carried.get(self.piece(who))
            discs = body.discs if body else 1
            shape = facts.TOWER if discs > 1 else facts.FLAT
            return make(facts.PLACED, shape=shape, face=face, discs=discs)
        if verb == "falls":
            piece = position.pieces.get(self.piece(who))
            return make(facts.FELL, face=piece.face if piece else 0)
        if verb == "flips":  # L flips black
            return make(facts.FLIPPED, face=COLOURS[rest[0]])
        if verb == "shifts" and rest[0] == "to":  # b1 shifts to X Y (mm)
            x, y = int(rest[1]) * 100, int(rest[2]) * 100
            return make(facts.SHIFTED, x=x, y=y, d=int(rest[3]) * 100)
        if verb == "shifts":  # b1 shifts 20 (mm)
            return make(facts.SHIFTED, d=int(rest[0]) * 100)
        if verb == "rolls":
            return make(facts.ROLLED, d=int(rest[0]) * 100)
        if verb == "lifted":  # w1 lifted [leaving T [of N]]
            discs = int(rest[3]) if len(rest) > 3 else 1
            return make(facts.LIFTED, others=ids(rest[1:2]), discs=discs)
        if verb == "snaps":  # A snaps b1 b2
            body = position.carried.get(self.piece(who))
            discs = body.discs if body else 1
            for name in rest:
                piece = position.pieces.get(self.piece(name))
                discs += piece.discs if piece else 1
            return make(facts.SNAPPED, others=ids(rest), discs=discs)
        if verb == "slides":
            return make(facts.LEFT_CIRCLE)
        if verb == "perhaps":  # w1 perhaps touches red
            return make(facts.TOUCHED_RED, confidence=20)
        if verb == "touches":
            return make(facts.TOUCHED_RED)
        for shape in (facts.KISS, facts.MIX, facts.STACK):  # w1 b2 kiss | w1 b2 stack as w1 black
            if shape in words:
                at = words.index(shape)
                names = words[:at]
                tail = words[at + 1 :]
                face = COLOURS[tail[2]] if len(tail) > 2 else 0
                into = tail[1] if tail else names[0]
                return make(facts.CONTACT, into, others=ids(names), shape=shape, face=face)
        if words[-1] == "part":
            return make(facts.PARTED, "", others=ids(words[:-1]))
        raise ValueError(f"nobody knows what happens when {' '.join(words)!r}")

    def owed(self, owed):
        if not owed:
            return "nothing"
        return ", ".join(f"{NAMES[p]} {' '.join(self.names(ids))}" for p, ids in owed)

    def told(self, ruling, clauses):
        """The ruling in the scenario's words, with those clauses that the scenario names."""
        words = [ruling.code, NAMES[ruling.player]]
        if ruling.why:
            words.append(ruling.why)
        parts = [" ".join(words)]
        values = {
            "pieces": " ".join(self.names(ruling.evidence.pieces)),
            "returns": ", ".join(f"{NAMES[p]} {n}" for p, n in ruling.returns) or "nothing",
            "owed": self.owed(ruling.after.owed),
            "reserve": " ".join(str(n) for n in ruling.after.reserve),
            "score": " ".join(str(n) for n in ruling.after.score),
            "turn": str(ruling.after.turn),
            "facts": " ".join(str(n) for n in ruling.evidence.facts),
            "seat": str(ruling.seat),
        }
        if ruling.returns and "returns" not in clauses:
            clauses = [*clauses, "returns"]  # never let discs change hands unsaid
        return parts + [f"{key} {values[key]}" for key in clauses]

    def check(self, line):
        """The state that a closing line describes, in its own words."""
        key, _, text = line.partition(":")
        position = self.referee.position
        if key == "reserve":
            return " ".join(str(n) for n in position.reserves)
        if key == "owed":
            return self.owed(position.owed())
        if key == "score":
            return " ".join(str(n) for n in position.score())
        if key == "turn":
            return f"{position.turn} {NAMES[position.active]}"
        if key == "cube":
            return f"{position.cube} {NAMES[position.cube_owner]}"
        if key == "surplus":
            return str(position.surplus)
        if key == "outcome":
            outcome = position.outcome
            return f"{outcome[0]} {NAMES[outcome[1]]}" if outcome else "none"
        name = text.split()[0]
        piece = position.pieces.get(self.piece(name))
        if piece is None:
            return f"{name} gone"
        return f"{name} {NAMES[piece.face]} {piece.kind} {piece.discs}"
